"""No term of the field is used before a chapter has introduced it.

The terms are the glossary's first list. A chapter introduces one by setting it in bold at its first use; that mark is
read here, and nothing else says where it is. Headings and a chapter's goals may name what their own chapter introduces.
Code, equations and the titles under "Further reading" are not walked.
"""

import re
from collections.abc import Iterator
from typing import NamedTuple

import pytest
from markdown_it import MarkdownIt
from mdit_py_plugins.dollarmath import dollarmath_plugin

from theme import terms
from tools.notebooks import files

# Words of everyday English too, which no stem tells apart: "the two values agree", "right ends aligned".
EVERYDAY = {"alignment", "sampling", "value", "warm-up"}
GOALS = "**What you will be able to do**"
READING = re.compile(r"^(\*\*|:+\{dropdown\} )Further reading", re.MULTILINE)
MARKDOWN = MarkdownIt("commonmark").enable("table").use(dollarmath_plugin)
WORDS = re.compile(rf"{terms.WORD.pattern}|[^\w\s–-]")  # a sign is a word of its own: no term goes on behind it


class Word(NamedTuple):
    """A word of a chapter: as it stands, whether in bold, and whether in a heading or a goal, which look ahead."""

    text: str
    bold: bool
    ahead: bool


class Use(NamedTuple):
    """A place where a term stands: the number of its chapter, whether that introduces it, and the words around it."""

    term: str
    chapter: str
    introduces: bool
    ahead: bool
    around: str


def words_of(source: str) -> Iterator[Word]:
    """The words of a Markdown cell, code and equations left out; paragraphs end in a sign."""
    tokens = MARKDOWN.parse(re.sub(r"^:{3,}.*$", "", source, flags=re.MULTILINE))
    goals = source.lstrip().startswith(GOALS) or f"\n{GOALS}" in source
    bold = False
    for before, token in zip([None, *tokens], tokens, strict=False):
        if token.type != "inline":
            continue
        ahead = (before is not None and before.type == "heading_open") or (goals and token.level > 1)
        for child in token.children or ():
            if child.type in ("strong_open", "strong_close"):
                bold = child.type == "strong_open"
            text = child.content if child.type == "text" else " " if child.type == "softbreak" else ""
            text = "|" if child.type in ("code_inline", "math_inline") else text
            yield from (Word(word, bold, ahead) for word in WORDS.findall(text))
        yield Word("|", False, ahead)


def uses(words: list[Word], chapter: str, named: dict[tuple[str, ...], str]) -> Iterator[Use]:
    """Each place where a term stands; where one is part of a longer one, the longer."""
    stems = [terms.stem(word.text) for word in words]
    longest, place = max(map(len, named)), 0
    while place < len(words):
        ends = (place + size for size in range(longest, 0, -1))
        end = next((end for end in ends if tuple(stems[place:end]) in named), None)
        if end is None:
            place += 1
            continue
        around = " ".join(word.text for word in words[max(0, place - 6) : end + 4])
        beside = [*words[max(0, place - 1) : place], *words[end : end + 1]]
        alone = not any(word.bold and word.text.isalnum() for word in beside)  # the term, and not a sentence with it
        marked = alone and all(word.bold for word in words[place:end])
        yield Use(named[tuple(stems[place:end])], chapter, marked, words[place].ahead, around)
        place = end


def walk(chapters: dict[str, list[Word]], entries: list[list[str]]) -> list[Use]:
    """All uses of all terms, in order."""
    named = {terms.stems(name): names[0] for names in entries for name in names}
    return [use for chapter, words in chapters.items() for use in uses(words, chapter, named)]


def too_early(found: list[Use]) -> dict[str, list[Use]]:
    """term -> the places where it is used before it is introduced; of one that never is, all."""
    introduced: dict[str, str] = {}
    for use in found:
        if use.introduces:
            introduced.setdefault(use.term, use.chapter)
    early: dict[str, list[Use]] = {}
    known: set[str] = set()
    for use in found:
        known |= {use.term} if use.introduces else set()
        if use.term not in known and not (use.ahead and introduced.get(use.term) == use.chapter):
            early.setdefault(use.term, []).append(use)
    return early


@pytest.fixture(scope="module")
def found() -> list[Use]:
    chapters = {}
    for path in files.paths():
        prose = [cell.source for cell in files.read(path).cells if cell.cell_type == "markdown"]
        chapters[path.stem[:2]] = [word for each in prose if not READING.search(each) for word in words_of(each)]
    return walk(chapters, terms.entries(terms.GLOSSARY.read_text("utf-8")))


def test_every_term_is_introduced(found):
    there = {use.term for use in found if use.introduces}
    names = {names[0] for names in terms.entries(terms.GLOSSARY.read_text("utf-8"))}
    missing = sorted(names - there)
    assert not missing, f"no chapter sets these in bold: introduce them, or take them out of the glossary: {missing}"


def test_no_term_is_used_before_it_is_introduced(found):
    early = {term: places for term, places in too_early(found).items() if term not in EVERYDAY}
    lines = [f"{term}, in {use.chapter}: ... {use.around} ..." for term, places in early.items() for use in places]
    assert not lines, (
        "used before a chapter sets them in bold, as it does where it introduces a term. Introduce them there, say it "
        "in plainer words, or write what they mean:\n" + "\n".join(lines)
    )


def test_each_exception_is_one(found):
    """A word stays among the exceptions only while it is used before its introduction, in its everyday sense."""
    assert too_early(found).keys() >= EVERYDAY


def test_what_the_walk_sees():
    text = (
        "# 3. Tensors\n\n**What you will be able to do**\n\n- read a softmax.\n\n"
        "A row of tensors. The `softmax` of $softmax$. **Softmax** makes shares, **and all softmax is good**.\n\n"
        "A gradient falls. **Gradient descent** follows gradients. A **gradient** is a slope; (softmaxes) softmaxed."
    )
    entries = [["tensor"], ["softmax"], ["gradient"], ["gradient descent", "SGD"]]
    found = walk({"03": list(words_of(text))}, entries)
    assert [(use.term, use.introduces) for use in found if use.term == "softmax"] == [
        ("softmax", False), ("softmax", True), ("softmax", False), ("softmax", False), ("softmax", False),
    ]  # fmt: skip
    early = too_early(found)
    assert list(early) == ["tensor", "gradient"]
    assert [use.ahead for use in early["tensor"]] == [True, False]
    assert len(early["gradient"]) == 2 and "follows gradients" in early["gradient"][1].around
