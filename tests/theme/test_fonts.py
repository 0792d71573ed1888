"""The letters of the site: each style there, cut to what pages show, free to be passed on under its own name."""

import re
from pathlib import Path

import pytest
from fontTools.ttLib import TTFont
from playwright.sync_api import Browser

from theme import fonts

SHEET = (Path(fonts.__file__).parent / "static" / "course.css").read_text("utf-8")
SIGNS = {ord(sign) for sign in "×−’“”→≤≥é"}


@pytest.fixture(scope="module")
def cut(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("fonts")
    fonts.write(folder, fonts.ASCII | SIGNS | {ord("漢")})  # the last is in none of them, and fails nothing
    return folder


def test_the_style_sheet_names_each_style_that_is_cut(cut: Path) -> None:
    named = re.findall(r"url\(fonts/([\w-]+\.woff2)\)", SHEET)
    assert sorted(named) == sorted(f"{style}.woff2" for style in fonts.STYLES)
    assert {path.name for path in cut.glob("*.woff2")} == set(named)
    assert SHEET.count("font-display: swap") == len(named)


@pytest.mark.parametrize("style", fonts.STYLES)
def test_a_style_holds_what_was_asked_for_and_no_more(cut: Path, style: str) -> None:
    path = cut / f"{style}.woff2"
    with TTFont(path) as font:
        missing = {ord("→")} if "italic" in style else set()  # which the italics lack
        assert set(font.getBestCmap()) == fonts.ASCII | SIGNS - missing
        names = {number: font["name"].getDebugName(number) or "" for number in (0, 1, 4, 6)}
    assert path.stat().st_size < 16_000
    assert "Adobe" in names[0] and "Source" not in names[1] + names[4] + names[6]


def test_the_licenses_lie_beside_them(cut: Path) -> None:
    for kind in fonts.PACKAGES:
        text = (cut / f"{kind}-LICENSE.txt").read_text("utf-8")
        assert "SIL OPEN FONT LICENSE" in text and "Reserved Font Name 'Source'" in text


@pytest.mark.browser
def test_prose_headings_and_menus_are_in_their_letters(browser: Browser, address: str) -> None:
    page = browser.new_page(viewport={"width": 1280, "height": 900})
    page.goto(f"{address}notebooks/04-dot-product.html")
    loaded = page.evaluate("""async () => {
      await document.fonts.ready;
      const faces = [...document.fonts].filter(face => face.status === 'loaded' && face.family.includes('Course'));
      return faces.map(face => `${face.family.replaceAll('"', '')} ${face.style}`);
    }""")
    assert {"Course Serif normal", "Course Serif italic", "Course Sans normal"} <= set(loaded)
    first = "element => getComputedStyle(element).fontFamily.split(',')[0].replaceAll('\"', '')"
    for selector, family in ((".chapter-head ~ p", "Serif"), ("h1", "Sans"), ("h2", "Sans"), ("figcaption", "Sans")):
        assert page.locator(f"article {selector}").first.evaluate(first) == f"Course {family}", selector
    assert page.locator(".bd-sidebar-primary").evaluate(first) == "Course Sans"
    page.close()
