"""KaTeX as two pinned packages carry it: the script that the build runs, the styles and fonts that pages load.

No package on PyPI is KaTeX alone. sphinxcontrib-katex holds the minified script, jupyterlab-myst (which draws the same
equations in JupyterLab) the fonts, and the styles as a string in one of its scripts. Both hold KaTeX 0.16, and `styles`
fails where they no longer agree: the script names classes that the styles must know.
"""

from __future__ import annotations

import json
import re
import shutil
from collections.abc import Iterator
from functools import cache
from importlib.metadata import distribution
from pathlib import Path

from fontTools.ttLib import TTFont
from sphinx.errors import ExtensionError

SCRIPT, STYLES = "sphinxcontrib-katex", "jupyterlab-myst"
FONT_FACE = (
    "@font-face{{font-display:block;font-family:{family};font-style:{style};font-weight:{weight};"
    'src:url(fonts/{name}.woff2) format("woff2")}}'
)


def files(package: str, ending: str) -> Iterator[Path]:
    """Yield the installed files of a package whose name ends so."""
    for file in distribution(package).files or ():
        if file.name.endswith(ending):
            yield Path(str(file.locate()))


def versions() -> str:
    """Return which packages equations are made with: where it changes, pages are made again."""
    return ", ".join(f"{package} {distribution(package).version}" for package in (SCRIPT, STYLES))


@cache
def script() -> str:
    """Return KaTeX's minified script."""
    return next(files(SCRIPT, "katex.min.js")).read_text("utf-8")


def minified(css: str) -> str:
    """Return a style sheet without comments and without the white space that means nothing."""
    text = re.sub(r"\s+", " ", re.sub(r"/\*.*?\*/", "", css, flags=re.DOTALL))
    return re.sub(r" ?([{};,>!]|:(?= )) ?", r"\1", text).replace(";}", "}").strip()


def rules() -> str:
    """Return KaTeX's rules, without its fonts': the template string of a script that has a rule for `.katex`.

    Raises:
        ExtensionError: where no script of the package has one.
    """
    for path in files(STYLES, ".js"):
        for literal in re.findall(r"`((?:[^`\\]|\\.)*\.katex \{(?:[^`\\]|\\.)*)`", path.read_text("utf-8")):
            text = re.sub(r"\\(.)", lambda match: "\n" if match[1] == "n" else match[1], literal)
            # The fonts' own rules go: the files that they name are numbers (`${...}`) which that script knows alone.
            return minified(re.sub(r"@font-face \{(?:\$\{[^}]*\}|[^}])*\}", "", text))
    raise ExtensionError(
        f"KaTeX's styles are in no script of {STYLES}: install the version that requirements.txt names"
    )


def styles() -> tuple[str, dict[str, Path]]:
    """Return KaTeX's style sheet, and its fonts: the name of each in `fonts` beside the sheet, and where it is now.

    Raises:
        ExtensionError: where the script's and the styles' versions differ in more than the last number.
    """
    text = rules()
    (runs, *_), (drawn, *_) = (
        re.findall(r'version:"([\d.]+)"', script()),
        re.findall(r'katex-version::after\{content:"(.*?)"', text),
    )
    if runs.rpartition(".")[0] != drawn.rpartition(".")[0]:
        message = f"a script of KaTeX {runs} ({SCRIPT}) with styles of {drawn} ({STYLES}), whose classes differ"
        raise ExtensionError(f"{message}: install the versions that requirements.txt names")
    faces, fonts = [], {}
    for path in files(STYLES, ".woff2"):
        with TTFont(path, lazy=True) as font:
            family, kind, name = (font["name"].getDebugName(number) for number in (1, 2, 6))
        style, weight = "italic" if "Italic" in kind else "normal", 700 if "Bold" in kind else 400
        fonts[f"{name}.woff2"] = path
        faces.append(FONT_FACE.format(family=family, style=style, weight=weight, name=name))
    return "".join(sorted(faces)) + text, fonts


def license_text() -> str:
    """Return KaTeX's license, which goes where its styles go."""
    (path,) = files(STYLES, "third-party-licenses.json")
    packages = json.loads(path.read_text("utf-8"))["packages"]
    return next(package["extractedText"] for package in packages if package["name"] == "katex")


def write(folder: Path) -> None:
    """Write the style sheet, `katex.css`, its license and its fonts."""
    text, fonts = styles()
    (folder / "fonts").mkdir(parents=True, exist_ok=True)
    for name, path in fonts.items():
        shutil.copyfile(path, folder / "fonts" / name)
    (folder / "katex.css").write_text(text, "utf-8")
    (folder / "LICENSE").write_text(license_text(), "utf-8")
