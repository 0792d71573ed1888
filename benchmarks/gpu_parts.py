"""What `make gpu` has of its own to run on a GPU, each part in a process that writes one result file.

    python -m benchmarks.gpu_parts roof --folder FOLDER         # bandwidth, launches, peaks, beside the data sheet
    python -m benchmarks.gpu_parts placement                    # what a step waits for: nothing
    python -m benchmarks.gpu_parts correctness                  # the GPU's numbers beside the CPU's
    python -m benchmarks.gpu_parts chapters                     # 09 and 10, solved and run there, cell by cell
    python -m benchmarks.gpu_parts training                     # the training program at size, a few hundred steps

`--device cpu` runs any of them without a GPU, to see that it runs.
"""

from __future__ import annotations

import argparse
import itertools
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from statistics import median_high
from typing import Any

import torch
import torch.nn.functional as F
from torch import Tensor, nn
from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils._pytree import tree_leaves

from benchmarks.record import Record, write
from benchmarks.solved import SOLVED, run
from solutions.cuda import fuse_attention, measure_throughput, train_step
from solutions.language_model import CausalLanguageModel
from solutions.transformer import Transformer, label_smoothing_loss
from solutions.vit import VisionTransformer

ROOT = Path(__file__).resolve().parent.parent
aten = torch.ops.aten
# Operators that read a number of a tensor, or make one whose size its numbers decide.
READS = {
    aten._local_scalar_dense.default, aten.is_nonzero.default, aten.equal.default, aten.allclose.default,
    aten.nonzero.default, aten.masked_select.default, aten.bincount.default,
    aten._unique.default, aten._unique2.default, aten.unique_dim.default, aten.unique_consecutive.default,
    aten.unique_dim_consecutive.default,
}  # fmt: skip
BY_PLACES = {  # which counts what a mask holds
    aten.index.Tensor, aten.index_put.default, aten.index_put_.default, aten._index_put_impl_.default,
}  # fmt: skip
REPEATS = aten.repeat_interleave.Tensor  # which adds up how often, unless it is told the sum
COPIES = {aten._to_copy.default, aten.copy_.default}


# ---- the three models, small enough for a CPU ------------------------------------------------------------------------

Batch = tuple[Tensor, ...]
OfBatch = Callable[[Any, Batch], Tensor]  # of one of the three and its batch


@dataclass(frozen=True)
class Small:
    """A small model: how to build it, its logits and its loss of a batch, a batch, and whether all it has is causal."""

    build: Callable[[], nn.Module]
    logits: OfBatch
    loss: OfBatch
    batch: Batch
    causal: bool = False

    def built(self, fused: bool) -> nn.Module:
        """The model in training mode, its weights the same each time; with fused attention where asked."""
        torch.manual_seed(0)
        model = self.build()
        return fuse_attention(model, lambda _: self.causal) if fused else model


def models() -> dict[str, Small]:
    """The three by name, with the same numbers each time."""
    generator = torch.Generator().manual_seed(0)

    def numbers(most: int, *shape: int) -> Tensor:
        return torch.randint(2, most, shape, generator=generator)

    pictures = torch.randn(8, 3, 32, 32, generator=generator), numbers(10, 8)
    lengths = torch.randint(16, 33, (8,), generator=generator)
    lengths[0] = 32
    source = numbers(100, 8, 32).masked_fill(torch.arange(32) >= lengths.unsqueeze(1), 0)
    sentences = source, lengths, numbers(100, 8, 33)
    return {
        "vit": Small(
            lambda: VisionTransformer(32, 4, 128, 4, 4, 512, num_classes=10),
            lambda model, batch: model(batch[0]),
            lambda model, batch: F.cross_entropy(model(batch[0]), batch[1]),
            pictures,
        ),
        "transformer": Small(
            lambda: Transformer(100, 100, 128, 4, 512, 3, bos_id=1),
            lambda model, batch: model(*batch),
            lambda model, batch: label_smoothing_loss(model(*batch), batch[2], 0, 0.1),
            sentences,
        ),
        "language model": Small(
            lambda: CausalLanguageModel(100, 128, 128, 4, 512, 4),
            lambda model, batch: model(batch[0][:, :-1]),
            lambda model, batch: model.loss(batch[0]),
            (numbers(100, 8, 129),),
            causal=True,
        ),
    }


# ---- formats of products ---------------------------------------------------------------------------------------------


def formats(device: torch.device) -> list[str]:
    """The formats of products for which the device has units; of a CPU float32 alone."""
    if device.type != "cuda":
        return ["float32"]
    tf32 = ["tf32"] if torch.cuda.get_device_capability(device) >= (8, 0) else []
    bfloat16 = ["bfloat16"] if torch.cuda.is_bf16_supported(including_emulation=False) else []
    return ["float32", *tf32, "float16", *bfloat16]


@contextmanager
def products_in(format: str) -> Iterator[torch.dtype]:
    """float32 is whole or, in tf32, rounded, in matrix products and convolutions; the dtype of tensors or autocast."""
    before = torch.get_float32_matmul_precision(), torch.backends.cudnn.allow_tf32
    torch.set_float32_matmul_precision("high" if format == "tf32" else "highest")
    torch.backends.cudnn.allow_tf32 = format == "tf32"
    try:
        yield torch.float32 if format == "tf32" else getattr(torch, format)
    finally:
        torch.set_float32_matmul_precision(before[0])
        torch.backends.cudnn.allow_tf32 = before[1]


# ---- placement -------------------------------------------------------------------------------------------------------


class Waits(TorchDispatchMode):
    """What a program would wait for, by the operator's name: tensors that cross to or from `kind`, numbers read."""

    def __init__(self, kind: str) -> None:
        super().__init__()
        self.kind, self.seen = kind, list[str]()

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        result = func(*args, **(kwargs or {}))
        given = [x for x in tree_leaves((args, kwargs)) if isinstance(x, Tensor)]
        made = [x for x in tree_leaves(result) if isinstance(x, Tensor)]
        there = [x for x in given if x.device.type == self.kind]
        masks = [x for x in tree_leaves(args[1]) if isinstance(x, Tensor)] if func in BY_PLACES and there else []
        counts = any(x.dtype in (torch.bool, torch.uint8) for x in masks)
        counts |= func is REPEATS and bool(there) and (kwargs or {}).get("output_size") is None
        kinds = {x.device.type for x in (*given, *made)}
        if (func in READS and there) or counts or (func in COPIES and len(kinds) > 1):
            self.seen.append(func.name())
        return result


@contextmanager
def refusing_waits(device: torch.device) -> Iterator[None]:
    """On a GPU, torch itself raises where a call would wait."""
    if device.type != "cuda":
        yield
        return
    torch.cuda.set_sync_debug_mode("error")
    try:
        yield
    finally:
        torch.cuda.set_sync_debug_mode("default")


def placement(device: torch.device) -> Iterator[Record]:
    """A training step of each model, plain and fused and in each format, of a batch that is on the device already: what
    it waits for, by the operators seen and by torch's own mode that refuses to wait. Expected is nothing."""
    for name, small in models().items():
        there = tuple(x.to(device) for x in small.batch)
        for fused, format in itertools.product((False, True), formats(device)):
            model = small.built(fused).to(device)
            # a fused one leaves a step out by itself, where a scaler would read whether to take it
            optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3, fused=device.type == "cuda")
            scaler = torch.amp.GradScaler(device.type, enabled=format == "float16")
            with products_in(format) as dtype:
                step = partial(train_step, model, small.loss, there, optimizer, scaler, 1.0, dtype)

                step()  # the first makes the optimizer's state
                with Waits(device.type) as seen:
                    step()
                refused = ""
                try:
                    with refusing_waits(device):
                        step()
                except RuntimeError as error:
                    refused = str(error).splitlines()[0]
            waits = " ".join(sorted(set(seen.seen)))
            said = {"waits": len(seen.seen), "for": waits, "refused": refused, "strange": bool(waits or refused)}
            yield {"model": name, "attention": "fused" if fused else "plain", "format": format, **said}


# ---- correctness -----------------------------------------------------------------------------------------------------

# The largest relative difference (of norms) from the CPU's float32 that rounding explains. A product rounds each input
# to so many bits, and errors of a dozen layers, forward and back, add up like a random walk's: some ten times the unit
# of one. float32 has a unit of 6e-8, and sums of some thousands of numbers are made in another order: 1e-5 and, for
# gradients, that are small differences of large sums, 1e-4. tf32 has a unit of 5e-4, bfloat16 one of 4e-3.
TOLERANCE = {"float32": (1e-5, 1e-4), "tf32": (5e-3, 2e-2), "bfloat16": (4e-2, 1e-1)}


def outcome(small: Small, model: nn.Module, batch: Batch, dtype: torch.dtype) -> tuple[Tensor, ...]:
    """Logits, loss and all gradients in one vector, of float64 on the CPU."""
    model.zero_grad()
    with torch.autocast(batch[0].device.type, dtype=dtype, enabled=dtype != torch.float32):
        made, loss = small.logits(model, batch), small.loss(model, batch)
    loss.backward()
    gradients = torch.cat([p.grad.flatten() for p in model.parameters() if p.grad is not None])
    return tuple(x.detach().cpu().double() for x in (made, loss, gradients))


def correctness(device: torch.device) -> Iterator[Record]:
    """Forward, loss and gradients of each model beside the CPU's, relative in the norm, with what rounding explains."""
    for name, small in models().items():
        expected = outcome(small, small.built(fused=False), small.batch, torch.float32)
        there = tuple(x.to(device) for x in small.batch)
        for fused, format in itertools.product((False, True), formats(device)):
            if format not in TOLERANCE:
                continue
            with products_in(format) as dtype:
                got = outcome(small, small.built(fused).to(device), there, dtype)
            pairs = zip(got, expected, strict=True)
            logits, loss, gradients = (((a - b).norm() / b.norm()).item() for a, b in pairs)
            of_logits, of_gradients = TOLERANCE[format]
            good = logits < of_logits and loss < of_logits and gradients < of_gradients
            yield {
                "model": name,
                "attention": "fused" if fused else "plain",
                "format": format,
                "logits": logits,
                "loss": loss,
                "gradients": gradients,
                "expected_below": of_logits,
                "expected_gradients_below": of_gradients,
                "strange": not good,  # so that NaN is strange
            }


# ---- the roof --------------------------------------------------------------------------------------------------------


def wait(device: torch.device) -> None:
    if device.type == "cuda":
        torch.cuda.synchronize()


def roof(device: torch.device) -> Iterator[Record]:
    """Bytes a second of a copy, seconds of a launch, operations a second of a product in each format."""

    def rate(step: Callable[[], object], items: float, num_steps: int) -> float:
        return max(measure_throughput(step, 1, num_steps, 2, lambda: wait(device)) for _ in range(5)) * items

    numbers = 2**28 if device.type == "cuda" else 2**24  # 1 GiB: larger than any cache
    source = torch.randn(numbers, device=device)
    target = torch.empty_like(source)
    copied = rate(lambda: target.copy_(source), 2 * source.nbytes, 10)
    yield {"what": "bandwidth", "value": copied, "unit": "bytes/s"}
    one = torch.zeros(1, device=device)
    yield {"what": "launch", "value": 1 / rate(lambda: one.add_(1), 1, 1000), "unit": "s"}
    side = 8192 if device.type == "cuda" else 512
    for format in formats(device):
        with products_in(format) as dtype:
            a, b = torch.randn(2, side, side, device=device, dtype=dtype)
            value = rate(partial(torch.matmul, a, b), 2 * side**3, 5)
        yield {"what": f"product, {format}", "value": value, "unit": "operations/s"}


# ---- chapters 09 and 10 ----------------------------------------------------------------------------------------------


def chapters(device: torch.device) -> Iterator[Record]:
    """Chapters 09 and 10 with their solutions, run cell by cell: what each printed, how long it took, whether its
    assertions hold. A notebook takes the GPU by itself; with --device cpu it is kept from it."""
    import nbformat  # notebooks' files, which nothing else here needs

    for number in ("09", "10"):
        command = [sys.executable, "-m", "tools.notebooks", "solve", number]
        subprocess.run(command, cwd=ROOT, check=True, stdout=subprocess.DEVNULL)  # what went wrong is in the log
        (path,) = SOLVED.glob(f"{number}-*.ipynb")
        for record in run_notebook(nbformat.read(path, as_version=4), device):
            yield {"chapter": path.stem, **record}


def in_text(output: Any) -> str:
    """What a cell's output says in text: what was printed, and a table."""
    if output.output_type == "stream" and output.name == "stdout":
        return output.text
    if output.output_type == "execute_result":
        return f"{output.data.get('text/plain', '')}\n"
    return ""


def run_notebook(notebook: Any, device: torch.device) -> Iterator[Record]:
    """Every code cell in turn, also after one that failed."""
    environment = {}
    if device.type == "cpu":
        environment["CUDA_VISIBLE_DEVICES"] = ""
    began: dict[int, float] = {}
    took: dict[int, float] = {}
    run(
        notebook,
        900,
        environment,
        allow_errors=True,
        on_cell_start=lambda cell, cell_index: began.setdefault(cell_index, time.perf_counter()),
        on_cell_complete=lambda cell, cell_index: took.setdefault(cell_index, time.perf_counter() - began[cell_index]),
    )
    section = ""
    for index, cell in enumerate(notebook.cells):
        if cell.cell_type == "markdown":
            section = next((x.lstrip("# ") for x in cell.source.splitlines() if x.startswith("#")), section)
            continue
        errors = [f"{x.ename}: {x.evalue}".splitlines()[0] for x in cell.outputs if x.output_type == "error"]
        printed = "".join(map(in_text, cell.outputs))
        timing = "timing" in cell.metadata.get("tags", [])
        yield {
            "cell": index,
            "section": section,
            "seconds": took.get(index, 0.0),
            "error": " ".join(errors),
            "printed": printed if timing else "",  # what is not timed is the same on any device
            "strange": bool(errors),
        }


# ---- the training program --------------------------------------------------------------------------------------------

GPT = "a GPT of 10 million"
AT_SIZE = {
    GPT: "--preset gpt-10m",
    "a Transformer of base size": (
        "--model transformer --d-model 512 --num-heads 8 --num-layers 6 --d-ff 2048 --numbers 12 --batch-size 256 "
        "--learning-rate 5e-4"
    ),
}
STEPS = 300


def training(device: torch.device, folder: Path) -> Iterator[Record]:
    """`python -m training` at size for a few hundred steps: samples a second and the loss, from its own curves."""
    # of the extra `train`, which nothing else here needs
    from tensorboard.backend.event_processing.event_accumulator import (  # type: ignore[import-untyped]
        EventAccumulator,
    )

    short = device.type == "cuda" and torch.cuda.is_bf16_supported(including_emulation=False)
    for name, flags in AT_SIZE.items():
        out = folder / name.replace(" ", "-")
        command = [
            *(sys.executable, "-m", "training", *flags.split(), "--out", str(out), "--device", device.type),
            *("--steps", str(STEPS), "--warm-up", "50", "--fused", "--dtype", "bfloat16" if short else "float32"),
            *("--evaluate-every", str(STEPS), "--checkpoint-every", str(STEPS)),
        ]
        done = subprocess.run(command, cwd=ROOT, stderr=subprocess.PIPE, text=True)
        if done.returncode:
            *_, last = f"ended with {done.returncode}\n{done.stderr}".strip().splitlines()  # a killed one is silent
            yield {"model": name, "error": last[:300], "strange": True}
            continue
        events = EventAccumulator(str(out), size_guidance={"scalars": 0}).Reload()
        losses = [event.value for event in events.Scalars("train/loss")]
        yield {
            "model": name,
            "error": "",
            "samples_per_second": median_high(event.value for event in events.Scalars("train/samples_per_second")),
            "first_loss": losses[0],
            "last_loss": losses[-1],
            "strange": not losses[-1] < losses[0],
        }


# ---- the command -----------------------------------------------------------------------------------------------------

PARTS: dict[str, Callable[..., Iterator[Record]]] = {
    "roof": roof,
    "placement": placement,
    "correctness": correctness,
    "chapters": chapters,
    "training": training,
}


def main(arguments: list[str] | None = None) -> Path:
    """Run one part and write its result; returns where."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.gpu_parts", description=(__doc__ or "").split("\n")[0])
    parser.add_argument("part", choices=PARTS)
    parser.add_argument("--device", choices=("cpu", "cuda"), default="cuda")
    parser.add_argument("--folder", type=Path, default=ROOT / "_build" / "gpu" / "by-hand")
    asked = parser.parse_args(arguments)
    if asked.device == "cuda" and not torch.cuda.is_available():
        parser.error("torch sees no GPU here: --device cpu only shows that it runs")
    device, started = torch.device(asked.device), time.perf_counter()
    work = PARTS[asked.part]
    records = []
    for record in work(device, asked.folder / "runs") if asked.part == "training" else work(device):
        records.append(record)
        print(f"{asked.part}: {in_one_line(record)}", file=sys.stderr, flush=True)
    return write(
        f"gpu_{asked.part}",
        work.__doc__ or "",
        records,
        command="make gpu",
        settings={"device": asked.device},
        seconds=time.perf_counter() - started,
        folder=asked.folder,
    )


def in_one_line(record: Record) -> str:
    """What a part found, shortly."""
    entries = {key: value for key, value in record.items() if key != "printed" and value not in ("", None)}
    return ", ".join(f"{key} {f'{value:.3g}' if isinstance(value, float) else value}" for key, value in entries.items())


if __name__ == "__main__":
    print(main())
