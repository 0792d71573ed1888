"""Stock nbgrader beside the grader, on the course's first assignment: its autograde, its formgrader, its export."""

import csv
import os
import re
import shutil
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from pathlib import Path

import pytest

from autograde import gradebook, sample
from autograde.folders import ClassFolder
from autograde.release import release

NOTEBOOK = Path(__file__).resolve().parents[2] / "notebooks" / "00-warm-up.ipynb"
NAME = NOTEBOOK.stem
HONEST = ("right", "right-other-form-1", "partly-right")

pytestmark = [pytest.mark.xdist_group("stock nbgrader")]


def environment():
    here = str(Path(sys.executable).parent)
    return {**os.environ, "PATH": f"{here}{os.pathsep}{os.environ['PATH']}", "OMP_NUM_THREADS": "1", "NO_COLOR": "1"}


def nbgrader(folder, *words):
    command = [str(Path(sys.executable).parent / "nbgrader"), *words]
    done = subprocess.run(command, cwd=folder.root, env=environment(), capture_output=True, text=True, timeout=600)
    assert done.returncode == 0, done.stderr[-3000:]
    return done


@pytest.fixture(scope="module")
def stock(tmp_path_factory):
    """Honest hand-ins graded by `nbgrader autograde` alone, with its own executor and a kernel of this environment."""
    folder = ClassFolder.at(tmp_path_factory.mktemp("stock") / "class")
    release(folder, [NOTEBOOK])
    made = {hand_in.student: hand_in for hand_in in sample.sample(folder, NAME)}
    for student in set(made) - set(HONEST):
        shutil.rmtree(folder.submitted / student)
    nbgrader(folder, "autograde", NAME)
    return folder, made


def test_stock_autograde_gives_honest_hand_ins_the_same_points(stock):
    folder, made = stock
    assert gradebook.scores(folder, NAME) == {student: made[student].expected for student in HONEST}


def test_nbgraders_own_export_is_ours(stock):
    folder, made = stock
    nbgrader(folder, "export")
    listed = {row["student_id"]: float(row["score"]) for row in csv.DictReader((folder.root / "grades.csv").open())}
    assert listed == {student: made[student].score for student in HONEST}


def test_formgrader_opens_on_the_class(stock):
    folder, _ = stock
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
    server = subprocess.Popen(command, cwd=folder.root, env=environment(), stdout=subprocess.DEVNULL,
                              stderr=subprocess.PIPE, text=True)  # fmt: skip
    try:
        pages = {}
        for page in ("formgrader", "formgrader/api/assignments", f"formgrader/gradebook/{NAME}"):
            pages[page] = _read(f"http://127.0.0.1:{port}/{page}", server)
    finally:
        server.terminate()
        server.communicate(timeout=30)
    assert re.search(r"<title>[^<]*nbgrader", pages["formgrader"], re.IGNORECASE)
    assert f'"name": "{NAME}"' in pages["formgrader/api/assignments"]
    assert NAME in pages[f"formgrader/gradebook/{NAME}"]


def _read(address, server, seconds=90):
    """A page of the server, which may still be starting."""
    request = urllib.request.Request(address, headers={"Authorization": "token open"})
    until = time.monotonic() + seconds
    while True:
        try:
            with urllib.request.urlopen(request, timeout=30) as answer:
                assert answer.status == 200
                return answer.read().decode()
        except (urllib.error.URLError, ConnectionError, TimeoutError) as error:
            if isinstance(error, urllib.error.HTTPError):
                raise
            if server.poll() is not None:
                pytest.fail(f"the server ended: {server.stderr.read()[-2000:]}")
            if time.monotonic() > until:
                raise
            time.sleep(0.5)


def test_nbgraders_own_feedback_is_our_page(stock):
    folder, made = stock
    nbgrader(folder, "generate_feedback", NAME)
    page = (folder.feedback / "partly-right" / NAME / f"{NAME}.html").read_text("utf-8")
    assert "default-src 'none'" in page
    assert f"<strong>{made['partly-right'].score:g}</strong> of" in page
