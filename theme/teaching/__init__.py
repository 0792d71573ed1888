"""What instructors plan with: the goals of a chapter and what tests them, and hours for three formats.

`goals.py` and `syllabus.py` read `book/instructors/goals.toml` and `syllabus.toml`; all else, from hours to points, is
what the notebooks say. Here it is laid on the page. `slides.py` makes a chapter's slides of its finished page.

Safe to change: what tables and slides show. Not safe: an hour or a point typed in.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxDirective

from course.exercises import Exercise, by_number
from course.wording import points
from theme.exercises import place
from theme.figures import words
from theme.head import asks
from theme.measurements import table
from theme.notebooks import EXERCISES, paths, titles
from theme.teaching import goals, slides, syllabus
from theme.ways import duration

SOURCES = (goals.FILE, syllabus.FILE, EXERCISES)


def said(minutes: float) -> str:
    """Minutes in words, a dash for none."""
    return duration(round(minutes)).replace(" ", "\N{NO-BREAK SPACE}") if minutes else "\N{EN DASH}"


class OfNotebooks(SphinxDirective):
    """A directive that says what the notebooks say, and says it again where they change."""

    def note(self) -> None:
        for source in (*SOURCES, *paths()):
            self.env.note_dependency(str(source))

    def link(self, text: str, page: str, to: str = "") -> nodes.Node:
        """A link to a page of the book, or plain text where this build has no such page."""
        if page not in self.env.found_docs:
            return nodes.Text(text)
        return self.reference(text, self.env.app.builder.get_relative_uri(self.env.docname, page) + (to and f"#{to}"))

    def reference(self, text: str, address: str) -> nodes.reference:
        return nodes.reference("", "", nodes.Text(text), internal=True, refuri=address)

    def numbers(self, of: Iterable[Exercise]) -> list[nodes.Node]:
        """The exercises' numbers, each a link to its place, with a dagger where it is stretch."""
        made: list[nodes.Node] = []
        for e in of:
            text = e.number + ("\N{DAGGER}" if e.stretch else "")
            made += [nodes.Text(", "), self.link(text, f"notebooks/{e.notebook}", place(e.name))]
        return made[1:]


class Goals(OfNotebooks):
    """`{goals} 04-dot-product`: what a chapter's readers will be able to do, and what tests each of it."""

    required_arguments = 1

    def run(self) -> list[nodes.Node]:
        self.note()
        stem = self.arguments[0]
        try:
            listed = goals.of_chapter(stem)
        except ValueError as error:
            raise self.error(str(error)) from None
        rows = []
        for goal in listed:
            tested = [by_number(number) for number in goal.exercises]
            rows.append([words(goal.text), self.numbers(tested), [nodes.Text(points(sum(e.points for e in tested)))]])
        caption = f"Chapter {stem[:2]}: goals, and the exercises that test them"
        return [table(caption, ["readers will be able to", "tested by", "points"], rows, f"goals-{stem}", {2})]


class Syllabus(OfNotebooks):
    """`{syllabus} semester`: a format's sessions, with hours and points; the names are those of syllabus.toml."""

    required_arguments = 1

    def run(self) -> list[nodes.Node]:
        self.note()
        try:
            plan = syllabus.plan(self.arguments[0])
        except ValueError as error:
            raise self.error(str(error)) from None
        names, rows = titles(), []
        for number, session in enumerate(plan.sessions, 1):
            what: list[nodes.Node] = []
            for part in session.parts:
                name = f"{part.chapter[:2]} {names[part.chapter]}"
                what += [nodes.Text("; "), self.link(name, f"notebooks/{part.chapter}")]
                what += [nodes.Text(f", {part.sections}")] if part.sections else []
            what = [*what[1:], nodes.Text(f". {session.note}")] if session.note else what[1:]
            rows.append([[nodes.Text(f"{number}")], what, *self.amounts(plan, [session])])
        rows.append([[nodes.Text("all")], [], *self.amounts(plan, plan.sessions)])
        headings = [plan.unit, "chapters", "points", "core exercises", "hours in all", "at home", "stretch"]
        return [table(plan.title, headings, rows, f"syllabus-{self.arguments[0]}", {2, 3, 4, 5, 6})]

    def amounts(self, plan: syllabus.Plan, sessions: Sequence[syllabus.Session]) -> list[list[nodes.Node]]:
        core = [e for session in sessions for e in session.exercises if not e.stretch]
        texts = [
            points(sum(e.points for e in core)),
            said(sum(e.minutes for e in core)),
            said(sum(session.minutes for session in sessions)),
            said(sum(plan.at_home(session) for session in sessions)),
            said(sum(e.minutes for session in sessions for e in session.exercises if e.stretch)),
        ]
        return [[nodes.Text(text)] for text in texts]


class Decks(OfNotebooks):
    """`{decks}`: a row for each chapter, with its question, its hours and its slides."""

    def run(self) -> list[nodes.Node]:
        self.note()
        rows = []
        for stem, title in titles().items():
            if f"notebooks/{stem}" not in self.env.found_docs:
                continue
            deck = self.env.app.builder.get_relative_uri(self.env.docname, "index").removesuffix("index.html")
            rows.append([
                [self.link(f"{stem[:2]} {title}", f"notebooks/{stem}")],
                [nodes.Text(asks(stem))],
                [nodes.Text(said(syllabus.planned(stem)))],
                [self.reference(f"slides\N{NO-BREAK SPACE}{stem[:2]}", f"{deck}{slides.FOLDER}/{stem}.html")],
            ])  # fmt: skip
        return [table("The chapters and their slides", ["chapter", "it asks", "to plan", "slides"], rows, "decks", {2})]


def setup(app: Sphinx) -> None:
    app.add_directive("goals", Goals)
    app.add_directive("syllabus", Syllabus)
    app.add_directive("decks", Decks)
    slides.setup(app)
