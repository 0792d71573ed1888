"""The record of what right answers call is fresh; what it does not hold is flagged, and moves no point."""

from autograde.bank import operators


def test_the_record_is_what_the_answer_bank_gives_now():
    assert operators.FILE.read_text("utf-8") == operators.record(), "run `python -m autograde.bank.operators`"


def test_a_rule_with_no_record_knows_nothing():
    assert operators.recorded("hand_set_lookup") and operators.recorded("no such exercise") == frozenset()
