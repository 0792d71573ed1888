"""A figure in a notebook: it holds all it needs; what is said without scripts, in plain Python and from the wheel."""

import re
import subprocess
import sys
import zipfile
from html import unescape
from pathlib import Path

import pytest
from playwright.sync_api import Browser

import course
from autograde.wheel import wheel
from course.figures import FIGURES, notebook
from course.figures.drawn import STATIC

ADDRESS = re.compile(r"""(?:\bsrc=|\bhref=|@import|\burl\()\s*["']?(?!data:|#)[\w./]""")


@pytest.mark.parametrize("name", FIGURES)
def test_its_page_asks_for_nothing_and_its_words_have_its_numbers(name: str) -> None:
    made = FIGURES[name]()
    page, words = notebook.page(made), "\n".join(notebook.in_words(made))
    assert not ADDRESS.search(page)
    for script in made.linked(".js"):
        assert (STATIC / script).read_text("utf-8") in page, "the book's script, as it is"
    for later, text in made.later.items():
        assert f'<script type="text/plain" id="{later}.js">{text}</script>' in page
    assert page.count("</script>") == len(made.linked(".js")) + len(made.later) + 1, "no script ends another"
    assert len(re.findall(r"\d", words)) > 10 and "<" not in words


def test_plain_python_says_it_in_words(capsys: pytest.CaptureFixture[str]) -> None:
    assert course.figure("attention-plane") is None
    said = capsys.readouterr().out.splitlines()
    assert said[0] == notebook.SENTENCE
    assert "Harmony (1.4, 1.4)  2.97  0.480  20" in said and "entropy, bits  1.389" in said


def test_a_name_that_is_none_is_told_those_that_are() -> None:
    with pytest.raises(ValueError, match=r"there is no figure 'plane'; there are one-vector, .*attention-plane"):
        course.figure("plane")


def test_it_comes_with_the_wheel(tmp_path: Path) -> None:
    """As in a released archive and in Colab: the package alone, with nothing of the repository beside it."""
    name, content = wheel()
    (tmp_path / name).write_bytes(content)
    with zipfile.ZipFile(tmp_path / name) as archive:
        archive.extractall(tmp_path / "there")
    call = "import course; course.figure('draw-a-digit'); course.figure('norm-switches'); print(course.__file__)"
    done = subprocess.run(
        [sys.executable, "-c", call], cwd=tmp_path, env={"PYTHONPATH": str(tmp_path / "there")}, capture_output=True
    )
    said = done.stdout.decode().splitlines()
    assert done.returncode == 0, done.stderr.decode()
    assert said[-1] == str(tmp_path / "there" / "course" / "__init__.py") and "6  0.99" in said


@pytest.mark.browser
@pytest.mark.parametrize("name", ["attention-plane", "draw-a-digit"])
def test_without_scripts_its_still_picture_stands(browser: Browser, name: str) -> None:
    made = FIGURES[name]()
    context = browser.new_context(java_script_enabled=False)
    page = context.new_page()
    page.set_content(notebook.framed(name, made, "words"))
    frame = page.frame_locator("iframe")
    assert frame.locator(".still").is_visible() and frame.locator(".still [role=img]").first.is_visible()
    assert frame.locator("button").count() == 0 and notebook.SENTENCE in frame.locator("body").inner_text()
    for cell in re.findall(r"<td[^>]*>([\d.−]+)</td>", made.markup)[:4]:
        assert unescape(cell) in frame.locator("body").inner_text()
    context.close()
