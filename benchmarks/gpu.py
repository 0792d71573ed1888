"""All that needs a GPU, by one command: `make gpu MINUTES=45`, or

    python -m benchmarks.gpu --minutes 30        # looks what is here, then one part after the other
    python -m benchmarks.gpu --card a100         # what it would do on that card, and what arithmetic expects of it

Each part is a process of its own and writes its result as soon as it is done, to `_build/gpu/<card>-<torch>/<part>/`.
The same command again passes over what is there for this card and this version of torch, so it may be stopped, or run
out of its minutes, at any moment. A part that fails (no memory, no compiler) is told, with its log, and the next goes
on. After each part everything that is there is laid together in `benchmarks/results/`, where the book reads it.

Beside a result stands the range that arithmetic expects of the card (`benchmarks.expected`): what lies outside is
marked as strange, in the output and in the file. Too fast means that something was not done, or that the clock was read
too early; too slow that something copies, waits, or shares the card.
"""

from __future__ import annotations

import argparse
import itertools
import shutil
import subprocess
import sys
import time
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import torch

from benchmarks import decoding, expected, models
from benchmarks.cards import CARDS, Card, card_of
from benchmarks.expected import Expected, judged
from benchmarks.gpu_parts import in_one_line
from benchmarks.peers import MODELS
from benchmarks.record import Record, write
from course import committed
from course.committed import RESULTS

ROOT = Path(__file__).resolve().parent.parent
BUILT = ROOT / "_build" / "gpu"
BATCH = 128  # what a dry run takes for the batch that fits; the rates hardly depend on it
DISK = 5.0  # GB: the compiler's cache, checkpoints, curves


@dataclass(frozen=True)
class Part:
    """A command that writes `result` into the folder that it is given, and the minutes to set aside for it.

    The minutes are not measured: they are twice what the turns of the clock in it come to, with a minute for each
    model that torch.compile compiles. How long a part took stands in its file.
    """

    name: str
    minutes: float
    result: str
    words: tuple[str, ...]
    model: str = ""  # of a ladder
    rungs: tuple[str, ...] = ()

    def command(self, folder: Path) -> list[str]:
        return [sys.executable, "-m", *self.words, "--folder", str(folder)]


def ladder_part(model: str, name: str, rungs: list[str], minutes: float) -> Part:
    words = ("benchmarks.models", "--device", "cuda", "--only", model, "--rungs", *rungs)
    return Part(f"ladder-{model}-{name}", minutes, "models_cuda", words, model, tuple(rungs))


def parts() -> list[Part]:
    """In order: what the rest rests on, then what is short, then what is long."""

    def own(name: str, minutes: float) -> Part:
        return Part(name, minutes, f"gpu_{name}", ("benchmarks.gpu_parts", name))

    made = [own("roof", 2), own("placement", 2), own("correctness", 2)]
    cuda = torch.device("cuda")
    eager = {
        model: [rung.name for rung in models.ladder(MODELS[model], "training", cuda) if not rung.mode]
        for model in MODELS
    }
    made += [ladder_part(model, "eager", rungs, 6) for model, rungs in eager.items()]
    words: tuple[str, ...] = ("benchmarks.models", "--device", "cuda", "--only", models.DECODING)
    made += [Part(models.DECODING, 8, "models_cuda", words), own("chapters", 8), own("training", 6)]
    for rung in (rung for rung in models.LADDER if rung.mode):
        made += [
            ladder_part(model, rung.name.removeprefix("+ ").replace(" ", "-"), [rung.name], 12) for model in MODELS
        ]
    for seed in range(3):
        for name, minutes in (("text", 8), ("vit", 12), ("numbers", 10)):
            words = ("benchmarks.curves", name, "--device", "cuda", "--seeds", str(seed))
            made.append(Part(f"curves-{name}-{seed}", minutes, f"curves_{name}", words))
    return made


# ---- what is here ----------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Machine:
    """The first GPU of a machine, as torch sees it."""

    name: str
    memory: float  # GB
    free: float
    capability: tuple[int, int]
    bfloat16: bool  # by units of its own
    driver: str
    busy: str  # the share of time at work just now, as nvidia-smi says
    disk: float  # GB free

    @property
    def card(self) -> Card | None:
        return card_of(self.name)


def nvidia_smi(query: str) -> str:
    """One figure of the first GPU, or "unknown"."""
    if not shutil.which("nvidia-smi"):
        return "unknown"
    words = ["nvidia-smi", f"--query-gpu={query}", "--format=csv,noheader"]
    done = subprocess.run(words, capture_output=True, text=True)
    return done.stdout.strip().partition("\n")[0] or "unknown"


def look() -> Machine:
    """What there is. Raises LookupError with a sentence that says what is missing."""
    if not torch.cuda.is_available():
        has_driver = nvidia_smi("driver_version") != "unknown"
        if has_driver and torch.version.cuda is None:
            raise LookupError(
                f"an NVIDIA driver is here, and torch {torch.__version__} is the build for the CPU: make gpu CUDA=1"
            )
        raise LookupError(
            "no GPU here: this needs an NVIDIA GPU of compute capability 7.5 or more with 15 GB of memory or more, "
            f"its driver, {DISK:.0f} GB of disk, and torch's build for it, which `make gpu CUDA=1` installs"
        )
    free, memory = (x / 1e9 for x in torch.cuda.mem_get_info())
    return Machine(
        name=torch.cuda.get_device_name(0),
        memory=memory,
        free=free,
        capability=torch.cuda.get_device_capability(0),
        bfloat16=torch.cuda.is_bf16_supported(including_emulation=False),
        driver=nvidia_smi("driver_version"),
        busy=nvidia_smi("utilization.gpu"),
        disk=shutil.disk_usage(ROOT).free / 1e9,
    )


def described(machine: Machine, minutes: float) -> list[str]:
    """Lines on what was seen, and on what of it will be in the way."""
    major, minor = machine.capability
    lines = [
        f"{machine.name}, {machine.memory:.0f} GB ({machine.free:.0f} free), compute capability {major}.{minor}, "
        f"driver {machine.driver}, torch {torch.__version__}, {machine.disk:.0f} GB of disk, {minutes:g} minutes",
        f"bfloat16: {'units of its own' if machine.bfloat16 else 'imitated, so its rungs are slow and say nothing'}",
    ]
    if machine.card is None:
        names = ", ".join(card.name for card in CARDS.values())
        lines.append(f"no data sheet of it here, so nothing can be called strange (there are: {names})")
    if machine.free < 0.9 * machine.memory:
        lines.append(f"somebody else uses it ({machine.memory - machine.free:.0f} GB, {machine.busy}): times will tell")
    if machine.disk < DISK:
        lines.append(f"less than {DISK:.0f} GB of disk are free")
    return lines


# ---- running ---------------------------------------------------------------------------------------------------------

Start = Callable[[list[str], Path, float], int]


def start(command: list[str], log: Path, seconds: float) -> int:
    """Run a command, its output kept in the log; its exit code, 124 where it had to be ended."""
    log.parent.mkdir(parents=True, exist_ok=True)
    with log.open("w", encoding="utf-8") as sink:
        process = subprocess.Popen(command, cwd=ROOT, stdout=sink, stderr=subprocess.STDOUT)
        try:
            return process.wait(timeout=seconds)
        except subprocess.TimeoutExpired:
            return 124
        finally:  # also where Ctrl-C ended the waiting
            if process.poll() is None:
                process.terminate()
                try:
                    process.wait(timeout=10)
                except subprocess.TimeoutExpired:
                    process.kill()
                    process.wait()


def last_line(log: Path) -> str:
    """What a part said at its end."""
    lines = log.read_text(encoding="utf-8", errors="replace").strip().splitlines() if log.exists() else []
    return lines[-1].strip()[:300] if lines else "it said nothing"


def is_done(part: Part, folder: Path) -> bool:
    return (folder / part.name / f"{part.result}.json").exists()


def run(
    machine: Machine,
    minutes: float,
    todo: Iterable[Part],
    folder: Path,
    results: Path,
    start: Start,
    clock: Callable[[], float] = time.monotonic,
) -> dict[str, str]:
    """Every part that fits, one after the other; what became of each, by its name."""
    end = clock() + 60 * minutes
    became: dict[str, str] = {}
    todo = list(todo)
    for part in todo:
        left = end - clock()
        if is_done(part, folder):
            became[part.name] = "done before"
        elif left < 60 * part.minutes:
            became[part.name] = f"left for later: {part.minutes:g} minutes, and {max(0.0, left) / 60:.0f} are left"
        else:
            print(f"{part.name}: at most {left / 60:.0f} minutes, likely {part.minutes:g}", flush=True)
            began, log = clock(), folder / part.name / "log.txt"
            code = start(part.command(folder / part.name), log, left)
            if code == 0 and is_done(part, folder):
                became[part.name] = f"done in {(clock() - began) / 60:.1f} minutes"
                for line in lay_together(part.result, todo, folder, results, machine.card):
                    print(f"  STRANGE: {line}", flush=True)
            elif code == 124:
                became[part.name] = "ended, the minutes are over: it begins again next time"
            else:
                became[part.name] = f"FAILED ({code}): {last_line(log)} ({log})"
        print(f"{part.name}: {became[part.name]}", flush=True)
    return became


def lay_together(name: str, todo: Iterable[Part], folder: Path, results: Path, card: Card | None) -> list[str]:
    """Write one result of this name from those of all its parts that are done; what in it is strange, in words."""
    done = [committed.read(name, folder / part.name) for part in todo if part.result == name and is_done(part, folder)]
    for weights in sorted(folder.glob(f"*/{name}.pt")):
        shutil.copy(weights, results / weights.name)
    records: list[Record] = []
    settings: dict[str, Any] = {}
    seeds: list[int] = []
    for result in done:
        records += [record for record in judged(name, result, card) if record not in records]
        settings |= result["settings"]
        seeds += result.get("seeds", [])
    write(
        name,
        done[0]["about"],
        records,
        command="make gpu",
        settings=settings | ({"data_sheet": card.source} if card else {}),
        seconds=sum(result["seconds"] for result in done),
        libraries=("transformers", "x-transformers", "timm"),
        seeds=seeds or None,
        folder=results,
    )
    return [in_one_line(record) for record in records if record.get("strange")]


def expected_of(part: Part, card: Card) -> Iterator[Expected]:
    """What is expected of a part, for a dry run."""
    if part.name == "roof":
        yield from expected.of_roof(card).values()
    if part.name == "training":
        yield expected.of_training(card)
    if part.name == models.DECODING:
        size = decoding.SIZES["base"]
        for measure, cache in itertools.product(models.decoding_measures(size), decoding.OURS):
            yield expected.of_decoding(card, measure, cache, size)
    for rung in part.rungs:
        size = replace(MODELS[part.model].sizes["base"], batch=BATCH)
        yield expected.of_rung(card, part.model, size, "training", models.RUNGS[rung])


def dry_run(card: Card) -> Iterator[str]:
    """The parts, their minutes and what arithmetic expects of this card."""
    yield f"on {card.name} ({card.source}), with a batch of {BATCH} in the ladders:"
    for part in parts():
        yield f"{part.name}, {part.minutes:g} minutes"
        yield from (f"  {each}" for each in expected_of(part, card))
    total = sum(part.minutes for part in parts())
    yield f"all of it: {total:g} minutes, in as many runs as you like"


def main(arguments: list[str] | None = None) -> int:
    """The command; 0 where every part is done, or a card was only asked about, else 1."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.gpu", description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--minutes", type=float, default=45.0, help="how long it may take")
    parser.add_argument("--card", choices=CARDS, help="only say what would be done on this card")
    asked = parser.parse_args(arguments)
    if not asked.minutes > 0:
        parser.error(f"more than no minutes, got {asked.minutes}")
    if asked.card:
        for line in dry_run(CARDS[asked.card]):  # one by one: some take seconds
            print(line, flush=True)
        return 0
    try:
        machine = look()
    except LookupError as missing:
        print(f"make gpu: {missing}", file=sys.stderr)
        print("make gpu CARD=a100 says what it would do, and expect, on an A100", file=sys.stderr)
        return 1
    print("\n".join(described(machine, asked.minutes)), flush=True)
    folder = BUILT / f"{machine.name}-{torch.__version__}".replace(" ", "-")
    became = run(machine, asked.minutes, parts(), folder, RESULTS, start)
    open_parts = [name for name, what in became.items() if not what.startswith("done")]
    print("every part is done" if not open_parts else f"the same command goes on with: {', '.join(open_parts)}")
    return 1 if open_parts else 0


if __name__ == "__main__":
    raise SystemExit(main())
