"""The site's Sphinx extension: nothing here but wiring; each module beside this one does one thing.

Settings that a person may want to change stand in `_config.yml`; this package holds what must be computed when the
book is built. Safe to change: any one module; tests/theme looks at every page in a browser. Not safe: a request that
leaves the site, a script without which a page is not whole, or a file of others put here.
"""

from __future__ import annotations

import gc
import hashlib
from pathlib import Path

from sphinx.application import Sphinx
from sphinx.config import Config

from course import captions, plots
from course.figures.drawn import STATIC
from theme import (
    accessibility,
    address,
    alt_text,
    breaks,
    changes,
    chapter,
    cite,
    component_map,
    contents,
    exercise_cards,
    exercises,
    experiments,
    explorables,
    figures,
    folds,
    fonts,
    guess,
    head,
    katex,
    language,
    last_place,
    margin_notes,
    math,
    measurements,
    packages,
    preview,
    schemes,
    search,
    solutions,
    teaching,
    terms,
    unused,
    volume,
    ways,
    weight,
    works,
)

FOLDER = Path(__file__).parent


def add_folders(app: Sphinx, config: Config) -> None:
    """Let Sphinx find the templates and the files to publish that lie beside this module."""
    config.templates_path = [*config.templates_path, str(FOLDER / "templates")]
    config.html_static_path = [*config.html_static_path, str(FOLDER / "static"), str(STATIC)]
    config.html_favicon = config.html_favicon or "theme/static/favicon.svg"


def digest() -> str:
    """Return a digest of what pages are made with here: where it changes, an earlier build's pages are made again."""
    total = hashlib.sha256(katex.versions().encode())
    drawn = [Path(captions.__file__), Path(plots.__file__), *sorted(STATIC.parent.rglob("*"))]
    for path in [*drawn, *sorted(FOLDER.rglob("*"))]:
        if path.suffix in (".py", ".html", ".js", ".json"):
            total.update(path.relative_to(FOLDER.parent).as_posix().encode() + path.read_bytes())
    return total.hexdigest()


def collect_seldom(app: Sphinx) -> None:
    """Look for garbage seldom while a book is built: a fifth of a build's time went into looking, since all that has
    been read stays in use to the end."""
    usual = gc.get_threshold()
    gc.set_threshold(200_000, 20, 20)
    app.connect("build-finished", lambda app, error: gc.set_threshold(*usual))


def setup(app: Sphinx) -> dict[str, object]:
    collect_seldom(app)
    app.add_config_value("course_theme", digest(), "env")
    app.connect("config-inited", add_folders)
    app.add_css_file("colors.css")
    app.add_css_file("course.css")
    modules = (
        language,
        address,
        preview,
        contents,
        solutions,
        math,
        exercises,
        guess,
        folds,
        experiments,
        margin_notes,
        explorables,
        measurements,
        packages,
        terms,
        ways,
        component_map,
        teaching,
        volume,
        cite,
        changes,
        alt_text,
        figures,
        works,
        chapter,
        head,
        exercise_cards,
        last_place,
        accessibility,
        schemes,
        weight,
        breaks,
        fonts,
        unused,
        search,
    )
    for module in modules:
        module.setup(app)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": False}
