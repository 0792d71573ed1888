"""What has changed, by chapter: the entries of `CHANGELOG.md` under the chapters that they name, then all others.

`{changes}` writes headings and lists in Markdown and has them read, so that code and links are as in the file.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxDirective

from theme.notebooks import ROOT, titles

SOURCE = ROOT / "CHANGELOG.md"
# A chapter's number among words: 04, and 10 where the word chapter or another number goes before.
NAMED = re.compile(r"(?<![\w.])0\d(?![\d.]*\d)|(?<=[Cc]hapter )10(?!\d)|(?<=0\d and )10(?!\d)|(?<=notebooks/)\d\d")


@dataclass(frozen=True)
class Change:
    """An entry of the log: the version, the kind of change, its text on one line, and the chapters that it names."""

    version: str
    kind: str
    text: str

    @property
    def chapters(self) -> list[str]:
        return sorted(set(NAMED.findall(self.text)))


def changes(log: str) -> list[Change]:
    """The entries of a change log in its order. Raises ValueError for an entry that stands under no version."""
    entries, version, kind = [], "", ""
    for piece in re.findall(r"^(?:#{2,3} .*|- .*(?:\n  .*)*)", log, re.MULTILINE):
        if piece.startswith("### "):
            kind = piece[4:].strip()
        elif piece.startswith("## "):
            version, kind = piece[3:].strip(), ""
        elif not version:
            raise ValueError(f"CHANGELOG.md has an entry under no version: {piece[:60]}")
        else:
            entries.append(Change(version, kind, " ".join(piece[2:].split())))
    return entries


def listed(there: list[Change]) -> str:
    """Entries as Markdown, under their version and kind, which are said once for those that share them."""
    lines, last = [], ("", "")
    for change in there:
        if (change.version, change.kind) != last:
            last = change.version, change.kind
            lines += ["", f"*{change.version}, {change.kind.lower()}*" if change.kind else f"*{change.version}*", ""]
        lines.append("- " + change.text.replace("](book/", "]("))
    return "\n".join(lines)


def page(entries: list[Change], titles: dict[str, str]) -> str:
    """The body of the page as Markdown."""
    numbers = {stem[:2]: f"[{stem[:2]} {title}](../notebooks/{stem}.ipynb)" for stem, title in titles.items()}
    parts, silent = [], []
    for number, title in numbers.items():
        there = [change for change in entries if number in change.chapters]
        if there:
            parts.append(f"## {title}\n{listed(there)}\n")
        else:
            silent.append(number)
    if silent:
        parts.append(f"## Chapters without an entry of their own\n\n{', '.join(silent)}.\n")
    others = [change for change in entries if not set(change.chapters) & set(numbers)]
    return "\n".join([*parts, f"## The rest of the course\n{listed(others)}\n"])


class Changes(SphinxDirective):
    """`{changes}`: takes nothing."""

    def run(self) -> list[nodes.Node]:
        self.env.note_dependency(str(SOURCE))
        text = page(changes(SOURCE.read_text("utf-8")), titles())
        return self.parse_text_to_nodes(text, allow_section_headings=True)


def setup(app: Sphinx) -> None:
    app.add_directive("changes", Changes)
