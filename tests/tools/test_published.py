"""What the site's button opens in Colab: its first cell finds the course, and the chapter goes on from there."""

import importlib.metadata
import json
import os
import re
import subprocess
import threading
import venv
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import nbformat
import pytest

from autograde.wheel import _needs, wheel
from tools import published
from tools.notebooks import files, metadata

NAME = "04-dot-product.ipynb"
AT_HAND = ("torch", "numpy", "matplotlib", "ipykernel", "ipython", "pip")  # of what Colab has, what a chapter needs
# What cells print, as a kernel shows it, and what is the last line of each.
RUN = """
import json, sys
from IPython.core.interactiveshell import InteractiveShell
shell = InteractiveShell.instance()
for source in json.load(open(sys.argv[1])):
    shell.run_cell(source).raise_error()
"""


@pytest.fixture
def site(tmp_path, monkeypatch):
    """A published site on this machine: its address, and the folder of the notebooks that it opens."""
    html, folder = tmp_path / "site", tmp_path / "published"
    (html / "book" / "solutions").mkdir(parents=True)
    (html / "book" / "solutions" / "index.html").touch()
    server = ThreadingHTTPServer(("127.0.0.1", 0), partial(SimpleHTTPRequestHandler, directory=str(html)))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    address = f"http://127.0.0.1:{server.server_port}"
    published.publish(html, folder, {"COURSE_SITE": address, "COURSE_PACKAGE": f"{address}/{wheel()[0]}"})
    yield address, folder / "notebooks"
    server.shutdown()
    server.server_close()


def test_every_notebook_is_there_and_says_where_its_package_is(site):
    address, notebooks = site
    assert sorted(path.name for path in notebooks.iterdir()) == [path.name for path in files.paths()]
    for path in notebooks.iterdir():
        notebook = nbformat.read(path, as_version=4)
        first = next(cell for cell in notebook.cells if cell.cell_type == "code")
        assert f'COURSE = "{address}/{wheel()[0]}"' in first.source and first.id == metadata.GUARD_ID
        assert nbformat.writes(notebook) + "\n" == path.read_text("utf-8")


def test_nothing_is_published_that_would_find_no_package(tmp_path):
    with pytest.raises(SystemExit, match="COURSE_PACKAGE"):
        published.publish(tmp_path, tmp_path, {})
    cell = nbformat.v4.new_code_cell("import course", id=metadata.GUARD_ID)
    with pytest.raises(ValueError, match="has no line"):
        published.published(nbformat.writes(nbformat.v4.new_notebook(cells=[cell])).encode(), "x")


def closure(names: tuple[str, ...]) -> set[str]:
    """Distributions and all that they need."""
    todo, found = [*names], set()
    while todo:
        name = re.sub(r"[-_.]+", "-", todo.pop()).lower()
        if name in found:
            continue
        try:
            needs = importlib.metadata.requires(name) or []
        except importlib.metadata.PackageNotFoundError:
            continue
        found.add(name)
        todo += [re.split(r"[^\w.-]", need, maxsplit=1)[0] for need in needs if "extra ==" not in need]
    return found


def beside(folder: Path, names: set[str]) -> None:
    """A folder that has these distributions of this environment, and nothing else of it."""
    folder.mkdir()
    for name in names:
        for file in importlib.metadata.files(name) or []:
            top = file.parts[0]
            source, target = Path(file.locate()).parents[len(file.parts) - 1] / top, folder / top
            if top not in ("..", "__pycache__") and source.exists() and not target.exists():
                target.symlink_to(source, target_is_directory=source.is_dir())


def test_the_first_cells_run_where_there_is_nothing_of_the_course(site, tmp_path, full):
    """A fresh environment outside the repository. In the short form all that the package needs is at hand, as nearly
    all of it is in Colab, and nothing is fetched from an index; in the long form pip fetches what is not."""
    address, notebooks = site
    environment = tmp_path / "colab"
    venv.create(environment, with_pip=False)
    python = environment / "bin" / "python" if os.name != "nt" else environment / "Scripts" / "python.exe"
    (packages,) = environment.rglob("site-packages")
    needs = tuple(_needs(importlib.metadata.requires("attention-from-scratch") or []))
    beside(tmp_path / "at-hand", closure(AT_HAND if full else (*AT_HAND, *needs)))
    (packages / "at-hand.pth").write_text(f"{tmp_path / 'at-hand'}\n")
    clean = {
        name: value for name, value in os.environ.items() if not name.startswith(("COURSE_", "PYTHON", "NBGRADER"))
    }
    clean |= {"MPLBACKEND": "agg", "HOME": str(tmp_path)} | ({} if full else {"PIP_NO_INDEX": "1"})

    def run(cells: list[str]) -> subprocess.CompletedProcess:
        (tmp_path / "cells.json").write_text(json.dumps(cells))
        return subprocess.run([python, "-c", RUN, tmp_path / "cells.json"], cwd=tmp_path, env=clean,
                              capture_output=True, text=True, timeout=600)  # fmt: skip

    committed = nbformat.read(published.ROOT / "notebooks" / NAME, as_version=4)
    at_first = run([cell.source for cell in committed.cells if cell.cell_type == "code"][:1])
    assert "no wheel of it lies in" in at_first.stdout + at_first.stderr, "the control: the course is not there"

    cells = [cell.source for cell in nbformat.read(notebooks / NAME, as_version=4).cells if cell.cell_type == "code"]
    way_on = 'from course import use_reference\nuse_reference("GRUCell", "masked_softmax")'
    where = "import course; print('from', course.__file__); print(check('4.q1', 256).page)"
    done = run([*cells[:2], way_on, cells[2], where])
    assert done.returncode == 0, done.stdout + done.stderr
    assert f"from {packages}" in done.stdout and "GRUCell: the reference, as you chose." in done.stdout
    assert f"{address}/book/solutions/04-dot-product.html" in done.stdout
