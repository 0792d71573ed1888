"""The extension's own decisions, without a build: addresses, the table of contents, banners, images, equations."""

import re
from pathlib import Path

import pytest
from sphinx.errors import ExtensionError

from theme import address, alt_text, contents, exercises, inline_svg, katex, math, weight


@pytest.mark.parametrize(
    ("remote", "expected"),
    [
        ("https://github.com/owner/course.git", "https://github.com/owner/course"),
        ("https://user:secret@github.com/owner/course", "https://github.com/owner/course"),
        ("git@github.com:owner/course.git", "https://github.com/owner/course"),
        ("ssh://git@gitlab.com:22/group/sub/course.git", "https://gitlab.com/group/sub/course"),
        ("/home/me/course", None),
        ("../course.git", None),
        ("https://git.example.org/owner/course", None),
        ("", None),
    ],
)
def test_web_address_of_a_remote(remote: str, expected: str | None) -> None:
    assert address.web_address(remote) == expected


def test_the_most_explicit_address_wins(tmp_path: Path) -> None:
    named = {"COURSE_REPOSITORY": "https://git.example.org/a/b.git", "GITHUB_REPOSITORY": "owner/course"}
    assert address.repository(tmp_path, named) == "https://git.example.org/a/b"
    assert address.repository(tmp_path, {"GITHUB_REPOSITORY": "owner/course"}) == "https://github.com/owner/course"
    assert address.repository(tmp_path, {}) is None
    assert address.branch(tmp_path, {"GITHUB_REF_NAME": "term-2"}) == "term-2"
    assert address.branch(tmp_path, {}) == "main"


def test_site_ends_in_one_slash() -> None:
    assert address.site({"COURSE_SITE": "https://example.org/course"}) == "https://example.org/course/"
    assert address.site({"COURSE_SITE": "https://example.org/course//"}) == "https://example.org/course/"
    assert address.site({}) is None


TABLE = {
    "root": "book/index",
    "parts": [
        {"caption": "Chapters", "chapters": [{"file": "notebooks/02-bahdanau"}]},
        {
            "caption": "Solutions",
            "chapters": [{"file": "book/solutions/index"}, {"file": "book/solutions/02-bahdanau"}],
        },
    ],
}


def test_a_solution_page_needs_its_module(tmp_path: Path) -> None:
    assert contents.module_of("book/solutions/00-warm-up") == "warm_up"
    assert contents.pages(contents.pruned(TABLE, tmp_path, wanted=True))[-1] == "book/solutions/index"
    (tmp_path / "solutions").mkdir()
    (tmp_path / "solutions" / "bahdanau.py").touch()
    assert contents.pruned(TABLE, tmp_path, wanted=True) == TABLE


def test_without_solutions_their_part_is_gone(tmp_path: Path) -> None:
    chosen = contents.pruned(TABLE, tmp_path, wanted=False)
    assert [part["caption"] for part in chosen["parts"]] == ["Chapters"]
    assert contents.pages(chosen) == ["book/index", "notebooks/02-bahdanau"]


def test_an_exercise_says_what_it_asks() -> None:
    course = {"difficulty": 2, "importance": 5, "minutes": 15, "stretch": True}
    asked = ["3 points", "difficulty 2 of 5", "importance 5 of 5", "about 15 minutes", "stretch"]
    assert exercises.facts(course, {"points": 3}) == asked
    assert exercises.facts({"minutes": 1, "stretch": False}, {"points": 1}) == ["1 point", "about 1 minute"]


def test_a_file_name_is_no_description() -> None:
    assert not alt_text.describes("", "figures/loss.svg")
    assert not alt_text.describes("figures/loss.svg", "figures/loss.svg")
    assert not alt_text.describes("../loss.svg", "figures/loss.svg")
    assert alt_text.describes("The loss falls for fifty steps.", "figures/loss.svg")


def test_an_inline_drawing_reaches_out_of_nothing() -> None:
    assert 'aria-label="a &quot;box&quot;"' in inline_svg.opened("<svg><g/></svg>", 'a "box"')
    for svg in ("<svg><script/></svg>", "<svg><style/></svg>", '<svg><a href="x"/></svg>', "<p/>"):
        with pytest.raises(ValueError):
            inline_svg.opened(svg, "a box")


def test_an_equation_that_cannot_be_read_says_why() -> None:
    assert 'class="katex' in math.render(r"\alpha_{tj}", display=False)
    with pytest.raises(ValueError, match="KaTeX parse error"):
        math.render(r"\frac{1}", display=True)


def test_katex_comes_whole_from_its_packages(tmp_path: Path) -> None:
    katex.write(tmp_path)
    text = (tmp_path / "katex.css").read_text("utf-8")
    assert ".katex{font:" in text and ".katex .mfrac" in text
    assert "${" not in text and "truetype" not in text  # nothing of the script that the styles stood in
    named = set(re.findall(r"url\(fonts/([\w-]+\.woff2)\)", text))
    assert named == {path.name for path in (tmp_path / "fonts").iterdir()}
    assert {f"KaTeX_{face}.woff2" for face in ("Main-Regular", "Math-Italic", "Size1-Regular", "AMS-Regular")} <= named
    assert "MIT License" in (tmp_path / "LICENSE").read_text("utf-8")


def test_a_script_and_styles_of_two_katexes_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(katex, "script", lambda: 'version:"0.19.1"')
    with pytest.raises(ExtensionError, match=r"a script of KaTeX 0\.19\.1 \(.+\) with styles of [\d.]+ \(.+\)"):
        katex.styles()


def test_white_space_that_means_something_stays() -> None:
    css = '/* a */\n.a > .b .c:not(.d) ,\n.e {\n  margin: 0 auto !important;\n  content: "x";\n}\n'
    assert katex.minified(css) == '.a>.b .c:not(.d),.e{margin:0 auto!important;content:"x"}'


def test_sizes_come_from_the_file(tmp_path: Path) -> None:
    (tmp_path / "a.svg").write_text('<svg xmlns="http://www.w3.org/2000/svg" width="72pt" height="36pt"/>')
    (tmp_path / "b.svg").write_text('<svg xmlns="http://www.w3.org/2000/svg" width="100%" viewBox="0 0 30 20"/>')
    (tmp_path / "c.png").write_text("not an image")
    assert [weight.size(tmp_path / name) for name in ("a.svg", "b.svg", "c.png")] == [(96, 48), (30, 20), None]


def test_icon_rules_give_their_characters() -> None:
    assert weight.characters(r"\f058") == {0xF058}
    assert weight.characters("\uf058") == {0xF058}
