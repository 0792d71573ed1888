"""COURSE_LANGUAGE puts translated words into the pages, and what has no catalogs stops with a sentence."""

from pathlib import Path

import pytest
from sphinx.application import Sphinx
from sphinx.errors import ConfigError
from sphinx.util.docutils import docutils_namespace

CATALOG = """msgid ""
msgstr "Content-Type: text/plain; charset=UTF-8\\n"

msgid "Every query asks `every` key."
msgstr "Jede Query fragt `jeden` Key."
"""


def build(source: Path, built: Path) -> str:
    settings = {"extensions": ["myst_nb", "theme.language"], "nb_execution_mode": "off"}
    with docutils_namespace():
        Sphinx(source, source, built, built / "doctrees", "html", settings, status=None, warning=None).build()
    return (built / "index.html").read_text("utf-8")


@pytest.fixture
def source(tmp_path: Path) -> Path:
    (tmp_path / "source").mkdir()
    (tmp_path / "source" / "conf.py").write_text("")
    text = "# Attention\n\nEvery query asks `every` key.\n\nNot yet.\n\n```python\nevery = 1\n```\n"
    (tmp_path / "source" / "index.md").write_text(text)
    return tmp_path / "source"


def test_translated_words_stand_on_the_page_and_code_stays(
    source: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = source / "locale" / "de" / "LC_MESSAGES"
    folder.mkdir(parents=True)
    (folder / "index.po").write_text(CATALOG, "utf-8")
    monkeypatch.delenv("COURSE_LANGUAGE", raising=False)
    assert "Every query asks" in build(source, tmp_path / "en")  # first: a process keeps catalogs that it has read
    monkeypatch.setenv("COURSE_LANGUAGE", "de")
    page = build(source, tmp_path / "de")
    assert 'lang="de"' in page and "Jede Query fragt" in page and "Every query asks" not in page
    assert "Not yet." in page and "every" in page


def test_a_language_without_catalogs_stops(source: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COURSE_LANGUAGE", "fr")
    with pytest.raises(ConfigError, match="locale/fr/LC_MESSAGES is not there: put the translated catalogs"):
        build(source, tmp_path / "fr")
