"""What arithmetic expects of a GPU's results, from its data sheet: the ranges that `make gpu` holds them against.

At most what the sheet's bandwidth and peaks allow; at least a quarter of what the made-up clock of `benchmarks.cards`
says. What lies outside is strange, whichever side it is on. Nothing is expected of what a model learns.
"""

from __future__ import annotations

import functools
from dataclasses import dataclass, replace
from typing import Any

import torch

from benchmarks import decoding, gpu_parts, models
from benchmarks.cards import Card, on_card
from benchmarks.peers import MODELS
from benchmarks.peers.contestants import PLAIN, WORKS, Size
from benchmarks.peers.language_model import course_language_model
from benchmarks.record import Record
from course.data.text import Characters, reference_text
from training.configuration import read_preset

SLOWEST = 4  # a card that takes so many times as long as the made-up clock says is strange
WORKS_OF = {models.measure_of(model, work): (model, work) for model in MODELS for work in WORKS}


@dataclass(frozen=True)
class Expected:
    """A range, and what it is of."""

    what: str
    low: float
    high: float
    unit: str

    def __str__(self) -> str:
        return f"{self.what}: {self.low:.3g} to {self.high:.3g} {self.unit}"


def of_roof(card: Card) -> dict[str, Expected]:
    """By what `gpu_parts.roof` calls it. A large copy and a large product reach most of the sheet's figure and no more;
    clocks that fall in the heat (a T4 has 70 watts) take up to two thirds of a product's."""
    ranges = {"bandwidth": Expected("bandwidth", 0.6 * card.bandwidth, card.bandwidth, "bytes/s")}
    ranges["launch"] = Expected("launch", 1e-6, 2e-5, "s")
    for name, peak in card.peaks.items():
        ranges[f"product, {name}"] = Expected(f"product, {name}", peak / 3, 1.05 * peak, "operations/s")
    return ranges


@functools.cache
def seconds_of_step(card: Card, model: str, size: Size, work: str, rung: models.Rung) -> tuple[float, float]:
    """Of one step of the course's model: by the made-up clock, without what a compiler saves; and its products alone.

    Layers are alike: two models, of one and two, say what each of the others takes.
    """
    clocks = []
    for num_layers in (1, 2):
        with on_card(card) as clock, models.precision(rung, torch.device("cuda")):
            eager = replace(rung, mode=None)
            small = replace(size, num_layers=num_layers)
            step = models.make_step(MODELS[model], "course", small, work, eager, torch.device("meta"))
            step()
            clock.wait()
            before, operations = clock.now, clock.operations
            step()
            clock.wait()
            clocks.append((clock.now - before, (clock.operations - operations) / card.peak(rung.dtype, rung.tf32)))
    (one, of_one), (two, of_two) = clocks
    more = size.num_layers - 1
    return one + more * (two - one), of_one + more * (of_two - of_one)


def of_rung(card: Card, model: str, size: Size, work: str, rung: models.Rung) -> Expected:
    """Items a second: at most what the products alone allow, at least a quarter of what the clock says."""
    clock, products = seconds_of_step(card, model, size, work, rung)
    items = MODELS[model].items(size)
    unit = f"{MODELS[model].unit} a second"
    return Expected(f"{model} {work}, {rung.name}", items / clock / SLOWEST, items / products, unit)


@functools.cache
def seconds_of_token(card: Card, cache: str, size: Size, batch: int, read: int) -> tuple[float, float]:
    """To write one more token of each text with one of the course's caches, behind `read` tokens: by the made-up clock,
    and to read every weight once from memory, which no program can leave out."""
    with on_card(card) as clock, torch.no_grad(), torch.device("meta"):
        model = course_language_model(size, PLAIN).eval()
        prompt = torch.zeros(batch, read, dtype=torch.int64)
        writer = decoding.OURS[cache](decoding.Pair(model, None), prompt)
        clock.wait()
        before = clock.now
        decoding.write(writer, prompt[:, -1:], 1)
        clock.wait()
    weights = sum(p.numel() * p.element_size() for name, p in model.named_parameters() if name != "positions.weight")
    return clock.now - before, weights / card.bandwidth


def of_decoding(card: Card, measure: str, cache: str, size: Size) -> Expected:
    """Tokens a second: at most what the memory's bandwidth allows, at least a quarter of what the clock says."""
    batch, read = models.decoding_measures(size)[measure]
    clock, weights = seconds_of_token(card, cache, size, batch, read)
    return Expected(f"{measure}, {cache}", batch / clock / SLOWEST, batch / weights, "tokens a second")


def of_training(card: Card) -> Expected:
    """Samples a second of the training program's preset, on the ladder's rung that has its settings."""
    name, preset = gpu_parts.GPT, read_preset("gpt-10m")
    length, outputs = preset["length"], len(Characters(reference_text()[0]))
    sizes = {key: preset[key] for key in ("d_model", "num_heads", "d_ff", "num_layers")}
    size = Size(**sizes, outputs=outputs, batch=preset["batch_size"], length=length, context=length)
    rung = models.RUNGS["+ torch.compile"]
    if "bfloat16" not in card.peaks:
        rung = replace(rung, dtype=torch.float32, tf32=False)
    tokens = of_rung(card, "language-model-128", size, "training", rung)  # at any length it is the same model
    return Expected(name, tokens.low / length, tokens.high / length, "samples a second")


def expected_in(name: str, record: Record, settings: dict[str, Any], card: Card) -> tuple[Expected | None, Any]:
    """What is expected of this record of a result, None where nothing is, and what it has."""
    if name == "gpu_roof":
        return of_roof(card).get(record.get("what", "")), record.get("value")
    if name == "gpu_training" and record.get("model") == gpu_parts.GPT:
        return of_training(card), record.get("samples_per_second")
    if record.get("peer") != "course" or "per_second" not in record:
        return None, None
    measure, rung, rate = record["measure"], record["rung"], record["per_second"]
    if measure not in WORKS_OF:
        return of_decoding(card, measure, rung, Size(**settings[models.DECODING])), rate
    model, work = WORKS_OF[measure]
    return of_rung(card, model, Size(**settings[model]), work, models.RUNGS[rung]), rate


def judged(name: str, result: dict[str, Any], card: Card | None) -> list[Record]:
    """A result's records, each with its range and whether it lies outside; as they are where nothing is expected."""
    records: list[Record] = []
    for record in result["records"]:
        if record.get("graphs_left_out"):
            record = {**record, "strange": True}
        expected, value = expected_in(name, record, result["settings"], card) if card else (None, None)
        if expected is not None and value is not None:
            strange = bool(record.get("strange")) or not expected.low <= value <= expected.high
            record = {**record, "expected_from": expected.low, "expected_to": expected.high, "strange": strange}
        records.append(record)
    return records
