"""KaTeX's script, styles and fonts: whole, minified, and of one version."""

import re
from pathlib import Path

import pytest
from sphinx.errors import ExtensionError

from theme import katex


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
