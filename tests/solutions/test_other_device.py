"""Every model of the course on another device than the processor: its forward pass and a training step make all that
they need where the model is. Nothing is copied there or back, and no number is read, for which a GPU would be waited
for.

The device is the stand-in of `course.protocol.device`, which needs no GPU, and its autocast that of `tests.autocast`.
What they cannot show: times, the kernels that a GPU would take, how its 16 bits round, whether numbers at size leave
their range, and what `torch.cuda` alone offers. Nor is chapter 01's Encoder here: it waits once in each pass, since
PyTorch takes the lengths of packed sequences from the CPU alone.
"""

from collections.abc import Callable
from typing import Any
from unittest import mock

import pytest
import torch
import torch.nn.functional as F
from torch import Tensor, nn
from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils._pytree import tree_leaves

from benchmarks.gpu_parts import Waits
from course.protocol import device
from solutions.captioning import CaptionDecoder, GridEncoder
from solutions.cuda import StaticKeyValueCache, accumulate, fuse_attention, train_step
from solutions.language_model import CausalLanguageModel, KeyValueCache
from solutions.seq2seq import masked_cross_entropy
from solutions.transformer import Transformer, label_smoothing_loss
from solutions.vit import HybridVisionTransformer, VisionTransformer
from tests import autocast
from training import configuration, devices, step
from training.tasks import make_task


def there(value: Any) -> Any:
    return device._moved(value)


@pytest.fixture(autouse=True)
def with_autocast():
    with autocast.known():
        yield


aten = torch.ops.aten
MAPS = {aten.mm.default, aten.addmm.default, aten.convolution.default}
# Of batches, as attention has them; the fused one is made of them here, in float32, where a GPU has a kernel for it.
OF_BATCHES = {aten.bmm.default, aten.baddbmm.default}


class Products(TorchDispatchMode):
    """Of which types the numbers are that products multiply."""

    def __init__(self, fused: bool = False):
        super().__init__()
        self.dtypes, self.seen = set[torch.dtype](), MAPS if fused else MAPS | OF_BATCHES

    def __torch_dispatch__(self, func, types, args=(), kwargs=None):
        if func in self.seen:
            self.dtypes |= {x.dtype for x in tree_leaves(args) if isinstance(x, Tensor) and x.is_floating_point()}
        return func(*args, **(kwargs or {}))


def waits(work: Callable[[], Any]) -> tuple[list[str], Any]:
    """What work waits for on the other device, and what it gives."""
    with device._Numbers(), device._OneDevice(), Waits(device.OTHER) as seen:
        result = work()
    return seen.seen, result


def vit() -> nn.Module:
    return VisionTransformer(8, 4, 16, 2, 2, 32, num_classes=3)


def transformer() -> nn.Module:
    return Transformer(11, 12, 16, 2, 32, 2, bos_id=1)


def language_model() -> nn.Module:
    return CausalLanguageModel(11, 8, 16, 2, 32, 2)


def hybrid() -> nn.Module:
    return HybridVisionTransformer(nn.Conv2d(3, 6, 2, 2), 6, 4, 2, 16, 2, 2, 32, num_classes=3)


class Captioner(nn.Module):
    """Images and captions -> logits, as chapter 03 puts its two components together."""

    def __init__(self):
        super().__init__()
        self.encoder, self.decoder = GridEncoder(nn.Conv2d(3, 6, 2, 2), 6, 16), CaptionDecoder(12, 6, 8, 0, 16, 8)

    def forward(self, images: Tensor, captions: Tensor) -> Tensor:
        return self.decoder(self.encoder(images), captions)[0]


def picture_loss(model: nn.Module, batch: tuple[Tensor, ...]) -> Tensor:
    return F.cross_entropy(model(batch[0]), batch[1])


def translation_loss(model: nn.Module, batch: tuple[Tensor, ...]) -> Tensor:
    return label_smoothing_loss(model(*batch), batch[2], 0, 0.1)


def text_loss(model: nn.Module, batch: tuple[Tensor, ...]) -> Tensor:
    return model.loss(batch[0])


def caption_loss(model: nn.Module, batch: tuple[Tensor, ...]) -> Tensor:
    return masked_cross_entropy(model(*batch), batch[1], 0)


PICTURES = torch.randn(3, 3, 8, 8), torch.tensor([0, 2, 1])
SENTENCES = torch.randint(2, 11, (3, 5)), torch.tensor([5, 3, 2]), torch.randint(2, 12, (3, 4))
TEXT = (torch.randint(11, (3, 9)),)
CAPTIONS = PICTURES[0], torch.randint(2, 12, (3, 4))
MODELS = {"vit": (vit, picture_loss, PICTURES), "transformer": (transformer, translation_loss, SENTENCES),
          "language model": (language_model, text_loss, TEXT), "hybrid": (hybrid, picture_loss, PICTURES),
          "captioner": (Captioner, caption_loss, CAPTIONS)}  # fmt: skip


WAITED_FOR = {
    "there": lambda x: x.cpu(),
    "a number": lambda x: x.sum().item(),
    "back": lambda x: torch.ones(2, 2).to(x.device),
    "back, one number": lambda x: torch.tensor(2.0).to(x.device),
    "into": lambda x: torch.zeros(2, 2, device=x.device).copy_(torch.ones(2, 2)),
    "where": lambda x: x.nonzero(),
    "chosen by a mask": lambda x: x[x > 0],
    "set by a mask": lambda x: x.index_put_((x > 0,), x[0, 0]),
    "chosen by name": lambda x: x.masked_select(x > 0),
    "set by a mask, in a gradient": lambda x: torch.ops.aten._index_put_impl_(x, [x > 0], x.sum(), True, True),
    "each once": lambda x: x.unique(),
    "each once, unsorted": lambda x: torch.ops.aten._unique(x),
    "each row once": lambda x: x.unique(dim=0),
    "each once of those in a row": lambda x: x.unique_consecutive(),
    "each row once of those in a row": lambda x: x.unique_consecutive(dim=0),
    "how often each": lambda x: x.flatten().long().bincount(),
    "repeated": lambda x: x.repeat_interleave(x[0].long(), dim=0),
    "the same": lambda x: torch.equal(x, x),
    "nearly the same": lambda x: torch.allclose(x, x),
}
NOT_WAITED_FOR = {
    "chosen by number": lambda x: x[x[0].long()],
    "set by number": lambda x: x.index_put_((x[0].long(),), x.sum()),
    "set by number, in a gradient": lambda x: torch.ops.aten._index_put_impl_(x, [x[0].long()], x.sum(), True, True),
    "chosen, the rest zero": lambda x: torch.where(x > 0, x, 0),
    "repeated, as often as is said": lambda x: x.repeat_interleave(x[0].long(), dim=0, output_size=2),
}


@pytest.mark.parametrize("work", WAITED_FOR.values(), ids=WAITED_FOR)
def test_what_is_waited_for_is_seen(work):
    x = there(torch.ones(2, 2))
    assert len(waits(lambda: work(x))[0]) == 1


@pytest.mark.parametrize("work", NOT_WAITED_FOR.values(), ids=NOT_WAITED_FOR)
def test_what_is_queued_is_not_waited_for(work):
    x = there(torch.ones(2, 2))
    assert not waits(lambda: work(x))[0]


# A step that may be left out, where a gradient is infinite, depends on a number: it is read once, by the scaler.
NEAR = {"rtol": 0, "atol": 0.1}  # of logits of order one, with bfloat16's three digits
STEP_OR_NOT = ["aten::_local_scalar_dense"]
FORMATS = {"float32": (torch.float32, False), "bfloat16": (torch.bfloat16, False), "float16": (torch.float16, True)}


@pytest.mark.parametrize(("dtype", "scaled"), FORMATS.values(), ids=FORMATS)
@pytest.mark.parametrize("fused", [False, True], ids=["plain", "fused"])
@pytest.mark.parametrize("name", MODELS)
def test_a_training_step_copies_nothing_between_devices(name, fused, dtype, scaled):
    build, loss_of, batch = MODELS[name]
    torch.manual_seed(0)
    model, batch = build(), there(batch)
    model = device._module(fuse_attention(model) if fused else model)
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
    scaler = torch.amp.GradScaler("cpu", init_scale=256.0, growth_interval=1, enabled=scaled)
    with Products(fused) as products:
        seen, (loss, norm) = waits(lambda: train_step(model, loss_of, batch, optimizer, scaler, 1.0, dtype))
    assert seen == STEP_OR_NOT * scaled
    assert loss.device.type == norm.device.type == device.OTHER
    assert loss.dtype == norm.dtype == torch.float32
    assert products.dtypes == {dtype}
    assert {x.dtype for p in model.parameters() for x in (p, p.grad)} == {torch.float32}
    if scaled:  # it stepped, and grew
        assert all(optimizer.state[p]["step"] == 1 for p in model.parameters()) and scaler.get_scale() == 512


@pytest.mark.parametrize("name", ["vit", "transformer", "language model"])
def test_a_fused_optimizer_leaves_a_step_out_by_itself(name):
    """So that nothing is read, with a scaler, either."""
    known = "torch.optim.optimizer._get_fused_kernels_supported_devices"
    build, loss_of, batch = MODELS[name]
    model, batch = device._module(build()), there(batch)
    scaler = torch.amp.GradScaler("cpu", init_scale=256.0)
    with mock.patch(known, lambda: ["cpu", device.OTHER]):
        optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3, fused=True)
        seen, _ = waits(lambda: train_step(model, loss_of, batch, optimizer, scaler, 1.0, torch.float16))
    assert not seen


@pytest.mark.parametrize("gradient", [float("inf"), float("nan")])
def test_a_step_with_an_infinite_gradient_is_left_out_there_too(gradient):
    model, batch = device._module(vit()), there(PICTURES)
    before = [p.numbers.clone() for p in model.parameters()]
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
    scaler = torch.amp.GradScaler("cpu", init_scale=256.0)

    def loss_of(model: nn.Module, batch: tuple[Tensor, ...]) -> Tensor:
        return picture_loss(model, batch) * gradient

    seen, _ = waits(lambda: train_step(model, loss_of, batch, optimizer, scaler, 1.0, torch.float16))
    assert seen == STEP_OR_NOT
    assert all(torch.equal(a, p.numbers) for a, p in zip(before, model.parameters(), strict=True))
    assert scaler.get_scale() == 128


def test_autocast_there_is_a_gpus():
    """Its lists are PyTorch's own, and hold inside of an operator, too."""
    x, weight = there(torch.randn(3, 4)), there(torch.randn(4, 4))
    chosen = there(torch.tensor([0, 2, 1]))
    with device._Numbers(), device._OneDevice(), Products() as products, torch.autocast(device.OTHER, torch.float16):
        short = F.linear(x, weight)
        assert short.dtype == (short @ short.T).dtype == F.gelu(short).dtype == torch.float16
        whole = [torch.softmax(short, 1), F.layer_norm(short, (4,)), F.cross_entropy(short, chosen), short.sum(),
                 short.exp(), torch.cat([short, x])]  # fmt: skip
        assert {each.dtype for each in whole} == {torch.float32}
    assert products.dtypes == {torch.float16}
    assert (x @ weight).dtype == torch.float32
    assert {"linear", "matmul", "scaled_dot_product_attention"} <= autocast.SHORT
    assert {"layer_norm", "softmax.int", "nll_loss", "norm.Scalar", "pow.Tensor_Scalar"} <= autocast.WHOLE


def test_pieces_of_a_batch_copy_nothing_between_devices():
    model = device._module(language_model())

    def loss_sum_of(model: nn.Module, piece: Tensor) -> tuple[Tensor, int]:
        return model.loss(piece) * piece[:, 1:].numel(), piece[:, 1:].numel()

    pieces = [device._There(piece) for piece in TEXT[0].split(2)]
    seen, loss = waits(lambda: accumulate(model, loss_sum_of, pieces))
    assert not seen and loss.device.type == device.OTHER


@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16])
@pytest.mark.parametrize("kind", [KeyValueCache, StaticKeyValueCache])
def test_a_cache_copies_nothing_between_devices(kind, dtype):
    """Made there, begun with several tokens, gone on with several, and with one at a time."""
    torch.manual_seed(0)
    model, tokens = language_model().eval(), TEXT[0][:, :8]
    expected = model(tokens)
    model, tokens = device._module(model), there(tokens)

    def write() -> Tensor:
        cache = kind(model) if kind is KeyValueCache else kind(model, len(tokens))
        with torch.autocast(device.OTHER, dtype=dtype, enabled=dtype != torch.float32):
            return torch.cat([cache(piece) for piece in tokens.split([3, 3, 1, 1], dim=1)], dim=1)

    seen, logits = waits(write)
    assert not seen and logits.device.type == device.OTHER
    torch.testing.assert_close(logits.numbers.float(), expected, **({} if dtype == torch.float32 else NEAR))


def test_a_step_of_a_translation_copies_nothing_between_devices():
    translator, (source, lengths, targets) = device._module(transformer().eval()), there(SENTENCES)
    seen, (logits, _) = waits(lambda: translator.step(targets[:, 0], translator.start(source, lengths)))
    assert not seen and logits.device.type == device.OTHER


@pytest.mark.parametrize(("dtype", "scaled"), FORMATS.values(), ids=FORMATS)
@pytest.mark.parametrize("accumulate", [1, 2])
@pytest.mark.parametrize("name", configuration.MODELS)
def test_the_programs_step_copies_nothing_between_devices(name, accumulate, dtype, scaled):
    """Of a batch that is already there."""
    config = configuration.Configuration(model=name, d_model=8, num_heads=2, num_layers=1, d_ff=16, samples=20,
                                         batch_size=4, accumulate=accumulate, fused=True,
                                         dtype=str(dtype).removeprefix("torch."))  # fmt: skip
    task = make_task(config)
    model = device._module(fuse_attention(task.model, task.is_causal))
    pieces = [there(task.batch_of([2 * i, 2 * i + 1])) for i in range(accumulate)]
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
    scaler = torch.amp.GradScaler("cpu", init_scale=256.0, enabled=scaled)
    process = devices.Process(0, 1, torch.device(device.OTHER))
    with Products(fused=True) as products:
        seen, (loss, _) = waits(lambda: step.take_step(model, task, pieces, optimizer, scaler, config, process))
    assert seen == STEP_OR_NOT * scaled and loss.device.type == device.OTHER
    assert products.dtypes == {dtype}
