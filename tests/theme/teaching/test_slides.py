"""A chapter's slides: its questions before their answers, its figures, its tables; on a screen and on paper."""

import re
from importlib.resources import files
from io import BytesIO
from pathlib import Path
from urllib.parse import unquote, urldefrag, urljoin, urlparse

import pikepdf
import pytest
from lxml import html
from playwright.sync_api import Browser

from course.exercises import exercises
from theme import figures
from theme.teaching import slides

ROOT = Path(__file__).resolve().parents[3]
STEMS = list(dict.fromkeys(e.notebook for e in exercises()))
PAGE = """<html><body><article class="bd-article"><section id="top"><h1>4. Attention<a class="headerlink">#</a></h1>
<p><strong>What you will be able to do</strong></p><ul><li>attend;</li></ul>
<section id="why"><h2>4.1 Why?<a class="headerlink">#</a></h2>
<p>It is <em>odd. Is it?</em> Three runs follow. Which is best? (Look.)</p>
<div class="cell"><div class="cell_input"><table><tr><td>code</td></tr></table></div><div class="cell_output">
<details class="guess"><summary>show</summary><div><pre>1 &lt; 2\n</pre></div></details></div></div>
<p>No question.</p><div class="cell"><table><thead><tr><th>model</th></tr></thead><tr><td>a</td></tr></table></div>
<section id="q"><h3>Question 4.q1</h3><p><strong>Which?</strong></p><ul><li>a</li></ul>
<div class="exercise-card"><table><tr><td>no</td></tr></table></div>
<p>Odd? How many? See <a href="#why">why</a>. Guess a number. How small?</p>
<div class="cell"><table><tr><td>after</td></tr></table></div></section>
</section></section></article></body></html>"""


def read(markup: str) -> list[tuple[str, str]]:
    """Each slide's heading and words."""
    found = []
    for slide in html.fromstring(markup).xpath("//section[contains(@class, 'slide')]"):
        heading = slide.xpath("./h1 | ./h2")[0]
        heading.drop_tree()
        found.append((slides.text(heading), slides.text(slide)))
    return found


def test_what_is_asked_comes_before_its_answer_and_nothing_from_a_card(tmp_path: Path) -> None:
    page = tmp_path / "page.html"
    page.write_text(PAGE, "utf-8")
    made = slides.deck("04-dot-product", page)
    assert read(made)[1:-1] == [
        ("What you will be able to do", "attend;"),
        ("4.1 Why?", "It is odd. Is it? Three runs follow.(Look.)Which is best?"),
        ("4.1 Why?", "1 < 2"),
        ("4.1 Why?", "modela"),
        ("Question 4.q1", "Which?a"),
        ("4.1 Why?", "Odd? How many? See why.Guess a number. How small?"),
        ("4.1 Why?", "after"),
    ]
    assert 'href="../notebooks/04-dot-product.html#why"' in made and 'href="#' not in made


def test_a_page_without_an_article_is_refused(tmp_path: Path) -> None:
    (tmp_path / "page.html").write_text("<html><body><p>None.</p></body></html>")
    with pytest.raises(ValueError, match="0 articles"):
        slides.deck("04-dot-product", tmp_path / "page.html")


@pytest.mark.parametrize("stem", STEMS)
def test_a_deck_has_each_figure_of_its_chapter_and_links_that_lead_somewhere(built: Path, stem: str) -> None:
    markup = (built / f"slides/{stem}.html").read_text("utf-8")
    own = [number for number, page in figures.pages(ROOT / "notebooks").items() if page == f"notebooks/{stem}"]
    assert all(f"Figure {a}.{b}: " in markup for a, b in own)
    assert "exercise-card" not in markup and "raise NotImplementedError" not in markup
    for url in re.findall(r'(?:href|src)="([^"#][^"]*)"', markup):
        if not urlparse(url).scheme:
            path, fragment = urldefrag(urljoin(f"/slides/{stem}.html", url))
            target = built / unquote(path).lstrip("/")
            assert target.is_file(), url
            assert not fragment or f'id="{unquote(fragment)}"' in target.read_text("utf-8"), url


@pytest.mark.browser
def test_a_deck_on_a_screen_by_keyboard_and_on_paper(browser: Browser, address: str) -> None:
    page = browser.new_page(viewport={"width": 1280, "height": 720})
    asked, said = [], []
    page.on("request", lambda request: asked.append(request.url))
    page.on("console", lambda message: said.append(message.text))
    axe = files("axe_playwright_python").joinpath("axe.min.js").read_text("utf-8")
    for stem in STEMS:
        page.goto(f"{address}slides/{stem}.html")
        page.evaluate("() => document.fonts.ready")
        over = """() => [...document.querySelectorAll('.slide')].filter(slide =>
          slide.scrollWidth > slide.clientWidth || slide.scrollHeight > slide.clientHeight).map(slide => slide.id)"""
        assert page.evaluate(over) == [], f"{stem}: what stands on these slides is larger than they are"
    page.keyboard.press("End")
    count = page.locator(".slide").count()
    assert page.url.endswith(f"#slide-{count}")
    page.keyboard.press("ArrowLeft")
    assert page.url.endswith(f"#slide-{count - 1}")
    page.evaluate(axe)
    found = page.evaluate(
        "() => axe.run({ resultTypes: ['violations'] }).then(found => found.violations.map(v => v.id))"
    )
    assert found == []
    with pikepdf.open(BytesIO(page.pdf(prefer_css_page_size=True))) as pdf:
        assert len(pdf.pages) == count
    host = urlparse(address).netloc
    assert not said and not [url for url in asked if urlparse(url).netloc != host]
    page.close()
