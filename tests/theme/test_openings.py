"""A chapter's opening figure asks by numbers that were measured, and does not tell what it asks."""

import json
import re
from pathlib import Path
from xml.etree import ElementTree

import pytest
from docutils.utils import new_document
from playwright.sync_api import Browser

from course import committed
from course.exercises import exercises
from theme import head, openings
from theme.openings import chapters, marks

ROOT = Path(__file__).resolve().parents[2]
STEMS = list(dict.fromkeys(e.notebook for e in exercises()))
MOST = 4000  # bytes of a drawing
# What the section that answers draws or reads.
ANSWERS = {
    "00-warm-up": "# Figure 0.1:",
    "01-seq2seq": "seq2seq_numbers",
    "02-bahdanau": "changed_without_top",
    "03-captioning": "Shuffle",
    "04-dot-product": "dot_product_scale",
    "05-multi-head": "multi_head_pair",
    "06-transformer": "transformer_parts",
    "07-language-model": "next-character.md",
    "08-vit": "vit_tokens",
    "09-cuda": "µs for one addition",
    "10-scale": "scale_resume",
}


def test_every_chapter_has_one_that_is_small_asks_and_says_what_it_shows() -> None:
    assert list(chapters.OPENINGS) == STEMS
    for stem in STEMS:
        asks = chapters.OPENINGS[stem]()
        assert asks.question.endswith("?") and asks.section.split(".")[0] == str(int(stem[:2])), stem
        root = ElementTree.fromstring(asks.drawing)
        assert root.get("aria-label") and len(asks.drawing) < MOST, stem
        assert stem == "00-warm-up" or ">?</text>" in asks.drawing, stem


@pytest.mark.parametrize("stem", STEMS)
def test_the_section_that_it_leads_to_answers(stem: str) -> None:
    cells = json.loads((ROOT / "notebooks" / f"{stem}.ipynb").read_text("utf-8"))["cells"]
    text = "\n".join("".join(cell["source"]) for cell in cells)
    of_section = {part.split(" ")[0]: part for part in text.split("\n## ")}
    assert ANSWERS[stem] in of_section[chapters.OPENINGS[stem]().section]


@pytest.mark.parametrize(
    ("stem", "name", "kept"),
    [
        ("04-dot-product", "dot_product_scale", {"scale": "1/sqrt(d)", "step": 20}),
        ("06-transformer", "transformer_parts", {"task": "reverse", "left_out": "nothing", "step": 200}),
    ],
)
def test_what_it_shows_changes_with_the_results_and_the_answer_is_not_in_it(
    stem: str, name: str, kept: dict, monkeypatch: pytest.MonkeyPatch
) -> None:
    result = json.loads(json.dumps(committed.read(name)))
    monkeypatch.setattr(committed, "read", lambda asked: result)
    key = "accuracy" if stem[:2] == "04" else "right"
    for record in result["records"]:
        is_shown = all(record[of] == value for of, value in kept.items())
        record[key] = 0.4321 if is_shown else 0.1234
    asks = chapters.OPENINGS[stem]()
    assert "0.43" in asks.drawing and "0.43" in asks.question
    assert "0.12" not in asks.drawing + asks.question


def test_a_figure_that_leads_nowhere_or_draws_on_nothing_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(ValueError, match=r"04-dot-product leads to section 4\.4: there are 4\.1"):
        openings.figure("04-dot-product", {"4.1": "a"})
    with pytest.raises(ValueError, match=r"no cell with '# Figure 9\.9:' stores image/svg"):
        chapters.stored("00-warm-up", "# Figure 9.9:", "image/svg+xml")
    assert openings.figure("12-nothing", {}) == ""
    warned: list[tuple] = []
    monkeypatch.setattr(head.logger, "warning", lambda *said, **about: warned.append(said))
    assert head.opened("04-dot-product", new_document("")) == "" and "section 4.4" in str(warned[0][1])


def test_a_bar_is_as_long_as_its_value_and_a_question_says_nothing_by_its_length() -> None:
    drawn, end = marks.bars([("a", 1.0), ("b", 0.25), ("c", None), ("d & e", None)])
    wide = [float(width) for width in re.findall(r'width="([\d.]+)"', drawn)]
    assert wide[0] == 4 * wide[1] and wide[2] == wide[3] and end == 4 * marks.ROW
    assert "d &amp; e" in drawn and drawn.count(">?</text>") == 2
    assert marks.in_words([("a", 1.0), ("c", None)]) == "a, 1.00; c, not shown"


@pytest.mark.parametrize("stem", STEMS)
def test_it_stands_at_the_top_and_leads_to_its_section(built: Path, stem: str) -> None:
    page = (built / "notebooks" / f"{stem}.html").read_text("utf-8")
    article = page[page.index("<article") :]
    figure = article[article.index('<figure class="opening">') :]
    goals = article.index("What you will be able to do")
    assert article.index("<h1>") < article.index(figure) < goals < article.index("<h2>")
    place = re.search(r'<a href="#([^"]+)">section ([\d.]+)</a>', figure)
    assert re.search(rf'<section[^>]* id="{place[1]}">\s*(<span[^>]*></span>)?\s*<h2>{re.escape(place[2])} ', page)


@pytest.mark.browser
def test_it_fits_a_small_phone(browser: Browser, address: str) -> None:
    page = browser.new_page(viewport={"width": 320, "height": 700})
    for stem in ("02-bahdanau", "08-vit"):
        page.goto(f"{address}notebooks/{stem}.html")
        box = page.locator(".opening svg").bounding_box()
        assert box and box["x"] >= 0 and box["x"] + box["width"] <= 320
        edges = page.locator(".opening svg").evaluate(
            "svg => [...svg.querySelectorAll('text')].map(text => text.getBoundingClientRect().right)"
        )
        assert max(edges) <= 320, stem
    page.close()
