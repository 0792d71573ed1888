"""nbgrader's own commands and its formgrader on a class: in one of ours, no submission runs outside the sandbox."""

import csv
import http.cookiejar
import json
import os
import re
import shutil
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.parse
import urllib.request
from pathlib import Path

import nbformat
import pytest
from nbformat.v4 import new_code_cell

from autograde import access
from autograde.bank import sample
from autograde.folders import ClassFolder
from autograde.gradebook import configuration, examination, store
from autograde.gradebook.release import release
from autograde.ledger import Ledger
from benchmarks.grading import forget_the_sandbox
from tests.autograde.conftest import copied

NOTEBOOK = Path(__file__).resolve().parents[3] / "notebooks" / "00-warm-up.ipynb"
NAME = NOTEBOOK.stem
# What nbgrader's own script does, without the grammar of addresses that takes each start two seconds.
SCRIPT = "import autograde, sys; from nbgrader.apps.nbgraderapp import main; sys.exit(main())"
HONEST = ("right", "right-other-form-1", "partly-right")

pytestmark = [pytest.mark.xdist_group("stock nbgrader")]


def environment():
    here = str(Path(sys.executable).parent)
    return {**os.environ, "PATH": f"{here}{os.pathsep}{os.environ['PATH']}", "OMP_NUM_THREADS": "1", "NO_COLOR": "1"}


def nbgrader(folder, *words, status=0):
    command = [sys.executable, "-c", SCRIPT, *words]
    done = subprocess.run(command, cwd=folder.root, env=environment(), capture_output=True, text=True, timeout=600)
    assert done.returncode == status, done.stderr[-3000:]
    return done


@pytest.fixture(scope="module")
def with_honest(tmp_path_factory):
    """A function that makes a class with its honest sample alone: (folder, made). The first is copied, as it was."""
    first = ClassFolder.at(tmp_path_factory.mktemp("honest") / "class")
    release(first, [NOTEBOOK])
    made = {submission.student: submission for submission in sample.sample(first, NAME)}
    for student in set(made) - set(HONEST):
        shutil.rmtree(first.submitted / student)

    def copy(name):
        return copied(first, tmp_path_factory.mktemp(name) / "class"), made

    return copy


@pytest.fixture(scope="module")
def stock(with_honest):
    """Honest submissions graded by stock nbgrader, in a class that is not ours: its own executor, no sandbox."""
    folder, made = with_honest("stock")
    forget_the_sandbox(folder)
    nbgrader(folder, "autograde", NAME)
    return folder, made


def test_stock_autograde_gives_honest_submissions_the_same_points(stock):
    folder, made = stock
    assert store.scores(folder, NAME) == {student: made[student].expected for student in HONEST}


def writes(folder, student, target):
    """A right submission with a cell that leaves a file behind, as any code could that is run unprotected."""
    path = folder.submitted / student / NAME / f"{NAME}.ipynb"
    shutil.copytree(folder.submitted / "right", folder.submitted / student)
    notebook = nbformat.read(path, as_version=4)
    cell = new_code_cell(f"open({str(target)!r}, 'w').write('was run')")
    notebook.cells.insert(1, cell)
    nbformat.write(notebook, path)
    return path


@pytest.fixture(scope="module")
def ours(with_honest, tmp_path_factory):
    """A class of ours, with submissions that would leave a file behind: (folder, made, student -> that file)."""
    folder, made = with_honest("ours")
    marks = tmp_path_factory.mktemp("marks")
    targets = {student: marks / student for student in ("by-command", "by-button", "by-validate")}
    for student, target in targets.items():
        writes(folder, student, target)
    return folder, made, targets


@pytest.fixture(scope="module")
def by_command(ours):
    """What `nbgrader autograde` said when it graded one student of the class."""
    return nbgrader(ours[0], "autograde", NAME, "--student", "by-command", "--force").stderr


def test_nbgrader_autograde_goes_through_the_sandbox(ours, by_command):
    folder, made, targets = ours
    assert not targets["by-command"].exists()
    assert store.scores(folder, NAME) == {"by-command": made["right"].expected}
    of = {student for student, _ in Ledger(folder.ledger).latest(NAME)}
    assert of == {"by-command"}, "the ledger holds no verdict, or one that nobody asked for"
    assert "by-command" in by_command
    # Without what runs code, stored outputs would be the score: the flag is nbgrader's, and changes nothing here.
    stamp = store.entered(folder, NAME, "by-command")
    nbgrader(folder, "autograde", NAME, "--student=by-command", "--no-execute", "--force")
    assert store.entered(folder, NAME, "by-command") == stamp
    assert store.scores(folder, NAME) == {"by-command": made["right"].expected}


@pytest.mark.usefixtures("by_command")
def test_a_refusal_changes_nothing_and_says_what_to_do(ours):
    folder, _, _ = ours
    before = store.scores(folder, NAME), store.entered(folder, NAME, "by-command")
    with Ledger(folder.ledger).alone():  # another run is at work
        done = nbgrader(folder, "autograde", NAME, "--student", "by-command", "--force", status=1)
    assert "another run" in done.stderr and "wait for it" in done.stderr and "Traceback" not in done.stderr
    assert (store.scores(folder, NAME), store.entered(folder, NAME, "by-command")) == before


def test_nbgrader_validate_runs_no_submission(ours):
    folder, _, targets = ours
    path = folder.submitted / "by-validate" / NAME / f"{NAME}.ipynb"
    done = nbgrader(folder, "validate", str(path), status=1)
    assert not targets["by-validate"].exists()
    assert "autograde check" in done.stderr


@pytest.mark.usefixtures("by_command")
def test_what_nbgrader_writes_is_for_nobody_else(ours):
    folder, _, _ = ours
    nbgrader(folder, "generate_feedback", NAME)
    nbgrader(folder, "generate_assignment", NAME, "--force")
    nbgrader(folder, "export")
    assert (folder.feedback / "by-command" / NAME / f"{NAME}.html").exists() and folder.grades.exists()
    assert not [each for each in access.opened(folder) if folder.submitted not in each.path.parents]


def test_nbgraders_own_export_is_ours(stock):
    folder, made = stock
    configuration.write(folder, anew=True)
    nbgrader(folder, "export")
    listed = {row["student_id"]: float(row["score"]) for row in csv.DictReader((folder.root / "grades.csv").open())}
    assert listed == {student: made[student].score for student in HONEST}


@pytest.fixture(scope="module")
def server(ours):
    """A Jupyter server on the class, as `make formgrader` starts one: a function that asks it for a page."""
    folder, _, _ = ours
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    command = [sys.executable, "-m", "jupyter", "server", "--no-browser", "--ServerApp.ip=127.0.0.1"]
    command += [
        f"--ServerApp.port={port}",
        "--ServerApp.port_retries=0",
        "--IdentityProvider.token=open",
        "--allow-root",
    ]
    command += [f"--ServerApp.root_dir={folder.root}"]
    said = folder.root.parent / "server.log"
    with said.open("w") as log:
        started = subprocess.Popen(command, cwd=folder.root, env=environment(), stdout=log, stderr=log)
    jar = http.cookiejar.CookieJar()
    browser = urllib.request.build_opener(urllib.request.HTTPCookieProcessor(jar))

    def ask(page, data=None, seconds=90):
        """A page of the server, which may still be starting; sent to it with its own token where there is data."""
        headers = {"Authorization": "token open"}
        if data is not None:
            headers["X-XSRFToken"] = next(cookie.value for cookie in jar if cookie.name == "_xsrf")
        until = time.monotonic() + seconds
        while True:
            request = urllib.request.Request(f"http://127.0.0.1:{port}/{page}", data, headers)
            try:
                with browser.open(request, timeout=300) as answer:
                    assert answer.status == 200
                    return answer.read().decode()
            except (urllib.error.URLError, ConnectionError, TimeoutError) as error:
                if isinstance(error, urllib.error.HTTPError):
                    raise
                if started.poll() is not None or time.monotonic() > until:
                    pytest.fail(f"the server is not there: {said.read_text()[-2000:]}")
                time.sleep(0.5)

    yield ask
    started.terminate()
    started.wait(timeout=30)


def test_formgrader_opens_on_the_class(server):
    assert re.search(r"<title>[^<]*nbgrader", server("formgrader"), re.IGNORECASE)
    assert f'"name": "{NAME}"' in server("formgrader/api/assignments")
    assert NAME in server(f"formgrader/gradebook/{NAME}")


def test_formgraders_autograde_button_goes_through_the_sandbox(ours, server):
    folder, made, targets = ours
    server("formgrader")
    button = f"formgrader/api/submission/{NAME}/by-button/autograde"
    pressed = json.loads(server(button, b""))
    assert pressed["success"], pressed
    assert not targets["by-button"].exists()
    assert store.scores(folder, NAME)["by-button"] == made["right"].expected
    assert ("by-button", store.entered(folder, NAME, "by-button")["submission"]) in Ledger(folder.ledger).latest(NAME)
    submission = json.loads(server(f"formgrader/api/submission/{NAME}/by-button"))
    assert submission["autograded"] and submission["score"] == sum(made["right"].expected.values())
    with Ledger(folder.ledger).alone():  # another run is at work
        refused = json.loads(server(button, b""))
    assert not refused["success"] and "another run" in refused["error"] and "wait for it" in refused["error"]
    assert store.scores(folder, NAME)["by-button"] == made["right"].expected


def test_the_validate_button_runs_no_submission(ours, server):
    _, _, targets = ours
    server("formgrader")
    path = f"submissions/by-validate/{NAME}/{NAME}.ipynb"
    said = json.loads(server("assignments/validate", urllib.parse.urlencode({"path": path}).encode()))
    assert not said["success"] and "autograde check" in said["value"]
    assert not targets["by-validate"].exists()


def test_nbgraders_own_feedback_is_our_page(stock):
    folder, made = stock
    configuration.write(folder, anew=True)
    nbgrader(folder, "generate_feedback", NAME)
    page = (folder.feedback / "partly-right" / NAME / f"{NAME}.html").read_text("utf-8")
    assert "default-src 'none'" in page
    assert f"<strong>{made['partly-right'].score:g}</strong> of" in page


# What an instructor's own lines may do to the class's configuration: nbgrader leaves out a file that raises.
BROKEN = {
    "below configure": "{0}\nc.Autograde.no_such = undefined",
    "above it": "import no_such_module\n{0}",
    "without it": "c = get_config()",
    "no Python": "{0}\nthis is no Python",
    "not there": None,
}


@pytest.mark.parametrize("how", BROKEN)
def test_nbgraders_own_defaults_find_no_submission(ours, how, tmp_path):
    folder, _, targets = ours
    written = folder.config.read_text()
    try:
        if BROKEN[how] is None:
            folder.config.unlink()
        else:
            folder.config.write_text(BROKEN[how].format(written))
        done = subprocess.run(
            [sys.executable, "-c", SCRIPT, "autograde", NAME, "--create", "--force"],
            cwd=folder.root, env=environment() | {"HOME": str(tmp_path)}, capture_output=True, text=True, timeout=600,
        )  # fmt: skip
    finally:
        folder.config.write_text(written)
    assert done.returncode != 0 and f"No notebooks were matched by '{folder.unprotected}" in done.stderr, done.stderr
    assert not any(target.exists() for target in targets.values())


def test_a_class_is_ill_while_something_lies_where_the_defaults_look(ours):
    folder, _, _ = ours
    (place,) = (finding for finding in examination.examine(folder) if finding.name == "place")
    assert place.ok
    copy = folder.unprotected / "ada" / NAME
    with pytest.raises(OSError, match=r"exists|Not a directory"):  # nobody makes the folder by mistake
        copy.mkdir(parents=True)
    folder.unprotected.unlink()
    shutil.copytree(folder.submitted / "right" / NAME, copy)
    try:
        (place,) = (finding for finding in examination.examine(folder) if finding.name == "place")
        assert not place.ok and "would run it on this machine" in place.detail and str(folder.submitted) in place.remedy
        assert any("move what is in it to submissions/" in name for name in folder.unrecognized())
    finally:
        shutil.rmtree(folder.unprotected)
        configuration.write(folder)
        assert folder.unprotected.is_file()
