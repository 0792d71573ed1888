"""Every model of the course on another device than the processor: its forward pass and a training step make all that
they need where the model is. Nothing is copied there or back, and no number is read, for which a GPU would be waited
for.

The device is the stand-in of `course.protocol.device`, which needs no GPU. What it cannot show: times, the kernels that
a GPU would take, autocast (which knows no such device), and what `torch.cuda` alone offers. Nor is chapter 01's Encoder
here: it waits once in each pass, since PyTorch takes the lengths of packed sequences from the CPU alone.
"""

import contextlib
from collections.abc import Callable
from typing import Any
from unittest import mock

import pytest
import torch
import torch.nn.functional as F
from torch import Tensor, nn

from benchmarks.gpu_parts import Waits
from course.protocol import device
from solutions.captioning import CaptionDecoder, GridEncoder
from solutions.cuda import accumulate, fuse_attention, train_step
from solutions.language_model import CausalLanguageModel, KeyValueCache
from solutions.seq2seq import masked_cross_entropy
from solutions.transformer import Transformer, label_smoothing_loss
from solutions.vit import HybridVisionTransformer, VisionTransformer
from training import configuration, devices, step
from training.tasks import make_task


def there(value: Any) -> Any:
    return device._moved(value)


def waits(work: Callable[[], Any]) -> tuple[list[str], Any]:
    """What work waits for on the other device, and what it gives."""
    without_autocast = mock.patch.object(torch, "autocast", lambda *_, enabled, **__: contextlib.nullcontext())
    with without_autocast, device._Numbers(), device._OneDevice(), Waits(device.OTHER) as seen:
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
    "each once": lambda x: x.unique(),
}


@pytest.mark.parametrize("work", WAITED_FOR.values(), ids=WAITED_FOR)
def test_what_is_waited_for_is_seen(work):
    x = there(torch.ones(2, 2))
    assert len(waits(lambda: work(x))[0]) == 1


@pytest.mark.parametrize("fused", [False, True], ids=["plain", "fused"])
@pytest.mark.parametrize("name", MODELS)
def test_a_training_step_copies_nothing_between_devices(name, fused):
    build, loss_of, batch = MODELS[name]
    torch.manual_seed(0)
    model, batch = build(), there(batch)
    model = device._module(fuse_attention(model) if fused else model)
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
    scaler = torch.amp.GradScaler("cpu", enabled=False)
    seen, (loss, norm) = waits(lambda: train_step(model, loss_of, batch, optimizer, scaler, 1.0))
    assert not seen
    assert loss.device.type == norm.device.type == device.OTHER


def test_pieces_of_a_batch_copy_nothing_between_devices():
    model = device._module(language_model())

    def loss_sum_of(model: nn.Module, piece: Tensor) -> tuple[Tensor, int]:
        return model.loss(piece) * piece[:, 1:].numel(), piece[:, 1:].numel()

    pieces = [device._There(piece) for piece in TEXT[0].split(2)]
    seen, loss = waits(lambda: accumulate(model, loss_sum_of, pieces))
    assert not seen and loss.device.type == device.OTHER


def test_writing_copies_nothing_between_devices():
    model, tokens = device._module(language_model().eval()), there(TEXT[0][:, :6])
    cache = KeyValueCache(model)
    seen, logits = waits(lambda: [cache(tokens[:, :3]), cache(tokens[:, 3:5]), cache(tokens[:, 5:])][-1])
    assert not seen and logits.device.type == device.OTHER

    translator, (source, lengths, targets) = device._module(transformer().eval()), there(SENTENCES)
    seen, (logits, _) = waits(lambda: translator.step(targets[:, 0], translator.start(source, lengths)))
    assert not seen and logits.device.type == device.OTHER


@pytest.mark.parametrize("accumulate", [1, 2])
@pytest.mark.parametrize("name", configuration.MODELS)
def test_the_programs_step_copies_nothing_between_devices(name, accumulate):
    """Of a batch that is already there."""
    config = configuration.Configuration(model=name, d_model=8, num_heads=2, num_layers=1, d_ff=16, samples=20,
                                         batch_size=4, accumulate=accumulate, fused=True)  # fmt: skip
    task = make_task(config)
    model = device._module(fuse_attention(task.model, task.is_causal))
    pieces = [there(task.batch_of([2 * i, 2 * i + 1])) for i in range(accumulate)]
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
    scaler = torch.amp.GradScaler("cpu", enabled=False)
    process = devices.Process(0, 1, torch.device(device.OTHER))
    seen, (loss, _) = waits(lambda: step.take_step(model, task, pieces, optimizer, scaler, config, process))
    assert not seen and loss.device.type == device.OTHER
