"""Explorables that show one of many sections: right in their numbers, by keyboard, without script and on paper."""

import numpy as np
import pytest
from playwright.sync_api import Browser, Page

from course.figures import patch_cost, score_matrix
from solutions.dot_product import attention_matrix_bytes

# page: (sections, a choice to make by name, in the order of its groups)
PAGES = {
    "score-matrix": (len(score_matrix.sections()), ("1024", "over √d", "causal")),
    "patch-cost": (len(patch_cost.sections()), ("16×16",)),
}


def test_the_score_matrix_is_a_softmax_over_allowed_keys() -> None:
    assert score_matrix.sections()
    for section in score_matrix.sections():
        assert section["rows"]
        for t, row in enumerate(section["rows"]):
            weights = np.array(row["weights"])
            assert np.isclose(weights.sum(), 1) and (weights[row["allowed"] :] == 0).all()
            assert row["allowed"] == (t + 1 if section["mask"] == "causal" else score_matrix.LENGTH)
            assert 0 <= row["bits"] + 1e-9 and row["bits"] <= np.log2(row["allowed"]) + 1e-9


def test_unscaled_scores_saturate_with_width_and_scaled_ones_do_not() -> None:
    top = {section["choice"]: section["mean_top"] for section in score_matrix.sections()}
    assert top["4|as they are|none"] < top["64|as they are|none"] < top["1024|as they are|none"]
    assert abs(top["1024|over √d|none"] - top["4|over √d|none"]) < 0.15
    assert top["1024|over d|none"] < 1.1 / score_matrix.LENGTH


def test_patches_cost_what_chapter_04_says() -> None:
    fitting = [section for section in patch_cost.sections() if section["fits"]]
    assert fitting
    for section in fitting:
        assert section["tokens"] * section["patch"] ** 2 == patch_cost.HEIGHT * patch_cost.WIDTH
        ours = attention_matrix_bytes(section["tokens"], patch_cost.HEADS, patch_cost.LAYERS)
        assert patch_cost.score_bytes(section["tokens"]) == ours
    assert [section["choice"] for section in patch_cost.sections() if not section["fits"]] == ["20×20"]
    assert patch_cost.readable(1536 * 1024) == "1.5 MiB"


@pytest.fixture(params=PAGES)
def page(request: pytest.FixtureRequest, browser: Browser, address: str):
    opened = browser.new_page()
    opened.goto(f"{address}book/{request.param}.html")
    opened.name_of_page = request.param
    yield opened
    opened.close()


@pytest.mark.browser
def test_a_choice_by_keyboard_shows_its_section(page: Page) -> None:
    count, names = PAGES[page.name_of_page]
    for group, name in zip(page.locator("choose-section fieldset").all(), names, strict=True):
        group.get_by_role("radio").first.focus()
        while not group.get_by_role("radio", name=name, exact=True).is_checked():
            page.keyboard.press("ArrowRight")
    source = page.locator(f'choose-section > section[data-choice="{"|".join(names)}"]')
    said = source.locator(".says").text_content()
    assert page.get_by_role("status").inner_text().split() == said.split()
    texts = page.locator("choose-section > .live :is(td, figcaption)").all_text_contents()
    assert texts == source.locator(":is(td, figcaption)").all_text_contents()
    assert page.locator("choose-section > section").count() == count and not source.is_visible()


@pytest.mark.browser
def test_every_section_on_paper(page: Page) -> None:
    page.emulate_media(media="print")
    count, _ = PAGES[page.name_of_page]
    assert [section.is_visible() for section in page.locator("choose-section > section").all()] == [True] * count
    assert not page.locator("choose-section > .live").is_visible()


@pytest.mark.browser
@pytest.mark.parametrize("name", PAGES)
def test_whole_without_script(static: Page, address: str, name: str) -> None:
    static.goto(f"{address}book/{name}.html")
    sections = static.locator("choose-section > section").all()
    assert len(sections) == PAGES[name][0] and all(section.is_visible() for section in sections)
