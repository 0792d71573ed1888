"""The site's articles in their order, and links that stay within the volume."""

from pathlib import Path

import pytest

from tools.bound import pages


def test_a_volume_has_the_pages_that_were_built(bound: pages.Volume) -> None:
    assert [(part.caption, part.names) for part in bound.parts] == [
        ("", ["book/index"]),
        ("Chapters", ["notebooks/01-one", "notebooks/02-two"]),
    ]


def test_without_a_book_it_says_what_to_do(tmp_path: Path) -> None:
    (tmp_path / "_toc.yml").write_text("root: book/index\nparts:\n- caption: A\n  chapters:\n  - file: book/a\n")
    with pytest.raises(ValueError, match="run `make book` first"):
        pages.volume(tmp_path, tmp_path / "_toc.yml")


def test_an_article_has_no_hints_and_its_title_is_read_once(bound: pages.Volume) -> None:
    article = bound.article("notebooks/01-one")
    assert "a hint" not in article.text_content() and bound.title(article) == "1. One x"
    assert bound.title(bound.article("book/index")) == "Home"
    (bound.site / "book" / "index.html").write_text("<p>cut off")
    with pytest.raises(ValueError, match=r"book/index\.html has 0 articles"):
        bound.article("book/index")


def test_links_lead_within_the_volume_or_become_words(bound: pages.Volume) -> None:
    article = bound.article("book/index")
    pages.relink(article, "book/index", lambda path, place: f"{path}|{place}" if path.startswith("notebooks") else None)
    links = {link.text_content(): link.get("href") for link in article.iter("a")}
    assert links == {"a section": "notebooks/01-one.html|two", "search": None, "elsewhere": "https://example.org/"}
    picture = bound.article("notebooks/01-one")
    with pytest.raises(ValueError, match=r"01-one\.html shows .*"):
        pages.relink(picture, "notebooks/01-one", lambda path, place: None)
