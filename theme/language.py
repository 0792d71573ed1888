"""The book in another language: COURSE_LANGUAGE names it, and `locale/<language>/LC_MESSAGES/` holds its words.

Sphinx makes the catalogs to be translated (its builder `gettext`) and puts what is translated into the pages. Code,
outputs and drawings are no words to it and stay, and so does whatever has no translation yet.
"""

from __future__ import annotations

import os

from sphinx.application import Sphinx
from sphinx.config import Config
from sphinx.errors import ConfigError

FOLDER = "locale"


def choose(app: Sphinx, config: Config) -> None:
    """Set the language and where its catalogs are; none that has no folder, since that build would say nothing."""
    language = os.environ.get("COURSE_LANGUAGE", "").strip()
    if not language or language == config.language:
        return
    if not (app.confdir / FOLDER / language / "LC_MESSAGES").is_dir():
        raise ConfigError(
            f"COURSE_LANGUAGE is {language}, and {FOLDER}/{language}/LC_MESSAGES is not there: "
            "put the translated catalogs into it, book.po and notebooks.po"
        )
    config.language, config.locale_dirs = language, [FOLDER]


def setup(app: Sphinx) -> None:
    app.connect("config-inited", choose)  # before Sphinx reads the catalogs
