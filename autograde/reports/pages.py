"""An instructor's pages, made from the templates of this package. Whatever a page is made from, it is escaped, and no
control character is on it."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import jinja2
from markupsafe import Markup

from autograde.text import without_controls
from course.wording import points

TEMPLATES = Path(__file__).resolve().parent / "templates"


def rendered(name: str, **values: object) -> str:
    """The page of the template folder of this name; what it shares with others comes from the students' pages."""
    return without_controls(_template(name).render(**values))


@cache
def _template(name: str) -> jinja2.Template:
    loader = jinja2.FileSystemLoader([TEMPLATES / name, TEMPLATES / "student_feedback"])
    environment = jinja2.Environment(loader=loader, autoescape=True, trim_blocks=True, lstrip_blocks=True)
    environment.filters |= {"points": points, "prose": prose, "capitalized": lambda text: text[:1].upper() + text[1:]}
    return environment.get_template("index.html.j2")


def prose(text: str) -> Markup:
    """A sentence whose `code` is set as code."""
    pieces = [Markup("<code>{}</code>").format(piece) if i % 2 else piece for i, piece in enumerate(text.split("`"))]
    return Markup("").join(pieces)
