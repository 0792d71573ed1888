"""What a preview of a page's link says, in words and in its picture."""

import html
import re
from pathlib import Path

import pytest
from PIL import Image
from sphinx.application import Sphinx
from sphinx.util.docutils import docutils_namespace
from sphinxext import opengraph

from theme.head import asks

TEXT = """# A title

It compares A & B. It returns their mean:

$$\\text{Attention}$$

In short, $x^2$ is no word.

Every query asks every key, {words}.
"""


@pytest.fixture
def previews(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> tuple[dict[str, str], Path]:
    """The descriptions of a site's pages, a chapter's among them, and the folder of their pictures."""
    monkeypatch.setenv("COURSE_SITE", "https://example.org/course")
    monkeypatch.setattr(opengraph, "get_description", opengraph.get_description)  # put back at the end
    source, built = tmp_path / "source", tmp_path / "built"
    text = TEXT.replace("{words}", ", ".join(["again"] * 60))
    for name in ("index", "notebooks/02-bahdanau", "solutions/02-bahdanau"):
        (source / name).parent.mkdir(parents=True, exist_ok=True)
        (source / f"{name}.md").write_text(text, "utf-8")
    settings = {
        "extensions": ["myst_nb", "theme.address", "theme.preview"],
        "html_theme": "sphinx_book_theme",
        "html_theme_options": {},
        "myst_enable_extensions": ["dollarmath"],
    }
    with docutils_namespace():
        Sphinx(source, None, built, built / "doctrees", "html", settings, status=None, warning=None).build()
    found = {}
    for path in built.rglob("*.html"):
        if said := re.search(r'property="og:description" content="([^"]*)"', path.read_text("utf-8")):
            found[path.relative_to(built).with_suffix("").as_posix()] = html.unescape(said[1])
    return found, built / "_images" / "social_previews"


def test_a_preview_has_sentences_without_equations_and_a_chapter_its_question(previews) -> None:
    said, pictures = previews
    assert said["index"].startswith("It compares A & B. Every query asks every key, again,")
    assert said["index"].endswith("again,\N{NO-BREAK SPACE}…") and 190 < len(said["index"]) <= 200
    assert said["notebooks/02-bahdanau"].startswith(f"{asks('02-bahdanau')} It compares A & B. Every query")
    assert said["solutions/02-bahdanau"] == said["index"], "its title is a chapter's, and it asks nothing"
    sizes = [Image.open(path).size for path in pictures.glob("*.png")]
    assert sizes == [(1146, 600)] * 3
