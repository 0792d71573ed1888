"""Submissions that attack the grader, each with its honest score and a flag ("none" where nothing in its text is seen
that an honest answer has no use for); nothing disclosed, nothing left running,
and the neighbours as they were. With `--full` all of them also as an ordinary user, and all of them through nbgrader
to the feedback pages; without it, those of them for which that makes a difference.

One file of `attacks/` is one submission for the toy assignment: what it tries, its score and its flag, then its cells,
each under the name of the exercise that it answers or `added`. What it does not answer is answered right.
"""

from __future__ import annotations

import contextlib
import importlib
import os
import re
import secrets
import shutil
import sys
import tempfile
import textwrap
import time
from collections.abc import Callable, Collection
from dataclasses import dataclass
from pathlib import Path

import nbformat
import pytest
import torch

from autograde import keys
from autograde.bank import sample
from autograde.folders import ClassFolder
from autograde.gradebook import store
from autograde.grading import judge, run
from autograde.grading import worker as workers
from autograde.grading.worker import Graded, Worker
from autograde.intake import flags, received
from autograde.intake.marks import grade_id
from autograde.ledger import Ledger
from autograde.reports import feedback
from autograde.reports.summary import summary as instructors_summary
from autograde.sandbox.limits import MIB, Limits
from autograde.sandbox.pool import Sandbox
from course.checks.engine import Table
from course.key import Key
from tests.autograde import toy
from tests.autograde.sandbox.test_pool import as_an_ordinary_user

pytestmark = [
    pytest.mark.sandbox,
    pytest.mark.xdist_group("attacks"),
    pytest.mark.skipif(sys.platform != "linux" or shutil.which("bwrap") is None, reason="needs Linux and bubblewrap"),
]
FILES = sorted((Path(__file__).parents[1] / "attacks").glob("*.py"))
LIMITS = Limits(
    cell_seconds=3, request_seconds=3, grace=1, wall_seconds=60, memory=400 * MIB, disk=8 * MIB, outputs=4 * MIB
)
# What an attack's pages must not hold: markup that runs, terminal codes, words that only a reference or a judge has.
SAFE = '<img alt="figure" src="data:image/svg+xml;base64,">'
FIGURE = re.compile(r'<img alt="figure" src="data:image/svg\+xml;base64,[\w+/=]*">')
RUNS = re.compile(r"<script>alert|<[a-z][^<>]*(onerror=|onmouseover=|javascript:)|\x1b")
# What an attack prints where it got at something that it should not have.
GAINS = re.compile(
    r"SECRETS? (?!set\(\))\S|FOUND /|READ /|(REACHED|OPEN|TAKEN|GAINED|HISTORY) \[[^\]]|SET True|SANDBOX_CONTROL"
    r"|message=['\"]PLEASE|please_"
)
REFERENCE = "need x of shape (B, D)"


@dataclass(frozen=True)
class Attack:
    """A file of the corpus, or an edit of the notebook itself."""

    name: str
    tries: str
    lost: dict[str, float]
    flag: str
    cells: dict[str, str]
    edit: Callable[[list[dict]], object] | None = None

    @property
    def facts(self) -> dict[str, str]:
        """What a report of the tests says of it (`pytest --junitxml`); `benchmarks.trust` reads them."""
        honest = ", ".join(f"{name} {points:g}" for name, points in self.lost.items()) or "full"
        return {"kind": "attack", "name": self.name, "tries": self.tries, "honest": honest, "flag": self.flag}


def read(path: Path) -> Attack:
    head, *cells = re.split(r"^# %% (\w+)\n", path.read_text("utf-8"), flags=re.M)
    header = dict(re.findall(r"^# (Tries|Score|Flag): (.*)$", head, flags=re.M))
    lost = {} if header["Score"] == "full" else dict(part.split() for part in header["Score"].split(", "))
    return Attack(
        path.stem,
        header["Tries"],
        {name: float(points) for name, points in lost.items()},
        header["Flag"],
        dict(zip(cells[::2], cells[1::2], strict=True)),
    )


class Watched(Worker):
    """A worker that knows which processes are its sandbox's, by the folder that is mounted inside; but for the one that
    waits for the next submission, which is ended to be told apart from what a submission left."""

    folder = ""

    def sandbox(self):
        opened = super().sandbox()
        (self.folder,) = {
            path.name for path in Path(opened._launched._errors.name).parents if path.name.startswith("sandbox-")
        }
        return opened

    def processes(self) -> set[int]:
        if self._sandbox is not None:
            self._sandbox._end_spare()
        processes = set()
        for process in Path("/proc").glob("[0-9]*"):  # a pattern with a second part would stop where one ends meanwhile
            with contextlib.suppress(OSError):
                if self.folder in (process / "mountinfo").read_text():
                    processes.add(int(process.name))
        return processes


def submission(attack: Attack, notebook: Path) -> bytes:
    sheet = sample.Sheet(notebook.read_bytes(), toy.NAME)
    answers = sheet.right | {name: source for name, source in attack.cells.items() if name != "added"}

    def change(cells: list[dict]) -> list[dict]:
        if "added" in attack.cells:
            cells.insert(1, sample._added(attack.cells["added"]))
        if attack.edit is not None:
            attack.edit(cells)
        return cells

    return sheet.filled(answers, change)


@pytest.fixture(scope="module")
def released(tmp_path_factory, released_once):
    with toy.installed(tmp_path_factory.mktemp("attacked")) as notebook:
        yield notebook


@pytest.fixture(scope="module")
def worker(released):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(workers, "Sandbox", sandboxed)
        notebook = nbformat.reads(released.read_text("utf-8"), as_version=4)
        with Watched(toy.NAME, notebook, Key.public(7)) as opened:
            yield opened
            before = opened.processes()
    assert before, "the watch sees the sandbox itself"
    assert not running(opened), "nothing outlives the sandbox"


def sandboxed(**settings) -> Sandbox:
    return Sandbox(**settings, limits=LIMITS)


@pytest.fixture(scope="module")
def canary(tmp_path_factory):
    """A secret in a neighbour's submission and in the gradebook's place; no attack's own text holds it."""
    secret = f"CANARY-{secrets.token_hex(8)}"
    folder = tmp_path_factory.mktemp(secret)
    (folder / "gradebook.db").write_text(secret)
    (folder / "neighbour.ipynb").write_text(f'"# my answer, {secret}"')
    return secret


@pytest.fixture(scope="module")
def honest(released) -> bytes:
    """A neighbour's submission, part of it wrong."""
    sheet = sample.Sheet(released.read_bytes(), toy.NAME)
    return sheet.filled(sheet.right | {"scale": "def scale(x, factor):\n    return x * abs(factor)"})


@pytest.fixture(scope="module")
def alone(worker, honest):
    """The neighbour's verdicts before anybody attacks."""
    return graded_file(worker, honest).verdicts


def graded_file(worker: Worker, content: bytes) -> Graded:
    with tempfile.TemporaryDirectory() as folder:
        Path(folder, f"{toy.NAME}.ipynb").write_bytes(content)
        return worker.grade(received.receive(Path(folder), toy.NAME))


def everything_visible(graded: Graded) -> str:
    """All that a student, or a page about the submission, sees of a run: but for the student's own sources."""
    outputs = [output for cell in graded.notebook.cells for output in cell.get("outputs", [])]
    return "\n".join([str(outputs), str(graded.verdicts), *graded.notes, *graded.details, graded.reason])


# --- edits of the notebook itself: only the text of its answers is taken --------------------------------------------


def _each_check(cells: list[dict]) -> list[dict]:
    return [cell for cell in cells if grade_id(cell).endswith("-check")]


def _points(cells: list[dict]) -> None:
    for cell in _each_check(cells):
        cell["metadata"]["nbgrader"] |= {"points": 1000, "grade": True, "locked": False}


def _extra_grade_cells(cells: list[dict]) -> None:
    for number in range(3):
        made = {"schema_version": 3, "grade_id": f"gift{number}", "points": 50, "grade": True, "locked": False}
        cells.append(
            sample._added("50.0") | {"id": f"gift{number}", "metadata": {"nbgrader": made | {"solution": True}}}
        )


def _skipped_checks(cells: list[dict]) -> None:
    for cell in _each_check(cells):
        cell["metadata"]["tags"] = ["skip-execution", "remove_cell"]


def _checks_that_say_full(cells: list[dict]) -> None:
    for cell in _each_check(cells):
        cell["source"] = ["100.0"]
        data = {"text/plain": ["100.0"], "text/html": ["<script>alert(1)</script>"]}
        cell["outputs"] = [{"output_type": "execute_result", "execution_count": 1, "metadata": {}, "data": data}]


def _answers_in_check_cells(cells: list[dict]) -> None:
    for cell in _each_check(cells):
        cell["metadata"]["nbgrader"] |= {"grade": False, "solution": True}
        cell["source"] = ["import builtins\n", "builtins.print = None\n", "def centre(x): return 0 * x"]


EDITS = {
    _points: ("give the graded cells a thousand points each", flags.MARKS),
    _extra_grade_cells: ("bring cells of its own that are worth fifty points", flags.MARKS),
    _skipped_checks: ("tag the check cells so that nobody runs them", flags.MARKS),
    _checks_that_say_full: ("write full points into the check cells and their outputs", flags.CHECKS),
    _answers_in_check_cells: ("turn the check cells into answers that spoil what comes after", flags.CHECKS),
}
NOTHING = "def centre(x):\n    return x"
READ = [read(path) for path in FILES]
ON_TESTS = [attack for attack in READ if "test_centre" in attack.cells]  # the toy asks for a test on request alone
ATTACKS = [attack for attack in READ if attack not in ON_TESTS]
ATTACKS += [
    Attack(edit.__name__.strip("_"), tries, {"centre": 0.0}, flag, {"centre": NOTHING}, edit)
    for edit, (tries, flag) in EDITS.items()
]


# --- one after the other ------------------------------------------------------------------------------------------


def hold(worker: Watched, released: Path, canary: str, attack: Attack) -> None:
    """Grade the attack: its honest score and a flag, nothing disclosed, nothing left running."""
    before = worker.processes()
    graded = graded_file(worker, submission(attack, released))
    points = graded.points
    assert points == {e.name: attack.lost.get(e.name, float(e.points)) for e in worker.exercises}, graded
    assert attack.flag in [*graded.flags, "none"], graded.flags
    assert not graded.needs_person, graded.details
    assert not any(judged.internal for judged in graded.verdicts.values()), graded.verdicts
    visible = everything_visible(graded)
    assert canary not in visible and "gradebook.db" not in visible and REFERENCE not in visible
    assert not GAINS.search("\n".join([visible, *graded.flags])), (visible, graded.flags)
    if attack.edit is not None:  # only the text of answers is taken
        assert "alert(" not in str(graded.notebook) and "gift" not in str(graded.notebook)
    stored = [output for cell in graded.notebook.cells for output in cell.get("outputs", [])]
    assert stored or not re.search("figure|output", attack.name), "what it shows is not there to be looked at"
    for output in stored:
        data = dict(output.get("data", {}))
        assert FIGURE.fullmatch(data.pop("text/html", SAFE)) and set(data) <= {"text/plain", "image/png"}, output
        assert "\x1b[2" not in str(output) and "\x1b]" not in str(dict(output))
    assert worker._sandbox is not None, "the sandbox outlives it"
    assert not running(worker, before), "nothing of it outlives its submission"


def running(worker: Watched, before: Collection[int] = ()) -> set[int]:
    """Processes that were not there before, of those that are there after a while: what is killed takes a moment."""
    ended = time.monotonic() + 20
    while (left := worker.processes() - set(before)) and time.monotonic() < ended:
        time.sleep(0.02)
    return left


@pytest.mark.parametrize("attack", ATTACKS, ids=lambda attack: attack.name)
def test_an_attack_gets_its_honest_score_and_a_flag_and_leaves_nothing(
    worker, released, canary, alone, attack, record_property
):
    for name, value in attack.facts.items():
        record_property(name, value)
    hold(worker, released, canary, attack)


@pytest.mark.parametrize("attack", ON_TESTS, ids=lambda attack: attack.name)
def test_an_attack_in_place_of_a_test_gets_its_honest_score_too(tmp_path, released, canary, attack, record_property):
    for name, value in attack.facts.items():
        record_property(name, value)
    with toy.installed(tmp_path, with_a_test=True) as path, pytest.MonkeyPatch.context() as patch:
        patch.setattr(workers, "Sandbox", sandboxed)
        with Watched(toy.NAME, nbformat.reads(path.read_text("utf-8"), as_version=4), Key.public(7)) as opened:
            opened.sandbox()
            hold(opened, path, canary, attack)


OURS = re.compile(r"\b(?:course|autograde|solutions|training)(?:\.\w+)+")


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_an_attack_aims_at_what_is_there(released, path):
    """One that reaches for a module of ours by a name that it no longer has tries nothing."""
    text = re.sub(r"from ([\w.]+) import (\w+)", r"\1.\2", path.read_text("utf-8"))
    assert [name for name in OURS.findall(text) if not _there(name)] == []


def _there(dotted: str) -> bool:
    """Whether this is a module, or something in one."""
    name, *rest = dotted.split(".")
    thing: object = importlib.import_module(name)
    for part in rest:
        name = f"{name}.{part}"
        with contextlib.suppress(ImportError):
            importlib.import_module(name)
        thing = sys.modules.get(name) or getattr(thing, part, None)
        if thing is None:
            return False
    return True


def test_the_neighbour_is_graded_after_all_of_them_as_before(worker, honest, alone):
    again = graded_file(worker, honest)
    assert again.verdicts == alone and not again.flags
    assert (alone["scale"].fraction, alone["standardise"].fraction) == (0.5, 1.0)


# --- through the gradebook to the feedback pages --------------------------------------------------------------------

TO_THE_END = """
script_in_output script_in_names script_in_a_figure forged_output flood_of_output patches_the_comparisons
reads_every_file kills_its_parents edited_points leaves_python unfamiliar_operator
""".split()


def test_through_the_gradebook_and_the_pages_nothing_is_disclosed_and_the_neighbours_stand(
    tmp_path, released, released_once, honest, worker, monkeypatch, full
):
    """The class is graded with the attacks in it; the neighbours, before and after them by name, as without them."""
    opened = worker.sandbox()
    monkeypatch.setattr(workers, "Sandbox", lambda **settings: Opened(opened))
    secret = f"CANARY-{secrets.token_hex(8)}"
    root = tmp_path / secret / "class"
    shutil.copytree(released_once, root)
    folder = ClassFolder.at(root)
    theirs = honest.decode().replace("abs(factor)", f"abs(factor)  # {secret}").encode()
    chosen = [attack for attack in ATTACKS if full or attack.name in TO_THE_END]
    assert len(chosen) == len(ATTACKS if full else TO_THE_END)
    submissions = {"aaa": theirs, "zzz": theirs} | {attack.name: submission(attack, released) for attack in chosen}
    for student, content in submissions.items():
        path = folder.submitted / student / toy.NAME / f"{toy.NAME}.ipynb"
        path.parent.mkdir(parents=True)
        path.write_bytes(content)
    summary = run.grade(folder)
    feedback.feedback(folder, toy.NAME)
    assert not summary.refused and not any(line.needs_person for line in summary.lines)
    scores = store.scores(folder, toy.NAME)
    most = {e.name: float(e.points) for e in worker.exercises}
    assert scores["aaa"] == scores["zzz"] == most | {"scale": 1.0}
    assert {a.name: scores[a.name] for a in chosen} == {a.name: most | a.lost for a in chosen}
    judge_knows = keys.find(folder.ledger, next(iter(Ledger(folder.ledger).read(toy.NAME))).key)
    expected = {f"{value:.4f}".lstrip("-") for value in _reference_values(judge.tables(toy.NAME, judge_knows))}
    looks = {look.student: look.why for look in instructors_summary(folder, toy.NAME).look}
    assert all(attack.flag in ["none", *looks.get(attack.name, ())] for attack in chosen)
    for attack in chosen:
        pages = list((folder.root / "feedback" / attack.name).rglob("*.html"))
        text = "".join(page.read_text("utf-8") for page in pages)
        assert pages and secret not in text and str(folder.root) not in text
        assert text.count(REFERENCE) <= submissions[attack.name].count(REFERENCE.encode()), (
            "none but its own right answers"
        )
        assert not RUNS.search(text), (attack.name, RUNS.search(text))
        assert not [value for value in expected if value in text], "no expected value in a page"
    records = [path.read_text("utf-8") for path in Path(folder.ledger).rglob("*.jsonl")]
    assert records and not any(secret in text or "\x1b" in text for text in records)


class Opened:
    """The tests' own sandbox in place of one that a run starts: it stays open."""

    def __init__(self, sandbox: Sandbox):
        self.run, self.limits = sandbox.run, sandbox.limits

    def launch(self) -> Opened:
        return self

    def ready(self) -> Opened:
        return self

    def close(self) -> None:
        pass


def _reference_values(tables: dict[str, Table]) -> set[float]:
    """The numbers that the reference gives for a key; round ones prove nothing."""
    numbers = set()

    def walk(value) -> None:
        if isinstance(value, torch.Tensor):
            numbers.update(round(float(number), 4) for number in value.flatten() if value.is_floating_point())
        elif isinstance(value, dict):
            for entry in value.values():
                walk(entry)
        elif isinstance(value, (list, tuple)):
            for entry in value:
                walk(entry)
        elif hasattr(value, "__dict__"):
            walk(vars(value))

    for table in tables.values():
        walk(table.reference)
    assert len(numbers) > 20
    return {value for value in numbers if round(value, 2) != value}


# --- as an ordinary user --------------------------------------------------------------------------------------------

# Those that the kernel holds: for an ordinary user it does so by other means than for root.
HELD = """
fork_bomb thread_bomb daemon memory_bomb memory_over_processes memory_outside_processes disk_bomb descriptor_bomb
kernel_objects kernel_doors privileges clock network reads_proc reads_every_file kills_its_parents kills_its_group
segmentation_fault closes_the_line environment swallows_everything
""".split()
ORDINARY = """
    import os, tempfile
    from pathlib import Path
    import torch
    torch.set_num_threads(1)
    from tests.autograde import toy
    from tests.autograde.sandbox import test_attacks as tests
    assert os.getuid() == 12345
    tests.workers.Sandbox = tests.sandboxed
    with toy.installed(Path(tempfile.mkdtemp())) as released:
        notebook = tests.nbformat.reads(released.read_text("utf-8"), as_version=4)
        with tests.Watched(toy.NAME, notebook, tests.Key.public(7)) as worker:
            held = [attack for attack in tests.ATTACKS if ALL or attack.name in tests.HELD]
            sheet = tests.sample.Sheet(released.read_bytes(), toy.NAME)
            alone = tests.graded_file(worker, sheet.filled(sheet.right)).verdicts
            for attack in held:
                tests.hold(worker, released, "CANARY-0", attack)
            assert tests.graded_file(worker, sheet.filled(sheet.right)).verdicts == alone
        assert not tests.running(worker)
    print(len(held), "attacks held")
"""


@pytest.mark.skipif(os.getuid() != 0, reason="started as an ordinary user, every other test is this one")
def test_what_the_kernel_holds_is_held_for_an_ordinary_user_too(full):
    number = len(ATTACKS) if full else len(HELD)
    done = as_an_ordinary_user(f"ALL = {full}\n{textwrap.dedent(ORDINARY)}", seconds=600 if full else 120)
    assert done.returncode == 0 and f"{number} attacks held" in done.stdout, done.stdout + done.stderr
