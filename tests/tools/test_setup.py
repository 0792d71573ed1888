"""The set-up says in one line what is missing, does nothing twice, and takes nothing half-made for whole."""

import json
import os
import subprocess
from pathlib import Path

import pytest

from tools import setup

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture
def place(tmp_path, monkeypatch):
    """A set-up in an empty folder, its commands written down instead of run; making the environment leaves a python."""
    venv = tmp_path / ".venv"
    for name, value in {
        "ROOT": tmp_path,
        "VENV": venv,
        "PYTHON": venv / "bin" / "python",
        "RECORD": venv / "set-up.json",
        "MARKER": venv / "unfinished",
        "LOCK": tmp_path / "requirements.txt",
    }.items():
        monkeypatch.setattr(setup, name, value)
    (tmp_path / "pyproject.toml").write_text("[project]\n")
    (tmp_path / "requirements.txt").write_text("torch==2.13.0\n")
    commands = []

    def run(command, failure, **environment):
        commands.append(" ".join(map(str, command)))
        if "-m venv" in commands[-1]:
            setup.PYTHON.parent.mkdir(parents=True)
            setup.PYTHON.touch()

    monkeypatch.setattr(setup, "run", run)
    return commands


def test_a_second_run_does_nothing(place):
    setup.make_environment("course", newest=False)
    assert any("--constraint" in command and ".[book,grade,lab]" in command for command in place)
    place.clear()
    setup.make_environment("course", newest=False)
    setup.make_environment("learner", newest=False)
    assert place == []


def test_a_new_lock_installs_again_without_starting_over(place):
    setup.make_environment("course", newest=False)
    place.clear()
    setup.LOCK.write_text("torch==2.14.0\n")
    setup.make_environment("course", newest=False)
    assert place and not any("-m venv" in command for command in place)


def test_the_tests_tools_stay_when_the_course_is_made_again(place):
    setup.make_environment("test", newest=False)
    setup.LOCK.write_text("torch==2.14.0\n")
    setup.make_environment("course", newest=False)
    assert "test" in json.loads(setup.RECORD.read_text())["extras"]


@pytest.mark.parametrize("dies_at", ["-m venv", "setuptools", "--editable"])
def test_an_interrupted_set_up_is_made_again_from_the_start(place, monkeypatch, dies_at):
    whole = setup.run

    def dies(command, failure, **environment):
        whole(command, failure)
        if dies_at in place[-1]:
            raise KeyboardInterrupt

    monkeypatch.setattr(setup, "run", dies)
    with pytest.raises(KeyboardInterrupt):
        setup.make_environment("course", newest=False)
    assert not setup.RECORD.exists()
    monkeypatch.setattr(setup, "run", whole)
    place.clear()
    setup.make_environment("course", newest=False)
    assert "-m venv" in place[0] and "--editable" in place[-1]
    assert setup.RECORD.exists() and not setup.MARKER.exists()


def test_an_environment_of_another_checkout_is_left_alone(place, tmp_path, capsys):
    other = tmp_path / "another one"
    other.mkdir()
    packages = setup.VENV / "lib" / "python3.11" / "site-packages" / "attention_from_scratch-0.1.0.dist-info"
    packages.mkdir(parents=True)
    (packages / "direct_url.json").write_text(json.dumps({"url": other.as_uri(), "dir_info": {"editable": True}}))
    setup.make_environment("learner", newest=False)  # that folder is gone, or was moved here
    (other / "pyproject.toml").touch()
    place.clear()
    with pytest.raises(SystemExit):
        setup.make_environment("learner", newest=False)
    assert place == [] and f"environment of another checkout, {other}" in capsys.readouterr().err


def test_newest_leaves_the_lock_aside(place):
    setup.make_environment("test", newest=True)
    assert "--upgrade" in place[-1] and "--constraint" not in place[-1]


def test_nobody_without_rights_is_told_the_one_command(place, monkeypatch, capsys):
    monkeypatch.setattr(setup.sys, "platform", "linux")
    monkeypatch.setattr(setup.os, "geteuid", lambda: 1000)
    monkeypatch.setattr(setup.importlib.util, "find_spec", lambda name: None)
    monkeypatch.setattr(setup.shutil, "which", lambda name: "/usr/bin/apt-get" if name == "apt-get" else None)
    with pytest.raises(SystemExit):
        setup.install_packages("course")
    said = capsys.readouterr().err
    assert f"sudo apt-get install -y python3.{setup.sys.version_info.minor}-venv bubblewrap" in said
    assert place == []


def test_root_installs_what_is_missing(place, monkeypatch):
    there = {"apt-get"}
    monkeypatch.setattr(setup, "has_library", lambda name: "libatomic1" in there)
    monkeypatch.setattr(setup.sys, "platform", "linux")
    monkeypatch.setattr(setup.os, "geteuid", lambda: 0)
    monkeypatch.setattr(setup.shutil, "which", lambda name: name if name in there else None)
    monkeypatch.setattr(
        setup.subprocess, "run", lambda *a, **k: there.update({"bwrap", "chromium", "pg_ctlcluster", "libatomic1"})
    )  # apt-get update
    setup.install_packages("test")
    assert place[-1].endswith("install -y --no-install-recommends bubblewrap chromium postgresql libatomic1")
    place.clear()
    setup.install_packages("test")
    assert place == []


def test_elsewhere_than_linux_no_sandbox_is_asked_for(place, monkeypatch):
    monkeypatch.setattr(setup.sys, "platform", "darwin")
    monkeypatch.setattr(setup.shutil, "which", lambda name: None)
    setup.install_packages("test")
    assert place == []


def test_an_old_python_is_told_what_to_install(tmp_path):
    """Every python on the PATH is too old: one line, and nothing is made."""
    for name in ("python3", "python3.13", "python3.12", "python3.11", "python"):
        (tmp_path / name).write_text('#!/bin/sh\n[ "$1" = --version ] && echo "Python 3.8.18" && exit 0\nexit 1\n')
        (tmp_path / name).chmod(0o755)
    environment = {**os.environ, "PATH": f"{tmp_path}{os.pathsep}{os.environ['PATH']}"}
    environment.pop("PYTHON", None)
    done = subprocess.run(
        ["make", "--no-print-directory", "-s", "course"], cwd=ROOT, env=environment, capture_output=True, text=True
    )
    assert done.returncode != 0
    (line,) = [line for line in done.stderr.splitlines() if not line.startswith("make")]
    assert "needs Python 3.11 or newer" in line and "Python 3.8.18" in line and "apt-get install python3" in line
