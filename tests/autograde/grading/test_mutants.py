"""Mutation testing: what is caught, what survives, and what is wrongly listed as right."""

import pytest

from autograde import bank
from autograde.bank import mutation
from autograde.grading import mutants
from course.exercises import of_component


@pytest.mark.sandbox
def test_judged_in_the_sandbox(monkeypatch, capsys):
    """One command says what was caught, shows what survived, and contradicts what is wrongly listed as right."""
    softmax = of_component("safe_softmax")
    survivor, equal = (
        mutation.Mutant(f"another form: {answer.name}", answer.source) for answer in bank.find(softmax).correct[:2]
    )
    first, *others = [m for m in mutation.mutants(softmax) if m.operator == "call dropped"]
    endless = mutation.Mutant("loop: none -> endless", "def safe_softmax(scores, dim):\n    while True:\n        pass")
    listed = {equal.name: "it is another form", first.name: "nobody looked at it"}
    monkeypatch.setattr(mutants, "sample", lambda exercise: (survivor, equal, first, *others, endless))
    monkeypatch.setattr(mutants, "equivalent", lambda: {"safe_softmax": listed})
    assert mutants.main(["0.3"]) == 1
    printed = capsys.readouterr().out
    # What never ends is caught, but where the machine was too busy to say whose fault that was; then it is shown.
    caught = len(others) + (f"    SURVIVED  {endless.name}" not in printed)
    assert f"caught {caught}/{len(others) + 2}, 1 more known to be equivalent" in printed
    assert f"    SURVIVED  {survivor.name}\n        -" in printed and "\n        +" in printed
    assert f"    CAUGHT, though equivalent.toml calls it right  {first.name}" in printed
    result = mutants.Result(softmax, 15, 14, 14, 9, ((equal.name, "it is"),), (), (), 1.0)
    monkeypatch.setattr(mutants, "run", lambda *wanted: [result])
    assert mutants.main(["warm_up"]) == 0


def test_an_unknown_name_is_refused():
    with pytest.raises(SystemExit, match="no chapter or exercise softmaxx; the chapters are warm_up"):
        mutants.main(["softmaxx"])
