"""`course.figure`: a figure of the book in a notebook, from the same template, script, style and weights.

It stands in a frame that holds all it needs, so it asks no network and no kernel, and moves again when the notebook is
opened another day. Without scripts its still picture stands there, and where a program shows no frame, its words.
"""

from __future__ import annotations

import base64
import html
import re
from collections.abc import Iterator
from xml.etree import ElementTree

from course import plots
from course.figures import FIGURES
from course.figures.drawn import STATIC, Figure, rendered
from course.learner import place

HEIGHT = "30rem"  # of the frame, until its script says how high the figure is
SENTENCE = "This figure moves where a notebook may run scripts, as in JupyterLab once its cell has run. As it stands:"
PICTURE = re.compile(r"url\(([\w-]+)\.jpg\)")
PARTS = {"section", "div", "table", "thead", "tbody", "tfoot", "tr", "p", "dl", "dt", "dd", "details", "svg"}


def figure(name: str) -> None:
    """Show a figure of the book, to be moved: `course.figure("attention-plane")`, by the name of its page there.

    Raises:
        ValueError: where there is none of that name.
    """
    if name not in FIGURES:
        raise ValueError(f"there is no figure {name!r}; there are {', '.join(FIGURES)}")
    made = FIGURES[name]()
    words = "\n".join([SENTENCE, *in_words(made)])
    place.display({"text/plain": words, "text/html": framed(name, made, words)})


def framed(name: str, made: Figure, words: str) -> str:
    """Return the figure in a frame. A program that takes the frame away, as JupyterLab does in a notebook that is not
    trusted, leaves the words."""
    document = html.escape(page(made))
    return (
        f'<iframe title="Figure {name}" srcdoc="{document}" style="width: 100%; height: {HEIGHT}; border: 0">'
        f"<p>{html.escape(words).replace(chr(10), '<br>')}</p></iframe>"
    )


def page(made: Figure) -> str:
    """Return a page with the figure alone, which needs no other file. Without scripts it is the still picture."""
    return rendered(
        "notebook",
        colors=plots.sheet() + _read("colors.css"),
        styles="\n".join(map(_with_pictures, made.linked(".css"))),
        markup=made.markup,
        sentence=SENTENCE,
        later=made.later,
        scripts=map(_read, made.linked(".js")),
    )


def _read(name: str) -> str:
    return (STATIC / name).read_text("utf-8")


def _with_pictures(sheet: str) -> str:
    """A style sheet with the pictures in it that lie beside it."""

    def inside(match: re.Match[str]) -> str:
        data = base64.b64encode((STATIC / sheet).with_name(f"{match[1]}.jpg").read_bytes()).decode()
        return f"url(data:image/jpeg;base64,{data})"

    return PICTURE.sub(inside, _read(sheet))


def in_words(made: Figure) -> list[str]:
    """Return what the still picture says, line by line: drawings by their descriptions, tables row by row."""
    root = ElementTree.fromstring(f"<div>{made.markup}</div>")
    if root.find(".//*[@class='step still']") is not None:  # of several pictures those that a chapter prints
        for parent in list(root.iter()):
            for step in parent.findall("*[@class='step']"):
                parent.remove(step)
    for line in root.iter("br"):
        line.tail = f" {line.tail or ''}"
    return list(_lines(root))


def _lines(element: ElementTree.Element) -> Iterator[str]:
    if element.get("role") == "img":
        yield element.get("aria-label", "")
    elif element.tag == "tr":
        yield "  ".join(filter(None, map(_text, element)))
    elif any(child.tag in PARTS for child in element.iter() if child is not element):
        for child in element:
            yield from _lines(child)
    elif text := _text(element):
        yield text


def _text(element: ElementTree.Element) -> str:
    return " ".join("".join(element.itertext()).split())
