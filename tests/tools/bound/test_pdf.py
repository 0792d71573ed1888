"""The volume as one document, and as PDF: ids and links, outline, numbers of pages."""

import re
import shutil
import subprocess
from pathlib import Path

import pikepdf
import pytest
from lxml import html

from tools.bound import pdf
from tools.bound.pages import Volume


def test_pages_with_the_same_places_stand_in_one_document(bound: Volume) -> None:
    text = pdf.document(bound, "Title", "Subtitle")
    page = html.fromstring(text)
    ids = [element.get("id") for element in page.iter() if isinstance(element.tag, str) and element.get("id")]
    assert len(ids) == len(set(ids)) and {"notebooks-01-one--two", "notebooks-02-two--two"} <= set(ids)
    targets = re.findall(r'(?:href="#|url\(#)([^")]+)', text)
    assert len(targets) >= 6 and set(targets) <= set(ids)
    assert page.xpath("//nav//li/text()") == ["Chapters"]
    assert [link.text_content() for link in page.xpath("//nav//a")] == ["Home", "1. One x", "2. Two"]
    assert [link.get("href") for link in page.iter("link")] == [(bound.site / "_static" / "inks.css").as_uri()]


@pytest.mark.browser
def test_the_pdf_has_an_outline_links_and_a_page_for_each_part(bound: Volume, tmp_path: Path) -> None:
    if not any(map(shutil.which, pdf.CHROMIUM)):
        pytest.skip("there is no Chromium")
    pdf.write(bound, "Title", "Subtitle", tmp_path / "made" / "book.pdf")
    made = (tmp_path / "made" / "book.pdf").read_bytes()
    assert made.startswith(b"%PDF-") and b"/Outlines" in made and b"/Subtype /Link" in made
    assert len(re.findall(rb"/Type /Page\b", made)) == 6  # title, contents, home, the part, two chapters
    outline = re.findall(rb"/Title \(([^)]*)\)", made)
    assert {b"Contents", b"Chapters", b"2. Two", b"2.1 Part"} <= set(outline)
    with pikepdf.open(tmp_path / "made" / "book.pdf") as opened:
        contents = opened.pages[1].Contents
        last = contents[len(contents) - 1].read_bytes()  # home, and the chapters after the page of their part
        assert re.findall(rb"\((\d+)\) Tj", last) == [b"3", b"5", b"6"]


def test_what_chromium_says_is_said(bound: Volume, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pdf, "browser", lambda: "chromium")
    failed = subprocess.CompletedProcess([], 1, "", "no usable sandbox")
    monkeypatch.setattr(subprocess, "run", lambda *args, **options: failed)
    with pytest.raises(RuntimeError, match=r"ended with 1.*\n.*no usable sandbox"):
        pdf.write(bound, "Title", "Subtitle", tmp_path / "book.pdf")
    monkeypatch.undo()
    monkeypatch.setattr(shutil, "which", lambda name: None)
    with pytest.raises(FileNotFoundError, match="apt-get install chromium"):
        pdf.browser()
