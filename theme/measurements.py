"""The page of measurements: `{measurements} NAME` shows `benchmarks/results/NAME.json`, whatever its records are.

The role `{measured}` says one of its figures in a sentence. Every number is read when the book is built; none is typed
in. Where we do worse than a peer comes first, in words; where a file is missing the page says "not yet measured" and
the command that measures. Two names are more than one file: `targets`, what the course promises beside what was
reached, and `experiments`, those of the chapters.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path

from docutils import nodes
from docutils.parsers.rst import directives
from sphinx import addnodes
from sphinx.application import Sphinx
from sphinx.environment import BuildEnvironment
from sphinx.util.docutils import SphinxDirective, SphinxRole

from course import committed
from course.committed import RESULTS

ROOT = Path(__file__).resolve().parents[1]
SPREAD = ("_low", "_high")
RATIOS = ("ratio", "cpu_ratio")
RAISED = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")
Record = dict[str, str | int | float | None]


def results(name: str, folder: Path = RESULTS) -> dict | None:
    """A result file, or None where nothing was measured yet."""
    try:
        return committed.read(name, folder)
    except FileNotFoundError:
        return None


# ---- words ----------------------------------------------------------------------------------------------------------


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
    if isinstance(value, bool) or not isinstance(value, int | float):
        return {True: "yes", False: "no"}.get(value, str(value))
    return number(value)


def spread_of(record: Record, key: str) -> str:
    """A value's spread in brackets, or nothing where it has none."""
    low, high = (record.get(key + ending) for ending in SPREAD)
    has_range = isinstance(low, int | float) and isinstance(high, int | float) and low != high
    return f"({number(low)} to {number(high)})" if has_range else ""


def as_text(record: Record, key: str) -> str:
    """A record's value with its spread."""
    return f"{value_of(record, key)} {spread_of(record, key)}".strip()


def title(key: str) -> str:
    """A key as a column's heading."""
    return key.replace("_", " ")


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


def rounds(records: Iterable[Record]) -> list[str]:
    """The rounds of these records, the newest last; of one date, the tenth after the second."""
    dates = {str(record["round"]): str(record.get("date", "")) for record in records if "round" in record}
    return sorted(dates, key=lambda name: (dates[name], len(name), name))


def latest(name: str, what: str, folder: Path = RESULTS) -> Record | None:
    """The figure of this name, of the newest round where a result has rounds; None where it was not measured."""
    figures = {record.get("round"): record for record in rows(name, folder, measure="figures", what=what)}
    last = [figures[of] for of in rounds(figures.values())] or list(figures.values())
    return last[-1] if last else None


def so_many(record: Record) -> str:
    """`119 of 123`."""
    return f"{number(record['came_out_so'])} of {number(record['of'])}"


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
        return 0 if not is_number else 1 if key in RATIOS else 2

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
    words = [key for key in columns(compared)[0] if any(isinstance(record.get(key), str) for record in compared)]
    sentences = []
    for record in sorted(compared, key=lambda record: min(ratios(record))):
        if min(ratios(record)) >= 1:
            break
        where = [str(record[key]) for key in ("measure", *words) if key != "peer" and record.get(key) is not None]
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
    used = f", {threads} thread{'s' * (threads != 1)} used" if threads else ""
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


# ---- the course's targets -------------------------------------------------------------------------------------------

Reached = tuple[str, bool] | None  # in words, and whether it is what was promised; None where nothing was measured
TARGETS: list[tuple[str, str, Callable[[Path], Reached]]] = []


def target(what: str, promised: str) -> Callable[[Callable[[Path], Reached]], Callable[[Path], Reached]]:
    """Register what the course promises, and the function of the results' folder that says what was reached."""

    def register(reach: Callable[[Path], Reached]) -> Callable[[Path], Reached]:
        TARGETS.append((what, promised, reach))
        return reach

    return register


def rows(name: str, folder: Path, **wanted: object) -> list[Record]:
    """The records of a result that have these values; none where it was not measured."""
    result = results(name, folder)
    records = result["records"] if result else []
    return [record for record in records if all(record.get(key) == value for key, value in wanted.items())]


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
def utilised(folder: Path) -> Reached:
    records = rows("models_cuda", folder, measure="vit training", peer="course")
    shares = [record["utilisation"] for record in records if record.get("utilisation") is not None]
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
def banks(folder: Path) -> Reached:
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
    ("errors and warnings in the browser's console", "none", "tests/site/test_browser.py"),
    ("violations that axe finds on any page, light and dark, wide and narrow", "none", "tests/site/test_browser.py"),
)  # fmt: skip


# ---- nodes ----------------------------------------------------------------------------------------------------------


def sentence(text: str) -> list[nodes.Node]:
    """Text in which what stands between backticks is code."""
    parts = text.split("`")
    return [nodes.literal("", part) if i % 2 else nodes.Text(part) for i, part in enumerate(parts) if part]


def said_plainly(text: str) -> nodes.inline:
    """A sentence whose quotes stay as they are, for they may be a program's, and whose long names may be broken."""
    made = nodes.inline("", "", support_smartquotes=False)
    for node in sentence(text):
        if isinstance(node, nodes.literal):
            made += node
            continue
        first, *others = re.split(r"(?<=[_./(,])(?=[\w(\[])(?<!\d\.)(?<!\d,)", node.astext())
        made += nodes.Text(first)
        for other in others:
            made += [nodes.raw("", "<wbr>", format="html"), nodes.Text(other)]
    return made


def value_and_spread(record: Record, key: str) -> list[nodes.Node]:
    """A cell: the value, and its spread below."""
    spread = spread_of(record, key)
    below = [nodes.Text(" "), nodes.inline("", spread, classes=["spread"])] if spread else []
    value = value_of(record, key)
    return [said_plainly(value) if isinstance(record.get(key), str) else nodes.Text(value), *below]


def paragraph(*children: nodes.Node, **attributes: object) -> nodes.paragraph:
    return nodes.paragraph("", "", *children, **attributes)


def table(
    caption: str, headings: Sequence[str], cells: Iterable[Sequence[list[nodes.Node]]], name: str, numeric: set[int]
) -> nodes.table:
    """A table with a caption; each cell is a list of inline nodes, and a row's first one is its heading."""
    made = nodes.table("", nodes.title("", "", *sentence(caption)), ids=[name], classes=["measurements"])
    group = nodes.tgroup("", cols=len(headings))
    made += group
    for index in range(len(headings)):
        group += nodes.colspec("", colwidth=1, **({"stub": 1} if index == 0 else {}))

    def row(of: Sequence[list[nodes.Node]]) -> nodes.row:
        entries = [
            nodes.entry("", paragraph(*inline), **({"classes": ["number"]} if index in numeric else {}))
            for index, inline in enumerate(of)
        ]
        return nodes.row("", *entries)

    group += nodes.thead("", row([[nodes.Text(heading)] for heading in headings]))
    group += nodes.tbody("", *(row(cell) for cell in cells))
    return made


def by_round(caption: str, records: Sequence[Record], name: str, newest: int = 0) -> nodes.table:
    """Figures with a column for each round, or for so many of the newest: how many of how many, and the share with its
    interval."""

    def cell(record: Record | None) -> list[nodes.Node]:
        if record is None:
            return [nodes.Text("\N{EN DASH}")]
        percent = {key: round(v, 1) for key, v in record.items() if key.startswith("percent") and isinstance(v, float)}
        share = f"{value_of(percent, 'percent')} % {spread_of(percent, 'percent')}"
        return [nodes.Text(f"{so_many(record)} "), nodes.inline("", share, classes=["spread"])]

    found = rounds(records)[-newest:]
    figures = {(record["what"], record["round"]): record for record in records}
    what = list(dict.fromkeys(str(record["what"]) for record in records))
    lines = [[sentence(each), *(cell(figures.get((each, of))) for of in found)] for each in what]
    made = table(caption, ["what", *found], lines, name, set(range(1, len(found) + 1)))
    made["classes"].append("by-round")
    return made


def terms(of: Iterable[tuple[str, str]], *classes: str) -> nodes.definition_list:
    """A list of terms and what they are."""
    made = nodes.definition_list("", classes=list(classes))
    for term, text in of:
        definition = nodes.definition("", paragraph(*sentence(text)))
        made += nodes.definition_list_item("", nodes.term("", "", *sentence(term)), definition)
    return made


def chapter_of(experiment: str, chapters: Iterable[str]) -> str | None:
    """The notebook that an experiment belongs to: `dot_product_scale` to `04-dot-product`."""
    names = {chapter: chapter.split("-", 1)[1].replace("-", "_") for chapter in chapters}
    fitting = [chapter for chapter, name in names.items() if experiment.startswith(f"{name}_")]
    return max(fitting, key=len, default=None)


class Measurements(SphinxDirective):
    """`{measurements} NAME`: the targets, the experiments, or the result of that name.

    :command: what measures it, shown where there is no result; :sort: the column to order rows by, the largest first;
    :rows: how many at most; :last: a column of which only the largest value's rows are shown; :measure: the one of its
    tables to show, without the words around; :only: a column and the word that it must hold; :columns: which to show;
    :rounds: a column for each of so many rounds, the newest, or of all with 0; :caption: what stands over that;
    :circumstances: only those words.
    """

    required_arguments = 1
    option_spec = {
        "command": directives.unchanged_required,
        "sort": directives.unchanged_required,
        "last": directives.unchanged_required,
        "rows": directives.positive_int,
        "measure": directives.unchanged_required,
        "only": directives.unchanged_required,
        "columns": directives.unchanged_required,
        "rounds": directives.nonnegative_int,
        "caption": directives.unchanged_required,
        "circumstances": directives.flag,
    }

    def run(self) -> list[nodes.Node]:
        name = self.arguments[0]
        note_results(self.env)
        if name == "targets":
            return [self.targets()]
        if name == "experiments":
            return self.experiments()
        result = results(name)
        if result is not None:
            return self.result(name, result)
        if "command" not in self.options:
            raise self.error(f"there is no result {name!r} in benchmarks/results, and no :command: to make it")
        command = nodes.literal("", self.options["command"])
        return [paragraph(nodes.strong("", "Not yet measured."), nodes.Text(" "), command, nodes.Text(" measures it."))]

    def result(self, name: str, result: dict) -> list[nodes.Node]:
        if (measure := self.options.get("measure")) is not None:
            records = self.chosen([record for record in result["records"] if record.get("measure") == measure])
            caption = self.options.get("caption", title(measure).capitalize())
            place = nodes.make_id(f"{name} {measure} {self.options.get('only', '')}")
            if not records:
                return [paragraph(nodes.Text("None."))]
            if "rounds" in self.options:
                return [by_round(caption, records, f"measured-{place}", self.options["rounds"])]
            return self.records(place, caption, records)
        parts: list[nodes.Node] = [paragraph(*sentence(" ".join(result["about"].split())))]
        if "circumstances" in self.options:
            return [*parts, terms(circumstances(result), "circumstances")]
        compared = sum(bool(ratios(record)) for record in result["records"])
        lost = losses(result["records"])
        if lost:
            text = f" In {len(lost)} of {compared} comparisons:"
            parts.append(paragraph(nodes.strong("", "Where we lose."), nodes.Text(text)))
            items = [nodes.list_item("", paragraph(*sentence(text))) for text in lost]
            parts.append(nodes.bullet_list("", *items))
        elif compared:
            text = f" In none of {compared} comparisons; a ratio above 1 means better than the peer."
            parts.append(paragraph(nodes.strong("", "Where we lose."), nodes.Text(text)))
        measures = list(dict.fromkeys(record.get("measure") for record in result["records"]))
        for index, measure in enumerate(measures, start=1):
            records = [record for record in result["records"] if record.get("measure") == measure]
            caption = title(name).capitalize() + (f": {measure}" if measure else "")
            parts += self.records(f"{name}-{index}", caption, records)
        return [*parts, terms(circumstances(result), "circumstances")]

    def chosen(self, records: list[Record]) -> list[Record]:
        """The records and of each the columns that the options choose."""
        key, _, word = self.options.get("only", "").partition(" ")
        wanted = self.options.get("columns", "").split()
        records = [record for record in records if not key or record.get(key) == word]
        return [{key: record.get(key) for key in wanted} for record in records] if wanted else records

    def records(self, name: str, caption: str, records: list[Record]) -> list[nodes.Node]:
        """A table of records, chosen and ordered as the options say."""
        notes = [words(record) for record in records if record.get("note")]
        records = [record for record in records if not record.get("note")]
        after = [nodes.bullet_list("", *(nodes.list_item("", paragraph(*sentence(note))) for note in notes))]
        if not records:
            return after
        last, sort = self.options.get("last"), self.options.get("sort")
        if last and any(last in record for record in records):
            largest = max(record[last] for record in records if last in record)
            records = [record for record in records if record.get(last) == largest]
        records = over_seeds(records)
        if sort and all(isinstance(record.get(sort), int | float) for record in records):
            records = sorted(records, key=lambda record: -record[sort])
        chosen = records[: self.options.get("rows", len(records))]
        keys, same = columns(chosen)
        if len(chosen) < len(records):
            caption += f", {len(chosen)} of {len(records)} rows"
        before = []
        if same and keys:
            what = "; ".join(f"{title(key)} {value}" for key, value in same.items())
            before.append(paragraph(nodes.Text(f"In every row of the table: {what}.")))
        keys = keys or list(same)
        numeric = {i for i, key in enumerate(keys) if not any(isinstance(record.get(key), str) for record in chosen)}
        cells = ([value_and_spread(record, key) for key in keys] for record in chosen)
        made = table(caption, [title(key) for key in keys], cells, f"measured-{name}", numeric - {0})
        return [*before, made, *(after if notes else [])]

    def targets(self) -> nodes.table:
        lines = []
        for what, promised, reach in TARGETS:
            text, met = reach(RESULTS) or ("not yet measured", None)
            lines.append((what, promised, text, {True: "yes", False: "no", None: "\N{EN DASH}"}[met]))
        lines += [(what, promised, f"`{path}` fails otherwise", "by test") for what, promised, path in HELD_BY_TESTS]
        lines.sort(key=lambda row: row[3] != "no")  # what was not reached comes first
        cells = ([sentence(text) for text in row] for row in lines)
        headings = ("what", "promised", "measured", "reached")
        return table("What the course promises, and what was measured", headings, cells, "measured-targets", set())

    def experiments(self) -> list[nodes.Node]:
        chapters = sorted(path.stem for path in (ROOT / "notebooks").glob("[0-9][0-9]-*.ipynb"))
        parts: list[nodes.Node] = []
        for chapter in chapters:
            about = [(name, results(name)) for name in measured() if chapter_of(name, chapters) == chapter]
            if not about:
                continue
            link: nodes.Node = nodes.Text(chapter)
            if f"notebooks/{chapter}" in self.env.found_docs:  # a book may be built from some of the chapters
                link = addnodes.pending_xref(
                    "", nodes.inline("", chapter), refdomain="std", reftype="doc", reftarget=f"/notebooks/{chapter}",
                    refexplicit=False, refwarn=True, refdoc=self.env.docname,
                )  # fmt: skip
            parts.append(paragraph(link, classes=["experiments-of"]))
            parts.append(terms((f"`{result['command']}`", experiment(result)) for _, result in about))
        return parts


class Measured(SphinxRole):
    """`{measured}`NAME WHAT``: of how many how many came out so, in the newest round where there are several."""

    def run(self) -> tuple[list[nodes.Node], list[nodes.system_message]]:
        note_results(self.env)
        name, _, what = self.text.partition(" ")
        record = latest(name, what)
        if record is None and results(name) is not None:
            told = self.inliner.reporter.error(f"no figure {what!r} in the result {name!r}", line=self.lineno)
            return [], [told]
        return [nodes.Text(so_many(record) if record else "not yet measured")], []


def experiment(result: dict) -> str:
    """What an experiment compares, and its circumstances in one line."""
    seeds, took = len(result["seeds"]), number(round(result["seconds"]))
    where = f"{machine_name(result)}, {result['machine']['cores']} cores, torch {result['versions']['torch']}"
    return (
        f"{' '.join(result['about'].split())} ({seeds} seed{'s' * (seeds != 1)}, {took} s; {where}; {result['date']})"
    )


def machine_name(result: dict) -> str:
    """The processor's name without trademarks and without the word processor."""
    return re.sub(r"\((?:R|TM)\)|\bProcessor\b|\bCPU\b", "", result["machine"]["cpu"]).strip()


def measured() -> list[str]:
    """The names of all results that there are."""
    return sorted(path.stem for path in RESULTS.glob("*.json"))


def note_results(env: BuildEnvironment) -> None:
    """Have the page that is being read made again when a result changes or comes or goes."""
    env.metadata[env.docname]["measured"] = " ".join(measured())
    for path in RESULTS.glob("*.json"):
        env.note_dependency(str(path))


def outdated(app: Sphinx, env: BuildEnvironment, added: set, changed: set, removed: set) -> list[str]:
    """Pages that were made when other results were there: a new file is nobody's dependency yet."""
    now = " ".join(measured())
    return [page for page, about in env.metadata.items() if about.get("measured", now) != now]


def setup(app: Sphinx) -> None:
    app.add_directive("measurements", Measurements)
    app.add_role("measured", Measured())
    app.connect("env-get-outdated", outdated)
