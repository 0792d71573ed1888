"""What keeps pages light and still: sizes of images, icons in use."""

from pathlib import Path

from theme import weight


def test_sizes_come_from_the_file(tmp_path: Path) -> None:
    (tmp_path / "a.svg").write_text('<svg xmlns="http://www.w3.org/2000/svg" width="72pt" height="36pt"/>')
    (tmp_path / "b.svg").write_text('<svg xmlns="http://www.w3.org/2000/svg" width="100%" viewBox="0 0 30 20"/>')
    (tmp_path / "c.png").write_text("not an image")
    assert [weight.size(tmp_path / name) for name in ("a.svg", "b.svg", "c.png")] == [(96, 48), (30, 20), None]


def test_icon_rules_give_their_characters() -> None:
    assert weight.characters(r"\f058") == {0xF058}
    assert weight.characters("\uf058") == {0xF058}


def test_no_page_fetches_the_script_of_tabs_and_none_has_any(built: Path) -> None:
    texts = [path.read_text("utf-8") for path in built.rglob("*.html")]
    assert texts and not [text for text in texts if "design-tabs.js" in text or "sd-tab-" in text]


def test_letters_of_equations_are_those_that_equations_show(tmp_path: Path) -> None:
    page = tmp_path / "page.html"
    drawn = '<span class="katex-html" aria-hidden="true"><span class="mord">α</span><svg><path d="M0"/></svg>∑</span>'
    page.write_text(f"<p>ü {drawn} ö <em>ß</em></p>", "utf-8")
    found = weight.in_equations([page])
    assert {ord(letter) for letter in "α∑ö"} <= found and not found & {ord(letter) for letter in "üß"}
    assert set(range(0x20, 0x7F)) <= found
