"""Checks of chapter 07: what is looked at in each exercise, case by case.

A case draws inputs, calls the student's code and returns what it saw; the engine compares. Sizes are all different
(B 3, T 5 to 8, V 7, D 6, H 2). Safe to change: titles, explanations. After any other change the tables are recorded
afresh (`python -m tools.notebooks refresh 07`).
"""

from collections.abc import Sequence
from typing import Any

import torch
from torch import Tensor

from course.checks.common import raised
from course.checks.engine import Check, Draw
from course.checks.engine.declare import Arguments, Axis, Fixture
from course.protocol.student import Module, Student

Values = dict[str, Any]

_B, _V, _MAX, _D, _H, _FF, _LAYERS = 3, 7, 8, 6, 2, 10, 2


def _packed(gradients: Sequence[Tensor]) -> Tensor:
    """Gradients, each summed over its first axis, end to end: the tables stay small.

    The rows count differently, because a plain sum over the vocabulary of a softmax's gradient is zero.
    """
    return torch.cat([torch.arange(1.0, len(g) + 1) @ g.flatten(1) / len(g) if g.dim() > 1 else g for g in gradients])


# ---- causal_language_model ------------------------------------------------------------------------------------------

causal_language_model = Check("causal_language_model", components=("CausalLanguageModel",))


_EMBEDDING = "token_embedding.weight"


def _load(model: Module, state: dict[str, Tensor]) -> None:
    """Load a state, the embedding once more by itself: a matrix that is tied to it under another name follows."""
    model.load(state)
    model.load({_EMBEDDING: state[_EMBEDDING]})


def _model(student: Student, draw: Draw, **options: float) -> Module:
    model = student.shared("CausalLanguageModel", _V, _MAX, _D, _H, _FF, _LAYERS, **options)
    _load(model, draw.state(model))
    return model.eval()


def _tokens(draw: Draw, length: int, batch: int = _B) -> Tensor:
    return draw.integers(0, _V, batch, length)


def _explain_logits(observed: Values, expected: Values) -> str | None:
    logits, right = observed.get("logits"), expected["logits"]
    if not isinstance(logits, Tensor) or logits.shape != right.shape or not logits.is_floating_point():
        return None
    off = [t for t in range(right.shape[1]) if not torch.allclose(logits[:, t], right[:, t], atol=1e-4, rtol=1e-3)]
    if len(off) == right.shape[1]:
        return "No row of logits is right, not even the first."
    return f"The logits are right before place {off[0]} and wrong there (places count from 0)." if off else None


@causal_language_model.takes(
    "CausalLanguageModel",
    B=2,
    T=4,
    V=_V,
    L=Axis(_LAYERS, long=4),
    new=lambda B, T, V, L: (V, T + 3, _D, _H, _FF, L),
    tied="token_embedding.weight",
)
def _(draw: Draw, B: int, T: int, V: int, L: int) -> Arguments:
    return {"tokens": draw.integers(0, V, B, T)}


@causal_language_model.case("one token: embedding, position 0, layers, norm, tied logits", explain=_explain_logits)
def _(student: Student, draw: Draw) -> Values:
    return {"logits": _model(student, draw)(_tokens(draw, 1))}


@causal_language_model.case("six tokens: logits for every place", weight=2, explain=_explain_logits)
def _(student: Student, draw: Draw) -> Values:
    return {"logits": _model(student, draw)(_tokens(draw, 6))}


@causal_language_model.case(
    "as many tokens as there are positions, and a large epsilon in the norms", weight=0.5, explain=_explain_logits
)
def _(student: Student, draw: Draw) -> Values:
    return {"logits": _model(student, draw, layer_norm_eps=0.5)(_tokens(draw, _MAX, 2))}


def _explain_leak(observed: Values, expected: Values) -> str | None:
    early = [place for place in str(observed.get("places whose logits moved", "")).split() if int(place) < 3]
    if early:
        return f"When the token at place 3 changed, the logits moved at place {' and '.join(early)} too."
    return None


@causal_language_model.case("no row of logits depends on a later token", explain=_explain_leak)
def _(student: Student, draw: Draw) -> Values:
    model, tokens = _model(student, draw), _tokens(draw, 6)
    changed = tokens.clone()
    changed[:, 3] = (changed[:, 3] + 1) % _V
    moved = (model(tokens) - model(changed)).abs().amax(dim=(0, 2)) > 1e-5
    return {"places whose logits moved": " ".join(str(place) for place in range(6) if moved[place])}


@causal_language_model.case("`loss`: the mean over every next token", weight=2)
def _(student: Student, draw: Draw) -> Values:
    return {"loss": _model(student, draw).method("loss", _tokens(draw, 7))}


@causal_language_model.case("`loss` of windows that fill the model: one token more than positions")
def _(student: Student, draw: Draw) -> Values:
    return {"loss": _model(student, draw).method("loss", _tokens(draw, _MAX + 1, 1))}


def _explain_gradients_of_loss(observed: Values, expected: Values) -> str | None:
    reached, wanted = observed.get("parameters reached"), expected["parameters reached"]
    if reached == 0:
        return "No gradient comes back from `loss`, so nothing could be trained with it."
    if reached != wanted:
        few = "fewer" if reached < wanted else "more"
        return f"The gradient of `loss` reaches {reached} parameters, {few} than there should be."
    return None


@causal_language_model.case(
    "the gradient of `loss` reaches every parameter, the shared embedding from both ends",
    explain=_explain_gradients_of_loss,
)
def _(student: Student, draw: Draw) -> Values:
    loss = student.fixture("LossOf", _model(student, draw))
    gradients = loss.grad(_tokens(draw, 6), cotangents=[torch.tensor(1.0)])["parameters"]
    reached = [gradients[name] for name in sorted(gradients) if gradients[name] is not None]
    return {"parameters reached": len(reached), "gradients": _packed(reached or [torch.zeros(1, 1)])}


def _explain_dropout(observed: Values, expected: Values) -> str | None:
    """The first of the things looked at that is not so, in words."""
    says = {
        "logits in evaluation": "The logits in evaluation are not right.",
        "the logits are drawn": "In training the logits are the same as in evaluation: nothing was dropped.",
        "what is dropped are entries of embedding plus position": "In training the logits are not those of embedding "
        "plus position with some entries dropped and the others scaled up.",
        "what comes out of the last norm is dropped": "In training entries of the last norm's output are zero.",
        "about half, as the rate says": "With a rate of 0.5 the share of entries dropped is far from a half.",
        "what the layers add is drawn": "In training the layers add the same every time: nothing was dropped in them.",
        "the loss is drawn too": "In training `loss` is what it is in evaluation: nothing was dropped.",
        "training goes on after `loss`": "After a call of `loss` the model no longer drops anything.",
    }
    for name, sentence in says.items():
        seen, right = observed.get(name), expected[name]
        if isinstance(right, Tensor):
            if not isinstance(seen, Tensor) or seen.shape != right.shape:
                return None
            if not torch.allclose(seen, right, atol=1e-4, rtol=1e-3):
                return sentence
        elif seen != right:
            return sentence
    return None


@causal_language_model.case(
    "dropout acts on embedding plus position and in the layers, in training alone", explain=_explain_dropout
)
def _(student: Student, draw: Draw) -> Values:
    # No layers, and the identity as the embedding: the logits are the last norm's output, entry by entry.
    model = student.CausalLanguageModel(_D, _MAX, _D, _H, _FF, 0, dropout=0.5)
    position = 0.5 + draw.uniform(_D)
    state = draw.state(model) | {_EMBEDDING: torch.eye(_D), "norm.weight": torch.ones(_D), "norm.bias": torch.zeros(_D)}
    state["positions.weight"] = position.expand(_MAX, _D).clone()
    _load(model, state)
    token = int(draw.integers(0, _D, 1))
    one, windows = torch.full((200, 1), token), draw.integers(0, _D, 4, 5)
    student.seed(draw.seed())
    model.train()
    dropped = model(one)[:, 0]
    loss = model.method("loss", windows)
    after_loss = model(one)[:, 0]
    model.eval()
    logits, sure_loss = model(one[:2])[:, 0], model.method("loss", windows)
    kept = torch.cartesian_prod(*[torch.tensor([0.0, 1.0])] * _D)  # every way to drop some of the D entries
    ways = torch.nn.functional.layer_norm(2 * kept * (torch.eye(_D)[token] + position), (_D,))
    distance, way = torch.cdist(dropped, ways).min(dim=1)
    share = 1 - kept[way].mean().item()
    zero = dropped == 0
    return {
        "logits in evaluation": logits,
        "the logits are drawn": not torch.allclose(dropped, logits[:1].expand_as(dropped), atol=1e-3),
        "what is dropped are entries of embedding plus position": bool(distance.max() < 1e-2),
        "what comes out of the last norm is dropped": bool((zero.any(dim=1) & ~zero.all(dim=1)).any()),
        "what goes into the last norm is drawn": len(dropped[:, 0].round(decimals=3).unique()) > 3,
        "about half, as the rate says": 0.4 < share < 0.6,
        "what the layers add is drawn": _layers_draw(student, draw),
        "the loss is drawn too": abs(loss - sure_loss) > 1e-6,
        "training goes on after `loss`": bool((after_loss - logits[:1]).abs().max() > 1e-3),
    }


def _layers_draw(student: Student, draw: Draw) -> bool:
    """Whether a layer gives several values in training for a token whose embedding and position are zero."""
    model = student.CausalLanguageModel(_D, _MAX, _D, _H, _FF, 1, dropout=0.5)
    state = draw.state(model)
    state[_EMBEDDING][0] = state["positions.weight"][:] = 0.0
    _load(model, state)
    logits = model.train()(torch.zeros(40, 1, dtype=torch.int64))[:, 0]
    return bool((logits - logits[0]).abs().max() > 1e-3)


@causal_language_model.case("more tokens than positions raise ValueError", weight=0.5, contract=True)
def _(student: Student, draw: Draw) -> Values:
    model = _model(student, draw)
    shape = str(tuple(model(_tokens(draw, _MAX)).shape))  # first, so that raising always proves nothing
    return {"the logits' shape where they fit": shape, "one token too many": raised(model, _tokens(draw, _MAX + 1))}


# ---- prefixes_equal_one_pass ----------------------------------------------------------------------------------------

prefixes_equal_one_pass = Check("prefixes_equal_one_pass", components=("prefixes_equal_one_pass",))


def _reader(student: Student, draw: Draw, direction: str) -> Module:
    model = student.fixture("ReadingModel", 7, 3, direction)
    model.load(draw.state(model))
    return model


def _both(result: Any) -> Values:
    one_pass, prefixes = result
    return {
        "gradients in one pass": len(one_pass),
        "gradients of the prefixes": len(prefixes),
        "one pass": _packed(one_pass),
        "prefixes": _packed(prefixes),
    }


def _explain_gradients(observed: Values, expected: Values) -> str | None:
    """Which of the two lists is off, and whether by one factor."""
    first, second, right = observed.get("one pass"), observed.get("prefixes"), expected["one pass"]
    if isinstance(first, Tensor) and isinstance(second, Tensor) and first.shape == second.shape == right.shape:
        apart = not torch.equal(right, expected["prefixes"])  # with one prefix alone they are the same, rightly
        if apart and torch.equal(first, second) and not torch.allclose(first, right, atol=1e-5, rtol=1e-4):
            return "The two gradients are the same, number for number, and neither is right."
    for which in ("one pass", "prefixes"):
        one, other = observed.get(which), expected[which]
        if not isinstance(one, Tensor) or one.shape != other.shape:
            return None
        if torch.allclose(one, other, atol=1e-5, rtol=1e-4):
            continue
        factor = (one @ other / (other @ other)).item()
        if torch.allclose(one, factor * other, atol=1e-4):
            return f"The gradient of {which} is right but for a factor: {factor:.3g}."
        return f"The gradient of {which} is not right."
    return None


@prefixes_equal_one_pass.takes("prefixes_equal_one_pass", B=3, T=Axis(4, long=20), V=7)
def _(draw: Draw, B: int, T: int, V: int) -> Arguments:
    return {"model": Fixture("ReadingModel", (V, 3, "forwards")), "tokens": draw.integers(0, V, B, T + 1)}


@prefixes_equal_one_pass.case("a GRU that reads forwards", weight=2, explain=_explain_gradients)
def _(student: Student, draw: Draw) -> Values:
    return _both(student.prefixes_equal_one_pass(_reader(student, draw, "forwards"), draw.integers(0, 7, 4, 6)))


@prefixes_equal_one_pass.case("a causal Transformer", explain=_explain_gradients)
def _(student: Student, draw: Draw) -> Values:
    model = student.fixture("SmallLanguageModel", 7, 6, 4, 2, 5, 1)
    model.load(draw.state(model))
    return _both(student.prefixes_equal_one_pass(model, draw.integers(0, 7, 3, 5)))


@prefixes_equal_one_pass.case(
    "a model that reads in both directions: the two are not equal", weight=2, explain=_explain_gradients
)
def _(student: Student, draw: Draw) -> Values:
    return _both(student.prefixes_equal_one_pass(_reader(student, draw, "both"), draw.integers(0, 7, 4, 6)))


def _explain_left_alone(observed: Values, expected: Values) -> str | None:
    if observed.get("gradients were left in empty .grad fields"):
        return "The model's .grad fields were empty before the call and hold gradients after it."
    if not observed.get("gradients that stood in .grad still stand there"):
        return "The gradients that stood in the model's .grad fields before the call are gone or changed."
    return None


@prefixes_equal_one_pass.case(
    "the model's own .grad fields are left alone", weight=0.5, contract=True, explain=_explain_left_alone
)
def _(student: Student, draw: Draw) -> Values:
    model, tokens = _reader(student, draw, "forwards"), draw.integers(0, 7, 3, 4)
    gradients = student.prefixes_equal_one_pass(model, tokens)
    left = model.method("has_gradients")
    model.method("set_gradients", 0.25)
    student.prefixes_equal_one_pass(model, tokens)
    return {
        "lists": len(gradients),
        "gradients were left in empty .grad fields": left,
        "gradients that stood in .grad still stand there": model.method("gradients_are", 0.25),
    }


# ---- bits_per_character ---------------------------------------------------------------------------------------------

bits_per_character = Check("bits_per_character", components=("bits_per_character",))


def _bigram(draw: Draw, vocab_size: int = 6, scale: float = 1.5, max_length: int = 100):
    """A model that looks at one token: a function, tokens (B, T) -> logits (B, T, V), for T up to max_length."""
    table = scale * draw.normal(vocab_size, vocab_size)

    def model(tokens: Tensor) -> Tensor:
        if tokens.shape[1] > max_length:
            raise ValueError(f"{tokens.shape[1]} tokens are too many for {max_length} positions")
        return table[tokens]

    return model


@bits_per_character.takes("bits_per_character", B=3, T=5, V=6)
def _(draw: Draw, B: int, T: int, V: int) -> Arguments:
    model = Fixture("ReadingModel", (V, 3, "forwards"))
    return {"model": model, "batches": [draw.integers(0, V, B, T + 1), draw.integers(0, V, 2, 3)]}


@bits_per_character.case("one batch of windows, for a model of just T positions")
def _(student: Student, draw: Draw) -> Values:
    return {"bits": student.bits_per_character(_bigram(draw, max_length=6), [draw.integers(0, 6, 4, 7)])}


@bits_per_character.case("batches that differ in the number of windows and in length", weight=2)
def _(student: Student, draw: Draw) -> Values:
    batches = [draw.integers(0, 6, 5, 9), draw.integers(0, 6, 2, 4), draw.integers(0, 6, 1, 3)]
    return {"bits": student.bits_per_character(_bigram(draw), batches)}


@bits_per_character.case("a model that knows nothing: the binary logarithm of V")
def _(student: Student, draw: Draw) -> Values:
    batches = [draw.integers(0, 8, 2, 5), draw.integers(0, 8, 3, 3)]
    return {"bits": student.bits_per_character(lambda tokens: torch.zeros(*tokens.shape, 8), batches)}


@bits_per_character.case("a model that is sure of itself, and wrong: finite")
def _(student: Student, draw: Draw) -> Values:
    return {"bits": student.bits_per_character(_bigram(draw, scale=150.0), [draw.integers(0, 6, 3, 6)])}


# ---- generate -------------------------------------------------------------------------------------------------------

generate = Check("generate", components=("sampling_distribution", "generate"))


def _explain_distribution(observed: Values, expected: Values) -> str | None:
    """How many tokens are kept, or that those kept have other probabilities."""
    for name, right in expected.items():
        seen = observed.get(name)
        if not isinstance(seen, Tensor) or seen.shape != right.shape or not seen.is_floating_point():
            return None
        if torch.allclose(seen, right, atol=1e-5, rtol=1e-4):
            continue
        if not torch.isfinite(seen).all():
            return "Some of the probabilities are NaN or infinite."
        sums, kept, wanted = seen.sum(dim=1), (seen > 1e-9).sum(dim=1), (right > 1e-9).sum(dim=1)
        if not torch.allclose(sums, torch.ones_like(sums), atol=1e-4):
            far = sums[(sums - 1).abs().argmax()]
            return f"A row sums to {'nearly 1' if abs(far - 1) < 0.01 else f'{far:.2f}'}, not to 1."
        for row in range(len(seen)):
            if kept[row] != wanted[row]:
                few = f"{kept[row]} token{'s' if kept[row] != 1 else ''}"
                return f"Row {row} keeps {few}: too {'few' if kept[row] < wanted[row] else 'many'}."
        return "As many tokens are kept as should be, but their probabilities are not right."
    return None


_NOT_LEARNED = "what is drawn from these probabilities passes no gradient on, and `generate` switches gradients off"


@generate.takes(
    "sampling_distribution",
    B=4,
    V=9,
    optional="top_k top_p",
    turned={"temperature": 1.0},  # where nothing is to be divided, and the logits are the caller's own
    excused={"gradients": _NOT_LEARNED},
)
def _(draw: Draw, B: int, V: int) -> Arguments:
    return {"logits": 1.5 * draw.normal(B, V), "temperature": 0.8, "top_k": 6, "top_p": 0.85}


@generate.takes("generate", draws=True, B=3, T=3, N=5, M=Axis(4, long=12), V=_V)
def _(draw: Draw, B: int, T: int, N: int, M: int, V: int) -> Arguments:
    model, tokens = _writer(draw, [], V), draw.integers(0, V, B, T)
    return {"model": model, "tokens": tokens, "count": N, "max_length": M, "temperature": 0.0}


@generate.case("temperature alone", explain=_explain_distribution)
def _(student: Student, draw: Draw) -> Values:
    logits = 1.5 * draw.normal(4, 9)
    return {
        "at 1": student.sampling_distribution(logits),
        "at 0.6": student.sampling_distribution(logits, temperature=0.6),
        "at 2": student.sampling_distribution(logits, temperature=2.0),
        "at 0.01": student.sampling_distribution(logits, temperature=0.01),  # beyond what exp bears in float32
    }


@generate.case("temperature 0: all to the largest logit, the first of equals", explain=_explain_distribution)
def _(student: Student, draw: Draw) -> Values:
    logits = draw.normal(4, 9)
    logits[1, 3] = logits[1, 6] = 5.0
    return {
        "probabilities": student.sampling_distribution(logits, temperature=0.0),
        "with top_k and top_p": student.sampling_distribution(logits, 0.0, 3, 0.5),
    }


@generate.case("top_k keeps the k most likely, or all where k is above V", explain=_explain_distribution)
def _(student: Student, draw: Draw) -> Values:
    logits = 1.5 * draw.normal(4, 9)
    return {
        "k = 3": student.sampling_distribution(logits, top_k=3),
        "k = 1": student.sampling_distribution(logits, top_k=1),
        "k = 20": student.sampling_distribution(logits, top_k=20),
    }


@generate.case("top_p keeps the token that reaches p, and at least one", weight=2, explain=_explain_distribution)
def _(student: Student, draw: Draw) -> Values:
    logits = 1.5 * draw.normal(4, 9)
    return {
        "p = 0.7": student.sampling_distribution(logits, top_p=0.7),
        "p = 0.01": student.sampling_distribution(logits, top_p=0.01),
        "p = 1": student.sampling_distribution(logits, top_p=1.0),
        "of four equals at p = 0.5": (student.sampling_distribution(torch.zeros(1, 4), top_p=0.5) > 0).sum(),
    }


@generate.case("all three: temperature, then top_k, then top_p of what is left", explain=_explain_distribution)
def _(student: Student, draw: Draw) -> Values:
    logits = draw.normal(4, 9)
    return {
        "k then p": student.sampling_distribution(logits, top_k=4, top_p=0.8),
        "all three": student.sampling_distribution(logits, temperature=2.5, top_k=6, top_p=0.6),
    }


def _writer(draw: Draw, calls: list[int], V: int = _V):
    """A model for greedy writing: its logits depend on every token of the window and on how long the window is."""
    first, last, every = draw.normal(V, V), draw.normal(V, V), draw.normal(V, V)

    def model(tokens: Tensor) -> Tensor:
        calls.append(tokens.shape[1])
        so_far = every[tokens].cumsum(dim=1)
        return last[tokens] + first[tokens[:, :1]] + 0.7 * so_far

    return model


def _explain_reading(observed: Values, expected: Values) -> str | None:
    read, right = (str(values["lengths read"]).split() for values in (observed, expected))
    for call, (seen, wanted) in enumerate(zip(read, right, strict=False), start=1):
        if seen != wanted:
            often = "few" if int(seen) < int(wanted) else "many"
            return f"At its call number {call} the model was given {seen} token{'s' * (seen != '1')}: too {often}."
    if len(read) != len(right):
        return f"The model was called {len(read)} times: too {'few' if len(read) < len(right) else 'many'}."
    return None


@generate.case("`generate` at temperature 0, within the window", weight=1.5, explain=_explain_reading)
def _(student: Student, draw: Draw) -> Values:
    calls: list[int] = []
    student.seed(draw.seed())  # an answer that draws here all the same draws the same
    written = student.generate(_writer(draw, calls), _tokens(draw, 2), 5, 12, temperature=0.0)
    return {"lengths read": " ".join(map(str, calls)), "tokens": written}


@generate.case(
    "`generate` past the window: the last max_length tokens are read, all tokens come back",
    weight=1.5,
    explain=_explain_reading,
)
def _(student: Student, draw: Draw) -> Values:
    calls: list[int] = []
    student.seed(draw.seed())
    model = _writer(draw, calls)
    grown = student.generate(model, _tokens(draw, 3), 6, 4, temperature=0.0)
    long = student.generate(model, _tokens(draw, 7), 2, 4, temperature=0.0)
    return {"lengths read": " ".join(map(str, calls)), "tokens": grown, "tokens after a long beginning": long}


_LUCK = 0.06  # between two shares of 4,000 tokens each: five times the standard deviation of their difference


def _explain_draws(observed: Values, expected: Values) -> str | None:
    shares, right = observed.get("shares"), expected["shares"]
    if not isinstance(shares, Tensor) or shares.shape != right.shape:
        return None
    if not torch.allclose(shares, right, atol=_LUCK):
        drawn = ", ".join(f"{share:.2f}" for share in shares.tolist())
        return f"The tokens, the most likely first, were drawn in shares of {drawn}, not in those asked for."
    if observed.get("the next step draws the same again"):
        return "Each row drew the same token again at the second step: the same random numbers were used."
    if observed.get("another run draws the same"):
        return "Two runs under different seeds drew the very same tokens."
    return None


@generate.case(
    "`generate` draws from the distribution, each row and each step for itself", atol=_LUCK, explain=_explain_draws
)
def _(student: Student, draw: Draw) -> Values:
    # Drawn as likely as .35, .25, .2, .12 and .08. The settings leave the first two; without any one of them the third,
    # too, gets .2 or more, three times what is let pass.
    logits = torch.tensor([0.5, 0.33, 0.22, -0.03, -0.24])[draw.permutation(5)]
    model = lambda tokens: logits.expand(*tokens.shape, 5)  # noqa: E731
    settings = {"temperature": 0.5, "top_k": 3, "top_p": 0.73}
    runs = []
    for run, rows in enumerate((4_000, 200, 200)):
        student.seed(draw.seed(run))
        runs.append(student.generate(model, torch.zeros(rows, 2, dtype=torch.int64), 2, 8, **settings))
    first, second = runs[0][:, 2], runs[0][:, 3]
    shares = torch.bincount(first, minlength=5)[logits.argsort(descending=True)] / len(first)
    return {
        "shares": shares,
        "the next step draws the same again": bool((first == second).float().mean() > 0.95),
        "another run draws the same": bool(torch.equal(runs[1], runs[2])),
    }


@generate.case("no gradients are kept", weight=0.5, contract=True)
def _(student: Student, draw: Draw) -> Values:
    model = student.fixture("ReadingModel", 7, 3, "forwards")
    written = student.generate(model, draw.integers(0, 7, 3, 2), 2, 4)
    return {"the model ran with gradients": model.method("ran_with_gradients"), "shape": str(tuple(written.shape))}


@generate.case("settings out of range raise ValueError", weight=0.5, contract=True)
def _(student: Student, draw: Draw) -> Values:
    logits = draw.normal(3, 7)
    shape = str(tuple(student.sampling_distribution(logits).shape))  # first, so that raising always proves nothing
    wrong = {"temperature": -1.0}, {"top_k": 0}, {"top_p": 0.0}, {"top_p": 1.5}
    return {"the shape where they fit": shape} | {
        f"{name} = {value}": student.error_of("sampling_distribution", logits, **{name: value})
        for settings in wrong
        for name, value in settings.items()
    }


# ---- key_value_cache ------------------------------------------------------------------------------------------------

key_value_cache = Check("key_value_cache", components=("KeyValueCache",))


def _small(student: Student, draw: Draw) -> Module:
    model = student.fixture("SmallLanguageModel", _V, _MAX, _D, _H, _FF, _LAYERS)
    model.load(draw.state(model))
    return model.eval()


def _read(cache: Module, tokens: Tensor, pieces: tuple[int, ...]) -> Tensor:
    """The logits of tokens read in pieces of these lengths."""
    return torch.cat([cache(piece) for piece in tokens.split(pieces, dim=1)], dim=1)


_READS_ON = "each call reads on from where the last one stopped, so that a second one is another by design"


@key_value_cache.takes(
    "KeyValueCache",
    B=2,
    T=4,
    H=Axis(_H, long=_D),
    L=Axis(_LAYERS, long=4),
    new=lambda B, T, H, L: (Fixture("SmallLanguageModel", (_V, T + 3, _D, H, _FF, L)),),
    scale=None,
    excused={
        "layout": _READS_ON,
        "again": _READS_ON,
        "training": _READS_ON,
        "gradients": "it reads for a model that is trained already, and its keys belong to no graph",
    },
)
def _(draw: Draw, B: int, T: int, H: int, L: int) -> Arguments:
    return {"tokens": draw.integers(0, _V, B, T)}


@key_value_cache.case("the first reading gives what the model gives", explain=_explain_logits)
def _(student: Student, draw: Draw) -> Values:
    cache = student.KeyValueCache(_small(student, draw))
    return {"logits": cache(_tokens(draw, 6))}


@key_value_cache.case("token by token: the same logits as all at once", weight=2, explain=_explain_logits)
def _(student: Student, draw: Draw) -> Values:
    cache = student.KeyValueCache(_small(student, draw))
    return {"logits": _read(cache, _tokens(draw, 6), (1,) * 6)}


@key_value_cache.case("a beginning of three tokens, then one by one", explain=_explain_logits)
def _(student: Student, draw: Draw) -> Values:
    cache = student.KeyValueCache(_small(student, draw))
    return {"logits": _read(cache, _tokens(draw, 6), (3, 1, 1, 1))}


@key_value_cache.case("pieces of any length: new tokens do not see those after them", explain=_explain_logits)
def _(student: Student, draw: Draw) -> Values:
    cache = student.KeyValueCache(_small(student, draw))
    return {"logits": _read(cache, _tokens(draw, 7), (2, 4, 1))}


def _explain_projected(observed: Values, expected: Values) -> str | None:
    beyond = observed.get("keys made beyond those needed")
    if isinstance(beyond, int) and beyond > 0:
        return f"Over all sentences and layers, {_B * 7 * _LAYERS} keys are needed, and {beyond} more were made."
    return None


@key_value_cache.case("only new tokens pass through the layers, once", weight=2, explain=_explain_projected)
def _(student: Student, draw: Draw) -> Values:
    model = _small(student, draw)
    cache, tokens = student.KeyValueCache(model), _tokens(draw, 7)
    logits = _read(cache, tokens, (4, 1, 1, 1))
    beyond = model.method("places_projected") - _B * 7 * _LAYERS
    return {"keys made beyond those needed": max(0, beyond), "the logits' shape": str(tuple(logits.shape))}


@key_value_cache.case("keys and values of each layer are (B, H, length, D / H), and length says how many were read")
def _(student: Student, draw: Draw) -> Values:
    cache = student.KeyValueCache(_small(student, draw))
    _read(cache, _tokens(draw, 5), (2, 3))
    return student.fixture("CacheForm", cache).method("form")


@key_value_cache.case("two caches of one model do not disturb each other", explain=_explain_logits)
def _(student: Student, draw: Draw) -> Values:
    model = _small(student, draw)
    one, other = student.KeyValueCache(model), student.KeyValueCache(model)
    tokens = _tokens(draw, 5)
    one(tokens[:, :2])
    other(_tokens(draw, 4, 2))
    return {"logits": one(tokens[:, 2:])}


@key_value_cache.case("what is set from outside: reading goes on from there", weight=0.5, explain=_explain_logits)
def _(student: Student, draw: Draw) -> Values:
    model, tokens = _small(student, draw), _tokens(draw, 6)
    cache, fresh = student.KeyValueCache(model), student.KeyValueCache(model)
    _read(cache, tokens[:, :4], (3, 1))
    seen = student.fixture("CacheForm", cache)
    seen.before("set_in", fresh, 4)
    handed_on = fresh(tokens[:, 4:])
    seen.before("set_in", cache, 2)
    return {"logits": handed_on, "logits, once it was set back": cache(tokens[:, 2:].flip(1))}


@key_value_cache.case("a window filled to the last position", weight=0.5, explain=_explain_logits)
def _(student: Student, draw: Draw) -> Values:
    cache = student.KeyValueCache(_small(student, draw))
    return {"logits": _read(cache, _tokens(draw, _MAX, 2), (5, 3))}


@key_value_cache.case("a token too many raises ValueError, and nothing is read", weight=0.5, contract=True)
def _(student: Student, draw: Draw) -> Values:
    cache, tokens = student.KeyValueCache(_small(student, draw)), _tokens(draw, _MAX, 2)
    cache(tokens[:, :6])
    error = raised(cache, tokens[:, :3])
    return {"three tokens where two fit": error, "logits": cache(tokens[:, 6:])}


# ---- induction_score ------------------------------------------------------------------------------------------------

induction_score = Check("induction_score", components=("induction_score",))


def _causal_weights(draw: Draw, batch: int, heads: int, length: int) -> Tensor:
    scores = 2 * draw.normal(batch, heads, length, length)
    return torch.softmax(scores.masked_fill(~torch.ones(length, length).tril().bool(), -torch.inf), dim=3)


@induction_score.takes("induction_score", B=3, H=2, T=Axis(6, least=2))
def _(draw: Draw, B: int, H: int, T: int) -> Arguments:
    tokens = draw.integers(0, 4, B, T)
    tokens[0, -1] = tokens[0, 0]
    return {"weights": _causal_weights(draw, B, H, T), "tokens": tokens}


@induction_score.case("a string that repeats with period three")
def _(student: Student, draw: Draw) -> Values:
    tokens = torch.stack([draw.permutation(5)[:3].repeat(3)[:8] for _ in range(2)])
    return {"scores": student.induction_score(_causal_weights(draw, 2, 3, 8), tokens)}


@induction_score.case("any tokens: several earlier occurrences, and queries without one", weight=2)
def _(student: Student, draw: Draw) -> Values:
    tokens = draw.integers(0, 5, 4, 7)
    tokens[0, 5:] = tokens[0, 1]
    return {"scores": student.induction_score(_causal_weights(draw, 4, 2, 7), tokens)}


@induction_score.case("sentences with many repeats and with few: every query counts the same")
def _(student: Student, draw: Draw) -> Values:
    tokens = torch.stack([torch.tensor([3, 3, 3, 3, 3, 3]), torch.tensor([0, 1, 2, 4, 5, 1]), draw.permutation(6)])
    return {"scores": student.induction_score(_causal_weights(draw, 3, 2, 6), tokens)}


@induction_score.case("a perfect induction head scores 1, one that looks at the token itself less")
def _(student: Student, draw: Draw) -> Values:
    tokens = draw.permutation(4).repeat(3)[:9].unsqueeze(0)
    weights = torch.zeros(1, 3, 9, 9)
    for t in range(9):
        weights[0, 0, t, t - 3 if t >= 4 else 0] = 1.0
        weights[0, 1, t, t - 4 if t >= 4 else 0] = 1.0
        weights[0, 2, t, t - 3 if t >= 4 and t % 2 else 0] = 1.0  # every other time
    return {"scores": student.induction_score(weights, tokens)}


@induction_score.case("no token a second time raises ValueError", weight=0.5, contract=True)
def _(student: Student, draw: Draw) -> Values:
    weights = _causal_weights(draw, 1, 2, 6)
    shape = str(tuple(student.induction_score(weights, torch.tensor([[0, 1, 2, 0, 1, 2]])).shape))
    error = student.error_of("induction_score", weights, draw.permutation(6).unsqueeze(0))
    return {"the scores' shape": shape, "all tokens different": error}


# ---- fix_the_split --------------------------------------------------------------------------------------------------

fix_the_split = Check("fix_the_split", components=("split_windows",))


def _split(student: Student, tokens: Tensor, length: int, stride: int, held_out: int) -> Values:
    training, validation = student.split_windows(tokens, length, stride, held_out)
    return {"training": training, "validation": validation, "_end": tokens[len(tokens) - held_out :]}


def _explain_split(observed: Values, expected: Values) -> str | None:
    """Every token of the drawn text is another one, so what stands in both parts can be counted."""
    parts = {name: part for name in ("training", "validation") if isinstance(part := observed.get(name), Tensor)}
    training, validation = (set(part.flatten().tolist()) for part in parts.values())
    both = len(training & validation)
    if both:
        return f"{both} of the {len(validation)} places of the validation windows stand in training windows too."
    if not validation <= set(expected["end"].tolist()):
        return "What is held out is not the end of the text."
    for name, part in parts.items():
        right = expected[name]
        if part.shape[1] != right.shape[1]:
            return f"The {name} windows hold {part.shape[1]} tokens; length + 1 is {right.shape[1]}."
        if len(part) != len(right):
            return f"The number of {name} windows is {len(part)}: too {'few' if len(part) < len(right) else 'many'}."
        if not torch.equal(part, right):
            return f"The {name} windows begin at other places than asked for, or come in another order."
    return None


@fix_the_split.takes("split_windows", N=Axis(40, least=20), T=4, S=Axis(2, long=7), E=Axis(12, least=8, long=20))
def _(draw: Draw, N: int, T: int, S: int, E: int) -> Arguments:
    length = min(T, E - 1)
    return {"tokens": draw.permutation(N + E), "length": length, "stride": S, "held_out": E}


@fix_the_split.case("windows that overlap: no token is in both parts", weight=2, explain=_explain_split)
def _(student: Student, draw: Draw) -> Values:
    return _split(student, draw.permutation(41), 4, 2, 12)


@fix_the_split.case("windows beside each other", explain=_explain_split)
def _(student: Student, draw: Draw) -> Values:
    return _split(student, draw.permutation(38), 3, 4, 9)


@fix_the_split.case("a stride of one: every window of each part", explain=_explain_split)
def _(student: Student, draw: Draw) -> Values:
    return _split(student, draw.permutation(25), 5, 1, 8)


@fix_the_split.case("parts that hold exactly one window", weight=0.5, explain=_explain_split)
def _(student: Student, draw: Draw) -> Values:
    return _split(student, draw.permutation(10), 4, 3, 5)


@fix_the_split.case("a part too short for one window raises ValueError", weight=0.5, contract=True)
def _(student: Student, draw: Draw) -> Values:
    tokens = draw.permutation(20)
    training, _ = student.split_windows(tokens, 4, 3, 6)
    return {
        "the training windows' width": training.shape[1],
        "nothing but four tokens to validate": student.error_of("split_windows", tokens, 4, 3, 4),
        "nothing but four tokens to train": student.error_of("split_windows", tokens, 4, 3, 16),
        "nothing to validate": student.error_of("split_windows", tokens, 4, 3, 0),
    }
