"""`make lab`: a learner's file is never lost, and the notebook opens as the book shows it."""

import re
import sys
import tempfile
from pathlib import Path

import nbformat
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests import jupyterlab
from tools import lab

NAME = "01-seq2seq.ipynb"


@pytest.fixture
def packages(tmp_path):
    """A folder of notebooks with one in it, and a learner's folder that is not there yet."""
    notebooks = tmp_path / "notebooks"
    notebooks.mkdir()
    (notebooks / NAME).write_text("first", encoding="utf-8")
    return notebooks, tmp_path / "work"


def test_a_first_time_copies_and_trusts(packages):
    notebooks, work = packages
    as_released, lines = lab.update_work(notebooks, work)
    assert (work / NAME).read_text(encoding="utf-8") == "first"
    assert as_released == [work / NAME]
    assert lines == [f"work/{NAME}: new"]
    assert lab.update_work(notebooks, work) == ([work / NAME], [])


def test_a_copy_lacks_the_outputs_that_are_to_be_guessed_and_counts_as_given_out(packages):
    notebooks, work = packages
    cell = nbformat.v4.new_code_cell("2", outputs=[nbformat.v4.new_output("stream", text="2")], execution_count=1)
    cell.metadata.tags = ["guess"]
    (notebooks / NAME).write_text(nbformat.writes(nbformat.v4.new_notebook(cells=[cell])), encoding="utf-8")
    assert lab.update_work(notebooks, work)[1] == [f"work/{NAME}: new"]
    assert nbformat.read(work / NAME, as_version=4).cells[0].outputs == []
    assert lab.update_work(notebooks, work) == ([work / NAME], [])


def test_the_cell_that_installs_the_course_in_colab_greets_nobody_here(packages):
    notebooks, work = packages
    source = lab.NOTEBOOKS / "04-dot-product.ipynb"
    (notebooks / source.name).write_bytes(source.read_bytes())
    lab.update_work(notebooks, work)
    cells = nbformat.read(work / source.name, as_version=4).cells
    first = next(cell for cell in cells if cell.cell_type == "code")
    assert "from course import check" in first.source and not any("pip" in cell.source for cell in cells)


def test_checks_find_the_book_that_was_built_here(tmp_path, monkeypatch):
    monkeypatch.delenv("COURSE_SITE", raising=False)
    monkeypatch.setattr(lab, "BOOK", tmp_path)
    assert "COURSE_SITE" not in lab.lab_command(tmp_path, [])[1]
    (tmp_path / "index.html").touch()
    command, environment = lab.lab_command(tmp_path, [])
    assert environment["COURSE_SITE"] == "/static" and f"--ServerApp.extra_static_paths={tmp_path}" in command
    monkeypatch.setenv("COURSE_SITE", "https://example.org/")
    command, environment = lab.lab_command(tmp_path, [])
    assert environment["COURSE_SITE"] == "https://example.org/" and "extra_static" not in " ".join(command)


def test_an_untouched_copy_follows_the_course(packages):
    notebooks, work = packages
    lab.update_work(notebooks, work)
    (notebooks / NAME).write_text("second", encoding="utf-8")
    _, lines = lab.update_work(notebooks, work)
    assert (work / NAME).read_text(encoding="utf-8") == "second"
    assert "brought up to date" in lines[0]


def test_a_changed_copy_stays_and_is_not_trusted(packages):
    notebooks, work = packages
    lab.update_work(notebooks, work)
    (work / NAME).write_text("my answer", encoding="utf-8")
    assert lab.update_work(notebooks, work) == ([], [])
    assert (work / NAME).read_text(encoding="utf-8") == "my answer"


def test_both_changed_puts_the_new_one_beside_and_says_so(packages):
    notebooks, work = packages
    lab.update_work(notebooks, work)
    (work / NAME).write_text("my answer", encoding="utf-8")
    (notebooks / NAME).write_text("second", encoding="utf-8")
    as_released, lines = lab.update_work(notebooks, work)
    (beside,) = as_released
    assert (work / NAME).read_text(encoding="utf-8") == "my answer"
    assert beside.read_text(encoding="utf-8") == "second"
    assert "kept as you changed it" in lines[0] and beside.name in lines[0]
    beside.write_text("my answer in the new one", encoding="utf-8")
    lab.update_work(notebooks, work)
    assert beside.read_text(encoding="utf-8") == "my answer in the new one"


def test_a_lost_record_makes_every_copy_the_learners_own(packages):
    notebooks, work = packages
    lab.update_work(notebooks, work)
    (work / ".released.json").write_text("{half", encoding="utf-8")
    (notebooks / NAME).write_text("second", encoding="utf-8")
    lab.update_work(notebooks, work)
    assert (work / NAME).read_text(encoding="utf-8") == "first"


@pytest.mark.parametrize(
    "words, folder, passed_on",
    [
        (["--formgrader", "spring", "--no-browser"], "spring", ["--no-browser"]),
        (["--formgrader", "--no-browser"], "class", ["--no-browser"]),
        (["--no-browser", "--formgrader"], "class", ["--no-browser"]),
    ],
)
def test_formgrader_takes_a_class_and_leaves_the_rest_to_jupyterlab(tmp_path, monkeypatch, words, folder, passed_on):
    (tmp_path / folder).mkdir()
    (tmp_path / folder / "nbgrader_config.py").touch()
    began = []
    monkeypatch.setattr(lab, "ROOT", tmp_path)
    monkeypatch.setattr(lab, "become", lambda where, command, environment: began.append((where, command)) or sys.exit())
    monkeypatch.setattr(sys, "argv", ["lab", *words])
    with pytest.raises(SystemExit):
        lab.main()
    ((where, command),) = began
    assert where == tmp_path / folder and command[-2:] == ["--LabApp.default_url=/formgrader", *passed_on]


events = st.lists(
    st.tuples(st.sampled_from(["course", "learner", "lab", "record lost"]), st.integers(0, 5)), max_size=12
)


@settings(deadline=None, max_examples=60)
@given(events)
def test_what_a_learner_wrote_is_always_there(events):
    with tempfile.TemporaryDirectory() as folder:
        notebooks, work = Path(folder, "notebooks"), Path(folder, "work")
        notebooks.mkdir()
        (notebooks / NAME).write_text("course 0", encoding="utf-8")
        written = None
        for what, number in events:
            if what == "course":
                (notebooks / NAME).write_text(f"course {number}", encoding="utf-8")
            elif what == "learner" and work.exists():
                written = f"learner {number}"
                (work / NAME).write_text(written, encoding="utf-8")
            elif what == "record lost":
                (work / ".released.json").unlink(missing_ok=True)
            else:
                lab.update_work(notebooks, work)
            if written is not None:
                assert (work / NAME).read_text(encoding="utf-8") == written


def small_notebook(path, word):
    """A notebook with an admonition, an equation and a stored SVG, as the course's have."""
    v4 = nbformat.v4
    svg = '<svg xmlns="http://www.w3.org/2000/svg" width="80" height="80"><circle cx="40" cy="40" r="30"/></svg>'
    drawing = v4.new_output("display_data", data={"image/svg+xml": svg, "text/plain": "<Figure>"})
    cells = [
        v4.new_markdown_cell(f"# {word}\n\n:::{{note}} To see\nThe circle.\n:::\n\n$$a^2 + b^2$$"),
        v4.new_code_cell("draw()", execution_count=1, outputs=[drawing]),
    ]
    kernel = {"display_name": "Python 3 (ipykernel)", "language": "python", "name": "python3"}
    nbformat.write(v4.new_notebook(cells=cells, metadata={"kernelspec": kernel}), path)


@pytest.mark.browser
def test_jupyterlab_shows_admonitions_and_stored_drawings(tmp_path, monkeypatch, browser):
    jupyterlab.of_its_own(tmp_path, monkeypatch)
    notebooks, work = tmp_path / "notebooks", tmp_path / "work"
    notebooks.mkdir()
    small_notebook(notebooks / NAME, "Trusted")
    as_released, _ = lab.update_work(notebooks, work)
    lab.trust(as_released)
    small_notebook(work / "control.ipynb", "Not signed")

    with jupyterlab.opened(work, tmp_path) as address:
        page = browser.new_page()
        leaving = []
        page.on("request", lambda request: leaving.append(request.url) if not is_local(request.url) else None)
        page.goto(address(f"lab/tree/{NAME}"))
        page.locator(".jp-Notebook .jp-OutputArea-output svg, .jp-OutputArea-output img").first.wait_for(
            timeout=120_000
        )
        page.locator(".jp-Notebook aside, .jp-Notebook .admonition").first.wait_for(timeout=60_000)
        assert page.locator(".jp-Notebook .katex").count()
        assert ":::" not in page.locator(".jp-Notebook").first.inner_text()
        assert not page.locator(".jp-Dialog, .Toastify__toast").count(), (
            "a learner is asked something before anything is read"
        )
        assert not leaving
        # The control: the same notebook without a signature does not show its drawing, so the signing above did
        # something.
        page.goto(address("lab/tree/control.ipynb?reset"))
        page.locator(".jp-Notebook h1", has_text="Not signed").wait_for(timeout=120_000)
        page.locator(".jp-OutputArea-output").first.wait_for(timeout=60_000)
        assert not page.locator(".jp-OutputArea-output svg, .jp-OutputArea-output img").count()
        # A server told to stop while a kernel is still starting does not stop.
        page.locator('.jp-Notebook-ExecutionIndicator[data-status="idle"]').last.wait_for(timeout=60_000)
        page.close()


def is_local(url):
    """Whether a request stays on this machine."""
    return re.match(r"(data|blob):|(http|ws)s?://(localhost|127\.0\.0\.1)[:/]", url) is not None


def test_the_formgrader_opens_on_any_class(tmp_path, monkeypatch):
    class Became(Exception):
        """What a program that another one takes the place of would have gone on as."""

    def become(folder, command, environment):
        raise Became(folder, command)

    monkeypatch.setattr(lab, "become", become)
    monkeypatch.setattr("sys.argv", ["lab", "--formgrader", str(tmp_path), "--no-browser"])
    with pytest.raises(SystemExit, match=f"autograde release --class {tmp_path}"):
        lab.main()
    (tmp_path / "nbgrader_config.py").touch()  # a gradebook in PostgreSQL leaves no file of its own
    with pytest.raises(Became) as went_on:
        lab.main()
    folder, command = went_on.value.args
    assert folder == tmp_path and f"--ServerApp.root_dir={tmp_path}" in command and command[-1] == "--no-browser"
