"""The head of a chapter's page: what it asks, its opening figure, how much there is to do, what it needs and gives.

The question stands in `course/chapters/<chapter>.toml`, all else in the notebooks: nothing of it is written twice.
"""

from __future__ import annotations

import html
from collections.abc import Callable, Iterable
from pathlib import PurePosixPath
from typing import Any

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.util import logging
from sphinx.util.docutils import SphinxRole

from course import committed
from course.chapters import Unfinished, chapter
from course.exercises import Exercise, exercises
from course.wording import counted
from theme import openings, volume
from theme.address import SET_UP
from theme.chapter import ChapterTransform, is_chapter
from theme.exercises import place
from theme.notebooks import EXERCISES, ROOT, imported, used_again
from theme.ways import duration

logger = logging.getLogger(__name__)
Link = Callable[[str, str], str]  # a page and a place on it -> the address from here


def asks(stem: str) -> str:
    """What a notebook's chapter asks, "" where nothing is said. Raises ValueError for what is no chapter's stem."""
    chapters = {e.notebook: e.chapter for e in exercises()}
    if stem not in chapters:
        raise ValueError(f"no chapter is {stem!r}: there are {', '.join(chapters)}")
    try:
        return chapter(chapters[stem])["asks"]
    except Unfinished:  # a chapter that is being written
        return ""


def component(name: str, exercise: Exercise, link: Link) -> str:
    """A component's name, leading to the exercise that asks for it."""
    address = html.escape(link(f"notebooks/{exercise.notebook}", place(exercise.name)))
    return f'<a href="{address}"><code>{name}</code></a>'


def amount(listed: Iterable[Exercise]) -> str:
    """How much there is to do: `7, and 5 questions: 23 points. About 1 h 15 min, and 10 min of stretch.`"""
    there = list(listed)
    of_code, questions = [e for e in there if not e.question], [e for e in there if e.question]
    said = f"{len(of_code)}, and {counted(len(questions), 'question')}" if questions else f"{len(of_code)}"
    core, stretch = (sum(e.minutes for e in there if e.stretch is which) for which in (False, True))
    more = f", and {duration(stretch)} of stretch" if stretch else ""
    return f"{said}: {counted(sum(e.points for e in there), 'point')}. About {duration(core)}{more}."


def needed(stem: str, link: Link) -> str:
    """The components of earlier chapters that a notebook imports, each with its exercise's number."""
    made = {name: e for e in exercises() if not e.question for name in e.components}
    there = [(name, made[name]) for name in imported(ROOT / "notebooks" / f"{stem}.ipynb") if name in made]
    return ", ".join(f"{component(name, e, link)} ({e.number})" for name, e in there if e.notebook != stem)


def given(stem: str, link: Link) -> str:
    """The components that are built here and used later, each with the chapters that use it."""
    said = []
    for name, exercise, later in used_again():
        if exercise.notebook == stem:
            users = [f'<a href="{html.escape(link(f"notebooks/{user}", ""))}">{user[:2]}</a>' for user in later]
            said.append(f"{component(name, exercise, link)} to {', '.join(users)}")
    return "; ".join(said)


def head(stem: str, link: Link, files: str = "", opening: str = "") -> str:
    """The markup of the head; `files` is that of links to the whole book's files, `opening` of the opening figure."""
    question = asks(stem)
    lead = f'<p class="chapter-asks">{html.escape(question)}</p>' if question else ""
    notebook = html.escape(link(f"_sources/notebooks/{stem}.ipynb", ""))
    rows = {
        "Exercises": amount(e for e in exercises() if e.notebook == stem),
        "Needs": needed(stem, link),
        "Gives": given(stem, link),
        "Take it": f'<a href="{notebook}" download>{stem}.ipynb</a>, '
        f'<a href="{html.escape(link(SET_UP, ""))}">in JupyterLab</a>; '
        f'<a href="{html.escape(link("book/cite", f"cite-{stem[:2]}"))}">cite it</a>'
        + (f'; <span class="{volume.CLASS}">the whole book: {files}</span>' if files else ""),
    }
    listed = "".join(f"<dt>{term}</dt><dd>{said}</dd>" for term, said in rows.items() if said)
    return f'<div class="chapter-head">{lead}{opening}<dl>{listed}</dl></div>'


def opened(stem: str, document: nodes.document) -> str:
    """The markup of the opening figure; "" and a warning where what it is drawn from, or leads to, is not there."""
    try:
        return openings.figure(stem, openings.sections(document))
    except (ValueError, LookupError, OSError) as error:
        logger.warning("no opening figure: %s", error, location=document, type="course", subtype="opening")
        return ""


class AddHeads(ChapterTransform):
    """Puts the head below a chapter's title."""

    default_priority = 169

    def run(self, **kwargs: Any) -> None:
        if self.stem not in {e.notebook for e in exercises()}:
            return
        title = next(iter(self.document.findall(nodes.title)))
        files = volume.links(self.config.course_volume)
        raw = nodes.raw("", head(self.stem, self.link, files, opened(self.stem, self.document)), format="html")
        title.parent.insert(title.parent.index(title) + 1, raw)

    def link(self, page: str, fragment: str) -> str:
        """The address of a page, or of a file that is published under its own name, from the page being written."""
        builder, docname = self.app.builder, self.env.docname
        if page in self.env.found_docs:
            uri = builder.get_relative_uri(docname, page)
        else:
            uri = f"{'../' * docname.count('/')}{page}"
        return f"{uri}#{fragment}" if fragment else uri


class Asks(SphinxRole):
    """`{asks}`02-bahdanau``: the question that a chapter sets out from."""

    def run(self) -> tuple[list[nodes.Node], list[nodes.system_message]]:
        self.env.note_dependency(str(EXERCISES))
        try:
            return [nodes.Text(asks(self.text))], []
        except ValueError as error:
            return [], [self.inliner.reporter.error(str(error), line=self.lineno)]


def name_neighbors(app: Sphinx, pagename: str, templatename: str, context: dict, doctree: object) -> None:
    """Let the links to the page before and after say what a chapter asks; a chapter leads to the chapters beside it."""
    pages = list(dict.fromkeys(f"notebooks/{e.notebook}" for e in exercises()))
    pages = [page for page in pages if page in app.env.found_docs]
    page_at = {app.builder.get_relative_uri(pagename, page): page for page in pages}
    for way, step in (("prev", -1), ("next", 1)):
        there = pages.index(pagename) + step if pagename in pages else -1
        if 0 <= there < len(pages):
            title = html.escape(app.env.titles[pages[there]].astext())
            context[way] = {"link": list(page_at)[there], "title": title}
        if context.get(way) and (page := page_at.get(context[way]["link"])):
            stem = PurePosixPath(page).name
            if question := asks(stem):
                context[way] = {**context[way], "title": f"{stem[:2]}: {html.escape(question)}"}


def note_chapters(app: Sphinx, doctree: nodes.document) -> None:
    """Write a chapter's page again where its question, its hints or stored results change."""
    if is_chapter(app.env.docname):
        stills = (ROOT / "course" / "figures" / "stills").glob("*.json")
        for path in sorted([*(ROOT / "course" / "chapters").glob("*.*"), *committed.RESULTS.glob("*.json"), *stills]):
            app.env.note_dependency(str(path))


def setup(app: Sphinx) -> None:
    app.add_post_transform(AddHeads)
    app.add_role("asks", Asks())
    app.connect("doctree-read", note_chapters)
    app.connect("html-page-context", name_neighbors)
