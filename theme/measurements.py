"""The page of measurements: `{measurements} NAME` shows `benchmarks/results/NAME.json`, whatever its records are.

The role `{measured}` says one of its figures in a sentence. Every number is read when the book is built; none is typed
in. Where we do worse than a peer comes first, in words; where a file is missing the page says "not yet measured" and
the command that measures. Two names are more than one file: `targets`, what the course promises beside what was
reached, and `experiments`, those of the chapters. What is said stands in `result_files` and `targets`, how it is laid
on the page here.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from docutils import nodes
from docutils.parsers.rst import directives
from sphinx import addnodes
from sphinx.application import Sphinx
from sphinx.environment import BuildEnvironment
from sphinx.util.docutils import SphinxDirective, SphinxRole

from theme.notebooks import paths
from theme.result_files import (
    RESULTS,
    Record,
    chapter_of,
    circumstances,
    columns,
    experiment,
    latest,
    losses,
    measured,
    over_seeds,
    ratios,
    results,
    rounds,
    so_many,
    spread_of,
    title,
    value_of,
    words,
)
from theme.targets import HELD_BY_TESTS, TARGETS


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
    """Figures with a column for each round and its date, or for so many of the newest: how many of how many, and the
    share with its interval."""

    def cell(record: Record | None) -> list[nodes.Node]:
        if record is None:
            return [nodes.Text("\N{EN DASH}")]
        percent = {key: round(v, 1) for key, v in record.items() if key.startswith("percent") and isinstance(v, float)}
        share = f"{value_of(percent, 'percent')} % {spread_of(percent, 'percent')}"
        return [nodes.Text(f"{so_many(record)} "), nodes.inline("", share, classes=["spread"])]

    newest_rounds = rounds(records)[-newest:]
    figures = {(record["what"], record["round"]): record for record in records}
    what = list(dict.fromkeys(str(record["what"]) for record in records))
    dates = {str(record["round"]): record.get("date", "") for record in records}
    headings = ["what", *(f"{of} {dates[of]}".strip() for of in newest_rounds)]
    lines = [[sentence(each), *(cell(figures.get((each, of))) for of in newest_rounds)] for each in what]
    made = table(caption, headings, lines, name, set(range(1, len(newest_rounds) + 1)))
    made["classes"].append("by-round")
    return made


def terms(of: Iterable[tuple[str, str]], *classes: str) -> nodes.definition_list:
    """A list of terms and what they are."""
    made = nodes.definition_list("", classes=list(classes))
    for term, text in of:
        definition = nodes.definition("", paragraph(*sentence(text)))
        made += nodes.definition_list_item("", nodes.term("", "", *sentence(term)), definition)
    return made


def bullets(texts: Sequence[str]) -> list[nodes.Node]:
    """The texts as a list; nothing where there are none."""
    items = [nodes.list_item("", paragraph(*sentence(text))) for text in texts]
    return [nodes.bullet_list("", *items)] if items else []


class Measurements(SphinxDirective):
    """`{measurements} NAME`: the targets, the experiments, or the result of that name.

    - `command`: what measures it, shown where there is no result; one that is there says its own.
    - `circumstances`: only what the result is about, and on what and when it was measured.
    - `measure`: the one of its tables to show, without the words around it. Of that table:
      `caption`, what stands over it; `only`, a column and the word that it must hold; `columns`, which to show;
      `rounds`, a column for each of so many rounds, the newest, or for all with 0.
    - `sort`: the column to order rows by, the largest first. `rows`: how many at most.
    - `last`: a column; only the rows with its largest value are shown.
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
        if compared:
            lost = losses(result["records"])
            said = f"{len(lost)} of {compared} comparisons:"
            none = f"none of {compared} comparisons; a ratio above 1 means better than the peer."
            parts.append(paragraph(nodes.strong("", "Where we lose."), nodes.Text(f" In {said if lost else none}")))
            parts += bullets(lost)
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
        records = [record for record in records if not key or str(record.get(key)) == word]
        return [{key: record.get(key) for key in wanted} for record in records] if wanted else records

    def records(self, name: str, caption: str, records: list[Record]) -> list[nodes.Node]:
        """A table of records, chosen and ordered as the options say."""
        notes = [words(record) for record in records if record.get("note")]
        records = [record for record in records if not record.get("note")]
        if not records:
            return bullets(notes)
        last, sort = self.options.get("last"), self.options.get("sort")
        if last and any(last in record for record in records):
            largest = max(record[last] for record in records if last in record)
            records = [record for record in records if record.get(last) == largest]
        records = over_seeds(records)
        if sort and all(isinstance(record.get(sort), int | float) for record in records):
            records = sorted(records, key=lambda record: record[sort], reverse=True)
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
        return [*before, made, *bullets(notes)]

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
        chapters = [path.stem for path in paths()]
        parts: list[nodes.Node] = []
        for chapter in chapters:
            of_chapter = (results(name) for name in measured() if chapter_of(name, chapters) == chapter)
            about = [result for result in of_chapter if result is not None]
            if not about:
                continue
            link: nodes.Node = nodes.Text(chapter)
            if f"notebooks/{chapter}" in self.env.found_docs:  # a book may be built from some of the chapters
                link = addnodes.pending_xref(
                    "", nodes.inline("", chapter), refdomain="std", reftype="doc", reftarget=f"/notebooks/{chapter}",
                    refexplicit=False, refwarn=True, refdoc=self.env.docname,
                )  # fmt: skip
            parts.append(paragraph(link, classes=["experiments-of"]))
            parts.append(terms((f"`{result['command']}`", experiment(result)) for result in about))
        return parts


class Measured(SphinxRole):
    """`{measured}`NAME WHAT``: of how many how many came out so, in the newest round where there are several."""

    def run(self) -> tuple[list[nodes.Node], list[nodes.system_message]]:
        note_results(self.env)
        name, _, what = self.text.partition(" ")
        record = latest(name, what)
        if record is None and results(name) is not None:
            error = self.inliner.reporter.error(f"no figure {what!r} in the result {name!r}", line=self.lineno)
            return [], [error]
        return [nodes.Text(so_many(record) if record else "not yet measured")], []


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
