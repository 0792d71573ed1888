"""The letters of the site: Source Serif for reading, Source Sans for what keeps order, from two pinned packages.

`course.css` names the cut files. They hold ASCII and what else the pages show, no more, and have names of their own:
the license, which lies beside them, keeps the name "Source" for fonts that are whole.
"""

from __future__ import annotations

import hashlib
import shutil
from importlib.metadata import version
from pathlib import Path

from sphinx.application import Sphinx

from course.figures.drawn import STATIC
from theme.katex import files
from theme.weight import cut, letters

PACKAGES = {"serif": "font-source-serif-pro", "sans": "font-source-sans-pro"}
STYLES = {
    "serif-regular": "SourceSerifPro-Regular.ttf",
    "serif-italic": "SourceSerifPro-It.ttf",
    "serif-semibold": "SourceSerifPro-Semibold.ttf",
    "sans-regular": "SourceSansPro-Regular.ttf",
    "sans-semibold": "SourceSansPro-Semibold.ttf",
}
SCRIPTS = Path(__file__).with_name("static")
ASCII = set(range(0x20, 0x7F))
FEATURES = ("kern", "liga", "lnum", "tnum", "ccmp", "mark", "mkmk")


def write(folder: Path, codes: set[int]) -> None:
    """Write each style, cut to the characters given, and the licenses."""
    folder.mkdir(parents=True, exist_ok=True)
    for name, file in STYLES.items():
        source = next(files(PACKAGES[name.split("-")[0]], file))
        cut(source, codes, folder / f"{name}.woff2", layout_features=FEATURES, hinting=False, obfuscate_names=True)
    for kind, package in PACKAGES.items():
        shutil.copyfile(next(files(package, "LICENSE.txt")), folder / f"{kind}-LICENSE.txt")


def finish(app: Sphinx, error: Exception | None) -> None:
    """Cut the fonts to the finished pages, and to what scripts write into them; not again where nothing changed."""
    if error is not None or app.builder.name != "html":
        return
    out = Path(app.outdir)
    codes = ASCII | letters([*out.rglob("*.html"), *SCRIPTS.rglob("*.js"), *STATIC.rglob("*.js")])
    made_of = [sorted(codes), [version(package) for package in PACKAGES.values()], Path(__file__).read_text("utf-8")]
    digest, made = hashlib.sha256(repr(made_of).encode()).hexdigest(), Path(app.doctreedir) / "fonts.sha256"
    folder = out / "_static/fonts"
    if folder.is_dir() and made.is_file() and made.read_text("utf-8") == digest:
        return
    write(folder, codes)
    made.write_text(digest, "utf-8")


def setup(app: Sphinx) -> None:
    app.connect("build-finished", finish)
