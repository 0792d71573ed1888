"""An experiment as a card: what it took, its question, its code folded, its result.

Nothing marks an experiment but what a notebook has anyway: cells tagged `guess` that train, or that read stored
results, and the paragraph before them, which asks. Where the code itself is looked at, in "Find the bug", it stays
open. Time is that of the stored results, with their seeds, and of the cells in a notebook (`benchmarks/cells.py`).
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from typing import TypeGuard

from docutils import nodes
from sphinx.application import Sphinx
from sphinx_design.dropdown import dropdown_main

from course import committed
from course.handed_out import GUESS
from course.wording import counted
from theme.cells import is_code, metadata, source, tags
from theme.chapter import ChapterTransform
from theme.prose import ASKS, END
from theme.result_files import rows

TRAINS = "skip-execution"  # a cell that takes longer than the grader waits
READS = re.compile(r"""committed_results\(\s*"(\w+)"\s*\)""")
ABOUT_CODE = "Find the bug"
MINUTE, HOUR = 60, 3600  # seconds

Sentence = list[nodes.Node]


def is_ungraded(node: nodes.Node | None) -> TypeGuard[nodes.container]:
    """Say whether a node is a code cell that no exercise asks for."""
    return is_code(node) and "nbgrader" not in metadata(node)


def is_experiment(cell: nodes.container) -> bool:
    return GUESS in tags(cell) and (TRAINS in tags(cell) or READS.search(source(cell)) is not None)


def sentences(paragraph: nodes.paragraph) -> list[Sentence]:
    """A paragraph's sentences. One ends only in the paragraph's own text, never inside an element."""
    made: list[Sentence] = [[]]
    for child in paragraph.children:
        if not isinstance(child, nodes.Text):
            made[-1].append(child)
            continue
        first, *others = END.split(child.astext())
        made[-1].append(nodes.Text(first))
        made.extend([nodes.Text(other)] for other in others)
    return [sentence for sentence in made if said(sentence)]


def said(sentence: Sentence) -> str:
    return " ".join("".join(part.astext() for part in sentence).split())


def divided(paragraph: nodes.paragraph) -> tuple[list[Sentence], list[Sentence], list[Sentence]]:
    """A paragraph's sentences before its question, the question, and those after it: three times none if none asks.

    The question is the last sentence that asks, with those right before it that end with a question mark.
    """
    each = sentences(paragraph)
    asks = [ASKS.search(said(sentence)) is not None for sentence in each]
    if not any(asks):
        return [], [], []
    end = len(asks) - asks[::-1].index(True)
    start = end - 1
    while start and said(each[start - 1]).endswith("?"):
        start -= 1
    return each[:start], each[start:end], each[end:]


def took(cells: list[nodes.container]) -> str:
    """What an experiment took, as markup: its stored results, and what its cells take in the notebook, where known."""
    names = dict.fromkeys(name for cell in cells for name in READS.findall(source(cell)))
    kept = [committed.read(name) for name in names]
    parts = []
    if kept:
        seeds = max(len(result["seeds"]) for result in kept)
        threads = max(result["machine"]["threads_used"] for result in kept)
        time = span(sum(result["seconds"] for result in kept))
        parts = [f"stored results of {counted(seeds, 'seed')}", f"{time} on {counted(threads, 'core')}"]
    here = sum(seconds().get(committed.digest(source(cell)), 0) for cell in cells)
    if here >= 1:
        parts.append(f"{span(here)} in the notebook")
    elif not kept and any(committed.digest(source(cell)) in seconds() for cell in cells):
        parts.append("less than a second in the notebook")
    return "".join(f" <span>{part}</span>" for part in parts)


@cache
def seconds() -> dict[str, float]:
    """Seconds of each cell, by the digest of its source; none where none were measured (`benchmarks/cells.py`)."""
    return {record["cell"]: record["cpu_seconds"] for record in rows("cells", committed.RESULTS)}


def span(seconds: float) -> str:
    """Seconds, minutes or hours in words.

    >>> span(41.7), span(754), span(9000)
    ('42 s', '13 min', '2.5 h')
    """
    if seconds < MINUTE:
        return f"{seconds:.0f} s"
    return f"{seconds / MINUTE:.0f} min" if seconds < HOUR else f"{seconds / HOUR:.3g} h"


class Cards(ChapterTransform):
    """Runs once notes are folds (190), before code is folded (199) and exercises become cards (210)."""

    default_priority = 196

    def run(self, **kwargs: object) -> None:
        for section in list(self.document.findall(nodes.section)):
            if ABOUT_CODE not in section[0].astext():
                self.frame(section)

    def frame(self, section: nodes.section) -> None:
        """Put each of a section's runs of cells into a card, or into the one right before it."""
        card: nodes.Element | None = None
        for before, cells in list(runs(section)):
            if card is not None and goes_on(before, card):
                self.move([*before, *cells], card)
            else:
                card = self.framed(before, cells)
            if card is not None:
                for cell in cells:
                    self.fold(cell)

    def framed(self, before: list[nodes.Element], cells: list[nodes.container]) -> nodes.Element | None:
        """Put cells into a card, with the paragraph that asks and the folds between; None where nothing asks."""
        paragraph = before[0]
        parts = divided(paragraph)
        if not parts[1]:
            return None
        line = f'<p class="experiment-line"><b>Experiment</b>{took(cells)}</p>'
        card = nodes.container("", nodes.raw("", line, format="html"), classes=["experiment"], is_div=True)
        for part, classes in zip(parts, ([], ["experiment-asks"], []), strict=True):
            words = [node for sentence in part for node in (nodes.Text(" "), *sentence)][1:]
            if words:
                card += nodes.paragraph("", "", *words, classes=classes)
        paragraph.replace_self(card)
        self.move([*cells, *before[1:]], card)
        return card

    def move(self, elements: list[nodes.Element], card: nodes.Element) -> None:
        for element in elements:
            element.parent.remove(element)
            card += element

    def fold(self, cell: nodes.container) -> None:
        """Let MyST-NB fold a cell's code, as where a notebook asks it to."""
        if not cell.get("hide_mode"):
            cell["hide_mode"] = "input"
            cell["prompt_show"], cell["prompt_hide"] = self.config.nb_code_prompt_show, self.config.nb_code_prompt_hide


def goes_on(before: list[nodes.Element], card: nodes.Element) -> bool:
    """Say whether a paragraph right after a card only announces its next cell."""
    section = card.parent
    announces = before[0].astext().endswith(":") and not divided(before[0])[1]
    return announces and section.index(before[0]) == section.index(card) + 1


def runs(section: nodes.section) -> Iterator[tuple[list[nodes.Element], list[nodes.container]]]:
    """Yield each run of cells with an experiment in it: a paragraph and the folds after it, then the cells."""
    before: list[nodes.Element] = []
    cells: list[nodes.container] = []
    for child in [*section.children, None]:
        if is_ungraded(child) and before:
            cells.append(child)
            continue
        if any(is_experiment(cell) for cell in cells):
            yield before, cells
        if cells:
            before, cells = [], []
        if isinstance(child, nodes.paragraph):
            before = [child]
        elif before and isinstance(child, dropdown_main):
            before.append(child)
        else:
            before = []


def setup(app: Sphinx) -> None:
    app.add_post_transform(Cards)
