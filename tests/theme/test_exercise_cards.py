"""Exercises are cards: their hints folded below them, and a link to the solution, never the solution itself."""

import re
from html import unescape
from pathlib import Path

import pytest
from playwright.sync_api import Page

from course.chapters import chapter
from course.exercises import exercises
from theme import exercise_cards
from theme.exercises import place

STEMS = list(dict.fromkeys(e.notebook for e in exercises()))


def test_the_section_of_an_exercise_is_found_by_its_number() -> None:
    slugs = {"41-a": (1, "a", "4.1 A"), "410-b": (2, "b", "4.10† B"), "the-rest": (3, "the-rest", "The rest")}
    assert [exercise_cards.section(slugs, number) for number in ("4.1", "4.10", "4.2")] == ["a", "b", ""]


@pytest.mark.parametrize("stem", STEMS)
def test_every_exercise_is_a_card_with_its_hints_and_its_solution(built: Path, stem: str) -> None:
    page = (built / "notebooks" / f"{stem}.html").read_text("utf-8")
    cards = page.split('<div class="exercise-card')[1:]
    listed = {place(e.name): e for e in exercises() if e.notebook == stem}
    assert len(cards) == len(listed)
    solutions = (built / "book" / "solutions" / f"{stem}.html").read_text("utf-8")
    for card in cards:
        exercise = listed[re.search(r'class="exercise-banner" id="([^"]+)"', card)[1]]
        foot = card[: card.index("</div>", card.index('class="exercise-foot"'))]
        assert "exercise-answer" in foot and "exercise-check" in foot, exercise.number
        shown = [unescape(re.sub(r"<[^>]+>", "", text)) for text in re.findall(r"Hint \d</summary><p>(.*?)</p>", foot)]
        told = chapter(exercise.chapter)["hints"].get(exercise.name, [])
        assert shown == [text.replace("`", "") for text in told] and len(told) == (0 if exercise.question else 3)
        address = re.search(r'href="\.\./book/solutions/([\w-]+)\.html(?:#([^"]+))?">The solution of ([\w.]+)<', foot)
        assert address[1] == stem and address[3] == exercise.number
        assert exercise.question or f'id="{address[2]}"' in solutions, exercise.number


@pytest.mark.browser
def test_a_hint_opens_by_keyboard_without_a_script_and_is_not_printed(static: Page, address: str) -> None:
    static.goto(f"{address}notebooks/04-dot-product.html")
    first = static.locator(".exercise-foot details.hint").first
    assert not first.locator("p").is_visible()
    first.locator("summary").press("Enter")
    assert first.locator("p").is_visible()
    static.emulate_media(media="print")
    assert static.locator(".exercise-banner").first.is_visible() and not first.is_visible()
