"""Where the site says that it and its sources are."""

import shutil
from pathlib import Path

import nbformat
import pytest
from sphinx.application import Sphinx
from sphinx.errors import ConfigError
from sphinx.util.docutils import docutils_namespace

from theme import address


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
    with pytest.raises(ConfigError, match=r"git@example\.org:a/b, no web address"):
        address.repository(tmp_path, {"COURSE_REPOSITORY": "git@example.org:a/b"})
    assert address.branch(tmp_path, {"GITHUB_REF_NAME": "term-2"}) == "term-2"
    assert address.branch(tmp_path, {}) == "main"


def test_site_ends_in_one_slash() -> None:
    assert address.site({"COURSE_SITE": "https://example.org/course"}) == "https://example.org/course/"
    assert address.site({"COURSE_SITE": "https://example.org/course//"}) == "https://example.org/course/"
    assert address.site({}) is None


@pytest.fixture
def page(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    """A function that builds a book of one notebook with an environment, and gives its page."""

    def build(**environment: str) -> str:
        for name in ("COURSE_REPOSITORY", "GITHUB_REPOSITORY", "COURSE_PACKAGE", "COURSE_NOTEBOOKS", "COURSE_SITE"):
            monkeypatch.delenv(name, raising=False)
        for name, value in environment.items():
            monkeypatch.setenv(name, value)
        source, built = tmp_path / "source", tmp_path / "built"
        shutil.rmtree(built, ignore_errors=True)
        source.mkdir(exist_ok=True)
        notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_markdown_cell("# One")])
        notebook.metadata.kernelspec = {"name": "python3", "display_name": "Python 3"}
        nbformat.write(notebook, source / "index.ipynb")
        settings = {
            "extensions": ["myst_nb", "theme.address"],
            "html_theme": "sphinx_book_theme",
            "nb_execution_mode": "off",
            "html_theme_options": {},
        }
        with docutils_namespace():
            app = Sphinx(source, None, built, built / "doctrees", "html", settings, status=None, warning=None)
            app.build()
        return (built / "index.html").read_text("utf-8")

    return build


REPOSITORY = {"COURSE_REPOSITORY": "https://github.com/owner/course", "COURSE_BRANCH": "main"}
WHEEL = "https://owner.github.io/course/attention_from_scratch_course-1.0-py3-none-any.whl"


def test_colab_has_a_button_where_its_notebook_finds_the_package_alone(page) -> None:
    without = page(**REPOSITORY)
    assert "colab.research" not in without, "a notebook that stops at its first cell"
    assert "https://mybinder.org/v2/gh/owner/course/main?urlpath=lab/tree/index.ipynb" in without
    assert "colab.research" not in page(COURSE_PACKAGE=WHEEL), "there is nothing to open"
    opens = page(**REPOSITORY, COURSE_PACKAGE=WHEEL)
    assert "https://colab.research.google.com/github/owner/course/blob/published/index.ipynb" in opens
    assert "https://mybinder.org/v2/gh/owner/course/main?" in opens
    named = page(**REPOSITORY, COURSE_PACKAGE="attention-from-scratch-course", COURSE_NOTEBOOKS="colab")
    assert "/github/owner/course/blob/colab/index.ipynb" in named
