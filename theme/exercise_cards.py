"""An exercise as a card: its line of facts, its two cells, and below them hints, the solution and the way to solve it.

Hints stand in `course/chapters/<chapter>.toml`. The solution is a link, behind a word of warning, to its section on the
solution page: no answer stands on a chapter's page, and where solutions are not published there is no link.
"""

from __future__ import annotations

import html
from typing import Any

from docutils import nodes
from sphinx.application import Sphinx

from course.chapters import chapter
from course.exercises import Exercise, exercises
from course.wording import marked
from theme.address import BINDER, SET_UP
from theme.chapter import ChapterTransform
from theme.contents import PAGES

WARNING = "Yours first: the interesting part is where two answers differ, and the hints cost nothing."


def fold(summary: str, text: str) -> str:
    return f'<details class="hint"><summary>{summary}</summary><p>{text}</p></details>'


def hints(exercise: Exercise) -> str:
    """The ladder of an exercise, each step in a fold of its own; none for a question."""
    texts = chapter(exercise.chapter)["hints"].get(exercise.name, [])
    return "".join(fold(f"Hint {step}", marked(text)) for step, text in enumerate(texts, 1))


def section(slugs: dict[str, tuple[int, str, str]], number: str) -> str:
    """The id of the section that a solution page has for an exercise, by its headings' slugs; "" where it has none.

    >>> section({"41-masks": (3, "masks", "4.1 Masks")}, "4.1")
    'masks'
    """
    return next((place for _, place, title in slugs.values() if title.split(" ")[0].rstrip("†") == number), "")


class Cards(ChapterTransform):
    """Runs late: what looks at cells, their figures and their folds, finds them where MyST-NB put them."""

    default_priority = 210

    def run(self, **kwargs: Any) -> None:
        named = {e.name: e for e in exercises()}
        for banner in list(self.document.findall(is_banner)):
            answer = banner.parent
            exercise = named.get(banner["exercise"])
            parent, at = answer.parent, answer.parent.index(answer)
            after = parent[at + 1 : at + 2]
            cells = [answer, *(cell for cell in after if "exercise-check" in cell["classes"])]
            for cell in cells:
                parent.remove(cell)
            card = nodes.container("", *cells, classes=["exercise-card"], is_div=True)
            if exercise is not None:
                card += nodes.raw("", self.foot(exercise), format="html")
            parent.insert(at, card)

    def foot(self, exercise: Exercise) -> str:
        """What stands below an exercise's cells."""
        return f'<div class="exercise-foot">{hints(exercise)}{self.solution(exercise)}{self.way(exercise)}</div>'

    def solution(self, exercise: Exercise) -> str:
        """The fold with the link to the solution, where solution pages are built."""
        page = f"{PAGES}{exercise.notebook}"
        if page not in self.env.found_docs:
            return ""
        slugs = self.env.metadata[page].get("myst_slugs", {})
        place = section(slugs, exercise.number)
        uri = self.app.builder.get_relative_uri(self.env.docname, page) + (f"#{place}" if place else "")
        return fold("Solution", f'{WARNING} <a href="{html.escape(uri)}">The solution of {exercise.number}</a>')

    def way(self, exercise: Exercise) -> str:
        """The link that opens the notebook where the build knows an address, and the command where it knows none."""
        notebook, options = f"{exercise.notebook}.ipynb", self.config.html_theme_options
        _, _, host, *slug = (options.get("repository_url") or "//").split("/")
        if host == "github.com" and options.get("launch_buttons"):
            where = "/".join([BINDER, "v2/gh", *slug, options["repository_branch"]])
            address = html.escape(f"{where}?urlpath=lab/tree/notebooks/{notebook}")
            return f'<a class="solve" href="{address}">Solve it in JupyterLab</a>'
        set_up = html.escape(self.app.builder.get_relative_uri(self.env.docname, SET_UP))
        text = f'<code>make lab</code> opens JupyterLab; there, <code>{notebook}</code>. <a href="{set_up}">Set-up</a>'
        return fold("Solve it in JupyterLab", text)


def is_banner(node: nodes.Node) -> bool:
    return isinstance(node, nodes.paragraph) and "exercise-banner" in node["classes"]


def setup(app: Sphinx) -> None:
    app.add_post_transform(Cards)
