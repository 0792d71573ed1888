"""The grader's side of the intake: asks the jail's children what is in a file, and lays it into the assignment.

Nothing that a student handed in is parsed out here. What a child answers is hostile too: capped frames (`protocol`), in
a form that is written down (`answers`).
"""

from __future__ import annotations

import contextlib
import json
import os
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

from autograde.intake import answers, protocol, received
from autograde.intake.jail import LIMITS, Jail, Reader, Unread, limits_of, outcome_of
from autograde.intake.merge import MergedNotebook, lay_out
from autograde.intake.parse import Contents
from autograde.intake.received import Received
from autograde.intake.unpack import Budget, Damaged, Member
from autograde.intake.unpacking import Unpacking
from autograde.sandbox.limits import Limits
from autograde.sandbox.pool import SandboxError

if TYPE_CHECKING:
    from nbformat import NotebookNode


class Intake:
    """Reads submissions of one assignment (given as released), and archives; used from one thread.

        with Intake(notebook) as intake:
            seen = intake.receive(folder, "02-bahdanau")
            merged = intake.merged(seen)

    The jail starts with the first question, and anew where it was lost. Raises SandboxError where it does not work:
    then nothing was read, and no student is to blame.
    """

    def __init__(self, assignment: NotebookNode | None = None, limits: Limits = LIMITS):
        self.assignment, self.limits = assignment, limits
        self._jail: Jail | None = None

    def __enter__(self) -> Intake:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        if self._jail is not None:
            self._jail.close()
            self._jail = None

    def receive(self, path: str | os.PathLike[str], assignment: str) -> Received:
        """`received.receive`, with the file's bytes looked at in a child, and laid beside the assignment there."""

        def contents(data: bytes) -> Contents:
            try:
                return self.contents(data)
            except SandboxError as error:
                return Contents(None, failed=str(error))

        return received.receive(path, assignment, contents)

    def contents(self, data: bytes) -> Contents:
        """`parse.contents`, in a child, and what of it belongs where in the assignment. Raises SandboxError."""
        try:
            answer = self._ask("read", data, answers.READ)
            try:
                return answers.contents_of(answer, self.assignment)
            except Exception as error:  # whatever a form that is not a notebook's may raise
                raise Unread("", type(error).__name__) from None
        except Unread as unread:
            return Contents(None, (), unread.student, unread.instructor)

    def merged(self, seen: Received) -> MergedNotebook:
        """A submission that could be read, in the assignment's form. Raises Unread where its child could not tell."""
        assert self.assignment is not None, "an intake for archives alone"
        if seen.merged is not None:
            return lay_out(self.assignment, seen.merged)
        answer = self._ask("merge", json.dumps(seen.notebook, ensure_ascii=False).encode(), answers.MERGED)
        try:
            return lay_out(self.assignment, answers.merged_of(answer))
        except (ValueError, TypeError) as error:
            raise Unread("", str(error)) from None

    def _ask(self, job: str, data: bytes, form: Any) -> Any:
        """A child's answer to one question. Where there is none, another is asked, of a new jail: what is held against
        a student, or called the machine's fault, has happened twice."""
        try:
            return self._answer(job, data, form)
        except (SandboxError, Unread):
            self.close()
            return self._answer(job, data, form)

    def _answer(self, job: str, data: bytes, form: Any) -> Any:
        child = self._child(self.limits)
        try:
            child.send(json.dumps({"job": job}).encode())
            child.send(data)
            answer = protocol.formed(protocol.receive_answer(child.socket, child.until), form)
        except (EOFError, OSError, ValueError, RecursionError, MemoryError) as error:
            usage = child.close()
            raise Unread(outcome_of(usage, error, self.limits), usage.signal or type(error).__name__) from None
        except BaseException:
            child.close()
            raise
        child.dismiss()
        if failed := job == "read" and answer["failed"]:
            raise SandboxError(answers.sentence(failed))
        return answer

    def _child(self, limits: Limits) -> Reader:
        """A child that is isolated and has been given nothing; of a new jail where this one was lost."""
        try:
            return self._begun(limits)
        except SandboxError:
            return self._begun(limits)

    def _begun(self, limits: Limits) -> Reader:
        child = None
        try:
            if self._jail is None:
                self._jail = Jail(self.assignment, self.limits)
                self._jail.launch().ready()
            child = self._jail.child(limits)
            child.begin()
            return child
        except BaseException:
            with contextlib.suppress(SandboxError):
                if child is not None:
                    child.close()
            self.close()
            raise

    def unpack(self, archive: Path, budget: Budget, limits: Limits | None = None) -> Iterator[Member]:
        """`unpack.unpack`, in a child: the members of a zip, tar or tar.gz, told by its content, in its order.
        `limits` are those of what one student handed in, where nothing else is said.

        Nothing of the archive is parsed out here, and what the child says it spent can only make the budget smaller.
        Raises Damaged and TooMuch as `unpack.unpack` does, and Damaged where the child dies or takes too long: what
        came before stands.
        """
        with contextlib.ExitStack() as held:
            try:
                file = held.enter_context(archive.open("rb"))
            except OSError as error:
                raise Damaged(f"it cannot be read ({error.strerror})") from None
            limits = limits or limits_of(os.fstat(file.fileno()).st_size)
            reading = Unpacking(self._child(limits), file.fileno(), budget)
            held.callback(reading.close)
            reading.start()
            while (member := reading.next()) is not None:
                yield member
                reading.pass_over()
