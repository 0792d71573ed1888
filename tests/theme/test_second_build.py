"""A second build over a first one: it knows its addresses and leaves the solutions out."""

import re
import shutil
from pathlib import Path

import pytest
from PIL import Image

from theme.contents import PAGES


@pytest.fixture(scope="module")
def published(tmp_path_factory: pytest.TempPathFactory, built: Path, build_book) -> Path:
    output = tmp_path_factory.mktemp("published")
    shutil.copytree(built.parent, output / "_build")
    return build_book(
        output,
        COURSE_REPOSITORY="https://github.com/owner/course",
        COURSE_BRANCH="term",
        COURSE_SITE="https://owner.github.io/course",
        COURSE_SOLUTIONS="no",
        COURSE_PACKAGE="https://owner.github.io/course/attention_from_scratch_course-1.0-py3-none-any.whl",
    )


def test_chapters_have_launch_buttons_and_pages_lead_to_their_source(published: Path) -> None:
    chapter = (published / "notebooks" / "02-bahdanau.html").read_text("utf-8")
    assert "https://colab.research.google.com/github/owner/course/blob/published/notebooks/02-bahdanau.ipynb" in chapter
    assert "https://mybinder.org/v2/gh/owner/course/term?urlpath=lab/tree/notebooks/02-bahdanau.ipynb" in chapter
    assert "https://github.com/owner/course/edit/term/notebooks/02-bahdanau.ipynb" in chapter


def test_an_exercise_opens_in_jupyterlab_and_leads_to_no_solution(published: Path) -> None:
    chapter = (published / "notebooks" / "02-bahdanau.html").read_text("utf-8")
    hub = "https://mybinder.org/v2/gh/owner/course/term?urlpath=lab/tree/notebooks/02-bahdanau.ipynb"
    assert chapter.count(f'<a class="solve" href="{hub}">Solve it in JupyterLab</a>') == chapter.count("exercise-foot")
    assert "Hint 1</summary>" in chapter and "The solution of" not in chapter and PAGES not in chapter


def test_the_set_up_says_where_to_clone_from(built: Path, published: Path) -> None:
    def commands(html: Path) -> str:
        return re.sub(r"<[^>]+>", "", (html / "book" / "start" / "set-up.html").read_text("utf-8"))

    assert "git clone https://github.com/owner/course attention-from-scratch" in commands(published)
    assert "git clone " in commands(built)


def test_there_are_a_sitemap_and_previews(published: Path) -> None:
    sitemap = (published / "sitemap.xml").read_text("utf-8")
    assert "https://owner.github.io/course/book/index.html" in sitemap
    assert 'property="og:title"' in (published / "book" / "index.html").read_text("utf-8")


def test_every_page_has_a_card_of_its_own(published: Path) -> None:
    cards = {}
    for name in ("book/index", "notebooks/02-bahdanau", "notebooks/07-language-model"):
        page = (published / f"{name}.html").read_text("utf-8")
        address = re.search(r'property="og:image" content="https://owner\.github\.io/course/([^"]+\.png)"', page)[1]
        with Image.open(published / address) as card:
            assert card.width >= 1000 and card.width > 1.5 * card.height
        cards[name] = (published / address).read_bytes()
    assert len(set(cards.values())) == 3


def test_the_page_of_missing_pages_points_into_the_site_from_any_depth(built: Path, published: Path) -> None:
    for html, prefix in ((built, "/"), (published, "/course/")):
        page = (html / "404.html").read_text("utf-8")
        assert "There is no page at this address" in page
        urls = re.findall(r"""(?:href|src)="([^"]*)\"""", page)
        within = [url for url in urls if not re.match(r"#|[a-z]+:", url)]
        assert within and not [url for url in within if not url.startswith(prefix)]
        lost = [url for url in within if not (html / re.sub(r"[?#].*", "", url).removeprefix(prefix)).is_file()]
        assert not lost
    assert "404.html" not in (published / "sitemap.xml").read_text("utf-8")


def test_no_solution_is_published(published: Path) -> None:
    assert not list(published.glob(f"{PAGES}*.html")) and not list(published.glob(f"_sources/{PAGES}*"))
    searched = [path.read_text("utf-8") for path in (published / "_static/search").glob("*.js")]
    assert searched and not [text for text in searched if PAGES in text]


def test_still_nothing_is_fetched_from_elsewhere(published: Path) -> None:
    pages = list(published.rglob("*.html"))
    assert pages
    for page in pages:
        tags = re.findall(r"<(?:script|img|iframe)\b[^>]*src=\"https?://[^>]*>", page.read_text("utf-8"))
        assert not tags, page


def test_a_solution_page_of_an_earlier_build_is_taken_away(built: Path, published: Path) -> None:
    assert list(built.glob(f"{PAGES}*.html")) and list(built.glob(f"_sources/{PAGES}*"))
    assert not list(published.glob(f"{PAGES}*.html")) and not list(published.glob(f"_sources/{PAGES}*"))
    assert (published / "book" / "index.html").is_file() and (published / "notebooks" / "00-warm-up.html").is_file()
