"""The whole built site as an EPUB and as one document: every page is in both, and every link leads somewhere.

Pages link to the two files where their address is known, and nowhere else.
"""

import re
import zipfile
from pathlib import Path
from urllib.parse import unquote, urldefrag
from xml.etree import ElementTree

import pytest

from theme import head, volume
from tools.bound import epub, pages, pdf

ROOT = Path(__file__).resolve().parents[2]
HERE = re.compile(r"(?![a-z]+:)(.*)", re.DOTALL)  # no address of another site


@pytest.fixture(scope="module")
def bound(built: Path) -> pages.Volume:
    return pages.volume(built, ROOT / "_toc.yml")


def test_every_page_is_in_the_epub_and_its_links_have_targets(bound: pages.Volume, tmp_path: Path) -> None:
    epub.write(bound, epub.About("Title", ("Authors",), "MIT", "2026-01-31T00:00:00Z"), tmp_path / "book.epub")
    with zipfile.ZipFile(tmp_path / "book.epub") as archive:
        files = set(archive.namelist())
        trees = {name: ElementTree.fromstring(archive.read(name)) for name in files if name.endswith(".xhtml")}
    assert trees.keys() == {f"OEBPS/{epub.file_of(name)}" for name in bound.names} | {"OEBPS/nav.xhtml"}
    ids = {name: {element.get("id") for element in tree.iter()} for name, tree in trees.items()}
    for name, tree in trees.items():
        for element in tree.iter():
            for value in filter(HERE.match, filter(None, (element.get("href"), element.get("src")))):
                target, place = urldefrag(value)
                there = f"OEBPS/{target}" if target else name
                assert there in files and (not place or unquote(place) in ids[there]), f"{name}: {value}"


def test_every_page_is_in_the_document_of_the_pdf_and_no_place_twice(bound: pages.Volume) -> None:
    text = pdf.document(bound, "Title", "Subtitle")
    ids = re.findall(r'\sid="([^"]+)"', text)
    assert len(ids) == len(set(ids)) and {f"{pdf.slug(name)}--" for name in bound.names} <= set(ids)
    targets = {unquote(place) for place in re.findall(r'\s(?:xlink:)?href="#([^"]+)"', text)}
    assert len(targets) > 1000 and not targets - set(ids)


def link(page: str, fragment: str) -> str:
    return f"{page}#{fragment}"


@pytest.mark.parametrize("said", ["https://example.org/course/volume", " https://example.org/course/volume/ "])
def test_both_files_are_linked_where_their_folder_is_known(said: str) -> None:
    links = volume.links(volume.folder({"COURSE_VOLUME": said}))
    for kind in ("pdf", "epub"):
        assert f'href="https://example.org/course/volume/attention-from-scratch.{kind}"' in links
    assert links in head.head("02-bahdanau", link, links)


def test_without_a_folder_there_is_no_link() -> None:
    assert volume.links(volume.folder({})) == "" == volume.folder({"COURSE_VOLUME": " "})
    assert volume.CLASS not in head.head("02-bahdanau", link)


def test_without_a_folder_the_home_page_says_how_to_make_them_and_they_do_not(bound: pages.Volume) -> None:
    page = (bound.site / "book" / "index.html").read_text("utf-8")
    assert "<code>make book-all</code>" in page and "attention-from-scratch.pdf" not in page
    assert "make book-all" not in bound.article("book/index").text_content()
