"""Every promise that a component declares is looked at: a generic defect round the reference costs points.

The small form tries some defects of each exercise, drawn by its name; the long form tries all (`--full`).
"""

import inspect
import random

import pytest

from autograde import bank
from autograde.bank import defects
from course import checks
from course.checks.engine.draw import Draw
from course.exercises import exercises
from course.protocol.student import Local

CODED = [e for e in exercises() if not e.question]
DECLARED = [e for e in CODED if checks.find(e.name, e.chapter).declarations]
SOME = 4


@pytest.mark.parametrize("exercise", CODED, ids=lambda e: e.name)
def test_every_component_is_declared_or_says_why_not(exercise):
    check = checks.find(exercise.name, exercise.chapter)
    declared = {declaration.component for declaration in check.declarations}
    assert declared == set(check.components) or len(check.undeclared) > 20
    for declaration in check.declarations:
        assert all(len(reason) > 10 for reason in declaration.excused.values()), declaration.component


@pytest.mark.parametrize("exercise", DECLARED, ids=lambda e: e.name)
def test_what_may_be_left_out_and_what_may_be_turned_is_declared(exercise):
    """By the reference's signature: arguments that are given and may be None, and a class's settings that are on or
    off."""
    names = bank.namespace(exercise)
    for declaration in checks.find(exercise.name, exercise.chapter).declarations:
        component, given = names[declaration.component], declaration.arguments(Draw(defects.KEY), declaration.usual)
        called = component if declaration.new is None else getattr(component, declaration.method or "forward")
        takes = inspect.signature(called).parameters
        left_out = {n for n, p in takes.items() if n in given and "None" in str(p.annotation)}
        settings = inspect.signature(component).parameters if declaration.new is not None else {}
        switches = {n for n, p in settings.items() if isinstance(p.default, bool)}
        assert left_out == set(declaration.optional) and switches <= set(declaration.turned), declaration.component


@pytest.mark.parametrize("exercise", DECLARED, ids=lambda e: e.name)
def test_defects_cost_points(exercise, full):
    tried = [pair for pair in defects.forbidden(exercise) if pair[1] not in defects.exceptions().get(exercise.name, {})]
    if not tried:
        pytest.skip("no defect that it does not excuse")
    if not full:
        tried = random.Random(exercise.name).sample(tried, min(SOME, len(tried)))
    slipped = [(d.component, name) for d, name in tried if not defects.seen(exercise, d, name)]
    assert not slipped


def test_exceptions_are_of_defects_that_really_slip_through():
    """What is excepted and would be seen, or names nothing, is out of date."""
    by_name = {e.name: e for e in CODED}
    for name, excepted in defects.exceptions().items():
        forbidden = {fault: declaration for declaration, fault in defects.forbidden(by_name[name])}
        assert set(excepted) <= set(forbidden), name
        for fault, reason in excepted.items():
            assert len(reason) > 20 and not defects.seen(by_name[name], forbidden[fault], fault), (name, fault)


@pytest.mark.parametrize("exercise", DECLARED, ids=lambda e: e.name)
def test_a_reference_without_a_defect_passes(exercise):
    """What is wrapped round a reference costs nothing by itself, however it is called: else every defect is seen."""
    check, names = checks.find(exercise.name, exercise.chapter), bank.namespace(exercise)
    nothing = defects.Defect("sizes", lambda call, arguments, module: call(arguments))
    for declaration in check.declarations:
        names[declaration.component] = defects.broken(names[declaration.component], declaration, nothing)
    observed = check.observe(check.student(Local(names)), defects.KEY)
    assert check.compare(observed, defects.table(exercise)).passed
