"""Numbers of wrong answers that rest on rounding are left open in learners' tables; the answers keep their names."""

import time
from dataclasses import replace

import pytest
import torch

from autograde import bank
from autograde.bank import rounding
from course.checks.engine.case import Case
from course.checks.engine.table import UNSTEADY, Observation
from course.exercises import of_component

CODE = {"sums": lambda x: x.sum(-1), "weights": lambda x: x.softmax(-1), "draws": lambda x: torch.rand(3)}
CODE["lasts"] = lambda x: time.perf_counter() - time.perf_counter()
CASE = Case("a case", lambda student, draw: {}, 1, None, 1e-5, 1e-4, False)


def asked(name, x):
    message = {"op": "call", "name": name, "args": [x], "seed": 1}
    return [over(dict(CODE)).request(message, [])["ok"] for over in (rounding.Local, rounding.RoundedAtRandom)]


def test_sums_are_rounded_up_or_down_and_what_needs_no_rounding_stays():
    whole = torch.arange(12.0).view(3, 4)
    assert torch.equal(*asked("sums", whole)) and torch.equal(*asked("draws", whole))
    nearest, other = asked("weights", whole / 7)
    assert (nearest != other).any()
    assert torch.allclose(nearest, other, rtol=2**-22, atol=0)


def test_what_an_answer_reads_off_a_clock_is_left_open():
    """Two durations that it measures differ, but for once in a few hundred times."""
    assert asked("lasts", torch.zeros(1))[1] == -1.0
    exercise = of_component("measure_throughput")
    table = rounding.marked(exercise, bank.recorded(exercise))
    (own,) = [each for each in table.diagnoses if each.name == "a clock of its own"]
    again = [each for each in own.observations if "a second time" in each.values]
    assert [set(each.values.values()) for each in again] == [{UNSTEADY}]


def test_the_names_of_answers_do_not_hang_on_a_sum_that_just_misses_one():
    exercise = of_component("generate")
    name = "the token that crosses p is dropped"
    check, (wrong,) = bank.check_of(exercise), [w for w in bank.find(exercise).wrong if w.name == name]
    table = bank.recorded(exercise)
    table = replace(table, diagnoses=tuple(d for d in table.diagnoses if d.name == name))
    elsewhere = bank.observe(exercise, wrong.source, table.key, over=rounding.RoundedAtRandom)
    assert check.compare(elsewhere, table).diagnosis == ""
    opened = rounding.marked(exercise, table)
    for seen in (elsewhere, table.diagnoses[0].observations):
        assert check.compare(seen, opened).diagnosis == name


@pytest.mark.parametrize("steady", [1.0, 2.0])
def test_an_answer_that_nothing_steady_tells_keeps_its_numbers(steady):
    reference = [Observation({"sum": torch.tensor(1.0)}), Observation({"mean": torch.tensor(1.0)})]
    seen, again = (
        [Observation({"sum": torch.tensor(value)}), Observation({"mean": torch.tensor(steady)})] for value in (2.0, 3.0)
    )
    opened = rounding.opened(seen, again, reference, [CASE, CASE])
    assert (opened[0].values["sum"] is UNSTEADY) == (steady != 1)
    assert opened[1].values["mean"] == steady
