"""What a run does where submissions can no longer be isolated: look anew, say it in one sentence, and stop.

A machine that breaks in mid-run must cost no student a point. Nothing is recorded of a submission that could not be
isolated, until the machine is known to be well: then it is the submission's own, and waits for a person.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Sequence

from autograde.intake.probe import probe_jail
from autograde.sandbox import doctor
from autograde.sandbox.doctor import Finding

LOOK = 2  # failures in a row after which the doctor looks
STOP = 3  # failures in a row after which a run stops though the doctor finds nothing wrong

AGAIN = "Then give the command again: what was graded stays, and it goes on with the rest."


class Stopped(SystemExit):
    """Grading stopped before its end. Not an Exception, as `doctor.NotReady` is none: nothing goes on after it."""


class Watch:
    """Counts the failures of isolation in a row, of each worker and of all: a submission that is isolated ends only
    the row of the worker that did it, so that one broken machine among good ones is seen.

    `look` is given the workers that failed and says what is not well there.
    """

    def __init__(self, look: Callable[[Collection[str]], list[Finding]]) -> None:
        self._look = look
        self._rows: Counter[str] = Counter()

    def isolated(self, worker: str) -> None:
        """The worker has isolated a submission."""
        self._rows.pop(worker, None)

    def failed(self, worker: str) -> bool:
        """The worker could not isolate a submission. Returns whether the run has to stop though nothing is found;
        raises Stopped where something is."""
        self._rows[worker] += 1
        if self._rows.total() >= LOOK:
            self.look(list(self._rows))
        return self._rows.total() >= STOP

    def look(self, workers: Collection[str]) -> None:
        """Raises Stopped where a machine of these workers is not well, with all that is to be done about it."""
        if bad := self._look(workers):
            raise Stopped(broken(bad))


def broken(bad: Sequence[Finding]) -> str:
    """The sentence for a machine that the doctor finds ill, and the next step."""
    reasons = "; ".join(f"{finding.name}: {finding.detail}" for finding in bad if finding.remedy)
    todo = "; ".join(dict.fromkeys(finding.remedy for finding in bad if finding.remedy))
    return (
        f"grading stopped, because this machine cannot isolate submissions any more ({reasons}). To do: {todo}. {AGAIN}"
    )


def unexplained(why: str, students: Sequence[str]) -> str:
    """The sentence for submissions that could not be read or isolated on a machine with which nothing is wrong."""
    return (
        f"grading stopped, because {STOP} submissions in a row could not be read or isolated, though the doctor finds "
        f"nothing wrong with the machine ({last_line(why)}). {', '.join(students)}: no points were given or taken. "
        "Give the command again: it takes these last, and each by itself."
    )


def last_line(text: str) -> str:
    """Where a text, such as an exception's, says what happened."""
    lines = text.strip().splitlines()
    return lines[-1] if lines else "no word of it"


def explained(why: str) -> Stopped:
    """What to raise where a single file could not be read or isolated here."""
    if bad := doctor.anew(probe_jail):
        return Stopped(broken(bad))
    return Stopped(
        "this file could not be read or isolated, though the doctor finds nothing wrong with the machine "
        f"({last_line(why)}). Give the command once more."
    )
