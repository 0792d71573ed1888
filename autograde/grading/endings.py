"""What is said of an answer whose child ended, that had too little time or memory, or that had a second look."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from autograde.grading.shares import Shares
from autograde.sandbox.outputs import CellError, Ran
from course.checks import engine
from course.checks.engine import CaseVerdict, Outcome, Table, Verdict
from course.exercises import Exercise

NOT_LOOKED_AT = "Not looked at, because of the line above."
USED_UP = "The whole submission had used up its time, and was stopped."  # until it is known by what
CUT_OFF = "Not all of it was looked at: "  # begins what is said then, which ends in a next step of its own
CRAMPED = "Too little memory was left for it: "  # likewise
ENDLESS = (Outcome.TIMEOUT, Outcome.OUT_OF_MEMORY)


def cut_off(verdict: Verdict) -> bool:
    """Whether the submission's time was up before all of it was looked at."""
    if verdict.outcome is not Outcome.TIMEOUT:
        return False
    return verdict.message == USED_UP or any(case.message == USED_UP for case in verdict.cases)


def cut_short(verdict: Verdict, failure: str, ending: str, seconds: float) -> Verdict:
    """The verdict where the child was lost while it was judged: cases that had passed by then keep their points."""
    if failure == "timeout":
        outcome, message = Outcome.TIMEOUT, f"It had not answered after {seconds:g} s and was stopped."
    elif ending == "out of memory":
        outcome, message = Outcome.OUT_OF_MEMORY, "It asked for more memory than a submission may use, and was stopped."
    elif failure == "cut off" or ending == "timeout":
        outcome, message = Outcome.TIMEOUT, USED_UP
    elif failure == "protocol" or ending == "stopped":
        outcome, message = Outcome.BLOCKED, "What came back could not be read, so nothing after it was looked at."
    else:
        outcome = Outcome.ERROR
        message = "Your code ended Python itself (for example with exit(), or a crash inside a library)."
    cases, first = [], True
    for case in verdict.cases:
        if not case.passed:
            case = replace(case, message=message if first else NOT_LOOKED_AT, diagnosis="")
            first = False
        cases.append(case)
    return replace(verdict, outcome=outcome, cases=tuple(cases), message=message if first else "", diagnosis="")


def not_run(ran: Ran | None, late: bool) -> Verdict:
    """The verdict on an answer whose cell ended the process, or was never reached: because others kept doing so, or
    where it is too `late`, because the submission's time was up."""
    if late and (ran is None or not ran.ended):
        return Verdict(Outcome.TIMEOUT, message=USED_UP)
    if ran is None or ran.error is None:
        message = "Other cells of this submission kept ending Python, so this was not run."
        return Verdict(Outcome.ERROR, message=message)
    return stopped(Verdict(Outcome.ERROR), ran.error, ended=bool(ran.ended))


def stopped(verdict: Verdict, error: CellError, *, ended: bool = False) -> Verdict:
    """The verdict on an answer whose cell raised, or `ended` its process: its cases could only say that nothing is
    defined."""
    outcome = {"time": Outcome.TIMEOUT, "memory": Outcome.OUT_OF_MEMORY}.get(error.limit, Outcome.ERROR)
    where = f" in line {error.line}" if error.line else ""
    why = " ".join(error.message.splitlines()) or (
        "something that it runs is not written yet." if error.name == "NotImplementedError" else ""
    )
    message = f"The cell of your answer stopped with {error.name}{where}" + (f": {why}" if why else ".")
    if ended:
        message = error.message.replace("The cell", "The cell of your answer", 1)
    cases = verdict.cases if verdict.fraction else ()
    return replace(verdict, outcome=outcome, cases=cases, message=message, diagnosis="")


def cramped(verdict: Verdict, keeps: str) -> Verdict:
    """The verdict on an answer that got no memory where cells hold much: a sentence says what each `keeps`."""
    message = f"{CRAMPED}{keeps} Let it keep less: `del` what is not used again, or make it smaller."
    return replace(verdict, outcome=Outcome.OUT_OF_MEMORY, message=message)


def what_used_it_up(verdict: Verdict, exercise: Exercise, among: Sequence[Exercise], shares: Shares) -> Verdict:
    """The verdict with what the time went by for, where there was too little, and what to do about it."""
    if not cut_off(verdict):
        return verdict
    own = shares.took.get(exercise.name, 0.0)
    most = max(shares.took, key=lambda name: shares.took[name], default="")
    all_of_it = f"the {_seconds(shares.seconds)} that a whole submission has"
    if own and own >= shares.took[most] / 2:
        said = f"its calls took {_seconds(own)} of {all_of_it}. Time a single call, and make that one quicker."
    elif most:
        number = next(e.number for e in among if e.name == most)
        said = f"{number} took {_seconds(shares.took[most])} of {all_of_it}. Make the answer to {number} quicker first."
    else:
        took = _seconds(shares.took.get("", 0.0))
        said = f"the cells took {took} of {all_of_it}, when they ran. Leave long experiments out of them."
    cases = [replace(c, message=CUT_OFF + said) if c.message == USED_UP else c for c in verdict.cases]
    message = CUT_OFF + said if verdict.message == USED_UP else verdict.message
    return replace(verdict, cases=tuple(cases), message=message)


def in_our_words(again: Verdict, before: Verdict, table: Table | None) -> Verdict:
    """The verdict of the second round, with nothing in it that the student's code could have said there: it might say
    the reference that was substituted. What a line tells is a known mistake's message, or what it told before.
    """
    if table is None or again.outcome in (*ENDLESS, Outcome.BLOCKED):  # all words are ours, as a question's always are
        return again
    of_the_bank = {diagnosis.name: diagnosis.message for diagnosis in table.diagnoses}
    of_before = {case.title: case.message for case in before.cases if not case.passed and not engine.unwritten(case)}

    def message(case: CaseVerdict) -> str:
        ours = of_the_bank.get(case.diagnosis) or of_before.get(case.title)
        return ours or "A right answer before it does not help."

    return replace(
        again, cases=tuple(case if case.passed else replace(case, message=message(case)) for case in again.cases)
    )


def says_more(again: Verdict, before: Verdict) -> bool:
    """Whether of two verdicts that earn the same the second is the better to tell: the first could look at nothing, or
    came upon nothing but what others have left to be written, or only the second knows the mistake by name."""
    nothing_seen = all(case.passed or engine.unwritten(case) for case in before.cases)
    return nothing_seen or (bool(again.diagnosis) and not before.diagnosis)


def silent(ran: Ran) -> Ran:
    """What became of a cell, without anything that it said."""
    error = ran.error and CellError("Error", "The cell raised an error.", None, ran.error.limit)
    return replace(ran, outputs=[], error=error if not ran.ended else ran.error)


def _seconds(value: float) -> str:
    return f"{value:.0f} s" if value >= 10 else f"{value:.1f} s"
