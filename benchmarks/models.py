"""The course's models against the same models as others wrote them: speed and memory, side by side.

    python -m benchmarks.models                                     # small models on the CPU: twenty minutes
    python -m benchmarks.models --with-timm                         # timm's ViT too; 11 MB to fetch the first time
    python -m benchmarks.models --size base --only vit              # ViT-B/16 on the CPU: half an hour
    python -m benchmarks.models --device cuda                       # ViT-B/16, GPT-2 of 124M: batches as large as fit

Training (`solutions.cuda.train_step`: forward, loss, backward, clipping, AdamW) and inference (forward, without
gradients), on each rung of chapter 09's ladder; a rung with a "+" has all of the rung before it, too. First it is
asserted that each peer, its weights in the course's model, gives the course's logits and gradients. Then all the
contestants of a rung are built, and in each round each has its turn, in an order that moves on; a ratio is of two turns
in one round, and its spread that of the rounds. So whatever else the machine does falls on all. Of a process with one
thread the CPU time is measured beside the wall time: it does not count the time that other programs had the core.

Utilization is a share of what plain matrix products of the same precision reach in the same rounds; scores that a
causal mask hides do not count, whoever computes them. Peak memory on the CPU is that of a process of its own, above
what the libraries take; on a GPU what torch has given out at most.

Last the language model writes with caches of two kinds, beside those of transformers (`benchmarks.decoding`).
"""

from __future__ import annotations

import argparse
import math
import os
import resource
import statistics
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field, replace
from functools import partial
from multiprocessing import get_context
from pathlib import Path
from typing import Any

import torch
from torch import Tensor, nn

from benchmarks import decoding
from benchmarks.peers import MODELS
from benchmarks.peers.contestants import CAUSAL, FUSED, PLAIN, Model, Size, attention_kernels
from benchmarks.peers.libraries import install_timm
from benchmarks.peers.same_work import disagreement, to_device
from benchmarks.record import Record, write
from solutions.cuda import measure_throughput, train_step

SAME_LOGITS, SAME_GRADIENTS = 1e-5, 1e-3  # see peers.same_work.disagreement
DECODING = "decoding"
GRAPHS = "reduce-overhead"  # torch.compile's mode that records CUDA graphs
Step = Callable[[], object]


@dataclass(frozen=True)
class Rung:
    """One step of the ladder: how the numbers are kept, and what runs them."""

    name: str
    dtype: torch.dtype = torch.float32
    attention: str = CAUSAL  # see Contestant; what is causal has its flag on every rung above the one named so
    tf32: bool = False
    fused_optimizer: bool = False
    mode: str | None = None  # torch.compile's; None leaves it out
    gpu_only: bool = False


BF16: dict[str, Any] = {"dtype": torch.bfloat16, "tf32": True}
FLAG = "float32, causal mask as a flag"
LADDER = (
    Rung("float32, plain attention", attention=PLAIN),
    Rung("bfloat16, plain attention", **BF16, attention=PLAIN),  # beside the ladder: where the fused kernel is slow
    Rung("float32, fused attention", attention=FUSED),
    Rung(FLAG),
    Rung("tf32, fused attention", tf32=True, gpu_only=True),
    Rung("bfloat16, fused attention", **BF16),
    Rung("+ fused optimizer", **BF16, fused_optimizer=True),
    Rung("+ torch.compile", **BF16, fused_optimizer=True, mode="default"),
    Rung("+ CUDA graphs", **BF16, fused_optimizer=True, mode=GRAPHS, gpu_only=True),
)
RUNGS = {rung.name: rung for rung in LADDER}


def ladder(model: Model, work: str, device: torch.device) -> list[Rung]:
    """The rungs that there are for this model and this work on this device."""
    return [
        rung
        for rung in LADDER
        if (device.type == "cuda" or not rung.gpu_only)
        and (work == "training" or rung.name != "+ fused optimizer")
        and (model.causal_per_layer or rung.name != FLAG)
    ]


def imitates_bfloat16(device: torch.device) -> bool:
    """Whether the device has no units for bfloat16: then its products are slower than those of float32."""
    if device.type == "cuda":
        return not torch.cuda.is_bf16_supported(including_emulation=False)
    seconds = []
    for dtype in (torch.float32, torch.bfloat16):
        a, b = torch.randn(2, 256, 256).to(dtype)
        a @ b  # the first call prepares
        start = time.process_time()
        for _ in range(5):
            a @ b
        seconds.append(time.process_time() - start)
    return seconds[1] > seconds[0]


# ---- one contestant's step -------------------------------------------------------------------------------------------


def make_step(model: Model, name: str, size: Size, work: str, rung: Rung, device: torch.device) -> Step:
    """A contestant, built, and its batch, as a function that does the work once."""
    contestant = model.contestants[name]
    torch.manual_seed(0)
    built: Any = contestant.build(size, rung.attention).to(device)  # a module, compiled or not
    inputs, targets = to_device(model.inputs(size), device)
    if rung.mode:
        built = torch.compile(built, mode=rung.mode)
    step = (training if work == "training" else inference)(model, name, built, inputs, targets, rung)

    def in_its_turn() -> object:
        if rung.mode == GRAPHS:
            torch.compiler.cudagraph_mark_step_begin()  # what the graph before gave is no longer needed
        return step()

    return in_its_turn


def training(
    model: Model, name: str, built: nn.Module, inputs: tuple[Tensor, ...], targets: Tensor, rung: Rung
) -> Step:
    """Forward, loss, backward, clipping and AdamW."""
    built.train()
    optimizer = torch.optim.AdamW(built.parameters(), lr=1e-4, fused=rung.fused_optimizer or None)
    scaler = torch.amp.GradScaler(targets.device.type, enabled=False)  # bfloat16 needs none

    def loss_of(built: nn.Module, batch: tuple[tuple[Tensor, ...], Tensor]) -> Tensor:
        return model.loss(model.contestants[name].logits(built, batch[0]), batch[1])

    return lambda: train_step(built, loss_of, (inputs, targets), optimizer, scaler, 1.0, rung.dtype)


def inference(
    model: Model, name: str, built: nn.Module, inputs: tuple[Tensor, ...], targets: Tensor, rung: Rung
) -> Step:
    """Forward alone. Of a Transformer that is teacher forcing: all logits of given sentences."""
    built.eval()

    def step() -> Tensor:
        with (
            torch.inference_mode(),
            torch.autocast(targets.device.type, dtype=rung.dtype, enabled=rung.dtype != torch.float32),
        ):
            return model.contestants[name].logits(built, inputs)

    return step


@contextmanager
def precision(rung: Rung, device: torch.device) -> Iterator[None]:
    """The kernels that a rung allows: fused or plain attention; tf32 in matrix products and convolutions or not."""
    before = torch.get_float32_matmul_precision(), torch.backends.cudnn.allow_tf32
    if device.type == "cuda":
        torch.set_float32_matmul_precision("high" if rung.tf32 else "highest")
        torch.backends.cudnn.allow_tf32 = rung.tf32  # transformers' patches are a convolution
    try:
        with attention_kernels(rung.attention != PLAIN, rung.dtype):
            yield
    finally:
        if device.type == "cuda":
            torch.set_float32_matmul_precision(before[0])
            torch.backends.cudnn.allow_tf32 = before[1]


# ---- time ------------------------------------------------------------------------------------------------------------


@dataclass
class BothClocks:
    """A clock of wall time that looks at the CPU time of this process whenever it is asked."""

    cpu: list[float] = field(default_factory=list)

    def __call__(self) -> float:
        self.cpu.append(time.process_time())
        return time.perf_counter()


@dataclass
class Rates:
    """Items per second of wall time and of CPU time, one of each a round."""

    wall: list[float] = field(default_factory=list)
    cpu: list[float] = field(default_factory=list)

    def measure(self, step: Step, items: int, num_steps: int, device: torch.device) -> None:
        """One round more."""
        clock = BothClocks()
        synchronize = torch.cuda.synchronize if device.type == "cuda" else lambda: None
        self.wall.append(measure_throughput(step, items, num_steps, 1, synchronize, clock))
        self.cpu.append(items * num_steps / max(clock.cpu[-1] - clock.cpu[0], 1e-9))


def spread(key: str, values: list[float]) -> Record:
    """The median under `key`, the least and the most beside it."""
    return {key: statistics.median(values), f"{key}_low": min(values), f"{key}_high": max(values)}


def matrix_product(dtype: torch.dtype, device: torch.device) -> tuple[Step, int]:
    """A product large enough to reach the device's peak, and its operations."""
    n = 8192 if device.type == "cuda" else 1024
    a, b = torch.randn(2, n, n, device=device).to(dtype)
    return lambda: a @ b, 2 * n**3


def flops_utilization(model: Model, size: Size, per_second: float, peak: float, work: str) -> float:
    """The share of the peak at so many items a second. Forward alone is a third of training.

    Counted is what the model needs, not what a contestant does: a causal attention's scores up to the diagonal, also
    where they are all computed and then masked.
    """
    course: Any = model.contestants["course"].build(size, PLAIN)
    # embeddings are looked up, not multiplied
    multiplied = sum(part.weight.numel() for part in course.modules() if isinstance(part, nn.Linear))
    if model.tied:
        multiplied += course.token_embedding.weight.numel()
    length, causal = size.num_tokens, model.causal_per_layer
    pairs = (model.attentions_per_layer - causal) * length**2 + causal * length * (length + 1) / 2
    flops = 6 * multiplied * length + 12 * size.num_layers * size.d_model * pairs
    share = flops * per_second / (model.items(size) / size.batch) / peak
    return share if work == "training" else share / 3


def compare(
    model: Model, size: Size, work: str, rung: Rung, names: list[str], device: torch.device, rounds: int, seconds: float
) -> list[Record]:
    """One rung: every contestant in turn, `rounds` times, each time for about so many seconds. A record for each."""
    steps: dict[str, Step] = {}
    records: dict[str, Record] = {name: {"peer": name} for name in names}
    peak_rates = Rates()
    with precision(rung, device):
        for name in names:
            try:
                steps[name], facts = warmed_up(model, name, size, work, rung, device)
                records[name] |= facts
            except RuntimeError as error:  # no compiler, or no memory: the others go on
                records[name]["note"] = f"failed: {str(error).strip().splitlines()[0]}"
        product, operations = matrix_product(rung.dtype, device)
        rates = take_turns(
            steps,
            model.items(size),
            device,
            rounds,
            seconds,
            lambda: peak_rates.measure(product, operations, 5, device),
        )
    torch.compiler.reset()
    on_cpu = device.type == "cpu"
    peak = max(peak_rates.cpu if on_cpu else peak_rates.wall)
    for name, of_name in rates.items():
        records[name] |= speeds(of_name, rates.get("course") if name != "course" else None, device)
        typical = statistics.median(of_name.cpu if on_cpu else of_name.wall)
        records[name]["utilization"] = flops_utilization(model, size, typical, peak, work)
        records[name]["peak_flops"] = peak
    return list(records.values())


def take_turns(
    steps: dict[str, Step],
    items: int,
    device: torch.device,
    rounds: int,
    seconds: float,
    before_each: Callable[[], object] = lambda: None,
) -> dict[str, Rates]:
    """Every step in its turn, `rounds` times, each time for about so many seconds; the order moves on each round."""
    names, rates = list(steps), {name: Rates() for name in steps}
    one = min((time_of(step, device) for step in steps.values()), default=1.0)
    for turn in range(rounds):
        before_each()
        for place in range(len(names)):
            name = names[(turn + place) % len(names)]
            rates[name].measure(steps[name], items, max(1, round(seconds / one)), device)
    return rates


def speeds(of_name: Rates, of_course: Rates | None, device: torch.device) -> Record:
    """What was measured of one, and where the course's is given, how many times as fast that is."""
    record = spread("per_second", of_name.wall)
    if of_course is not None:
        record |= spread("ratio", [a / b for a, b in zip(of_course.wall, of_name.wall, strict=True)])
    if device.type == "cpu":
        record |= spread("per_cpu_second", of_name.cpu)
        if of_course is not None:
            record |= spread("cpu_ratio", [a / b for a, b in zip(of_course.cpu, of_name.cpu, strict=True)])
    return record


def time_of(step: Step, device: torch.device) -> float:
    """Seconds of one call, done to the end."""
    start = time.perf_counter()
    step()
    if device.type == "cuda":
        torch.cuda.synchronize()
    return time.perf_counter() - start


def warmed_up(model: Model, name: str, size: Size, work: str, rung: Rung, device: torch.device) -> tuple[Step, Record]:
    """A contestant's step after two calls: the compiler's seconds, and on a GPU the peak memory, of it alone.

    Of the rung with CUDA graphs also how many graphs were left out: without a word they then run as the rung before.
    """
    on_gpu, facts = device.type == "cuda", {}
    before = torch.cuda.memory_allocated() if on_gpu else 0  # the contestants that stand there already
    if on_gpu:
        torch.cuda.reset_peak_memory_stats()
    left_out = graphs_left_out() if rung.mode == GRAPHS else 0
    step = make_step(model, name, size, work, rung, device)
    first, second = time_of(step, device), time_of(step, device)
    if rung.mode:
        facts["compile_seconds"] = first - second
    if rung.mode == GRAPHS:
        facts["graphs_left_out"] = graphs_left_out() - left_out
    if on_gpu:
        facts["memory_mb"] = (torch.cuda.max_memory_allocated() - before) / 2**20
    return step, facts


def graphs_left_out() -> int:
    """How often torch.compile has made no CUDA graph where it was asked to, in this process."""
    from torch._dynamo.utils import counters  # the compiler, which the other rungs do not need

    return counters["inductor"]["cudagraph_skips"]


# ---- memory on the CPU -----------------------------------------------------------------------------------------------


def peak_memory(model_name: str, name: str, size: Size, work: str, rung: Rung) -> float:
    """MB that two steps take at most, above what the same at tiny size took. To be run in a process of its own."""
    torch.set_num_threads(1)
    model, device, peaks = MODELS[model_name], torch.device("cpu"), []
    with precision(rung, device):
        for of_size in (model.sizes["tiny"], size):
            step = make_step(model, name, of_size, work, rung, device)
            step()
            step()
            peaks.append(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss)
    unit = 2**20 if sys.platform == "darwin" else 2**10  # bytes there, kilobytes elsewhere
    return (peaks[1] - peaks[0]) / unit


def peak_memory_apart(model_name: str, name: str, size: Size, work: str, rung: Rung) -> float:
    """`peak_memory` in a new process, which begins with the libraries loaded and nothing else."""
    context = get_context("forkserver")
    context.set_forkserver_preload(  # what is not installed is passed over
        [
            "benchmarks.peers",
            "torch._dynamo",
            "transformers.models.vit.modeling_vit",
            "transformers.models.gpt2.modeling_gpt2",
            "x_transformers",
        ]
    )
    with ProcessPoolExecutor(max_workers=1, mp_context=context) as pool:
        return pool.submit(peak_memory, model_name, name, size, work, rung).result()


# ---- the whole -------------------------------------------------------------------------------------------------------


def assert_same_work(model_name: str, names: list[str], size: Size, device: torch.device) -> list[Record]:
    """Each peer's logits and gradients are the course's, with each kind of attention. Raises AssertionError."""
    records: list[Record] = []
    for name in names:
        for attention in (PLAIN, FUSED, CAUSAL) if MODELS[model_name].causal_per_layer else (PLAIN, FUSED):
            # without tf32, which a convolution, as transformers' patches are, takes unasked
            with precision(Rung("", attention=attention), device):
                logits, gradients = disagreement(MODELS[model_name], name, size, attention, device)
            if logits > SAME_LOGITS or gradients > SAME_GRADIENTS:
                raise AssertionError(
                    f"{name}'s {model_name} with {attention} attention does other work than the course's: logits "
                    f"differ by {logits:.1e} of the largest, gradients by {gradients:.1e} of their norm"
                )
            differences: Record = {"logits_difference": logits, "gradients_difference": gradients}
            records.append({"measure": f"{model_name} equality", "peer": name, "attention": attention, **differences})
    return records


def largest_batch(used_by_1: float, used_by_2: float, free: float, most: int = 128) -> int:
    """The largest power of two, at most `most`, that fits into what is free, from what one item and two use."""
    fitting = 1 + (free - used_by_1) / (used_by_2 - used_by_1)
    return 2 ** min(int(math.log2(most)), math.floor(math.log2(max(1, fitting))))


def fitting(model: Model, size: Size, device: torch.device) -> Size:
    """The size with the largest batch that the hungriest rung leaves room for, the other contestants beside it.

    Measured are one item and two: of four windows of 1,024 tokens GPT-2's plain attention has too much for a T4.
    """
    rung = LADDER[0]
    with precision(rung, device):
        used_by_1, used_by_2 = (  # of each its facts alone are kept: the model would take room that is asked for next
            warmed_up(model, "course", replace(size, batch=batch), "training", rung, device)[1]["memory_mb"]
            for batch in (1, 2)
        )
    torch.cuda.empty_cache()
    most = 2**14 // size.length if size.context else 128  # windows of a language model: as many tokens at any length
    free = torch.cuda.mem_get_info()[0] / 2**20 / 2
    return replace(size, batch=largest_batch(used_by_1, used_by_2, free, most))


def run(
    model_name: str, size: Size, device: torch.device, rounds: int, seconds: float, rungs: list[str] | None = None
) -> list[Record]:
    """All of one model: equality, then each work on each rung (or those named), memory with it."""
    model, records = MODELS[model_name], []
    reasons = {name: contestant.missing() for name, contestant in model.contestants.items()}
    names = [name for name, reason in reasons.items() if reason is None]
    records += assert_same_work(model_name, [name for name in names if name != "course"], size, device)
    no_bfloat16 = imitates_bfloat16(device)
    for work in model.works:
        measure = measure_of(model_name, work)
        for rung in ladder(model, work, device):
            if rungs is not None and rung.name not in rungs:
                continue
            if no_bfloat16 and rung.dtype == torch.bfloat16:
                if not rung.name.startswith("+"):
                    note = "left out: this machine has no units for bfloat16"
                    records.append({"measure": measure, "rung": rung.name, "note": note})
                    continue
                rung = replace(rung, dtype=torch.float32)  # what a "+" adds it adds to the rung before
            made = compare(model, size, work, rung, names, device, rounds, seconds)
            if device.type == "cpu" and not rung.mode:  # with it, most would be the compiler's own
                for record in made:
                    record["memory_mb"] = peak_memory_apart(model_name, str(record["peer"]), size, work, rung)
            records += ({"measure": measure, "rung": rung.name, "unit": model.unit, **record} for record in made)
            print(f"{measure}, {rung.name}: {in_one_line(made)}", file=sys.stderr, flush=True)
        records += ({"measure": measure, "peer": name, "note": reason} for name, reason in reasons.items() if reason)
    return records


def measure_of(model: str, work: str) -> str:
    """What the rate of a model at a work is called."""
    return f"{model} {work}"


def decoding_measures(size: Size) -> dict[str, tuple[int, int]]:
    """What each rate of decoding is called: its batch, and how many tokens have been read before."""
    reads = sorted({min(read, size.context - decoding.COUNT) for read in decoding.READ})
    return {
        f"{DECODING}, batch {batch}, places {read} to {read + decoding.COUNT - 1}": (batch, read)
        for batch in decoding.BATCHES
        for read in reads
    }


def run_decoding(size: Size, device: torch.device, rounds: int, seconds: float) -> list[Record]:
    """Tokens a second that each cache writes, by batch and place: the course's caches, each against every peer's."""
    records: list[Record] = []
    models = decoding.pair(size, device)
    for measure, (batch, read) in decoding_measures(size).items():
        prompt = torch.randint(size.outputs, (batch, read + 1), generator=torch.Generator().manual_seed(0)).to(device)
        steps: dict[str, Step] = {}
        notes: dict[str, str] = {}
        with torch.inference_mode():
            for name, make in (decoding.OURS | decoding.PEERS).items():
                try:
                    writer = make(models, prompt[:, :-1])
                    apart = decoding.difference(models, writer, prompt, decoding.COUNT)
                except RuntimeError as error:  # no compiler: the others go on
                    notes[name] = f"failed: {str(error).strip().splitlines()[0]}"
                    continue
                if apart > SAME_LOGITS:
                    raise AssertionError(f"{name} gives other logits than one pass, by {apart:.1e} of the largest")
                steps[name] = partial(decoding.write, writer, prompt[:, -1:], decoding.COUNT)
            rates = take_turns(steps, batch * decoding.COUNT, device, rounds, seconds)
        torch.compiler.reset()
        for ours in decoding.OURS:
            made: list[Record] = [{"peer": "course", **speeds(rates[ours], None, device)}]
            made += ({"peer": n, **speeds(rates[n], rates[ours], device)} for n in decoding.PEERS if n in rates)
            records += ({"measure": measure, "rung": ours, "unit": "tokens", **record} for record in made)
            print(f"{measure}, {ours}: {in_one_line(made)}", file=sys.stderr, flush=True)
        records += ({"measure": measure, "peer": name, "note": note} for name, note in notes.items())
    return records


@contextmanager
def fresh_compiler_cache() -> Iterator[None]:
    """What an earlier run compiled is compiled again: seconds that a cache saved would be nobody's."""
    name = "TORCHINDUCTOR_CACHE_DIR"
    before = os.environ.get(name)
    with tempfile.TemporaryDirectory() as folder:
        os.environ[name] = folder
        try:
            yield
        finally:
            os.environ.pop(name)
            if before is not None:
                os.environ[name] = before


def load_average() -> float | None:
    """How many programs ran or waited to run in the last minute, this one with them; None where nobody counts."""
    return round(os.getloadavg()[0], 1) if hasattr(os, "getloadavg") else None


def in_one_line(records: list[Record]) -> str:
    """A rung in one line: the course's items a second, and its ratio to each peer."""
    parts = []
    for record in records:
        if "note" in record:
            parts.append(f"{record['peer']} {record['note']}")
        elif "ratio" in record:
            key = "cpu_ratio" if "cpu_ratio" in record else "ratio"
            parts.append(
                f"{record[key]:.2f} ({record[key + '_low']:.2f} to {record[key + '_high']:.2f}) of {record['peer']}"
            )
        else:
            share = f", utilization {record['utilization']:.2f}" if "utilization" in record else ""
            parts.append(f"{record['per_second']:.0f} a second{share}")
    return "; ".join(parts)


def main(arguments: list[str] | None = None, folder: Path | None = None) -> Path:
    """Measure, print a line for each rung, write the result; returns where."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.models", description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--device", choices=["cpu", "cuda"], default="cpu")
    parser.add_argument("--size", choices=["tiny", "small", "base"], help="small on a CPU, base on a GPU")
    parser.add_argument("--rounds", type=int, default=5, metavar="N", help="turns of each contestant on each rung")
    parser.add_argument("--seconds", type=float, default=0.3, help="of one turn, about; at least one step")
    parser.add_argument(
        "--only", nargs="+", choices=[*MODELS, DECODING], metavar="MODEL", help=", ".join([*MODELS, DECODING])
    )
    parser.add_argument("--with-timm", action="store_true", help="fetch timm into _build/timm, unless it is there")
    parser.add_argument("--rungs", nargs="+", choices=RUNGS, metavar="RUNG")
    parser.add_argument("--folder", type=Path, help="where the result goes; otherwise benchmarks/results/")
    asked = parser.parse_args(arguments)
    if asked.rounds < 1 or asked.seconds <= 0:
        parser.error(f"at least one round, of more than no seconds, got {asked.rounds} and {asked.seconds}")
    if asked.device == "cuda" and not torch.cuda.is_available():
        parser.error("torch sees no GPU here: leave out --device cuda, or go where there is one")
    if asked.with_timm:
        install_timm()
    device, started, load = torch.device(asked.device), time.perf_counter(), load_average()
    size_name = asked.size or ("base" if asked.device == "cuda" else "small")
    os.environ["OMP_NUM_THREADS"] = "1"  # for the processes that measure memory
    torch.set_num_threads(1)
    records, sizes = [], {}
    with fresh_compiler_cache():
        for model_name in (name for name in MODELS if not asked.only or name in asked.only):
            sizes[model_name] = MODELS[model_name].sizes[size_name]
            if asked.device == "cuda":
                sizes[model_name] = fitting(MODELS[model_name], sizes[model_name], device)
            records += run(model_name, sizes[model_name], device, asked.rounds, asked.seconds, asked.rungs)
        if DECODING in asked.only if asked.only else not asked.rungs:
            sizes[DECODING] = decoding.SIZES[size_name]
            records += run_decoding(sizes[DECODING], device, asked.rounds, asked.seconds)
    return write(
        "models" if asked.device == "cpu" else "models_cuda",
        ABOUT,
        records,
        command=" ".join(["python -m benchmarks.models", *(sys.argv[1:] if arguments is None else arguments)]),
        settings={
            "size": size_name,
            **{name: asdict(size) for name, size in sizes.items()},
            "rounds": asked.rounds,
            "load_at_start": load,
            "load_at_end": load_average(),
            "seconds_a_turn": asked.seconds,
            "optimizer": "AdamW, gradients clipped to a norm of 1",
            "same_logits": SAME_LOGITS,
            "same_gradients": SAME_GRADIENTS,
        },
        seconds=time.perf_counter() - started,
        libraries=("transformers", "x-transformers", "timm"),
        folder=folder or asked.folder,
    )


ABOUT = """
The course's ViT, Transformer and language model against the same models of other libraries: equal sizes, weights, batch
and precision, outputs asserted equal, on each rung of chapter 09's ladder. language-model-128 trains on windows of 128
tokens, and so on, as many tokens a step at each length. decoding: tokens a second written one by one with a cache, the
likeliest each time, asserted to be those of one pass. ratio: how many times as many items a second the course's
handles, median of the rounds, with the lowest and the highest; cpu_ratio: the same by CPU time, which other programs
on the machine disturb less. utilization: the operations per second that the model needs, without the scores that a
causal mask hides, as a share of those that plain matrix products of the same precision reach. memory_mb: what two steps
need at most, weights, gradients and the optimizer's state with them.
"""

if __name__ == "__main__":
    print(main())
