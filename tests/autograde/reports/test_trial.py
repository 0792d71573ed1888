"""`autograde doctor --full`: what is put in is held against what comes out, and both are said."""

import subprocess
import sys
from types import SimpleNamespace

import pytest

from autograde.bank.sample import MadeUp
from autograde.grading.run import Line
from autograde.reports import trial
from autograde.sandbox import doctor
from tests.autograde.command import run


def line(student, flags=(), needs_person=False):
    return Line("02-bahdanau", student, 1, 1, {}, tuple(flags), needs_person, 0.5, True)


MADE = [MadeUp(name, "made", b"", {"a": 1.0}, flags) for name, flags in (
    ("right", ()), ("wrong-sign", ()), ("hostile-reads", ("reads",)), ("deleted-cells", ()), ("untouched", ()),
)]  # fmt: skip


def test_all_that_comes_out_as_it_must():
    points = {made.student: {"a": 1.0} for made in MADE}
    done = trial.judged(MADE, points, {made.student: line(made.student, made.flags) for made in MADE})
    assert done.of == done.right == {"right": 1, "wrong": 1, "hostile": 1, "broken": 2} and not done.amiss
    assert done.seconds == 2.5


def test_what_does_not_is_named_with_the_reason():
    points = {"right": {"a": 0.0}, "wrong-sign": {"a": 1.0}, "hostile-reads": {"a": 1.0}, "deleted-cells": {"a": 1.0}}
    lines = {name: line(name, needs_person=name == "wrong-sign") for name in points}
    done = trial.judged(MADE, points, lines)
    assert done.right == {"broken": 1}
    assert [sentence.rpartition("): ")[2] for sentence in done.amiss] == [
        "a got 0.0 points, and not 1.0",
        "the grader failed at it",
        "it was not flagged: reads",
        "it has no grade",
    ]


@pytest.mark.parametrize(
    ("amiss", "ended", "status", "last"),
    [
        ([], 0, 0, "3 of 3 as they must. The attacks and the broken files of the tests ran: all as they must."),
        (
            [],
            None,
            0,
            "did not run, so nothing is known of them here: they need the tests' packages. To do: make"
            " test-set-up, and give the command again.",
        ),
        (["right (made): it has no grade"], 0, 1, "before each of these is explained."),
        ([], 1, 1, "before each of these is explained."),
    ],
)
def test_the_command_says_the_figures_and_ends_with_them(monkeypatch, amiss, ended, status, last):
    tried = trial.Trial({"right": 3}, {"right": 3}, amiss, 1.5)
    monkeypatch.setattr(doctor, "report", lambda jail: 0)
    monkeypatch.setattr(trial, "trial", lambda progress: tried)
    monkeypatch.setattr(trial, "corpora", lambda: ended)
    ran = run("doctor", "--full")
    assert ran.exit_code == status and "right: 3 of 3 as they must" in ran.output
    assert " ".join(ran.output.split()).endswith(last) and ("make test-set-up" in ran.output) == (ended is None)


def test_a_machine_that_cannot_grade_tries_nothing(monkeypatch):
    monkeypatch.setattr(doctor, "report", lambda jail: 1)
    monkeypatch.setattr(trial, "trial", lambda progress: pytest.fail("it was tried"))
    assert run("doctor", "--full").exit_code == 1


def test_the_attacks_are_those_of_the_tests(monkeypatch):
    asked = []
    monkeypatch.setattr(subprocess, "run", lambda command, cwd: asked.append(command) or SimpleNamespace(returncode=0))
    assert trial.corpora("fork_bomb") == 0
    assert asked == [[sys.executable, "-m", "benchmarks.trust", "--corpora", "fork_bomb"]]
    monkeypatch.setattr(trial, "find_spec", lambda name: None)
    assert trial.corpora() is None and len(asked) == 1
