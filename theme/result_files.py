"""What stands in `benchmarks/results/`, read and put into words: numbers, spreads, tables' columns, what was lost.

Here belongs what is said of a result, and nothing of how a page is made (`measurements`) or of what was promised
(`targets`). Some keys of a record mean the same in every file: `benchmarks/record.py` lists them.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from course import committed
from course.committed import RESULTS
from course.wording import counted

SPREAD = ("_low", "_high")
RATIOS = ("ratio", "cpu_ratio")
RAISED = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")
Record = dict[str, Any]  # words, numbers, truth values and None, as the files hold them


def results(name: str, folder: Path = RESULTS) -> dict | None:
    """A result file, or None where nothing was measured yet."""
    try:
        return committed.read(name, folder)
    except FileNotFoundError:
        return None


def measured() -> list[str]:
    """The names of all results that there are."""
    return sorted(path.stem for path in RESULTS.glob("*.json"))


def rows(name: str, folder: Path, **wanted: object) -> list[Record]:
    """The records of a result that have these values; none where it was not measured."""
    result = results(name, folder)
    records = result["records"] if result else []
    return [record for record in records if all(record.get(key) == value for key, value in wanted.items())]


def rounds(records: Iterable[Record]) -> list[str]:
    """The rounds of these records, the newest last; of one date, the tenth after the second."""
    dates = {str(record["round"]): str(record.get("date", "")) for record in records if "round" in record}
    return sorted(dates, key=lambda name: (dates[name], len(name), name))


def latest(name: str, what: str, folder: Path = RESULTS) -> Record | None:
    """The figure of this name, of the newest round where a result has rounds; None where it was not measured."""
    figures = {record.get("round"): record for record in rows(name, folder, measure="figures", what=what)}
    last = [figures[of] for of in rounds(figures.values())] or list(figures.values())
    return last[-1] if last else None


def number(value: float) -> str:
    """A whole number as it is, others with three digits that count; thousands apart, a true minus sign."""
    if isinstance(value, float) and value and not 1e-3 <= abs(value) < 1e7:
        digits, _, exponent = f"{value:.2e}".partition("e")
        return f"{digits} \N{MULTIPLICATION SIGN} 10{str(int(exponent)).translate(RAISED)}"
    text = f"{value:,.0f}" if isinstance(value, int) or abs(value) >= 1000 else f"{value:.3g}"
    return text.replace("-", "\N{MINUS SIGN}")


def value_of(record: Record, key: str) -> str:
    """A record's value as a cell says it; a dash where it has none."""
    value = record.get(key)
    if value is None:
        return "\N{EN DASH}"
    if isinstance(value, bool):
        return "yes" if value else "no"
    return number(value) if isinstance(value, int | float) else str(value)


def spread_of(record: Record, key: str) -> str:
    """A value's spread in brackets, or nothing where it has none."""
    low, high = (record.get(key + ending) for ending in SPREAD)
    if not isinstance(low, int | float) or not isinstance(high, int | float) or low == high:
        return ""
    return f"({number(low)} to {number(high)})"


def as_text(record: Record, key: str) -> str:
    """A record's value with its spread."""
    return f"{value_of(record, key)} {spread_of(record, key)}".strip()


def title(key: str) -> str:
    """A key as a column's heading."""
    return key.replace("_", " ")


def so_many(record: Record) -> str:
    """`119 of 123`."""
    return f"{number(record['came_out_so'])} of {number(record['of'])}"


def over_seeds(records: Sequence[Record]) -> list[Record]:
    """The mean over seeds of what is a fraction, with its spread; words and whole numbers tell rows apart."""
    if not any("seed" in record for record in records):
        return list(records)
    groups: dict[tuple, list[Record]] = {}
    for record in records:
        same = {key: value for key, value in record.items() if key != "seed" and not isinstance(value, float)}
        groups.setdefault(tuple(sorted(same.items(), key=str)), []).append(record)
    merged = []
    for group in groups.values():
        row: Record = {}
        for key, value in group[0].items():
            if isinstance(value, float):
                values = [float(record[key]) for record in group]
                row |= {key: sum(values) / len(values), f"{key}_low": min(values), f"{key}_high": max(values)}
            elif key != "seed":
                row[key] = value
        merged.append(row | {"seeds": len(group)})
    return merged


def columns(records: Sequence[Record]) -> tuple[list[str], dict[str, str]]:
    """The keys that make a table's columns, words before ratios before other numbers; and those that say the same in
    every row, with what they say."""
    keys = list(dict.fromkeys(key for record in records for key in record if key != "measure"))
    keys = [key for key in keys if not (key.endswith(SPREAD) and key.rpartition("_")[0] in keys)]
    keys = [key for key in keys if any(record.get(key) is not None for record in records)]
    values = {key: {as_text(record, key) for record in records} for key in keys}
    same = {key: next(iter(values[key])) for key in keys if len(records) > 1 and len(values[key]) == 1}

    def place(key: str) -> int:
        is_number = all(isinstance(record.get(key), int | float | None) for record in records)
        if not is_number:
            return 0
        return 1 if key in RATIOS else 2

    return sorted((key for key in keys if key not in same), key=place), same


def ratios(record: Record) -> list[float]:
    """How many times as good as the peer we are in a record, by the wall's clock and by CPU time where it has them."""
    return [record[key] for key in RATIOS if isinstance(record.get(key), int | float)]


def words(record: Record) -> str:
    """What was not measured, and why: the words of a record that has a note."""
    said = [
        str(value) for key, value in record.items() if key not in ("measure", "unit", "note") and isinstance(value, str)
    ]
    return f"{', '.join(said)}: {record['note']}"


def losses(records: Sequence[Record]) -> list[str]:
    """One sentence for each comparison in which the peer is better, the worst first."""
    compared = [record for record in records if ratios(record)]
    in_words = [key for key in columns(compared)[0] if any(isinstance(record.get(key), str) for record in compared)]
    sentences = []
    for record in sorted(compared, key=lambda record: min(ratios(record))):
        if min(ratios(record)) >= 1:
            break
        where = [str(record[key]) for key in ("measure", *in_words) if key != "peer" and record.get(key) is not None]
        where += [f"against {record['peer']}"] if record.get("peer") else []
        said = [f"{title(key)} {as_text(record, key)}" for key in RATIOS if record.get(key) is not None]
        sentences.append(f"{', '.join(where)}: {', '.join(said)}.")
    return sentences


def settings(of: dict) -> str:
    """Settings as one line, those within a setting in brackets."""
    values = {name: f"({settings(value)})" if isinstance(value, dict) else value for name, value in of.items()}
    return ", ".join(f"{title(name)} {value}" for name, value in values.items())


def circumstances(result: dict) -> list[tuple[str, str]]:
    """On what, with what, when, how: a list of terms and what they are."""
    machine = result["machine"]
    gpus = machine.get("gpu", [])
    threads = machine.get("threads_used")
    used = f", {counted(threads, 'thread')} used" if threads else ""
    hardware = ", ".join([*gpus, machine["cpu"]]) + f", {machine['cores']} cores{used}"
    facts = [
        ("Machine", hardware),
        ("Versions", ", ".join(f"{name} {version}" for name, version in result["versions"].items())),
        ("Date", result["date"]),
        ("Command", f"`{result['command']}`"),
        ("Settings", settings(result["settings"])),
    ]
    seconds = result["seconds"]
    return [*facts, ("Took", f"{number(round(seconds))} s")] if seconds is not None else facts


def experiment(result: dict) -> str:
    """What an experiment compares, and its circumstances in one line."""
    seeds, took = counted(len(result["seeds"]), "seed"), number(round(result["seconds"]))
    where = f"{machine_name(result)}, {result['machine']['cores']} cores, torch {result['versions']['torch']}"
    return f"{' '.join(result['about'].split())} ({seeds}, {took} s; {where}; {result['date']})"


def machine_name(result: dict) -> str:
    """The processor's name without trademarks and without the word processor."""
    return re.sub(r"\((?:R|TM)\)|\bProcessor\b|\bCPU\b", "", result["machine"]["cpu"]).strip()


def chapter_of(experiment: str, chapters: Iterable[str]) -> str | None:
    """The notebook that an experiment belongs to: `dot_product_scale` to `04-dot-product`."""
    names = {chapter: chapter.split("-", 1)[1].replace("-", "_") for chapter in chapters}
    fitting = [chapter for chapter, name in names.items() if experiment.startswith(f"{name}_")]
    return max(fitting, key=len, default=None)
