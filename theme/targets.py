"""What the course promises, and what was reached: each target reads the result files that show it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

from theme.result_files import Record, number, ratios, rows, so_many

Reached = tuple[str, bool] | None  # in words, and whether it is what was promised; None where nothing was measured
TARGETS: list[tuple[str, str, Callable[[Path], Reached]]] = []


def target(what: str, promised: str) -> Callable[[Callable[[Path], Reached]], Callable[[Path], Reached]]:
    """Register what the course promises, and the function of the results' folder that says what was reached."""

    def register(reach: Callable[[Path], Reached]) -> Callable[[Path], Reached]:
        TARGETS.append((what, promised, reach))
        return reach

    return register


def span(values: Sequence[float]) -> str:
    """`3.1`, or `3.1 to 4.2`."""
    low, high = number(min(values)), number(max(values))
    return low if low == high else f"{low} to {high}"


@target("models against their peers, same work, same run", "at least as fast")
def as_fast(folder: Path) -> Reached:
    records = [record for name in ("models", "models_cuda") for record in rows(name, folder)]
    compared = [min(ratios(record)) for record in records if ratios(record)]
    if not compared:
        return None
    worse = sum(ratio < 1 for ratio in compared)
    return f"slower in {worse} of {len(compared)} comparisons; ratios {span(compared)}", worse == 0


@target("a ViT-B/16 in training on a GPU", "half of the peak that its matrix products reach")
def utilized(folder: Path) -> Reached:
    records = rows("models_cuda", folder, measure="vit training", peer="course")
    shares = [record["utilization"] for record in records if record.get("utilization") is not None]
    return (f"{max(shares):.0%} on its best rung", max(shares) >= 0.5) if shares else None


@target("a solved notebook on one core", "90 s")
def notebook_seconds(folder: Path) -> Reached:
    records = rows("notebooks", folder)
    if not records:
        return None
    longest = max(records, key=lambda record: record["seconds"])
    late = sum(record["seconds"] > record["target_seconds"] for record in records)
    text = f"{len(records) - late} of {len(records)}; the longest, {longest['notebook']}, {longest['seconds']} s, "
    return f"{text}{longest['cpu_seconds']} s of them CPU time", late == 0


@target("the book from stored outputs", "15 s cold, 8 s warm")
def build_seconds(folder: Path) -> Reached:
    builds = [record for record in rows("site", folder, measure="build") if record["target_seconds"] is not None]
    if not builds:
        return None
    text = ", ".join(f"{r['kind']} {r['seconds']} s ({r['cpu_seconds']} s of them CPU time)" for r in builds)
    return text, all(record["seconds"] <= record["target_seconds"] for record in builds)


@target("weight of a page, gzipped", "home 200 KB, chapter 350 KB")
def page_bytes(folder: Path) -> Reached:
    pages = rows("site", folder, measure="page")
    if not pages:
        return None
    home = next(record for record in pages if record["page"] == "book/index")
    heaviest = max(pages, key=lambda record: record["bytes_gzipped"])
    text = f"home {home['bytes_gzipped'] / 1000:.0f} KB, the heaviest, {heaviest['page']}, "
    text += f"{heaviest['bytes_gzipped'] / 1000:.0f} KB"
    return text, all(record["bytes_gzipped"] <= record["target_bytes"] for record in pages)


@target("requests that leave the site", "none")
def requests_leaving(folder: Path) -> Reached:
    pages = rows("site", folder, measure="page")
    leaving = sum(record["requests_leaving"] for record in pages)
    return (f"{leaving} of {sum(record['requests'] for record in pages):,}", leaving == 0) if pages else None


@target("a figure's answer to an input, on one core", "50 ms")
def interaction(folder: Path) -> Reached:
    figures = rows("site", folder, measure="interaction")
    if not figures:
        return None
    slowest = max(figures, key=lambda record: record["milliseconds"])
    slow = sum(record["milliseconds"] > record["target_milliseconds"] for record in figures)
    text = f"{len(figures) - slow} of {len(figures)}; the slowest, {slowest['figure']}, "
    return f"{text}{slowest['milliseconds']} ms, the page at work for {slowest['at_work_milliseconds']}", slow == 0


FASTER = {4: 6, 30: 25, 300: 40}  # submissions -> times as fast as stock nbgrader, over all assignments


@target("a class graded in the sandbox", "4, 30, 300 submissions: 6, 25, 40 times as fast as stock nbgrader")
def grading(folder: Path) -> Reached:
    stock = rows("grading", folder, measure="classes", assignment="all together", peer="nbgrader autograde")
    ratios = {record["submissions"]: record["ratio"] for record in stock}
    if not ratios.keys() >= FASTER.keys():
        return None
    text = ", ".join(f"{number(ratios[size])} times for {size}" for size in FASTER)
    return text, all(ratios[size] >= times for size, times in FASTER.items())


def told_apart(folder: Path, *figures: str) -> list[Record]:
    """These figures of benchmarks/trust.py, in their order; none where one of them was not measured."""
    records = [record for figure in figures for record in rows("trust", folder, measure="figures", what=figure)]
    return records if len(records) == len(figures) else []


def of_all(records: Sequence[Record]) -> str:
    """`39 of 39`, for each of them."""
    return "; ".join(so_many(record) for record in records)


@target("right answers accepted; wrong ones caught; told by name", "all; all; 9 in 10")
def answer_banks(folder: Path) -> Reached:
    figures = told_apart(folder, "right answers accepted", "wrong answers caught", "wrong answers told by name")
    if not figures:
        return None
    shares = [record["came_out_so"] / record["of"] for record in figures]
    return of_all(figures), shares[0] == shares[1] == 1 and shares[2] >= 0.9


def all_of(what: str) -> None:
    """Register the target that this figure is whole."""

    @target(what, "all")
    def reach(folder: Path) -> Reached:
        figures = told_apart(folder, what)
        return (of_all(figures), figures[0]["came_out_so"] == figures[0]["of"]) if figures else None


for what in ("machine-made wrong answers caught", "attacks contained", "submissions handled"):
    all_of(what)


# What no number shows, because a test fails where one case is missed.
HELD_BY_TESTS = (
    ("models against their peers, weights copied over", "equal to 1e-5 in float32", "tests/solutions/peers"),
    ("errors and warnings in the browser's console", "none", "tests/theme/test_browser.py"),
    ("violations that axe finds on any page, light and dark, wide and narrow", "none", "tests/theme/test_browser.py"),
)  # fmt: skip
