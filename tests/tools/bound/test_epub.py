"""The EPUB, unpacked: well-formed, whole, every link with a target, and no control that nobody can use."""

import re
import zipfile
from pathlib import Path
from urllib.parse import unquote, urldefrag
from xml.etree import ElementTree

from tools.bound import epub
from tools.bound.pages import Volume

ABOUT = epub.About("A & B", ("Some authors",), "MIT", "2026-01-31T00:00:00Z")
OPF, DC = "{http://www.idpf.org/2007/opf}", "{http://purl.org/dc/elements/1.1/}"


def test_a_book_is_whole(bound: Volume, tmp_path: Path) -> None:
    epub.write(bound, ABOUT, tmp_path / "a.epub")
    check(tmp_path / "a.epub", pages=3)
    epub.write(bound, ABOUT, tmp_path / "b.epub")
    assert (tmp_path / "a.epub").read_bytes() == (tmp_path / "b.epub").read_bytes()


def check(path: Path, pages: int) -> None:
    """An EPUB's own structure: EPUB 3.3, sections 4 (container) and 5 (package)."""
    with zipfile.ZipFile(path) as archive:
        first = archive.infolist()[0]
        assert (first.filename, first.compress_type) == ("mimetype", zipfile.ZIP_STORED)
        assert archive.read(first) == b"application/epub+zip"
        container = ElementTree.fromstring(archive.read("META-INF/container.xml"))
        assert container.find(".//{*}rootfile").get("full-path") == "OEBPS/content.opf"
        package = ElementTree.fromstring(archive.read("OEBPS/content.opf"))
        files = {name.removeprefix("OEBPS/"): archive.read(name) for name in archive.namelist() if "OEBPS/" in name}
    items = {item.get("href"): item for item in package.iter(f"{OPF}item")}
    assert items.keys() == files.keys() - {"content.opf"} and len({i.get("id") for i in items.values()}) == len(items)
    spine = [reference.get("idref") for reference in package.iter(f"{OPF}itemref")]
    assert len(spine) == pages and set(spine) <= {item.get("id") for item in items.values()}
    assert [item.get("href") for item in items.values() if item.get("properties") == "nav"] == ["nav.xhtml"]
    assert package.find(f"{OPF}metadata/{DC}title").text and package.find(f"{OPF}metadata/{DC}identifier").text
    trees = {name: ElementTree.fromstring(text) for name, text in files.items() if name.endswith(".xhtml")}
    ids = {name: [e.get("id") for e in tree.iter() if e.get("id")] for name, tree in trees.items()}
    for name, tree in trees.items():
        assert len(ids[name]) == len(set(ids[name])), name
        spaces = {element.tag.partition("}")[0] for element in tree.iter()}
        said = (items[name].get("properties") or "").split()
        assert ("{http://www.w3.org/2000/svg" in spaces) == ("svg" in said), name
        assert ("{http://www.w3.org/1998/Math/MathML" in spaces) == ("mathml" in said), name
        for element in tree.iter():
            assert not re.search(r"\}(button|input|script|form)$|-", element.tag.rpartition("/")[2].partition("}")[2])
            for value in (element.get("href"), element.get("src")):
                target, place = urldefrag(value or "")
                if value and not re.match(r"[a-z]+:", value):
                    there = target or name
                    assert there in files, f"{name}: {value}"
                    assert not place or unquote(place) in ids[there], f"{name}: {value}"


def test_a_page_is_what_a_book_can_show(bound: Volume, tmp_path: Path) -> None:
    epub.write(bound, ABOUT, tmp_path / "a.epub")
    with zipfile.ZipFile(tmp_path / "a.epub") as archive:
        page = archive.read("OEBPS/notebooks-01-one.xhtml").decode()
        sheet = archive.read("OEBPS/inks.css").decode()
    assert "katex-html" not in page and "for a script" not in page and "Long_name" in page
    assert 'viewBox="0 0 9 9"' in page and "<clipPath" in page and 'href="book-index.xhtml"' in page
    assert sheet.startswith("html{ --ink-blue: #00f") and "#88f" not in sheet and "#00e" not in sheet
