"""How to cite: BibTeX that says what CITATION.cff says, for the book and each chapter, and a link from each chapter."""

import re
from html import unescape
from pathlib import Path

import yaml
from pybtex.database import parse_string

from theme import cite, notebooks

CFF = yaml.safe_load(cite.SOURCE.read_text("utf-8"))


def test_the_entries_are_bibtex_and_say_what_is_known() -> None:
    text = (
        cite.book(CFF, "2026", None) + "\n" + cite.chapter(CFF, "2026", "https://x.org/c/", "04-dot-product", "Title")
    )
    found = parse_string(text, "bibtex").entries
    book, chapter = found["attention-from-scratch"], found["attention-from-scratch-04"]
    assert book.type == "book" and "url" not in book.fields and book.fields["title"] == CFF["title"]
    assert chapter.fields["booktitle"] == CFF["title"] and chapter.fields["chapter"] == "4"
    assert chapter.fields["url"] == "https://x.org/c/notebooks/04-dot-product.html"
    for each in (book, chapter):  # a group's name is one name, not given names and a family's
        (author,) = each.persons["author"]
        assert author.last_names == [f"{{{CFF['authors'][0]['name']}}}"] and not author.first_names


def test_people_are_cited_by_family_and_given_name() -> None:
    people = {"authors": [{"family-names": "Lovelace", "given-names": "Ada"}, {"name": "A group"}]}
    assert cite.authors(people) == "Lovelace, Ada and {A group}"


def test_every_chapter_has_an_entry_and_leads_to_it(built: Path) -> None:
    page = unescape(re.sub(r"</?span[^>]*>", "", (built / "book" / "cite.html").read_text("utf-8")))
    assert "@book{attention-from-scratch," in page
    for stem, title in notebooks.titles().items():
        fold = page[page.index(f'<details class="fold" id="cite-{stem[:2]}">') :].split("</details>")[0]
        assert f"{stem[:2]} {title}</summary>" in fold and f"attention-from-scratch-{stem[:2]}," in fold
        assert f'href="../book/cite.html#cite-{stem[:2]}"' in (built / "notebooks" / f"{stem}.html").read_text("utf-8")
