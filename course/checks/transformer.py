"""Checks of chapter 06: what is looked at in each exercise, case by case.

A case draws inputs, calls the student's code and returns what it saw; the engine compares. Safe to change: titles,
explanations. After any other change the tables are recorded afresh (`make refresh`).
"""

from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor

from course.checks import states
from course.checks.engine import Check, Draw
from course.checks.engine.declare import Arguments, Axis, scaled
from course.protocol.student import Module, Student

# ---- token_uniformity -----------------------------------------------------------------------------------------------

token_uniformity = Check("token_uniformity", components=("token_spread",))


@token_uniformity.takes(
    "token_spread",
    B=3,
    T=5,
    D=4,
    extremes={"numbers of 1e-15": scaled("x", 1e-15), "numbers of 1e15": scaled("x", 1e15)},
)
def _(draw: Draw, B: int, T: int, D: int) -> Arguments:
    return {"x": draw.normal(B, T, D)}


@token_uniformity.case("random tokens: B, T and D all different", weight=2)
def _(student: Student, draw: Draw) -> dict[str, Any]:
    x = draw.normal(3, 5, 4)
    x[0, 2] = 0.0  # a token like any other
    return {"spread": student.token_spread(x)}


@token_uniformity.case("tokens that share a large part")
def _(student: Student, draw: Draw) -> dict[str, Any]:
    return {"spread": student.token_spread(draw.normal(2, 6, 3) + 4 * draw.normal(2, 1, 3))}


@token_uniformity.case("the same vector everywhere: 0, and a millionth of everything changes nothing")
def _(student: Student, draw: Draw) -> dict[str, Any]:
    x = draw.normal(2, 4, 3)
    alike = draw.integers(1, 5, 2, 1, 3).float().expand(2, 4, 3)  # whole numbers: their mean is exact
    rounded = draw.normal(9, 1, 6).expand(9, 7, 6)  # here it is not, and the root of what is left would be large
    return {
        "all alike": student.token_spread(alike),
        "all alike, and no whole numbers": student.token_spread(rounded),
        "a millionth": student.token_spread(1e-6 * x),  # a small number added to what it is divided by would show
    }


@token_uniformity.case("tokens that cancel: 1")
def _(student: Student, draw: Draw) -> dict[str, Any]:
    x = draw.normal(3, 2, 5)
    return {"spread": student.token_spread(torch.cat([x, -x], dim=1))}


# ---- feed_forward ---------------------------------------------------------------------------------------------------


def _loaded(student: Student, draw: Draw, name: str, *sizes: Any, **options: Any) -> Module:
    """A module of the student's in eval mode with drawn weights; seeded, so that weights left out are the same too."""
    student.seed(6)
    module = student.shared(name, *sizes, **options)
    module.load(draw.state(module))
    return module.eval()


feed_forward = Check("feed_forward", components=("FeedForward",))


@feed_forward.takes("FeedForward", B=2, T=3, D=4, F=7, new=lambda B, T, D, F: (D, F))
def _(draw: Draw, B: int, T: int, D: int, F: int) -> Arguments:
    return {"x": draw.normal(B, T, D)}


@feed_forward.case("a batch of sequences, d_ff unlike d_model", weight=2)
def _(student: Student, draw: Draw) -> dict[str, Any]:
    return {"output": _loaded(student, draw, "FeedForward", 4, 7)(draw.normal(2, 5, 4))}


@feed_forward.case("one vector, and a batch of heads' sequences: any leading axes")
def _(student: Student, draw: Draw) -> dict[str, Any]:
    network = _loaded(student, draw, "FeedForward", 4, 7)
    return {"one vector": network(draw.normal(4)), "four axes": network(draw.normal(2, 3, 2, 4))}


@feed_forward.case("another activation takes the place of relu")
def _(student: Student, draw: Draw) -> dict[str, Any]:
    x = draw.normal(2, 3, 4)
    return {
        f"output with {name}": _loaded(student, draw, "FeedForward", 4, 7, activation=student.fixture(name))(x)
        for name in ("SoftStep", "Shares")
    }


def _what_dropout_does(part: str, layer: Module, stream: Tensor, *inputs: Any) -> dict[str, Any]:
    """What training with dropout 0.5 makes of the numbers that a part adds in evaluation.

    `stream` is what comes out of the layer where nothing is added.
    """
    return _dropped(part, layer.eval()(*inputs) - stream, layer.train()(*inputs) - stream)


def _dropped(part: str, added: Tensor, kept: Tensor) -> dict[str, Any]:
    """Numbers in evaluation and in training: which of them fall is chance, that each is gone or doubled is not."""

    def each_is_gone_or(times: int) -> bool:
        return bool((torch.minimum(kept.abs(), (kept - times * added).abs()) < 1e-4).all())

    name = f"each number of the {part} is dropped or"
    return {f"{name} doubled": each_is_gone_or(2), f"{name} four times as large": each_is_gone_or(4)}


def _explain_dropout(observed: dict[str, Any], expected: dict[str, Any]) -> str | None:
    for name, right in expected.items():
        if observed.get(name) is not right and name.endswith("doubled"):
            part = name.removeprefix("each number of the ").removesuffix(" is dropped or doubled")
            return f"With dropout 0.5 each number that the {part} adds is dropped or doubled. Here some are neither."
    return None


# ---- encoder_layer --------------------------------------------------------------------------------------------------

encoder_layer = Check("encoder_layer", components=("EncoderLayer",))
_D, _HEADS, _FF = 6, 2, 10


def _encoder_layer(student: Student, draw: Draw, norm_first: bool, dropout: float = 0.0, **settings: Any) -> Module:
    return _loaded(student, draw, "EncoderLayer", _D, _HEADS, _FF, dropout=dropout, norm_first=norm_first, **settings)


def _silenced(module: Module, state: dict[str, Tensor], *parts: str) -> None:
    """Load the state with zeros for the weights of these parts, which then add nothing."""
    module.load({name: torch.zeros_like(v) if name.startswith(parts) else v for name, v in state.items()})


def _explain_stream(observed: dict[str, Any], expected: dict[str, Any]) -> str | None:
    out, right = observed.get("output"), expected["output"]
    if not isinstance(out, Tensor) or out.shape != right.shape:
        return None
    return "A layer whose parts add nothing should pass the stream on as it came in, and something else came out."


_WIDTH, _NUMBER = Axis(6, least=2), Axis(2, long=6)  # of the model and of its heads, which have to share it out


@encoder_layer.takes(
    "EncoderLayer",
    B=2,
    T=4,
    D=_WIDTH,
    H=_NUMBER,
    F=10,
    new=lambda B, T, D, H, F: (D, H, F),
    optional="mask",
    spread="mask",
    turned={"norm_first": True},
)
def _(draw: Draw, B: int, T: int, D: int, H: int, F: int) -> Arguments:
    return {"x": draw.normal(B, T, D), "mask": draw.mask(B, T, T)}


@encoder_layer.case("norm_first=True: norm, part, add", weight=2)
def _(student: Student, draw: Draw) -> dict[str, Any]:
    return {"output": _encoder_layer(student, draw, True)(draw.normal(2, 4, _D))}


@encoder_layer.case("norm_first=False, as in the paper: part, add, norm", weight=3.5)
def _(student: Student, draw: Draw) -> dict[str, Any]:
    return {"output": _encoder_layer(student, draw, False)(draw.normal(2, 4, _D))}


@encoder_layer.case("parts that add nothing leave the stream as it was", explain=_explain_stream)
def _(student: Student, draw: Draw) -> dict[str, Any]:
    layer, x = _encoder_layer(student, draw, True), 3 + 2 * draw.normal(2, 3, _D)
    _silenced(layer, draw.state(layer), "self_attention.W_O", "feed_forward.linear2")
    return {"output": layer(x)}


@encoder_layer.case("the mask reaches the attention, in both placements")
def _(student: Student, draw: Draw) -> dict[str, Any]:
    x, mask = draw.normal(2, 3, _D), draw.mask(2, 3, 3)
    return {
        "norm first": _encoder_layer(student, draw, True)(x, mask),
        "norm after": _encoder_layer(student, draw, False)(x, mask),
    }


@encoder_layer.case("training with dropout 1: nothing is added, and the stream goes on", weight=0.5)
def _(student: Student, draw: Draw) -> dict[str, Any]:
    x = draw.normal(2, 3, _D)
    return {
        "norm first": _encoder_layer(student, draw, True, 1.0).train()(x),
        "norm after": _encoder_layer(student, draw, False, 1.0).train()(x),
    }


@encoder_layer.case("in evaluation dropout does nothing", weight=0.5)
def _(student: Student, draw: Draw) -> dict[str, Any]:
    x = draw.normal(2, 3, _D)
    return {
        "norm first": _encoder_layer(student, draw, True, 0.5)(x),
        "norm after": _encoder_layer(student, draw, False, 0.5)(x),
    }


@encoder_layer.case("dropout 0.5 falls once, on what each part adds", weight=0.5, explain=_explain_dropout)
def _(student: Student, draw: Draw) -> dict[str, Any]:
    x = draw.normal(2, 8, _D)
    seen: dict[str, Any] = {}
    ends = {"attention": "self_attention.W_O", "network": "feed_forward.linear2"}
    layer = _encoder_layer(student, draw, True, 0.5)
    state = draw.state(layer)
    _silenced(layer, state, *ends.values())
    stream = layer(x)
    for part in ends:
        _silenced(layer, state, *(end for other, end in ends.items() if other != part))
        seen |= _what_dropout_does(part, layer, stream, x)
    return seen


@encoder_layer.case("activation and eps reach the parts", weight=0.5)
def _(student: Student, draw: Draw) -> dict[str, Any]:
    x = draw.normal(2, 3, _D)
    return {
        "another activation": _encoder_layer(student, draw, True, activation=student.fixture("SoftStep"))(x),
        "eps 0.5, norm first": _encoder_layer(student, draw, True, layer_norm_eps=0.5)(x),
        "eps 0.5, norm after": _encoder_layer(student, draw, False, layer_norm_eps=0.5)(x),
    }


# ---- transformer_encoder --------------------------------------------------------------------------------------------

transformer_encoder = Check("transformer_encoder", components=("TransformerEncoder",))


def _tower(student: Student, draw: Draw, layers: int, norm_first: bool) -> Module:
    return _loaded(student, draw, "TransformerEncoder", _D, _HEADS, _FF, layers, norm_first=norm_first)


_LAYERS = Axis(2, long=5)


@transformer_encoder.takes(
    "TransformerEncoder",
    B=2,
    T=4,
    L=_LAYERS,
    new=lambda B, T, L: (_D, _HEADS, _FF, L),
    optional="mask",
    spread="mask",
    turned={"norm_first": False},
)
def _(draw: Draw, B: int, T: int, L: int) -> Arguments:
    return {"x": draw.normal(B, T, _D), "mask": draw.mask(B, T, T)}


@transformer_encoder.case("three layers, each with weights of its own", weight=2)
def _(student: Student, draw: Draw) -> dict[str, Any]:
    tower = _tower(student, draw, 3, True)
    numbers = {name: torch.Size(shape).numel() for name, shape in tower.state_shapes().items()}
    of_layers = sum(number for name, number in numbers.items() if name.startswith("layers."))
    return {"parameters of the layers": of_layers, "output": tower(draw.normal(2, 4, _D))}


@transformer_encoder.case("norm_first=False: nothing after the last layer")
def _(student: Student, draw: Draw) -> dict[str, Any]:
    tower, x = _tower(student, draw, 2, False), draw.normal(2, 4, _D)
    return {"output": tower(x), "parameters": len(tower.state_shapes()), "what `norm` gives": tower.method("norm", x)}


@transformer_encoder.case("the mask reaches every layer")
def _(student: Student, draw: Draw) -> dict[str, Any]:
    x, mask = draw.normal(2, 4, _D), draw.mask(2, 1, 4, keep=0.5)
    return {"one layer": _tower(student, draw, 1, True)(x, mask), "two": _tower(student, draw, 2, True)(x, mask)}


@transformer_encoder.case("in training, dropout 1 in every layer: the stream comes through", weight=0.5)
def _(student: Student, draw: Draw) -> dict[str, Any]:
    tower = _loaded(student, draw, "TransformerEncoder", _D, _HEADS, _FF, 2, dropout=1.0).train()
    return {"output": tower(draw.normal(2, 3, _D))}


@transformer_encoder.case("activation and eps reach the layers, and eps the last norm", weight=0.5)
def _(student: Student, draw: Draw) -> dict[str, Any]:
    x, half_step = draw.normal(2, 3, _D), student.fixture("SoftStep")

    def output(layers: int, **settings: Any) -> Tensor:
        return _loaded(student, draw, "TransformerEncoder", _D, _HEADS, _FF, layers, **settings)(x)

    return {
        "another activation": output(1, activation=half_step, norm_first=True),
        "the layers with eps 0.5": output(1, layer_norm_eps=0.5, norm_first=False),
        "the last norm with eps 0.5": output(0, layer_norm_eps=0.5, norm_first=True),
    }


# ---- decoder_layer --------------------------------------------------------------------------------------------------

decoder_layer = Check("decoder_layer", components=("DecoderLayer",))


def _decoder_layer(student: Student, draw: Draw, norm_first: bool, dropout: float = 0.0, **settings: Any) -> Module:
    return _loaded(student, draw, "DecoderLayer", _D, _HEADS, _FF, dropout=dropout, norm_first=norm_first, **settings)


def _causal(length: int) -> Tensor:
    return torch.ones(length, length, dtype=torch.bool).tril()


def _fill_memory(arguments: Arguments, fill: float) -> Arguments:
    """Fill what no query may attend to."""
    nobody = ~arguments["memory_mask"].any(dim=1).unsqueeze(2)  # (B, S, 1)
    return arguments | {"memory": arguments["memory"].masked_fill(nobody, fill)}


# Not NaN nor infinity: a weight of zero times either is NaN.
@decoder_layer.takes(
    "DecoderLayer",
    B=2,
    T=3,
    S=4,
    D=_WIDTH,
    H=_NUMBER,
    F=10,
    new=lambda B, T, S, D, H, F: (D, H, F),
    same="x memory",
    optional="mask memory_mask",
    spread="mask memory_mask",
    turned={"norm_first": True},
    garbage=_fill_memory,
    fills=(1e4, 1e30),
)
def _(draw: Draw, B: int, T: int, S: int, D: int, H: int, F: int) -> Arguments:
    x, memory = draw.normal(B, T, D), draw.normal(B, S, D)
    return {"x": x, "memory": memory, "mask": draw.mask(B, T, T), "memory_mask": draw.mask(B, 1, S)}


@decoder_layer.case("norm_first=True, without masks: T and S different", weight=2)
def _(student: Student, draw: Draw) -> dict[str, Any]:
    return {"output": _decoder_layer(student, draw, True)(draw.normal(2, 3, _D), draw.normal(2, 5, _D))}


@decoder_layer.case("norm_first=False, as in the paper, without masks", weight=4)
def _(student: Student, draw: Draw) -> dict[str, Any]:
    return {"output": _decoder_layer(student, draw, False)(draw.normal(2, 3, _D), draw.normal(2, 5, _D))}


@decoder_layer.case("a mask on the stream, causal or not, and a mask on the memory", weight=2)
def _(student: Student, draw: Draw) -> dict[str, Any]:
    x, memory, memory_mask = draw.normal(2, 3, _D), draw.normal(2, 5, _D), draw.mask(2, 3, 5)
    layer, of_pairs = _decoder_layer(student, draw, True), draw.mask(2, 3, 3)
    of_pairs[:, 0, 1:] = True  # what a causal mask forbids
    return {
        "both": layer(x, memory, _causal(3), memory_mask),
        "the stream's alone": layer(x, memory, of_pairs),
        "the memory's alone": layer(x, memory, None, memory_mask),
        "both, norm after": _decoder_layer(student, draw, False)(x, memory, of_pairs, memory_mask),
    }


@decoder_layer.case("another source, another output", weight=0.5)
def _(student: Student, draw: Draw) -> dict[str, Any]:
    layer, x, memory = _decoder_layer(student, draw, True), draw.normal(2, 3, _D), draw.normal(2, 5, _D)
    changed = memory + 5 * torch.nn.functional.one_hot(torch.tensor(1), _D)  # a shift of one feature everywhere
    return {"change": layer(x, changed) - layer(x, memory)}


@decoder_layer.case("parts that add nothing leave the stream as it was", explain=_explain_stream)
def _(student: Student, draw: Draw) -> dict[str, Any]:
    layer, x = _decoder_layer(student, draw, True), 3 + 2 * draw.normal(2, 3, _D)
    _silenced(layer, draw.state(layer), "self_attention.W_O", "cross_attention.W_O", "feed_forward.linear2")
    return {"output": layer(x, draw.normal(2, 4, _D))}


@decoder_layer.case("training with dropout 1: nothing is added; in evaluation dropout does nothing", weight=0.5)
def _(student: Student, draw: Draw) -> dict[str, Any]:
    x, memory = draw.normal(2, 3, _D), draw.normal(2, 4, _D)
    return {
        "norm first": _decoder_layer(student, draw, True, 1.0).train()(x, memory),
        "norm after": _decoder_layer(student, draw, False, 1.0).train()(x, memory),
        "norm after, in evaluation": _decoder_layer(student, draw, False, 0.5)(x, memory),
    }


@decoder_layer.case("dropout 0.5 falls once, on what each part adds", weight=0.5, explain=_explain_dropout)
def _(student: Student, draw: Draw) -> dict[str, Any]:
    x, memory = draw.normal(2, 8, _D), draw.normal(2, 4, _D)
    seen: dict[str, Any] = {}
    ends = {
        "attention": "self_attention.W_O",
        "look at the memory": "cross_attention.W_O",
        "network": "feed_forward.linear2",
    }
    layer = _decoder_layer(student, draw, True, 0.5)
    state = draw.state(layer)
    _silenced(layer, state, *ends.values())
    stream = layer(x, memory)
    for part in ends:
        _silenced(layer, state, *(end for other, end in ends.items() if other != part))
        seen |= _what_dropout_does(part, layer, stream, x, memory)
        if part == "look at the memory":  # a memory of one has all the weight, whatever asks
            seen |= _what_dropout_does("look at a memory of one", layer, stream, x, memory[:, :1])
    return seen


@decoder_layer.case("activation and eps reach the parts", weight=0.5)
def _(student: Student, draw: Draw) -> dict[str, Any]:
    x, memory = draw.normal(2, 3, _D), draw.normal(2, 4, _D)
    return {
        "another activation": _decoder_layer(student, draw, True, activation=student.fixture("SoftStep"))(x, memory),
        "eps 0.5, norm first": _decoder_layer(student, draw, True, layer_norm_eps=0.5)(x, memory),
        "eps 0.5, norm after": _decoder_layer(student, draw, False, layer_norm_eps=0.5)(x, memory),
    }


# ---- transformer_decoder --------------------------------------------------------------------------------------------

transformer_decoder = Check("transformer_decoder", components=("TransformerDecoder",))


def _decoder(student: Student, draw: Draw, layers: int, **settings: Any) -> Module:
    return _loaded(student, draw, "TransformerDecoder", _D, _HEADS, _FF, layers, **settings)


@transformer_decoder.takes(
    "TransformerDecoder",
    B=2,
    T=3,
    S=4,
    L=_LAYERS,
    new=lambda B, T, S, L: (_D, _HEADS, _FF, L),
    same="x memory",
    optional="mask memory_mask",
    spread="mask memory_mask",
    turned={"norm_first": False},
    garbage=_fill_memory,
    fills=(1e4, 1e30),
)
def _(draw: Draw, B: int, T: int, S: int, L: int) -> Arguments:
    x, memory = draw.normal(B, T, _D), draw.normal(B, S, _D)
    return {"x": x, "memory": memory, "mask": draw.mask(B, T, T), "memory_mask": draw.mask(B, 1, S)}


@transformer_decoder.case("three layers, each of which reads what the one before has left", weight=2)
def _(student: Student, draw: Draw) -> dict[str, Any]:
    return {"output": _decoder(student, draw, 3)(draw.normal(2, 3, _D), draw.normal(2, 4, _D))}


@transformer_decoder.case("norm_first=False: nothing after the last layer")
def _(student: Student, draw: Draw) -> dict[str, Any]:
    return {"output": _decoder(student, draw, 2, norm_first=False)(draw.normal(2, 3, _D), draw.normal(2, 4, _D))}


@transformer_decoder.case("both masks reach every layer")
def _(student: Student, draw: Draw) -> dict[str, Any]:
    x, memory, memory_mask = draw.normal(2, 3, _D), draw.normal(2, 4, _D), draw.mask(2, 1, 4, keep=0.5)
    mask = draw.mask(2, 3, 3)
    mask[:, 0, 1:] = True  # what a causal mask forbids
    given = {"the stream's mask": (mask, None), "the memory's mask": (None, memory_mask), "both": (mask, memory_mask)}
    return {name: _decoder(student, draw, 2)(x, memory, *masks) for name, masks in given.items()}


@transformer_decoder.case("in training, dropout 1 in every layer: the stream comes through", weight=0.5)
def _(student: Student, draw: Draw) -> dict[str, Any]:
    tower = _decoder(student, draw, 2, dropout=1.0).train()
    return {"output": tower(draw.normal(2, 3, _D), draw.normal(2, 4, _D))}


@transformer_decoder.case("settings reach the layers and the last norm", weight=0.5)
def _(student: Student, draw: Draw) -> dict[str, Any]:
    one = draw.normal(1, 3, _D), draw.normal(1, 4, _D)
    return {
        "the last norm with eps 0.5": _decoder(student, draw, 0, layer_norm_eps=0.5)(*one),
        "the layers with eps 0.5": _decoder(student, draw, 1, layer_norm_eps=0.5, norm_first=False)(*one),
        "another activation": _decoder(student, draw, 1, activation=student.fixture("SoftStep"))(*one),
    }


# ---- transformer ----------------------------------------------------------------------------------------------------

transformer = Check("transformer", components=("Transformer",))
_SOURCES, _TARGETS, _BOS = 9, 5, 4  # an id of bos that is nobody's default


def _transformer(
    student: Student, draw: Draw, layers: int = 1, norm_first: bool = True, dropout: float = 0.0
) -> Module:
    sizes = _SOURCES, _TARGETS, _D, _HEADS, _FF, layers
    return _loaded(student, draw, "Transformer", *sizes, bos_id=_BOS, dropout=dropout, norm_first=norm_first)


def _sentences(draw: Draw, T: int = 4) -> tuple[Tensor, Tensor, Tensor]:
    """Source (2, 5) and lengths of which one is shorter, targets (2, T)."""
    return draw.integers(2, _SOURCES, 2, 5), torch.tensor([5, 3]), draw.integers(1, _BOS, 2, T)


@transformer.takes(
    "Transformer",
    B=2,
    T=3,
    S=4,
    D=_WIDTH,
    V=Axis(6, least=6),  # more than the id of bos, and what two heads can share
    new=lambda B, T, S, D, V: (V + 4, V, D, _HEADS, _FF, 1),
    keywords={"bos_id": _BOS},
    turned={"norm_first": False},
)
def _(draw: Draw, B: int, T: int, S: int, D: int, V: int) -> Arguments:
    return {
        "source": draw.integers(0, V + 4, B, S),
        "lengths": draw.lengths(B, max(1, S - 1)),  # no sentence fills the batch
        "targets": draw.integers(0, V, B, T),
    }


@transformer.case("embedding: vectors times the root of d_model, plus sines")
def _(student: Student, draw: Draw) -> dict[str, Any]:
    model = _transformer(student, draw, layers=0, norm_first=False)  # without layers nothing else is left
    source, lengths, targets = _sentences(draw)
    return {
        "embedded": model.method("encode", source, lengths)[0],
        "what `embed` gives": model.method("embed", model.part("target_embedding"), targets),
    }


@transformer.case("the memory, and which of it may be attended to")
def _(student: Student, draw: Draw) -> dict[str, Any]:
    source, _, _ = _sentences(draw)
    lengths = torch.tensor([4, 3])  # no sentence fills the batch, which keeps its width all the same
    memory, memory_mask = _transformer(student, draw).method("encode", source, lengths)
    # what stands at padding is nobody's business
    real = {"memory, first sentence": memory[0, :4], "second": memory[1, :3]}
    return {"the memory's shape": str(tuple(memory.shape)), **real, "mask": memory_mask}


@transformer.case("one word goes in, and reads the whole source", weight=2)
def _(student: Student, draw: Draw) -> dict[str, Any]:
    model = _transformer(student, draw)
    memory, memory_mask = draw.normal(2, 5, _D), torch.arange(5) < torch.tensor([5, 3]).view(2, 1, 1)
    return {"logits": model.method("decode", draw.integers(2, _TARGETS, 2, 1), memory, memory_mask)}


@transformer.case("several words go in, and none reads a later one", weight=2)
def _(student: Student, draw: Draw) -> dict[str, Any]:
    model, tokens = _transformer(student, draw), draw.integers(2, _TARGETS, 2, 4)
    return {"logits": model.method("decode", tokens, draw.normal(2, 5, _D))}


@transformer.case("teacher forcing: each place gets the true word before it", weight=2)
def _(student: Student, draw: Draw) -> dict[str, Any]:
    return {"logits": _transformer(student, draw, layers=2)(*_sentences(draw))}


@transformer.case("norm_first=False reaches both towers; more words than features", weight=0.5)
def _(student: Student, draw: Draw) -> dict[str, Any]:
    words, (source, lengths, _) = _D + 2, _sentences(draw)
    targets = torch.tensor([[words - 1, 1], [2, 3]])  # the last id there is goes in
    model = _loaded(student, draw, "Transformer", _SOURCES, words, _D, _HEADS, _FF, 1, bos_id=_BOS, norm_first=False)
    return {"logits": model(source, lengths, targets)}


@transformer.case("the logits before a changed target stay as they were")
def _(student: Student, draw: Draw) -> dict[str, Any]:
    model, (source, lengths, targets) = _transformer(student, draw), _sentences(draw)
    other = targets.clone()
    other[:, 2] = 1 + targets[:, 2] % (_BOS - 1)
    moved = (model(source, lengths, other) - model(source, lengths, targets)).abs().amax(dim=(0, 2)) > 1e-6
    return {"logits that move with target 2": moved}


@transformer.case("a longer neighbor changes nothing: padding is not read")
def _(student: Student, draw: Draw) -> dict[str, Any]:
    model, (source, lengths, targets) = _transformer(student, draw), _sentences(draw)
    alone = model(source[1:, :3], lengths[1:], targets[1:, :2])
    return {"logits alone": alone, "in company": model(source, lengths, targets)[1:, :2]}


@transformer.case("token by token, `step` gives what `forward` gives", weight=2)
def _(student: Student, draw: Draw) -> dict[str, Any]:
    model, (source, lengths, targets) = _transformer(student, draw), _sentences(draw, T=3)
    source[0, 4] = 2  # ids taken for lengths would hide this word
    state: Any = model.method("start", source, lengths)
    before = f"{', '.join(str(tuple(part.shape)) for part in state)}, and {state[0].dtype}"
    columns = []
    for token in torch.nn.functional.pad(targets[:, :-1], (1, 0), value=_BOS).unbind(1):
        logits, state = model.method("step", token, state)
        columns.append(logits)
    written = {"shapes in the state before the first word": before, "tokens in the state": state[0]}
    return {"logits": torch.stack(columns, 1)} | written


@transformer.case(states.TITLE, weight=0.5, contract=True, explain=states.explain)
def _(student: Student, draw: Draw) -> dict[str, Any]:
    model, (source, lengths, _) = _transformer(student, draw), _sentences(draw)
    start = model.method("start", source[:1], lengths[:1])
    token = torch.tensor([_BOS])
    logits, step = model.method("step", token, start)
    again = states.after_another(model, (source[1:2], lengths[1:2]), token, start, logits)
    begin = {
        "op": "method",
        "on": model.train(),
        "name": "start",
        "args": [source, lengths],
        "watch": ["source", "lengths"],
    }
    (begun,) = student.calls([begin])
    changed = {states.MODE: "the mode of the module" in begun.changed}  # who draws in training is free to
    return states.seen(logits, start=start, step=step) | again | changed


@transformer.case(
    "in training, dropout 1: not even the embedding comes through; 0.5 falls on it once",
    weight=0.5,
    explain=_explain_dropout,
)
def _(student: Student, draw: Draw) -> dict[str, Any]:
    source, lengths, targets = _sentences(draw, T=2)
    logits = _transformer(student, draw, dropout=1.0).train()(source, lengths, targets)
    bare = _transformer(student, draw, 0, False, 1.0).train()  # no layers: the embedding is all there is
    memory, _ = _transformer(student, draw, dropout=1.0).train().method("encode", source, lengths)
    embedded, _ = bare.method("encode", source, lengths)
    half = _transformer(student, draw, 0, False, 0.5)
    added = half.method("encode", source, lengths)[0]
    kept = half.train().method("encode", source, lengths)[0]
    seen = {"logits": logits, "embedded source": embedded, "memory, first sentence": memory[0]}
    return seen | _dropped("embedding", added, kept)


@transformer.case("in evaluation dropout does nothing, nor does dropout 0 in training", weight=0.5)
def _(student: Student, draw: Draw) -> dict[str, Any]:
    given = _sentences(draw, T=2)
    return {
        "logits in evaluation": _transformer(student, draw, dropout=0.5)(*given),
        "logits in training": _transformer(student, draw).train()(*given),
    }


# ---- warmup_schedule ------------------------------------------------------------------------------------------------

warmup_schedule = Check("warmup_schedule", components=("warmup_schedule",))


def _explain_rates(observed: dict[str, Any], expected: dict[str, Any]) -> str | None:
    for name, right in expected.items():
        rate = observed.get(name)
        if type(rate) is float and abs(rate - right) > 1e-4 * right:
            return f"The {name} is {rate / 1e3:.3g}, which is too {'low' if rate < right else 'high'}."
    return None


@warmup_schedule.takes("warmup_schedule", N=5, D=64, W=20)
def _(draw: Draw, N: int, D: int, W: int) -> Arguments:
    return {"step": N, "d_model": D, "warmup_steps": W}


@warmup_schedule.case("on the way up", explain=_explain_rates)
def _(student: Student, draw: Draw) -> dict[str, Any]:
    steps = [1, *draw.integers(2, 50, 3).tolist()]
    return {f"rate at step {step} of a warm-up of 50": 1e3 * student.warmup_schedule(step, 64, 50) for step in steps}


@warmup_schedule.case("on the way down, for other widths", explain=_explain_rates)
def _(student: Student, draw: Draw) -> dict[str, Any]:
    steps = zip(draw.integers(200, 5_000, 3).tolist(), (100, 200, 300), strict=True)
    return {f"rate at step {step}, width {d}": 1e3 * student.warmup_schedule(step, d, 150) for step, d in steps}


@warmup_schedule.case("the highest rate is at the last step of the warm-up")
def _(student: Student, draw: Draw) -> dict[str, Any]:
    warm_up = int(draw.integers(5, 12, 1))
    rates = [student.warmup_schedule(step, 32, warm_up) for step in range(1, 25)]
    return {"the step of the highest": rates.index(max(rates)) + 1, "the highest": max(rates)}


@warmup_schedule.case("step 0: a rate of 0, and no error", weight=0.5)
def _(student: Student, draw: Draw) -> dict[str, Any]:
    rate = student.warmup_schedule(0, 64, 50)
    return {"rate": float(rate), "a Python float": type(rate) is float}


# ---- fix_the_layer_norm ---------------------------------------------------------------------------------------------

fix_the_layer_norm = Check("fix_the_layer_norm", components=("layer_norm",), blocked=("norm",))


@fix_the_layer_norm.takes(
    "layer_norm",
    B=2,
    T=5,
    D=8,
    extremes={"numbers of 0.001": scaled("x", 1e-3), "numbers of 1e15": scaled("x", 1e15)},
)
def _(draw: Draw, B: int, T: int, D: int) -> Arguments:
    return {"x": 3 * draw.normal(B, T, D), "weight": draw.normal(D), "bias": draw.normal(D)}


@fix_the_layer_norm.case("B, T and D all different", weight=2)
def _(student: Student, draw: Draw) -> dict[str, Any]:
    return {"normed": student.layer_norm(2 + 3 * draw.normal(2, 5, 4), draw.normal(4), draw.normal(4))}


@fix_the_layer_norm.case("what stands at one position does not depend on another")
def _(student: Student, draw: Draw) -> dict[str, Any]:
    x, weight, bias = draw.normal(1, 4, 5), draw.normal(5), draw.normal(5)
    last = torch.arange(4).view(1, 4, 1) == 3
    moved = student.layer_norm(torch.where(last, x + 5 * draw.normal(1, 1, 5), x), weight, bias)
    before = student.layer_norm(x, weight, bias)
    change = (moved - before).abs().amax(dim=(0, 2)) > 1e-6
    return {"positions that move with the last": change}


# Right forms differ by rounding there: a difference of two nearly equal numbers, divided by a hundredth.
@fix_the_layer_norm.case("features that hardly differ: eps, and where it stands", atol=1e-3)
def _(student: Student, draw: Draw) -> dict[str, Any]:
    x = 3 + 0.01 * draw.normal(3, 5, 4)  # fifteen places: squares less a square come out right at one now and then
    return {
        "eps 1e-5": student.layer_norm(x, draw.normal(4), draw.normal(4)),
        "eps 0.1": student.layer_norm(x, draw.normal(4), draw.normal(4), 0.1),
    }


# ---- parameter_count ------------------------------------------------------------------------------------------------

parameter_count = Check("parameter_count", components=("parameter_count",))


def _explain_count(observed: dict[str, Any], expected: dict[str, Any]) -> str | None:
    count, right = observed.get("parameters"), expected["parameters"]
    if type(count) not in (int, float) or count == right:
        return None
    return f"You count {count:,}, which is too {'few' if count < right else 'many'}."


@parameter_count.takes("parameter_count", D=6, F=11, L=2, V=50)
def _(draw: Draw, D: int, F: int, L: int, V: int) -> Arguments:
    return {"d_model": D, "d_ff": F, "num_layers": L, "vocab_size": V}


@parameter_count.case("one layer each, sizes with nothing in common", explain=_explain_count)
def _(student: Student, draw: Draw) -> dict[str, Any]:
    d, ff, vocabulary = (int(draw.integers(low, high, 1)) for low, high in ((5, 20), (30, 60), (70, 200)))
    return {"parameters": student.parameter_count(d, ff, 1, vocabulary)}


@parameter_count.case("many layers, no vocabulary", explain=_explain_count)
def _(student: Student, draw: Draw) -> dict[str, Any]:
    d, ff, layers = (int(draw.integers(low, high, 1)) for low, high in ((5, 20), (30, 60), (3, 9)))
    return {"parameters": student.parameter_count(d, ff, layers, 0)}


@parameter_count.case("no layers: the one matrix of the vocabulary", explain=_explain_count)
def _(student: Student, draw: Draw) -> dict[str, Any]:
    d, vocabulary = int(draw.integers(5, 20, 1)), int(draw.integers(70, 200, 1))
    return {"parameters": student.parameter_count(d, 30, 0, vocabulary)}


@parameter_count.case("the paper's base model with 37,000 tokens", explain=_explain_count)
def _(student: Student, draw: Draw) -> dict[str, Any]:
    return {"parameters": student.parameter_count(512, 2_048, 6, 37_000)}


# ---- label_smoothing_loss -------------------------------------------------------------------------------------------

label_smoothing_loss = Check("label_smoothing_loss", components=("label_smoothing_loss",))


def _guesses(draw: Draw, B: int = 3, T: int = 4, V: int = 6, pad_id: int = 0) -> tuple[Tensor, Tensor]:
    targets = draw.integers(0, V - 1, B, T)
    return draw.normal(B, T, V), targets + (targets >= pad_id)


_PAD = 1


def _fill_padding(arguments: Arguments, fill: float) -> Arguments:
    """Fill the logits where the target is padding."""
    padding = (arguments["targets"] == _PAD).unsqueeze(2)
    return arguments | {"logits": arguments["logits"].masked_fill(padding, fill)}


@label_smoothing_loss.takes(
    "label_smoothing_loss",
    B=3,
    T=4,
    V=Axis(6, least=2),
    garbage=_fill_padding,
    fills=(1e30,),  # whoever multiplies by zero there is right, too
)
def _(draw: Draw, B: int, T: int, V: int) -> Arguments:
    logits, targets = _guesses(draw, B, T, V, pad_id=_PAD)
    padding = torch.arange(T) >= draw.lengths(B, T).unsqueeze(1)
    return {"logits": logits, "targets": targets.masked_fill(padding, _PAD), "pad_id": _PAD, "smoothing": 0.2}


@label_smoothing_loss.case("no padding, and smoothing of a tenth", weight=2)
def _(student: Student, draw: Draw) -> dict[str, Any]:
    return {"loss": student.label_smoothing_loss(*_guesses(draw), 0, 0.1)}


@label_smoothing_loss.case("much smoothing, another pad_id")
def _(student: Student, draw: Draw) -> dict[str, Any]:
    return {"loss": student.label_smoothing_loss(*_guesses(draw, pad_id=4), 4, 0.6)}


@label_smoothing_loss.case("padding counts nowhere", weight=2)
def _(student: Student, draw: Draw) -> dict[str, Any]:
    logits, targets = _guesses(draw, T=5)
    padded = targets.masked_fill(torch.arange(5) >= torch.tensor([5, 2, 3]).unsqueeze(1), 0)
    padded[0, 1] = 0  # wherever it stands
    return {"loss": student.label_smoothing_loss(logits, padded, 0, 0.2)}


@label_smoothing_loss.case("without smoothing, the masked cross-entropy of chapter 01")
def _(student: Student, draw: Draw) -> dict[str, Any]:
    logits, targets = _guesses(draw)
    targets[1, 2:] = 0
    return {"loss": student.label_smoothing_loss(logits, targets, 0, 0.0)}


@label_smoothing_loss.case("logits far apart, and one that is NaN", weight=0.5)
def _(student: Student, draw: Draw) -> dict[str, Any]:
    logits, targets = _guesses(draw)
    far = 200 * logits
    unknown = far.clone()
    unknown[1, 0, 3] = torch.nan
    return {
        "loss": student.label_smoothing_loss(far, targets, 0, 0.1),
        "a NaN at a real token shows": bool(
            torch.as_tensor(student.label_smoothing_loss(unknown, targets, 0, 0.1)).isnan()
        ),
    }


@label_smoothing_loss.case("nothing but padding: 0, with zero gradients; and one word that is real")
def _(student: Student, draw: Draw) -> dict[str, Any]:
    logits, _ = _guesses(draw)
    padding = torch.zeros(3, 4, dtype=torch.int64)
    one = padding.clone()
    one[1, 0] = 3
    return {
        "loss": student.label_smoothing_loss(logits, padding, 0, 0.1),
        "gradient": student.grad("label_smoothing_loss", logits, padding, 0, 0.1, cotangents=[torch.ones(())])[0],
        "loss of one word": student.label_smoothing_loss(logits, one, 0, 0.1),
    }


@label_smoothing_loss.case("smoothing of 1 or more, or below 0, raises ValueError", weight=0.5, contract=True)
def _(student: Student, draw: Draw) -> dict[str, Any]:
    logits, targets = _guesses(draw)
    loss = student.label_smoothing_loss(logits, targets, 0, 0.1)  # first, so that raising always proves nothing
    return {
        "the loss' shape where it fits": str(tuple(loss.shape)),
        "smoothing 1": student.error_of("label_smoothing_loss", logits, targets, 0, 1.0),
        "smoothing 1.5": student.error_of("label_smoothing_loss", logits, targets, 0, 1.5),
        "smoothing -0.1": student.error_of("label_smoothing_loss", logits, targets, 0, -0.1),
    }


# ---- beam_search ----------------------------------------------------------------------------------------------------

beam_search = Check("beam_search", components=("beam_search",))
_WORDS, _END = 5, 2


def _writer(student: Student, draw: Draw, end: float = 0.0, sharp: float = 2.0, one_tensor: bool = False) -> Module:
    """A small random writer; `end` raises the logit of the end token. Its state is a pair, or the first of it alone."""
    inwards, onwards, outwards = draw.normal(_WORDS, 3), draw.normal(3, 3), sharp * draw.normal(3, _WORDS)
    ending, kept = end * (torch.arange(_WORDS) == _END), draw.normal(1, 3) if one_tensor else None
    return student.fixture("Writer", inwards, onwards, outwards, ending, kept)


def _late_winner(draw: Draw) -> Callable:
    """A writer of two words: what begins with the least likely of four words is the likeliest in the end."""
    after = torch.zeros(_WORDS, _WORDS)  # a row for each word before: 1, the first, then one that is sure, or none
    after[1] = 0.2 * draw.uniform(_WORDS) - 30 * (torch.arange(_WORDS) == _END)
    after[1, 3] = -0.5
    after[3, 0] = 9.0
    return lambda token, state: (torch.nn.functional.embedding(token, after), state)


def _runner_up(draw: Draw) -> Callable:
    """A writer whose best three words, 0 4 0, go on from the second best of all beginnings.

    That one has the same first word as the best, a finished sentence stands behind it in a beam of 4, and what comes
    third is sure for this first word alone. So whoever keeps one for each, lets only the finished win, or leaves the
    state in its old order finds another. The state is (words written (B, 1), the first of them (B, 1)).
    """
    shares = torch.full((5, _WORDS), 0.05)
    shares[0] = torch.tensor([0.6, 0.25, 0.13, 0.01, 0.01])  # of the first words; 2 is the end
    shares[1, 3:] = torch.tensor([0.45, 0.4])  # of the words after 0: in all .27 and .24
    shares[2, 3] = 0.3  # of those after 1: .15 in all
    shares[3, 0] = 4.8  # after 0 4; what follows on all others is the last row
    logits = shares.log() + 0.02 * draw.uniform(5, _WORDS)

    def step(token: Tensor, state: tuple[Tensor, Tensor]) -> tuple[Tensor, tuple[Tensor, Tensor]]:
        (written, first), token = state, token.unsqueeze(1)
        first = torch.where(written == 1, token, first)
        third = torch.where((written == 2) & (first == 0) & (token == 4), 3, 4)
        row = torch.where(written == 0, 0, torch.where((written == 1) & (token < 2), 1 + token, third))
        return torch.nn.functional.embedding(row.squeeze(1), logits), (written + 1, first)

    return step


def _explain_search(observed: dict[str, Any], expected: dict[str, Any]) -> str | None:
    for name, right in expected.items():
        tokens = observed.get(name)
        if not name.startswith("tokens") or not isinstance(tokens, Tensor) or tokens.ndim != 1:
            continue
        score = name.replace("tokens", "score")
        scores = (observed.get(score, 0.0), expected.get(score, 0.0))
        if tokens.tolist() != right.tolist() or abs(scores[0] - scores[1]) > 1e-4 * max(1.0, abs(scores[1])):
            if tokens.tolist() == right.tolist():
                return f"Found: {tokens.tolist()}, which is right; its score is not {scores[0]:.3f}."
            better = " that scores higher" if scores[1] > scores[0] else ""
            return f"Found: {tokens.tolist()} with a score of {scores[0]:.3f}; another sentence{better} is asked for."
    return None


def _searches(
    student: Student,
    draw: Draw,
    beam_size: int,
    max_length: int,
    *penalty: float,
    end: float = 0.0,
    sharp: float = 2.0,
    many: int = 5,
) -> dict[str, Any]:
    """What several searches find, each with a writer of its own: one alone could come out right by chance."""
    seen: dict[str, Any] = {}
    for i in range(many):
        step, state = _writer(student, draw, end, sharp), (draw.normal(1, 3), draw.normal(1, 3))
        tokens, score = student.beam_search(step, state, 1, _END, beam_size, max_length, *penalty)
        seen[f"tokens, sentence {i}"], seen[f"score, sentence {i}"] = tokens, float(score)
    return seen


_NO_GRADIENTS = "gradients are off in a search, as the decorator above it says"


@beam_search.takes(
    "beam_search",
    V=Axis(_WORDS, least=3),
    K=3,
    T=Axis(4, long=20),
    excused={
        "gradients": _NO_GRADIENTS,
        "float64": "tokens come back, and a score that is a Python float: no tensor has a dtype to keep",
    },
)
def _(draw: Draw, V: int, K: int, T: int) -> Arguments:
    inwards, outwards = draw.normal(V, 3), 2 * draw.normal(3, V)

    def step(token: Tensor, state: Tensor) -> tuple[Tensor, Tensor]:
        state = torch.tanh(state + torch.nn.functional.embedding(token, inwards))
        return state @ outwards, state

    # ids that are nobody's default
    return {"step": step, "state": draw.normal(1, 3), "bos_id": 2, "eos_id": 0, "beam_size": K, "max_length": T}


@beam_search.case("a beam of 1 is greedy", explain=_explain_search)
def _(student: Student, draw: Draw) -> dict[str, Any]:
    step, state = _writer(student, draw, -1.0), (draw.normal(1, 3), draw.normal(1, 3))
    tokens, score = student.beam_search(step, state, _END, _END, 1, 6)
    begun = {"tokens, begun with the end's id": tokens, "score, begun with the end's id": float(score)}
    return _searches(student, draw, 1, 6) | begun


@beam_search.case("a beam of 3, sentences that end only by max_length", weight=2, explain=_explain_search)
def _(student: Student, draw: Draw) -> dict[str, Any]:
    return _searches(student, draw, 3, 5, end=-30.0)


@beam_search.case("a beam of 3 or 4, some hypotheses end early", weight=2, explain=_explain_search)
def _(student: Student, draw: Draw) -> dict[str, Any]:
    seen = _searches(student, draw, 3, 6, end=0.5, many=6)
    none = torch.zeros(1, 1, dtype=torch.int64)
    tokens, score = student.beam_search(_runner_up(draw), (none, none), 1, _END, 4, 3)
    return seen | {"tokens, a runner-up": tokens, "score, a runner-up": float(score)}


@beam_search.case("a beam as wide as everything: the best of all sentences", explain=_explain_search)
def _(student: Student, draw: Draw) -> dict[str, Any]:
    seen = _searches(student, draw, 150, 3, many=3)
    tokens, score = student.beam_search(_late_winner(draw), draw.normal(1, 3), 1, _END, 4, 2)
    return seen | {"tokens, a late winner": tokens, "score, a late winner": float(score)}


@beam_search.case("a length penalty of 1: the mean log-probability decides", weight=2, explain=_explain_search)
def _(student: Student, draw: Draw) -> dict[str, Any]:
    return _searches(student, draw, 3, 6, 1.0, end=0.5, many=6)


@beam_search.case("a strong length penalty: the beam too is filled by scores", explain=_explain_search)
def _(student: Student, draw: Draw) -> dict[str, Any]:
    return _searches(student, draw, 3, 5, 3.0, end=1.5, sharp=0.7, many=8)


@beam_search.case(
    "a strong length penalty, many that end: the finished take places in the beam", explain=_explain_search
)
def _(student: Student, draw: Draw) -> dict[str, Any]:
    return _searches(student, draw, 2, 6, 3.0, end=2.5, sharp=0.7, many=12)


@beam_search.case("a hundred words, each of them unlikely", weight=0.5, explain=_explain_search)
def _(student: Student, draw: Draw) -> dict[str, Any]:
    return _searches(student, draw, 2, 100, end=-30.0, sharp=0.1, many=1)


@beam_search.case("a state that is one tensor")
def _(student: Student, draw: Draw) -> dict[str, Any]:
    seen: dict[str, Any] = {}
    for i in range(4):
        step = _writer(student, draw, one_tensor=True)
        seen[f"tokens, sentence {i}"], _ = student.beam_search(step, draw.normal(1, 3), 1, _END, 3, 5)
    return seen


@beam_search.case("a beam or a length below 1 raises ValueError", weight=0.5, contract=True)
def _(student: Student, draw: Draw) -> dict[str, Any]:
    step, state = _writer(student, draw), (draw.normal(1, 3), draw.normal(1, 3))
    tokens, _ = student.beam_search(step, state, 1, _END, 2, 3)
    return {
        "the tokens' axes where it fits": tokens.ndim,
        "one word, where it may be no longer": student.beam_search(step, state, 1, _END, 2, 1)[0].numel(),
        "a beam of 0": student.error_of("beam_search", step, state, 1, _END, 0, 3),
        "a beam of -1": student.error_of("beam_search", step, state, 1, _END, -1, 3),
        "a length of 0": student.error_of("beam_search", step, state, 1, _END, 2, 0),
        "a length of -1": student.error_of("beam_search", step, state, 1, _END, 2, -1),
    }
