"""The head of a chapter's page, and the links to the pages beside it, say what the chapters ask."""

import re
from html import escape, unescape
from pathlib import Path

import pytest

from course.exercises import exercises
from theme import head, notebooks, ways

STEMS = list(dict.fromkeys(e.notebook for e in exercises()))


def link(page: str, fragment: str) -> str:
    return f"{page}#{fragment}" if fragment else page


def test_every_chapter_asks_a_question_of_its_own() -> None:
    asked = [head.asks(stem) for stem in STEMS]
    assert all(question.endswith("?") for question in asked) and len(set(asked)) == len(STEMS)
    with pytest.raises(ValueError, match=r"no chapter is '12-nothing'.*00-warm-up"):
        head.asks("12-nothing")


def test_what_there_is_to_do_is_what_the_check_cells_say() -> None:
    there = [e for e in exercises() if e.notebook == "04-dot-product"]
    said = head.amount(there)
    numbers = [int(number) for number in re.match(r"(\d+), and (\d+) questions: (\d+) points", said).groups()]
    questions = [e for e in there if e.question]
    assert numbers == [len(there) - len(questions), len(questions), sum(e.points for e in there)]
    core, stretch = (sum(e.minutes for e in there if e.stretch is which) for which in (False, True))
    assert said.endswith(f"About {ways.duration(core)}, and {ways.duration(stretch)} of stretch.")
    assert "question" not in head.amount(e for e in there if not e.question)


def test_needs_are_imports_and_gifts_are_used_later() -> None:
    needed = re.findall(r'href="([^"]+)"><code>(\w+)</code></a> \(([\d.]+)\)', head.needed("04-dot-product", link))
    assert ("notebooks/02-bahdanau#exercise-masked-softmax", "masked_softmax", "2.2") in needed
    assert {name for _, name, _ in needed} <= set(
        notebooks.imported(notebooks.ROOT / "notebooks" / "04-dot-product.ipynb")
    )
    given = head.given("04-dot-product", link)
    for name, exercise, later in notebooks.used_again():
        assert (f"<code>{name}</code>" in given) == (exercise.notebook == "04-dot-product")
        assert exercise.notebook != "04-dot-product" or all(f'href="notebooks/{stem}"' in given for stem in later)
    assert head.needed("00-warm-up", link) == "" and "<dt>Needs" not in head.head("00-warm-up", link)


@pytest.mark.parametrize("stem", STEMS)
def test_a_page_begins_with_its_question_and_leads_on_by_the_next_ones(built: Path, stem: str) -> None:
    page = (built / "notebooks" / f"{stem}.html").read_text("utf-8")
    article = page[page.index("<article") :]
    asked = article.index(f'<p class="chapter-asks">{escape(head.asks(stem))}</p>')
    assert article.index("<h1>") < asked < article.index("<h2>")
    assert (built / "_sources" / "notebooks" / f"{stem}.ipynb").is_file()
    assert f'href="../_sources/notebooks/{stem}.ipynb" download' in page
    beside = re.findall(
        r'<a class="(?:left-prev|right-next)"\s+href="([^"]+)".*?prev-next-title">(.*?)</p>', page, re.S
    )
    place = STEMS.index(stem)
    expected = [(f"{s}.html", f"{s[:2]}: {head.asks(s)}") for s in STEMS[max(place - 1, 0) : place + 2] if s != stem]
    assert set(expected) <= {(address, unescape(words)) for address, words in beside} and len(beside) == 2


def test_the_home_page_has_every_question(built: Path) -> None:
    home = unescape((built / "book" / "index.html").read_text("utf-8"))
    assert all(head.asks(stem) in home.replace("’", "'") for stem in STEMS)
