"""What is handed out: each archive alone is enough, a policy says what comes along, and links lead to it."""

import io
import json
import os
import subprocess
import sys
import sysconfig
import zipfile
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

import pytest

from autograde import reference
from autograde.gradebook import earlier
from autograde.gradebook.hand_out import HandedOut, Repository, hand_out, put
from autograde.wheel import wheel
from course.exercises import of_component
from course.handed_out import handed_out
from tests.autograde.command import run

COMMITTED = sorted((Path(__file__).resolve().parents[3] / "notebooks").glob("[0-9][0-9]-*.ipynb"))
GITHUB = Repository("https://github.com/example/spring")
# In the folder of each archive, one after the other: what its notebook imports, with nothing there but the archive, its
# wheel and other people's packages (no site module: nothing of this repository is installed).
IMPORT_EACH = """
import importlib, json, os, sys
packages, course, *folders = sys.argv[1:]
sys.path[:] = [path for path in sys.path if path] + [packages, course]
for folder in folders:
    os.chdir(folder)
    for name in [name for name in sys.modules if name.partition(".")[0] == "solutions"]:
        del sys.modules[name]
    importlib.invalidate_caches()
    sys.path.insert(0, folder)
    for line in json.load(open("imports.json")):
        exec(line, {})
    if "solutions" in sys.modules:
        assert all(path == folder + "/solutions" for path in sys.modules["solutions"].__path__)
    sys.path.remove(folder)
"""


@pytest.fixture(scope="module")
def plain():
    return wheel()


def named(stem: str) -> Path:
    return next(path for path in COMMITTED if path.stem == stem)


def unpacked(assignment: HandedOut, folder: Path) -> Path:
    with zipfile.ZipFile(io.BytesIO(assignment.archive())) as archive:
        archive.extractall(folder)
    return folder / assignment.name


def test_each_archive_alone_has_all_that_its_notebook_takes(tmp_path, plain):
    folders, taken = [], {}
    for path in COMMITTED:
        folder = unpacked(hand_out(path, [], "references", plain), tmp_path / f"of {path.stem}")
        taken |= {path.stem: earlier.taken(path.read_bytes())}
        lines = [f"from course.components import {', '.join(taken[path.stem])}"] if taken[path.stem] else []
        (folder / "imports.json").write_text(json.dumps(lines))
        folders.append(folder)
    assert sum(map(len, taken.values())) > 40 and "GRUCell" in taken["04-dot-product"]
    with zipfile.ZipFile(io.BytesIO(plain[1])) as packed:
        packed.extractall(tmp_path / "course")
    where = [sysconfig.get_path("purelib"), tmp_path / "course", *folders]
    environment = {k: v for k, v in os.environ.items() if not k.startswith(("COURSE_", "NBGRADER_", "PYTHONPATH"))}
    command = [sys.executable, "-S", "-c", IMPORT_EACH, *map(str, where)]
    ran = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True, timeout=300)
    assert ran.returncode == 0, ran.stderr[-3000:]
    said = ran.stdout.splitlines()
    assert len(said) == sum(map(len, taken.values())) and all("which came with this notebook" in line for line in said)


def fresh_environment(folder: Path) -> Path:
    """The Python of an environment with other people's packages, and nothing of this repository."""
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", folder], check=True, timeout=120)
    site = next(folder.glob("lib/python*/site-packages"))
    (site / "packages.pth").write_text(sysconfig.get_path("purelib") + "\n")  # its own .pth files are not read
    return folder / "bin" / "python"


RUN = """
import sys, nbformat
from nbclient import NotebookClient
try:
    import course
except ModuleNotFoundError:
    pass
else:
    raise SystemExit("the course is here already")
notebook = nbformat.read(sys.argv[1], 4)
NotebookClient(notebook, timeout=600, kernel_name="python3", skip_cells_with_tag="never").execute()
nbformat.write(notebook, "ran.ipynb")
"""


def pytest_generate_tests(metafunc):
    if "alone" in metafunc.fixturenames:
        every = metafunc.config.getoption("--full")
        metafunc.parametrize("alone", [path for path in COMMITTED if every or path.stem == "04-dot-product"])


@pytest.mark.slow
@pytest.mark.skipif(sys.platform == "win32", reason="looks for an environment's Python where it is elsewhere")
def test_an_archive_runs_from_top_to_bottom_where_there_is_nothing_else(alone, tmp_path, plain):
    """As it is handed out, with its stubs: each cell runs, or says which exercise of this notebook it waits for."""
    folder = unpacked(hand_out(alone, [], "references", plain), tmp_path)
    environment = {k: v for k, v in os.environ.items() if not k.startswith(("COURSE_", "NBGRADER_", "PYTHONPATH"))}
    environment |= {"MPLBACKEND": "agg", "JUPYTER_DATA_DIR": str(tmp_path / "jupyter")}
    command = [fresh_environment(tmp_path / "fresh"), "-c", RUN, f"{alone.stem}.ipynb"]
    ran = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, timeout=900)
    assert ran.returncode == 0, ran.stderr[-3000:]
    outputs = [output for cell in json.loads((folder / "ran.ipynb").read_text())["cells"] if cell["cell_type"] == "code"
               for output in cell["outputs"]]  # fmt: skip
    assert not [output for output in outputs if output["output_type"] == "error"]
    words = "".join("".join(output.get("text", "")) for output in outputs)
    taken = earlier.taken(alone.read_bytes())
    assert all(f"{name}: the reference, which came with this notebook" in words for name in taken)
    assert "has not passed yet" not in json.dumps(outputs)
    assert (tmp_path / ".course").is_dir() and not (folder / ".course").exists()  # for the next assignment too


class TestPolicies:
    def test_references_are_those_definitions_that_are_taken_and_no_others(self):
        files = earlier.modules(named("04-dot-product").read_bytes(), [], "references")
        assert sorted(files) == ["__init__.py", "bahdanau.py", "seq2seq.py"]
        assert reference.source("seq2seq", ("GRUCell",)) in files["seq2seq.py"]
        assert "def masked_softmax" in files["bahdanau.py"]
        for other in ("Encoder", "greedy_decode", "AdditiveAttention", "AttentionDecoder"):
            assert other not in "".join(files.values())
        assert earlier.answers(files) == [of_component("GRUCell").number, of_component("masked_softmax").number]

    def test_what_is_not_due_stops_before_anything_is_written(self, tmp_path):
        words = ["release", "04", "--earlier", "due", "--due", "02", "--class", str(tmp_path / "class")]
        stopped = run(*words)
        output = " ".join(stopped.output.split())
        assert stopped.exit_code == 1 and "04-dot-product was not released" in output
        assert "needs the solutions of 01-seq2seq, which is not said to be due: add --due 01" in output
        assert not list(tmp_path.iterdir())

    def test_what_is_due_is_there_whole_with_all_that_it_rests_on(self):
        content = named("04-dot-product").read_bytes()
        files = earlier.modules(content, ["seq2seq", "bahdanau"], "due")
        assert files["bahdanau.py"] == reference.text("bahdanau") and not earlier.answers(
            files, ["seq2seq", "bahdanau"]
        )
        files = earlier.modules(named("00-warm-up").read_bytes(), ["captioning"], "references")
        assert {"bahdanau.py", "seq2seq.py"} < set(files) and "Encoder" not in files["seq2seq.py"]

    def test_students_may_bring_their_own(self, plain):
        given = hand_out(named("04-dot-product"), [], "own", plain)
        assert not given.answers and not any(path.startswith("solutions") for path in given.files)


def test_a_learners_own_component_goes_before_the_one_that_came_along(tmp_path, monkeypatch, capsys):
    from course.learner import components, progress

    for name in ("COURSE_STRICT", "NBGRADER_EXECUTION", "COURSE_HOME"):
        monkeypatch.delenv(name, raising=False)
    for name in ("01-seq2seq", "04-dot-product"):
        (tmp_path / name).mkdir()
    monkeypatch.chdir(tmp_path / "01-seq2seq")
    kept = progress.home() / "components" / f"{of_component('GRUCell').name}.py"
    kept.parent.mkdir(parents=True)
    kept.write_text("class GRUCell:\n    mine = True\n")
    monkeypatch.chdir(tmp_path / "04-dot-product")
    monkeypatch.setattr(components, "_came_along", lambda: ("GRUCell", "masked_softmax"))
    assert components.component("GRUCell").mine and "your own" in capsys.readouterr().out
    assert components.not_passed(["masked_softmax", "GRUCell", "Encoder"]) == ["Encoder"]
    components.component("masked_softmax")
    assert "which came with this notebook" in capsys.readouterr().out


class TestFolder:
    def test_it_is_what_the_archive_has_and_what_does_not_come_along_any_more_goes(self, tmp_path, plain):
        path = named("04-dot-product")
        first = hand_out(path, [], "references", plain)
        assert put(tmp_path, [first]) == [(path.stem, True)] and put(tmp_path, [first]) == [(path.stem, False)]
        (tmp_path / "README.md").write_text("ours")
        (tmp_path / path.stem / "notes.txt").write_text("ours")
        own = hand_out(path, [], "own", plain)
        assert put(tmp_path, [own]) == [(path.stem, True)]
        left = {file.relative_to(tmp_path / path.stem).as_posix() for file in (tmp_path / path.stem).rglob("*.*")}
        assert left == {*own.files, "notes.txt"} and (tmp_path / "README.md").exists()

    def test_a_published_notebook_installs_its_own_wheel_with_the_references(self, plain):
        given = hand_out(named("04-dot-product"), [], "references", plain, GITHUB)
        address = f"https://raw.githubusercontent.com/example/spring/main/04-dot-product/{plain[0]}"
        assert f'COURSE = \\"{address}\\"' in given.files["04-dot-product.ipynb"].decode()
        with zipfile.ZipFile(io.BytesIO(given.files[plain[0]])) as packed:
            for path, content in given.files.items():
                assert not path.startswith("solutions/") or packed.read(path) == content
            assert "solutions/seq2seq.py" in packed.namelist()
        elsewhere = hand_out(
            named("04-dot-product"), [], "references", plain, Repository("https://git.example.org/a/b")
        )
        assert elsewhere.files["04-dot-product.ipynb"] == handed_out(named("04-dot-product").read_bytes())

    def test_links(self):
        links = Repository.at("https://github.com/example/spring.git", "term 1").links(
            "02-bahdanau", "https://hub.org/"
        )
        assert links["Colab"] == (
            "https://colab.research.google.com/github/example/spring/blob/term%201/02-bahdanau/02-bahdanau.ipynb"
        )
        pulled = urlsplit(links["nbgitpuller"])
        assert pulled.netloc + pulled.path == "hub.org/hub/user-redirect/git-pull"
        assert parse_qs(pulled.query) == {
            "repo": ["https://github.com/example/spring"],
            "branch": ["term 1"],
            "urlpath": ["lab/tree/spring/02-bahdanau/02-bahdanau.ipynb"],
        }
        assert Repository("https://git.example.org/a/b").links("02-bahdanau") == {}
        with pytest.raises(ValueError, match="is no address of a repository"):
            Repository.at("git@github.com:example/spring", "main")

    def test_a_dry_run_says_what_and_writes_nothing(self, tmp_path):
        to = ["--to", str(tmp_path / "to"), "--repository", GITHUB.address]
        ran = run("release", "spine", "--dry-run", "--class", tmp_path / "class", *to)
        output = " ".join(ran.output.split())
        assert ran.exit_code == 0 and "solutions/seq2seq.py" in output and "Nothing was written." in output
        assert "04-dot-product: would be released; with it come the answers to 1.1, 2.2" in output
        assert output.count("colab.research.google.com") == 5 and not list(tmp_path.iterdir())


def first_cell(folder, **environment):
    """What the cell's own text, in a Python in which nothing is installed, asks of a pip that prints it."""
    from tools.notebooks.metadata import GUARD

    (folder / "pip.py").write_text("import sys; print(sys.argv[1:])")
    environment = {"PATH": "", "PYTHONPATH": str(folder)} | environment
    command = [sys.executable, "-S", "-c", GUARD]
    return subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, check=True).stdout


def test_without_a_gpu_the_first_cell_asks_for_the_build_for_the_cpu(tmp_path):
    (tmp_path / "attention_from_scratch_course-1-py3-none-any.whl").touch()
    assert ("--extra-index-url" in first_cell(tmp_path)) == (sys.platform == "linux")
    (tmp_path / "bin").mkdir()
    (tmp_path / "bin" / "nvidia-smi").touch(0o755)
    asked = first_cell(tmp_path, PATH=str(tmp_path / "bin"))
    assert "--extra-index-url" not in asked and ".whl" in asked


def test_of_two_wheels_the_first_cell_installs_the_newer(tmp_path):
    for name in ("1.9.0-py3-none-any", "1.10.0-py3-none-any", "1.10.0-py3-none-any (1)"):
        (tmp_path / f"attention_from_scratch_course-{name}.whl").touch()
    assert "attention_from_scratch_course-1.10.0-py3-none-any.whl" in first_cell(tmp_path)
