"""The verdicts on one submission: its cells run in the sandbox, its answers judged out here, from what comes over the
line.

Nothing in this module runs a student's code. Where an earlier exercise failed or is blank, one that rests on it is
judged once more in a fresh child with the reference in that one's place, and the better of the two verdicts counts: one
mistake, or gap, costs once.

Nor does one exercise cost another its time or its memory. Each has a share of the submission's seconds; one that needs
more is put off, and judged last with what is left. What fails while the child holds much that others left there is
judged once more in a fresh one. Exercises share a child all the same: to fork one for each, from the one that ran the
cells, takes longer than most of them, and hangs where a cell has used threads.
"""

from __future__ import annotations

import math
import time
import traceback
from collections.abc import Collection, Sequence
from dataclasses import dataclass, field, replace

from autograde import bank
from autograde.bank import operators
from autograde.grading import endings
from autograde.grading.dependencies import answered_elsewhere, binds, needed, rests_on, with_reference
from autograde.grading.shares import Shares
from autograde.grading.timed import TimedRemote
from autograde.intake.merge import Cell
from autograde.sandbox.limits import MIB, Limits, bounded
from autograde.sandbox.outputs import Ran
from autograde.sandbox.pool import Child, Sandbox, SandboxError
from autograde.sandbox.remote import Remote, printable
from autograde.sandbox.usage import KILLED, Usage
from course import checks
from course.checks import questions
from course.checks.engine import Outcome, Table, Verdict
from course.checks.engine.of_tests import CheckOfTest
from course.exercises import Exercise, exercises
from course.key import Key
from course.protocol import device
from course.protocol.student import Student, StudentError

MAX_CHILDREN = 20  # for one submission whose answers keep ending their process, or filling its memory
HELD = 8  # a child holds much from this part of its memory on: right answers were seen to leave 17 MiB of 2 GiB
BUDGET = 300.0  # seconds for one submission, all its children together
MEMORY = 4096 * MIB  # for what a check computes out here with what came back: two long vectors make a huge table
BUSY = 3.0  # times as long waiting for processor or disk as running: what came too late then may have been right
PATIENCE = 8  # times its limits that a submission has at most, on a machine that makes it wait
MAX_MESSAGE = 5_000  # characters of a line of feedback, which may quote the student's text


@dataclass
class Judgment:
    """All of one submission: exercise -> verdict, what became of its cells (by index), what it used, how it ended, and
    what a person should look at. `patience`: times its limits that it should have had, on so busy a machine; 1 where
    its verdicts stand."""

    verdicts: dict[str, Verdict] = field(default_factory=dict)
    ran: dict[int, Ran] = field(default_factory=dict)
    peak_bytes: int = 0
    endings: set[str] = field(default_factory=set)
    flags: list[str] = field(default_factory=list)
    patience: int = 1


def of_assignment(assignment: str) -> list[Exercise]:
    """The exercises and questions of an assignment in their order. Raises ValueError for an unknown one."""
    among = [exercise for exercise in exercises() if exercise.notebook == assignment]
    if not among:
        assignments = ", ".join(sorted({exercise.notebook for exercise in exercises()}))
        raise ValueError(f"no exercise belongs to {assignment!r}; there are {assignments}")
    return among


def tables(assignment: str, key: Key) -> dict[str, Table]:
    """What each check of the assignment sees of the reference and of every wrong answer, from this run's key."""
    device.without_compiler()
    return {e.name: bank.table(e, key) for e in of_assignment(assignment) if not e.question}


class SubmissionJudge:
    """Judges one merged submission, given the cells to run, its assignment's exercises, this run's tables, and the
    exercises whose answer cell is blank or missing. `seconds` are for all of it, all its children together; they and
    the sandbox's limits of time hold `patience` times over.
    """

    def __init__(
        self,
        sandbox: Sandbox,
        cells: Sequence[Cell],
        assignment: Sequence[Exercise],
        tables: dict[str, Table],
        unanswered: Collection[str] = (),
        seconds: float = BUDGET,
        patience: int = 1,
    ):
        self.sandbox, self.exercises, self.tables = sandbox, list(assignment), tables
        self._patience = patience
        self._all, self.cells = list(cells), needed(cells)
        self.left = {e.name for e in assignment if e.name in unanswered and not answered_elsewhere(e, cells)}
        self.done = Judgment()
        self._shares = Shares(seconds * patience)
        self._slow: list[Exercise] = []  # put off
        self._unseen: set[str] = set()  # without a look, because of another that never ended
        self._waiting: set[str] = set()  # without a look yet: they rest on what did not pass
        self._rests: dict[str, list[Exercise]] = {}  # what each rests on
        self._kept: dict[int, int] = {}  # what each cell leaves in memory, once there was reason to measure it
        self._tried: dict[str, tuple[tuple[str, ...], tuple[int, ...]]] = {}  # in place of what it had its second look
        self._cramped: set[str] = set()  # exercises that failed where the cells themselves hold much
        self._no_memory = False  # whether the exercise looked at last got no memory
        self._children = 0
        self._beside = 0  # looks that the child which runs has seen
        self._childs_end = 0.0  # the moment at which its own time is up
        self._late = False  # whether the child that runs has kept us waiting in vain
        self._spent = Usage()  # by children that had
        self._child: Child | None = None
        self._remote: Remote | None = None

    @property
    def limits(self) -> Limits:
        """The sandbox's limits, so many times over."""
        return self.sandbox.limits.patient(self._patience)

    def judge(self) -> Judgment:
        """Every exercise with the student's own components; those that rest on others which did not pass with the
        reference's first, and with the student's own where they do not pass so. What is slow comes after that, and what
        rests on it last."""
        try:
            self._first_round()
            self._once_more()
            self._slow_ones()
            self._once_more()
            assert not self._waiting
        finally:
            self._end()
        self.done.verdicts = {
            e.name: endings.what_used_it_up(self.done.verdicts[e.name], e, self.exercises, self._shares)
            for e in self.exercises
        }
        self._leave_to_a_person_what_had_to_wait()
        outcomes = {verdict.outcome for verdict in self.done.verdicts.values()}
        self.done.endings |= {o.value for o in outcomes & {*endings.ENDLESS, Outcome.BLOCKED}}
        self.done.endings |= {"output cut" for ran in self.done.ran.values() if ran.cut}
        return self.done

    def _first_round(self) -> None:
        """Each exercise with its share of the time; one that needs more is put off, and one that rests on others which
        did not pass waits."""
        for at, exercise in enumerate(self.exercises):
            self._shares.looks = len(self.exercises) - at + len(self._to_mend())
            rests = self._rests_on(exercise)
            at_once = not self._counts_once(exercise) and set(rests).intersection(self._slow)
            if exercise.name not in self.left and self._owed(exercise) and not at_once:
                self._waiting.add(exercise.name)
                self.done.verdicts[exercise.name] = Verdict(Outcome.ERROR)
            else:
                self._own_look(exercise)
        if self._waiting and not self._children:
            self._open(self.cells, substituted=False)  # what the cells put out is kept of them as they are

    def _own_look(self, exercise: Exercise) -> None:
        """Judge it with the student's own components."""
        self._waiting.discard(exercise.name)
        verdict = self.done.verdicts[exercise.name] = self._first(exercise)
        if endings.cut_off(verdict):
            self._slow.append(exercise)

    def _slow_ones(self) -> None:
        """Those that were put off, with the time that is left, where that is more than what was not enough. One that
        rests on others which did not pass has its turn after them, with the reference in their place.
        """
        slow, self._slow = self._slow, []
        after = [e for e in slow if self._owed(e)]
        slow = [e for e in slow if e not in after]
        for at, exercise in enumerate(slow):
            self._shares.looks = len(slow) - at + len(after) + len(self._unseen)
            until = self._shares.until(self.limits.request_seconds)
            if until - time.monotonic() <= self._shares.took[exercise.name]:
                continue
            if until > self._childs_end:
                self._end()
            before, verdict = self.done.verdicts[exercise.name], self._first(exercise)
            if verdict.fraction > before.fraction or not endings.cut_off(verdict):
                self.done.verdicts[exercise.name] = verdict

    def _to_mend(self) -> list[Exercise]:
        """Those that have a verdict, have not passed, and are not blank or answered for good."""
        verdicts = self.done.verdicts
        return [
            e
            for e in self.exercises
            if e.name in verdicts
            and not verdicts[e.name].passed
            and e.name not in self.left
            and not self._answered(e, verdicts[e.name])
        ]

    def _counts_once(self, exercise: Exercise) -> bool:
        """Whether it is a question, whose answer may be another in each look, or a test, which may learn in one look
        what to say in the next: the first answer counts."""
        table = self.tables.get(exercise.name)
        return exercise.question or (table is not None and table.against is not None)

    def _answered(self, exercise: Exercise, verdict: Verdict) -> bool:
        """Whether this is the verdict on an answer of which only the first counts."""
        return self._counts_once(exercise) and verdict.outcome in (Outcome.FAIL, Outcome.PARTIAL)

    def _rests_on(self, exercise: Exercise) -> list[Exercise]:
        if exercise.name not in self._rests:
            self._rests[exercise.name] = rests_on(exercise, self._all, self.exercises)
        return self._rests[exercise.name]

    def _owed(self, exercise: Exercise) -> tuple[str, ...]:
        """Those that it rests on and that did not pass: the reference may stand in their place. Not what a test is a
        test of, since whoever compares with the reference needs to know nothing."""
        tested = checks.find(exercise.name, exercise.chapter) if not exercise.question else None
        of = tested.of if isinstance(tested, CheckOfTest) else ""
        rests = self._rests_on(exercise)
        return tuple(e.name for e in rests if not self.done.verdicts[e.name].passed and e.name != of)

    def _leave_to_a_person_what_had_to_wait(self) -> None:
        """A limit of time is no fair one where most of it went by in waiting for a processor, or for a disk, unless
        what was left of it is as long as the limit is for others."""
        late = {name: verdict for name, verdict in self.done.verdicts.items() if verdict.outcome is Outcome.TIMEOUT}
        if not late:
            return
        waited, ran, limit = self._spent.waited_seconds, self._spent.cpu_seconds, self.sandbox.limits.request_seconds
        had = self._patience > 1 and self._spent.seconds - waited >= limit * len(late)
        if waited > max(BUSY * ran, limit / 2) and not had:
            self.done.patience = min(math.ceil(2 * self._spent.seconds / (ran + 0.1)), PATIENCE)
            message = (
                f"The machine was too busy to tell: it ran for {ran:.1f} s, and waited {waited:.1f} s for a processor "
                "or a disk. Grade it again when there is less beside it."
            )
            self.done.verdicts |= {name: replace(verdict, internal=message) for name, verdict in late.items()}

    def _first(self, exercise: Exercise) -> Verdict:
        """The verdict of the first round. A stub is not judged: one that is a program with a fault in it, to be found,
        would be told that it is not right yet.
        """
        if exercise.name in self.left:
            return Verdict(Outcome.NOT_ANSWERED)
        return self._endless(exercise) or self._judged(exercise, self.cells)

    def _endless(self, exercise: Exercise) -> Verdict | None:
        """A verdict without a look where an earlier answer that this one uses never ended, or is put off: its turn is
        the second round.
        """
        endless = {name for name, verdict in self.done.verdicts.items() if verdict.outcome in endings.ENDLESS}
        for other in self._rests_on(exercise) if endless else ():
            if other.name in endless:
                self._unseen.add(exercise.name)
                message = f"It rests on {other.number}, which did not come to an end."
                return Verdict(self.done.verdicts[other.name].outcome, message=message)
        return None

    def _once_more(self) -> None:
        """Judge what rests on answers that did not pass, blank ones among them, with the reference in their place; and
        without what other cells hold, where they hold much.

        In the order of the exercises: one that passes so stands on its own for those after it. What rests on the same
        ones, one behind the other, shares a child. What rests on slow ones waits until these are judged. Most that have
        waited pass so; the others are judged with the student's own components as well, and the better verdict counts.
        """
        self._end()
        cells: list[Cell] = []
        put_off, left = set(self._slow), self._to_mend()
        waited: list[tuple[Exercise, Verdict, bool]] = []
        for at, exercise in enumerate(left):
            name, rests = exercise.name, self._rests_on(exercise)
            if put_off.intersection([exercise, *rests]):
                continue
            failed, aside = self._owed(exercise), self._aside(exercise)
            if name in self._waiting and not failed:  # by now they have passed
                self._end()  # never in a child that holds a reference: what it says is passed on
                self._own_look(exercise)
                self._end()
                cells = []
                continue
            if self._tried.get(name) == (failed, aside) or not (failed or aside or name in self._unseen):
                continue
            self._tried[name] = failed, aside
            before, cells = cells, with_reference(self._all, self.exercises, exercise, failed, aside)
            if cells != before:
                self._end()
            self._shares.looks = len(put_off.union(left[at:])) + len(waited)
            again = self._judged(exercise, cells, substituted=bool(failed or aside))
            if name in self._waiting and not again.passed:
                waited.append((exercise, again, self._no_memory))
            else:
                self._waiting.discard(name)
                self._second(exercise, again, self._no_memory)
        self._end()
        for at, (exercise, again, no_memory) in enumerate(waited):
            self._shares.looks = len(waited) - at + len(put_off)
            self._own_look(exercise)
            self._second(exercise, again, no_memory)

    def _second(self, exercise: Exercise, again: Verdict, no_memory: bool) -> None:
        """Take the verdict of a second look where it is the better one, or an answer of which only the first counts."""
        name, before = exercise.name, self.done.verdicts[exercise.name]
        failed, aside = self._tried[name]
        more = endings.says_more(again, before) or (aside and no_memory)  # then it takes too much by itself
        better = again.fraction > before.fraction or (again.fraction == before.fraction and more)
        if better or (again.fraction < before.fraction and self._answered(exercise, again)):
            again = endings.in_our_words(again, before, self.tables.get(name)) if failed or aside else again
            if aside and not again.message:
                again = replace(again, message=f"{self._holders(aside)} It was judged without that.")
            self.done.verdicts[name] = replace(again, substituted=failed)

    # --- memory -----------------------------------------------------------------------------------------------------

    def _much(self) -> int:
        """Bytes; what a child holds from here on may be missed by the next exercise."""
        return self.sandbox.limits.memory // HELD

    def _holding(self) -> list[Cell]:
        """The student's cells that leave much in memory: none where all together do not."""
        own = [cell for cell in self.cells if cell.kind != "given" and cell.index in self._kept]
        if sum(self._kept.values()) < self._much():
            return []
        return [cell for cell in own if self._kept[cell.index] >= self._much() / 4]

    def _aside(self, exercise: Exercise) -> tuple[int, ...]:
        """The cells to be put aside for an exercise that they left too little memory: all that hold much, but for
        those with its own answer."""
        if exercise.name not in self._cramped | self._unseen:
            return ()
        return tuple(cell.index for cell in self._holding() if not binds(cell, exercise))

    def _holders(self, indices: Collection[int]) -> str:
        """A sentence on what these cells hold."""
        held = []
        for cell in self.cells:
            if cell.index in indices:
                number = next((e.number for e in self.exercises if cell.grade_id == e.answer_id), "")
                begins = next((line.strip() for line in cell.source.splitlines() if line.strip()), "")
                which = f"the cell with the answer to {number}" if number else f"the cell that begins `{begins[:60]}`"
                held.append(f"{which} keeps {self._kept[cell.index] / MIB:.0f} MiB")
        said = " and ".join(held)
        return printable(f"{said[:1].upper()}{said[1:]} of the {self.sandbox.limits.memory / MIB:.0f} MiB of memory.")

    # --- children -------------------------------------------------------------------------------------------------

    def _open(self, cells: Sequence[Cell], substituted: bool, measured: bool = False) -> Remote | None:
        """The line to a child that has run the cells, or None where the submission has used up its children or its
        time.

        A cell that once ended its process is not run again: what stands in the other cells still counts. Of what cells
        put out where a reference is `substituted`, nothing is kept. `measured`: what each leaves in memory is.
        """
        if self._remote is None and self._children < MAX_CHILDREN and not self._shares.used_up:
            self._children += 1
            began, self._beside = time.monotonic(), 0
            self._childs_end = began + self.limits.wall_seconds
            ended = {index for index, ran in self.done.ran.items() if ran.ended}
            to_run = [cell for cell in cells if cell.index not in ended]
            late = [index for index, ran in self.done.ran.items() if ran.error and ran.error.limit == "time"]
            self._child = self.sandbox.run(to_run, self.limits, self._shares.end, measured, late)
            self._shares.add("", time.monotonic() - began)
            self._kept = self._kept or self._child.kept
            own = {cell.index for cell in self._all} - set(self.done.ran)
            ran = {index: ran for index, ran in self._child.ran.items() if index in own}
            self.done.ran |= {index: endings.silent(each) if substituted else each for index, each in ran.items()}
            self.done.endings |= {ran.ended for ran in self._child.ran.values() if ran.ended}
            self._remote = Remote(self._child.socket, self._child.request_timeout, self.sandbox.limits.replies)
        return self._remote

    def _end(self) -> Usage:
        """Close the child; returns what it used and how it came to its end."""
        child, remote, late = self._child, self._remote, self._late
        self._child, self._remote, self._late = None, None, False
        if child is None or remote is None:
            return Usage()
        if late or remote.failure or any(ran.error and ran.error.limit == "time" for ran in child.ran.values()):
            usage = child.close()
            self._spent += usage
        else:
            usage = child.dismiss()
        self.done.peak_bytes = max(self.done.peak_bytes, usage.peak_bytes)
        return usage

    # --- verdicts -------------------------------------------------------------------------------------------------

    def _judged(self, exercise: Exercise, cells: Sequence[Cell], substituted: bool = False) -> Verdict:
        """The verdict on it in the child that runs; in a fresh one that has judged nothing else, where it failed while
        much memory was held that it may not have taken itself."""
        verdict, beside, held = self._look(exercise, cells, substituted)
        if held >= self._much() + sum(self._kept.values()) and (beside or not self._kept):
            self._end()
            if self._open(cells, substituted, measured=not self._kept) is not None and beside:
                again, _, _ = self._look(exercise, cells, substituted)
                if again.fraction >= verdict.fraction and not endings.cut_off(again):
                    verdict = again
        if not verdict.passed and not exercise.question and not substituted and self._holding():
            self._cramped.add(exercise.name)
            if self._no_memory and not endings.cut_off(verdict):
                verdict = endings.cramped(verdict, self._holders([cell.index for cell in self._holding()]))
        return verdict

    def _look(self, exercise: Exercise, cells: Sequence[Cell], substituted: bool) -> tuple[Verdict, int, int]:
        """(the verdict, how many looks its child had seen before, bytes that this child holds where it failed)."""
        remote, beside = self._open(cells, substituted), self._beside
        answer = next((cell for cell in cells if cell.grade_id == exercise.answer_id), None)
        ran = self.done.ran.get(answer.index) if answer is not None else None
        self._beside += 1
        self._unseen.discard(exercise.name)
        if remote is None or (ran is not None and ran.ended):
            self._shares.add(exercise.name, 0.0)
            return endings.not_run(ran, self._shares.used_up), beside, 0
        error = ran.error if ran is not None else None
        if error is not None and substituted and answer is not None and self._child is not None:
            now = self._child.ran.get(answer.index)  # what it says here is not passed on, but that it is silent counts
            error = error if now is None or now.error is not None else None
        request = self.limits.request_seconds
        timed, began = TimedRemote(remote, self._shares.until(request)), time.monotonic()
        try:
            verdict = self._question(exercise, timed) if exercise.question else self._task(exercise, timed)
        except Exception:  # a fault of ours must neither stop the run nor pass for a zero
            failure = traceback.format_exc(limit=-4)
            return Verdict(Outcome.ERROR, message="This could not be graded.", internal=failure), beside, 0
        self._shares.add(exercise.name, time.monotonic() - began)
        self.done.endings |= {"reply too large"} if timed.too_large else set()
        self.done.endings |= {"replies out of turn"} if remote.stale else set()
        cases = tuple(replace(case, message=printable(case.message[:MAX_MESSAGE])) for case in verdict.cases)
        verdict = replace(verdict, cases=cases)
        self._no_memory = timed.no_memory or (error is not None and error.limit == "memory")
        if timed.failure:
            self._late = True
            usage = self._end() if remote.failure else Usage()
            if usage.outcome == KILLED:
                raise SandboxError(f"a child was {KILLED} ({usage.signal}) while {exercise.number} was looked at")
            self.done.endings |= {usage.outcome} - {"ok", "stopped"}  # which the verdict tells
            self._no_memory |= usage.outcome == "out of memory"
            held = usage.peak_bytes if timed.failure == "gone" and usage.outcome != "timeout" else 0
            return endings.cut_short(verdict, timed.failure, usage.outcome, request), beside, held
        held = 0
        if not verdict.passed and not exercise.question and self._child is not None and (beside or not self._kept):
            held = self._child.held()
        if error is not None and not verdict.passed:
            return endings.stopped(verdict, error), beside, held
        return verdict, beside, held

    def _task(self, exercise: Exercise, remote: TimedRemote) -> Verdict:
        check = checks.find(exercise.name, exercise.chapter)
        student = check.student(remote)
        with bounded(MEMORY):
            verdict = check.judge(student, self.tables[exercise.name])
        if unknown := sorted(student.operators - operators.recorded(exercise.name)):
            self._flag(f"{exercise.number}: calls {', '.join(unknown[:5])}, as no known right answer does")
        return verdict

    def _flag(self, flag: str) -> None:
        if flag not in self.done.flags:
            self.done.flags.append(flag)

    @staticmethod
    def _question(exercise: Exercise, remote: TimedRemote) -> Verdict:
        try:
            value = Student(remote).get(exercise.components[0])
        except StudentError:
            value = None
        return questions.judge(exercise, value)
