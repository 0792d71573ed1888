"""The version of the grader in every record: of each file that decides a verdict, and of no other."""

import importlib.metadata
import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from autograde import reference
from autograde.bank import sample
from autograde.gradebook import store
from autograde.gradebook.release import release
from autograde.grading import run, versions, worker
from autograde.grading.worker import Worker
from autograde.intake.merge import Cell
from autograde.sandbox import folder
from course.exercises import exercises
from course.key import Key
from course.verdict import Verdict
from tests.autograde import toy
from tests.autograde.command import run as command
from tests.autograde.command import said
from tools.notebooks import files

ROOT = Path(__file__).resolve().parents[3]
PACKAGES = ("autograde", "course", "solutions")
EDITS = """
import functools, importlib.metadata, json, sys
from pathlib import Path
importlib.metadata.version = functools.cache(importlib.metadata.version)  # no library is edited here
from autograde.grading.versions import versions

def now():
    versions.cache_clear()
    return {path.stem: versions(path.stem, path.read_text("utf-8"))["grader"] for path in chosen}

root = Path.cwd()
chosen = [path for path in sorted(root.glob("notebooks/*.ipynb")) if path.stem in sys.argv[1:]]
before, changed = now(), {}
for path in sorted(path for top in ("autograde", "course", "solutions", "training", "book", "theme") for path in root.glob(top + "/**/*")):
    if path.is_file() and "__pycache__" not in path.parts:
        content = path.read_bytes()
        path.write_bytes(content + b"\\n# another line\\n")
        after = now()
        changed[path.relative_to(root).as_posix()] = [name for name in after if after[name] != before[name]]
        path.write_bytes(content)
assert now() == before
print(json.dumps(changed))
"""  # noqa: E501
LOADED = """
import json, sys
from pathlib import Path
root, (assignment,) = Path.cwd(), sys.argv[1:]
opened = set()
def hook(event, given):
    if event == "open" and isinstance(given[0], (str, bytes)) and not str(given[0]).endswith(".pyc"):
        opened.add(str(given[0]))
from autograde import bank
from autograde.grading import judge, versions, worker
from autograde.intake import merge, parse
from course.checks import questions
from course.key import Key
sys.addaudithook(hook)
for exercise in judge.of_assignment(assignment):
    if exercise.question:
        questions.judge(exercise, 1)
    else:
        bank.table(exercise, Key.public(1))
notebook = (root / "notebooks" / f"{assignment}.ipynb").read_text("utf-8")
files, _ = versions.sources(assignment, notebook)
loaded = {str(m.__file__) for n, m in list(sys.modules.items()) if n.split(".")[0] in ("autograde", "course", "solutions")}
ours = [f"{root}/{package}/" for package in ("autograde", "course", "solutions")]
found = {path for path in loaded | opened if path.startswith(tuple(ours))}
print(json.dumps([sorted(found - set(map(str, files.values()))), len(found)]))
"""  # noqa: E501


def printed(program: str, folder: Path, *arguments: str):
    environment = {**os.environ, "PYTHONPATH": str(folder), "PYTHONDONTWRITEBYTECODE": "1"}
    words = [sys.executable, "-c", program, *arguments]
    done = subprocess.run(words, cwd=folder, env=environment, capture_output=True, text=True, timeout=500)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout.splitlines()[-1])


@pytest.fixture(scope="module")
def a_copy(tmp_path_factory) -> Path:
    """A copy of what decides, and of some that does not."""
    folder = tmp_path_factory.mktemp("tree")
    ignored = shutil.ignore_patterns("__pycache__", ".*")
    for name in (*PACKAGES, "training", "notebooks"):
        shutil.copytree(ROOT / name, folder / name, ignore=ignored)
    (folder / "book").mkdir()
    shutil.copy(ROOT / "book" / "instructors" / "grader.md", folder / "book")
    return folder


@pytest.fixture(scope="module")
def changed(a_copy) -> dict[str, list[str]]:
    """Each file of a copy of the tree -> the assignments whose digest is another once it is edited."""
    return printed(EDITS, a_copy, "02-bahdanau", "05-multi-head")


BOTH = ["02-bahdanau", "05-multi-head"]
# What every verdict goes through, from the file that is read to the points; what its answers are tried and compared on.
DECIDING = """
autograde/grading/worker.py autograde/grading/judge.py autograde/grading/dependencies.py autograde/grading/endings.py
autograde/grading/shares.py autograde/grading/timed.py autograde/intake/parse.py autograde/intake/merge.py
autograde/intake/received.py
autograde/intake/matching.py autograde/intake/marks.py autograde/intake/comparison.py autograde/intake/magics.py
autograde/intake/environment.py autograde/intake/names.py autograde/intake/notes.py
autograde/intake/syntax.py autograde/intake/flags.py autograde/bank/reader.py autograde/reference.py
autograde/sandbox/launch.py autograde/sandbox/pool.py autograde/sandbox/seccomp.py
autograde/sandbox/inside/__init__.py autograde/sandbox/inside/__main__.py autograde/sandbox/inside/child.py
autograde/sandbox/inside/confinement.py autograde/sandbox/inside/fork_server.py autograde/sandbox/inside/kernel.py
autograde/sandbox/inside/output.py autograde/sandbox/inside/preload.py autograde/sandbox/inside/supervisor.py
autograde/sandbox/limits.py autograde/sandbox/command.py autograde/sandbox/folder.py autograde/sandbox/fonts.py
autograde/sandbox/outputs.py
autograde/sandbox/as_course.py autograde/sandbox/usage.py autograde/sandbox/remote.py
autograde/bank/__init__.py autograde/bank/operators.py autograde/bank/operators.json autograde/grading/versions.py
course/__init__.py
course/checks/questions.py course/exercises.py course/chapters/exercises.json course/learner/components.py
course/learner/session.py course/plots.py course/data/__init__.py course/checks/__init__.py
course/checks/engine/draw.py course/checks/engine/declare.py course/checks/engine/conditions.py
course/checks/engine/subject.py course/checks/engine/probes.py course/checks/engine/agreement.py
course/checks/engine/explanations.py
course/checks/redundant.json
course/checks/engine/of_tests.py course/protocol/device.py course/protocol/untouched.py
course/fixtures/__init__.py course/weights.py course/watch.py course/data/digits.py course/data/text.py
course/fixtures/seq2seq.py course/protocol/wire.py course/protocol/runner.py course/protocol/student.py
course/protocol/blocked.py course/chapters/__init__.py solutions/warm_up.py solutions/seq2seq.py
""".split()
OF_ITS_CHAPTER = "course/checks/{0}.py course/chapters/{0}.toml solutions/{0}.py"
# What hands out, collects, carries, keeps and shows, and what belongs to other chapters or to the learner.
CARRYING = """
autograde/reports/feedback.py autograde/cli/grading.py autograde/terminal/grading.py autograde/reports/export.py
autograde/reports/summary.py autograde/reports/trace.py autograde/intake/collect.py autograde/gradebook/store.py
autograde/gradebook/enter.py autograde/gradebook/release.py autograde/ledger.py autograde/plan.py autograde/keys.py
autograde/grading/run.py
autograde/grading/regrade.py autograde/grading/executor.py autograde/folders.py autograde/sandbox/doctor.py
autograde/intake/sources.py autograde/intake/people.py autograde/intake/submissions.py autograde/intake/probe.py
autograde/bank/sample.py autograde/bank/__main__.py autograde/bank/mutation.py autograde/bank/defects.py
autograde/bank/exceptions.toml autograde/bank/equivalent.toml
autograde/bank/answers/cuda/accumulate.py autograde/reports/templates/summary/index.html.j2 course/checks/vit.py
course/chapters/vit.toml course/checks/recorded/masked_softmax.npz
solutions/transformer.py solutions/scale.py training/loop.py book/grader.md
""".split()


def test_an_edit_of_what_decides_changes_the_digest_and_of_what_does_not_leaves_it(changed):
    assert {path: changed[path] for path in DECIDING} == dict.fromkeys(DECIDING, BOTH)
    assert {path: changed[path] for path in CARRYING} == {path: [] for path in CARRYING}
    for assignment, chapter in zip(BOTH, ("bahdanau", "multi_head"), strict=True):
        for path in OF_ITS_CHAPTER.format(chapter).split():
            assert assignment in changed[path], path
        answers = [path for path in changed if path.startswith(f"autograde/bank/answers/{chapter}/")]
        assert answers and all(assignment in changed[path] for path in answers)
    assert changed["solutions/dot_product.py"] == changed["course/checks/variants/multi_head.py"] == ["05-multi-head"]
    assert changed["solutions/bahdanau.py"] == BOTH, "an earlier chapter's solutions stand in for what fails"
    inside = {f"course/{path.relative_to(ROOT / 'course').as_posix()}" for path in folder.present()}
    assert inside <= changed.keys() and all(changed[path] == BOTH for path in inside), "an answer may import it"


CHANGED = """
import json, os, sys, time
from pathlib import Path
from autograde.grading import worker
from course.key import Key
notebook = Path("notebooks/01-seq2seq.ipynb").read_bytes()
def graded():
    try:
        return worker.task("01-seq2seq", notebook, Key.public(1)).assignment
    except ValueError as error:
        return str(error)
seen = [graded()]
for name in sys.argv[1:]:
    path = Path(name)
    content, before = path.read_bytes(), path.stat()
    path.write_bytes(content + b"\\n# another line\\n")
    os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns))
    seen.append(graded())
print(json.dumps(seen))
"""


def test_a_file_that_decides_and_is_changed_in_mid_run_stops_the_run(a_copy):
    """What was loaded is the old one, and a record would name the new one."""
    decides_nothing, decides = "autograde/reports/feedback.py", "solutions/seq2seq.py"
    first, second, third = printed(CHANGED, a_copy, decides_nothing, decides)
    assert first == second == "01-seq2seq"
    assert third.startswith(f"the grader was changed while it ran ({decides}): 01-seq2seq was not graded. To do: ")


@pytest.mark.parametrize("number", ["00", "05", pytest.param("10", marks=pytest.mark.slow)])
def test_everything_of_ours_that_judging_loads_or_reads_is_in_it(number, full):
    """Whatever way it is loaded: the modules that are there afterwards, and every file that was opened."""
    if number == "10" and not full:
        pytest.skip("the long form")
    (path,) = files.paths([number])
    missing, count = printed(LOADED, ROOT, path.stem)
    assert not missing and count > 30


@pytest.mark.sandbox
@pytest.mark.parametrize("number", ["05"])
def test_everything_of_ours_that_is_loaded_inside_the_sandbox_is_in_it(number, monkeypatch):
    (path,) = files.paths([number])
    source = (
        "import sys, course.protocol.runner\n"
        "print(*(name for name in sys.modules if name.split('.')[0] in ('course', 'solutions', 'autograde')))"
    )
    monkeypatch.setattr(worker.judge, "tables", lambda *_: {"none": None})
    with Worker(path.stem, files.read(path), Key.public(1)) as opened:
        child = opened.sandbox().run([Cell(0, "c0", source, "added")])
        child.close()
    (output,) = child.ran[0].outputs
    decide, _ = versions.sources(path.stem, path.read_text("utf-8"))
    assert {"course", "course.plots", "course.data.counting"} <= set(output["text"].split()) <= {*decide, "solutions"}


def test_the_sandbox_holds_earlier_chapters_and_nothing_else():
    assert reference.held("00-warm-up") == []
    assert reference.held("02-bahdanau") == ["seq2seq", "warm_up"]
    assert set(reference.held("10-scale")) == {e.chapter for e in exercises() if int(e.number.split(".")[0]) < 10}


def test_libraries_are_named_with_their_versions_and_count(monkeypatch):
    (path,) = files.paths(["02"])
    text = path.read_text("utf-8")
    now = versions.versions(path.stem, text)
    assert {"python", "torch", "numpy", "ipython", "nbformat", "matplotlib", "grader"} <= set(now)
    assert now is versions.versions(path.stem, text), "looked up once"
    real = importlib.metadata.version
    for library in ("numpy", "ipython", "nbformat"):
        monkeypatch.setattr(importlib.metadata, "version", lambda name, of=library: "9" if name == of else real(name))
        versions.versions.cache_clear()
        assert versions.versions(path.stem, text) == now | {library: "9"}
    versions.versions.cache_clear()


def test_imports_of_every_form_are_followed():
    source = (
        b"import course.data as d\nfrom course.data import digits, check\nfrom .wire import copy\n"
        b"def f():\n    import autograde.grading.judge\n    return __import__('course.data.text'), 'course is a word'\n"
    )
    assert versions._imports(source, "course.protocol") == {
        "course.data", "course.data.digits", "course.data.check", "course.protocol.wire",
        "course.protocol.wire.copy", "autograde.grading.judge", "course.data.text",
    }  # fmt: skip


def test_another_grader_grades_again_where_it_is_asked_to(
    toy_released, toy_notebook, submission, one_sandbox, monkeypatch
):
    sheet = sample.Sheet(toy_notebook.read_bytes(), toy.NAME)
    submission(toy_released, "ada", sheet.filled(sheet.right))
    assert [line.fresh for line in run.grade(toy_released).lines] == [True]
    assert [line.fresh for line in run.grade(toy_released).lines] == [False]
    now = versions.versions(toy.NAME, toy_released.released(toy.NAME).read_text("utf-8"))
    for other in ({"grader": "another"}, {"numpy": "9"}):
        monkeypatch.setattr(worker, "versions", lambda *_, other=other: now | other)
        summary = run.grade(toy_released)
        assert [line.fresh for line in summary.lines] == [False] and summary.outdated == [(toy.NAME, "ada")]
        summary = run.grade(toy_released, outdated=True)
        assert [line.fresh for line in summary.lines] == [True] and summary.outdated == []


def test_no_grade_becomes_another_because_the_course_has_changed(
    toy_released, toy_notebook, submission, one_sandbox, monkeypatch
):
    """A stricter grader: what is graded stands until somebody asks, also after an upgrade, and what is not, is judged
    by the new one. Each command says so."""
    sheet, where = sample.Sheet(toy_notebook.read_bytes(), toy.NAME), ("--class", toy_released.root)
    submission(toy_released, "ada", sheet.filled(sheet.right))
    run.grade(toy_released)
    now = versions.versions(toy.NAME, toy_released.released(toy.NAME).read_text("utf-8"))
    monkeypatch.setattr(worker, "versions", lambda *_: now | {"grader": "stricter"})
    right = Verdict.points
    monkeypatch.setattr(Verdict, "points", lambda self, out_of: 0.5 * right(self, out_of))

    def points():
        return {student: sum(given.values()) for student, given in store.scores(toy_released, toy.NAME).items()}

    submission(toy_released, "bob", sheet.filled(sheet.right))
    shown = said(command("grade", *where))
    assert points() == {"ada": 9, "bob": 4.5}
    assert "1 of these were graded by another version of the course" in shown
    assert f"autograde regrade {toy.NAME} --diff --class {toy_released.root}" in shown
    toy_released.layout.unlink()  # of an earlier version
    assert command("upgrade", *where).exit_code == 0 and points() == {"ada": 9, "bob": 4.5}
    for words in (("release",), ("summary",), ("feedback",), ("export",), ("grade", "--resume"), ("regrade", "--diff")):
        shown = said(command(*words, *where)) if words != ("release",) else release(toy_released, [toy_notebook])
        assert points() == {"ada": 9, "bob": 4.5}
    assert "ada" in shown and "Nothing was written" in shown
    assert command("regrade", "--write", *where).exit_code == 0 and points() == {"ada": 4.5, "bob": 4.5}
    assert command("undo", *where).exit_code == 0 and points() == {"ada": 9, "bob": 4.5}
