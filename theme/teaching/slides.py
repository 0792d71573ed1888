"""A deck of slides for each chapter: its questions, its figures and the tables of its results, from the built page.

A deck is one HTML file in the site's folder `slides/`: a section a slide, with a style sheet and a few lines of script
(theme/static/slides.css, slides.js). It reads without the script, prints a slide a page, and fetches nothing from
elsewhere. What a reader of the chapter is asked to guess comes before its answer, on a slide of its own.
"""

from __future__ import annotations

import copy
import html as markup
import itertools
import re
import shutil
from collections.abc import Iterator
from pathlib import Path

from lxml import html
from lxml.html import HtmlElement
from sphinx.application import Sphinx

from course.exercises import Exercise, exercises
from course.wording import counted, points
from theme.head import asks
from theme.prose import ASKS, END
from theme.ways import duration

FOLDER = "slides"
TRY = "Try first"  # so begins what stands beside a figure to move
LEFT_OUT = "headerlink", "tryit", "copybtn"
NO_SLIDES = "exercise-card", "fold", "chapter-head"  # what is inside them is no slide of a lecture


def classes(element: HtmlElement) -> set[str]:
    return set(element.get("class", "").split())


def text(element: HtmlElement) -> str:
    """An element's words, each equation as its drawing says it."""
    visible = copy.deepcopy(element)
    for twice in visible.xpath(".//*[contains(@class, 'katex-mathml')]"):
        twice.drop_tree()
    return " ".join(visible.text_content().split())


def inner(element: HtmlElement) -> str:
    """The markup inside an element, without the signs beside headings."""
    bare = copy.deepcopy(element)
    for other in list(bare.iter()):
        if isinstance(other.tag, str) and classes(other) & set(LEFT_OUT):
            other.drop_tree()
        elif isinstance(other.tag, str):
            other.attrib.pop("tabindex", None)  # nothing on a slide scrolls
    return markup.escape(bare.text or "", quote=False) + "".join(html.tostring(c, encoding="unicode") for c in bare)


def sentences(paragraph: HtmlElement) -> list[str]:
    """A paragraph's sentences as markup. One ends only in the paragraph's own text, never inside an element."""
    made = [""]

    def add(own: str | None) -> None:
        first, *others = END.split(own or "")
        made[-1] += markup.escape(first, quote=False)
        made.extend(markup.escape(other, quote=False) for other in others)

    add(paragraph.text)
    for child in paragraph:
        alone = copy.deepcopy(child)
        alone.tail = None
        made[-1] += html.tostring(alone, encoding="unicode")
        add(child.tail)
    return [sentence.strip() for sentence in made if sentence.strip()]


def asked(paragraph: HtmlElement) -> str:
    """What a paragraph asks last, in large letters, below the rest of it and the list that it follows; "" where it asks
    nothing."""
    each = sentences(paragraph)
    asking = [i for i, sentence in enumerate(each) if ASKS.search(text(html.fragment_fromstring(sentence, "p")))]
    if not asking:
        return ""
    last = asking[-1]
    first = next(i for i in range(last, -1, -1) if i - 1 not in asking)  # of the questions that follow one another
    before, after = " ".join(each[:first]), " ".join(each[last + 1 :])
    listed = paragraph.getprevious()
    rest = listed_of(listed) if listed is not None and listed.tag == "ul" else ""
    rest += "".join(f"<p>{said}</p>" for said in (before, after) if said)
    question = " ".join(each[first : last + 1])
    return f'<div class="context">{rest}</div><p class="asked">{question}</p>'


class Deck:
    """The slides of one chapter, as markup, in order."""

    def __init__(self, stem: str, article: HtmlElement) -> None:
        self.stem, self.article = stem, article
        self.slides: list[str] = []
        self.page = f"../notebooks/{stem}.html"  # as far from the site's root as a deck is: its other links stay
        for link in article.iter("a"):
            if link.get("href", "").startswith("#"):
                link.set("href", self.page + link.get("href"))
        unframe(article)
        of = [e for e in exercises() if e.notebook == stem]
        self.title(of)
        for section in article.xpath(".//section[h2]"):
            if section.get("id") == "before-you-go-on":
                for listed in section.xpath("./ul")[:1]:
                    self.add(section, "What to take with you", listed_of(listed), "words")
            else:
                self.walk(section)
        self.work(of)

    def title(self, of: list[Exercise]) -> None:
        """The first slides: what the chapter is called and asks, and what its readers will be able to do."""
        heading = inner(self.article.xpath(".//h1")[0])
        core = sum(e.minutes for e in of if not e.stretch)
        said = f"{counted(sum(e.points for e in of), 'point')}, {duration(core)} of core exercises"
        question = markup.escape(asks(self.stem))
        self.slides.append(f'<section class="slide first"><h1><a href="{self.page}">{heading}</a></h1>'
                           f'<p class="asked">{question}</p><p>{said}</p></section>')  # fmt: skip
        for listed in self.article.xpath(".//p[strong='What you will be able to do']/following-sibling::ul")[:1]:
            self.add(self.article, "What you will be able to do", listed_of(listed), "words")

    def add(self, section: HtmlElement, heading: str, body: str, kind: str) -> None:
        place = section.get("id")
        link = f'<a href="{self.page}#{place}">{heading}</a>' if place and section.tag == "section" else heading
        self.slides.append(f'<section class="slide {kind}"><h2>{link}</h2>{body}</section>')

    def walk(self, section: HtmlElement, parent: HtmlElement | None = None) -> None:
        """The slides of a section: what is asked, and what follows it, in the order of the text.

        The text goes on after an exercise's or a question's card, under the heading of the section around it.
        """
        titled = section.xpath("./h2 | ./h3")[0]
        before = self.before_card(section, inner(titled)) if re.match(r"(Exercise|Question) ", text(titled)) else []
        of = section if not before or parent is None else parent
        heading = inner(of.xpath("./h2 | ./h3")[0])
        waiting = ""
        for element in section:
            if not isinstance(element.tag, str) or element in before or classes(element) & set(NO_SLIDES):
                continue
            if element.tag == "section":
                self.walk(element, section)
            elif element.tag == "p" and not text(element).startswith(TRY):
                waiting = asked(element) or waiting
            elif bodies := list(worth_a_slide(element, self.page)):
                if waiting:
                    self.add(of, heading, waiting, "question")
                    waiting = ""
                for body, kind in bodies:
                    self.add(of, heading, body, kind)

    def before_card(self, section: HtmlElement, heading: str) -> list[HtmlElement]:
        """What stands in an exercise's or a question's section before its card; of a question it makes a slide."""
        cards = section.xpath("./*[contains(@class, 'exercise-card')]")
        before = list(section)[: section.index(cards[0])] if cards else []
        if heading.startswith("Question "):
            said = [f"<{e.tag}>{inner(e)}</{e.tag}>" for e in before if e.tag in ("p", "ul")]
            self.add(section, heading, "".join(said), "words choice")
        return before

    def work(self, of: list[Exercise]) -> None:
        """The last slide: the exercises, for those who work on them now."""
        rows = "".join(
            f"<tr><td>{e.number}{'†' if e.stretch else ''}</td><td>{e.name.replace('_', ' ')}</td>"
            f"<td>{points(e.points)}</td><td>{e.minutes}</td></tr>"
            for e in of
            if not e.question
        )
        head = "<tr><th>exercise</th><th>what</th><th>points</th><th>minutes</th></tr>"
        body = f"<table><thead>{head}</thead><tbody>{rows}</tbody></table>"
        self.add(self.article, "Now you", fitted(html.fragment_fromstring(body)), "table")

    def document(self, letters: str, language: str) -> str:
        """The deck as a page."""
        name = markup.escape(text(html.fragment_fromstring(self.slides[0]).xpath(".//h1")[0]))
        numbered = "\n".join(
            slide.replace("<section ", f'<section id="slide-{i}" data-number="{i} of {len(self.slides)}" ', 1)
            for i, slide in enumerate(self.slides, 1)
        )
        sheets = "".join(
            f'<link rel="stylesheet" href="../_static/{sheet}">'
            for sheet in ("inks.css", "katex/katex.css", "slides.css")
        )
        return (
            f'<!DOCTYPE html>\n<html lang="{language}" data-theme="light"><head><meta charset="utf-8">'
            f"<title>{name}: slides</title>"
            f'<meta name="viewport" content="width=device-width, initial-scale=1">'
            f'<link rel="icon" href="../_static/favicon.svg">{sheets}<script defer src="../_static/slides.js"></script>'
            f"</head><body><main>\n{numbered}\n</main>{letters}</body></html>\n"
        )


def unframe(article: HtmlElement) -> None:
    """Take the frames of experiments away, each paragraph that they divide whole again, and notes from the margin."""
    for card in article.find_class("experiment"):
        card[0].drop_tree()
        first = card[0]
        for other in itertools.takewhile(lambda element: element.tag == "p", list(card)[1:]):
            other.tag, other.tail = "span", None
            other.text = f" {other.text or ''}"
            first.append(other)
            other.drop_tag()
        card.drop_tag()
    for note in article.find_class("margin-note"):
        note.drop_tree()
    for name in ("margin-prose", "with-margin"):
        for frame in article.find_class(name):
            frame.drop_tag()


def listed_of(element: HtmlElement) -> str:
    return f"<ul>{inner(element)}</ul>"


def worth_a_slide(element: HtmlElement, page: str) -> Iterator[tuple[str, str]]:
    """What of an element makes slides, each with its kind: figures, tables, an equation, the answer to a guess."""
    if "math" in classes(element) and element.tag == "div":
        yield equation(element), "equation"
    elif "live-figure" in classes(element):
        yield live(element, page), "live"
    elif "cell" in classes(element):
        for output in element.xpath(".//figure | .//table | .//details[@class='guess']//pre"):
            if any("cell_input" in classes(around) for around in output.iterancestors("div")):
                continue
            if output.tag == "figure":
                yield figure(output), "figure"
            elif output.tag == "table":
                yield fitted(output), "table"
            else:
                said = output.text_content().strip("\n ")
                wide = max(map(len, said.split("\n")))
                yield f'<pre style="--wide: {min(wide, 100)}">{markup.escape(said)}</pre>', "said"


def figure(element: HtmlElement) -> str:
    """A figure's drawing or picture, and its caption."""
    drawing = element.xpath(".//*[contains(@class, 'figure-box')]")[0]
    for image in drawing.iter("img"):
        image.attrib.pop("loading", None)
    return f'<div class="drawing">{inner(drawing)}</div><p class="caption">{caption(element)}</p>'


def live(element: HtmlElement, page: str) -> str:
    """A figure to move: its words, and a link to the place in the chapter where it moves."""
    before = element.getprevious()
    first = inner(before) if before is not None and before.tag == "p" and text(before).startswith(TRY) else ""
    link = f'<a href="{page}#{element.get("id")}">Move it in the chapter</a>'
    return f'<p class="asked">{caption(element)}</p><p>{first}</p><p>{link}</p>'


def equation(element: HtmlElement) -> str:
    """An equation whose letters are as large as its longest line lets them be."""
    lines = [len(line) for line in element.xpath("string(.//annotation)").split(r"\\")]
    wide = len(text(element)) * max(lines) // max(1, sum(lines)) + 4
    return f'<div style="--wide: {wide}">{inner(element)}</div>'


def caption(element: HtmlElement) -> str:
    return inner(element.xpath(".//figcaption//*[contains(@class, 'caption-text')]")[0])


def fitted(table: HtmlElement) -> str:
    """A table whose letters are as large as its width and height let them be: slides.css has the sum. Its headings may
    take two lines."""
    columns: dict[int, int] = {}
    rows = table.xpath(".//tr")
    for row in rows:
        for i, cell in enumerate(row.xpath("./th | ./td")):
            said = text(cell)
            heading = row.getparent().tag == "thead"
            width = max(len(said) / 2, *map(len, said.split()), 0) if heading and said else len(said)
            columns[i] = max(columns.get(i, 0), round(width))
    made = copy.deepcopy(table)
    made.tail = None
    high = len(rows) + 1 + bool(table.xpath("./caption"))
    made.set("style", f"--wide: {sum(columns.values()) + 4 * len(columns)}; --high: {high}")
    return html.tostring(made, encoding="unicode")


def deck(stem: str, page: Path) -> str:
    """The deck of a chapter, from its finished page. Raises ValueError where that has no article."""
    tree = html.parse(str(page), html.HTMLParser(encoding="utf-8")).getroot()
    articles = tree.xpath("//article[contains(@class, 'bd-article')]")
    if len(articles) != 1:
        raise ValueError(f"{page.name} has {len(articles)} articles, and should have one: is the book built whole?")
    letters = "".join(html.tostring(svg, encoding="unicode") for svg in tree.xpath("//svg[@class='letters']"))
    return Deck(stem, articles[0]).document(letters, tree.get("lang", "en"))


def write(app: Sphinx, error: Exception | None) -> None:
    """Write the decks of the chapters that the book has, and no others."""
    if error is not None or app.builder.name != "html":
        return
    folder = Path(app.outdir) / FOLDER
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir()
    for stem in dict.fromkeys(e.notebook for e in exercises()):
        page = Path(app.outdir) / "notebooks" / f"{stem}.html"
        if f"notebooks/{stem}" in app.env.found_docs and page.is_file():
            (folder / f"{stem}.html").write_text(deck(stem, page), "utf-8")


def setup(app: Sphinx) -> None:
    app.connect("build-finished", write, priority=400)  # before fonts and style sheets are cut to what pages show
