"""What all figures to move share: the figure as HTML from its template, and the files that belong to it."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path

import jinja2

TEMPLATES = Path(__file__).parent / "templates"
STATIC = Path(__file__).parent / "static"


@dataclass(frozen=True)
class Figure:
    """A finished figure.

    markup: its HTML, which is whole and right without a script. files: scripts and styles that come with it, named
    below `static/` without suffix. later: scripts that come with the first touch, by name. sources: the committed files
    that its numbers are from.
    """

    markup: str
    files: tuple[str, ...]
    later: Mapping[str, str] = field(default_factory=dict)
    sources: tuple[Path, ...] = ()

    def linked(self, suffix: str) -> list[str]:
        """Return those of its files that there are with a suffix: `.css`, `.js`."""
        return [name + suffix for name in self.files if (STATIC / f"{name}{suffix}").is_file()]


@cache
def environment() -> jinja2.Environment:
    made = jinja2.Environment(
        loader=jinja2.FileSystemLoader(TEMPLATES),
        autoescape=True,
        trim_blocks=True,
        lstrip_blocks=True,
        undefined=jinja2.StrictUndefined,
    )
    made.filters["number"] = number
    made.filters["vector"] = vector
    return made


def rendered(name: str, **context: object) -> str:
    """Return a template with these values in it."""
    return environment().get_template(f"{name}.html").render(context)


def number(value: float, digits: int = 2) -> str:
    """Write a number with a true minus sign, and no minus before a zero."""
    text = f"{value:.{digits}f}"
    return text.lstrip("-") if float(text) == 0 else text.replace("-", "\N{MINUS SIGN}")


def vector(values: Sequence[float], digits: int = 1) -> str:
    """Write a vector: `(1.2, −0.4)`."""
    return "(" + ", ".join(number(value, digits) for value in values) + ")"


def explorable(name: str, **context: object) -> Figure:
    """Return a figure from its template and the numbers that go into it; its script and style have the same name."""
    return Figure(rendered(name, **context), ("explorables/figure", "explorables/choices", f"explorables/{name}"))


def living(name: str, later: Mapping[str, str], sources: Sequence[Path], **context: object) -> Figure:
    """Return a living figure; its page asks for the `later` scripts by a version, so that an old copy of one is not
    taken for a new."""
    version = hashlib.sha256("".join(later.values()).encode()).hexdigest()[:8]
    markup = rendered(f"living-{name}", version=version, **context)
    return Figure(markup, ("explorables/figure", "living/living", f"living/living-{name}"), dict(later), tuple(sources))
