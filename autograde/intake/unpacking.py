"""The grader's end of the line to a child that unpacks an archive (`archives` is the child's)."""

from __future__ import annotations

import contextlib
import json
import os
import struct
from collections.abc import Iterator

from autograde.intake import archives, protocol
from autograde.intake.jail import DAMAGED, ENDS, Reader, outcome_of
from autograde.intake.unpack import MAX_NAME, Budget, Damaged, Member, TooMuch
from autograde.sandbox.pool import SandboxError
from autograde.text import without_controls


class Unpacking:
    """Gives a child the archive's bytes as it asks for them, and takes members, within a budget."""

    def __init__(self, child: Reader, archive: int, budget: Budget):
        self._child, self._archive, self._budget = child, archive, budget
        self._size = os.fstat(archive).st_size
        self._waiting = False  # whether the child waits to be told to go on with a member
        self._spent = self._crossed = 0  # bytes: of the budget, as the child says; of the member that was told last

    def close(self) -> None:
        with contextlib.suppress(SandboxError):  # the jail may be closed already; all that was wanted has been read
            self._child.close()

    def start(self) -> None:
        asked = {"size": self._size, "room": max(0, self._budget.room), "members": max(0, self._budget.members)}
        with self._lost():
            self._child.send(json.dumps({"job": "unpack"}).encode())
            self._child.send(json.dumps(asked).encode())

    def next(self) -> Member | None:
        with self._lost():
            kind, data = self._word()
            if kind == archives.END:
                self._ended(data)
                return None
            if kind != archives.MEMBER:
                raise protocol.ProtocolError("no member")
            refused, _, name = data.partition(b"\0")
            self._budget.count()
            self._waiting, self._crossed = True, 0
            readable = name.decode("utf-8", "surrogateescape")[:MAX_NAME]
            if refused:
                return Member(readable, iter(()), without_controls(refused.decode())[:200])
            return Member(readable, self._content())

    def _content(self) -> Iterator[bytes]:
        """What crosses of the member that was told last, counted by what crosses too."""
        with self._lost():
            kind, data = self._word(archives.YES)
            while kind == archives.DATA:
                self._crossed += len(data)
                if self._crossed > self._budget.room:
                    raise protocol.ProtocolError("more bytes than there is room for")
                yield data
                kind, data = self._word(archives.YES)
            self._done(kind, data)

    def pass_over(self) -> None:
        """What is asked for next is the next member."""
        if self._waiting:
            with self._lost(), contextlib.suppress(Damaged):
                self._done(*self._word(archives.NO))

    def _done(self, kind: bytes, data: bytes) -> None:
        if kind != archives.DONE:
            raise protocol.ProtocolError("no end of a member")
        self._waiting = False
        self._ended(data)

    def _ended(self, data: bytes) -> None:
        """Takes what was spent off the budget: what the child says, and no less than what crossed. Raises TooMuch where
        that is more than was left, and what the child says is wrong."""
        answer = protocol.formed(json.loads(data), {"spent": int, "wrong": str, "much": bool})
        more = answer["spent"] - self._spent
        if more < 0:
            raise protocol.ProtocolError("less spent than before")
        self._spent = answer["spent"]
        self._budget.take(max(more, self._crossed))
        self._crossed = 0
        if answer["wrong"]:
            raise (TooMuch if answer["much"] else Damaged)(without_controls(answer["wrong"])[:200])

    def _word(self, reply: bytes | None = None) -> tuple[bytes, bytes]:
        """(kind, bytes) of the next frame that is no question for bytes of the archive, after this reply."""
        if reply is not None:
            self._child.send(reply)
        while True:
            frame = self._child.receive(protocol.PIECE + 1)
            kind, data = frame[:1], frame[1:]
            if kind != archives.READ:
                return kind, data
            at, size = archives.SPAN.unpack(data)
            if size > protocol.PIECE or at + size > self._size:
                raise protocol.ProtocolError("bytes that the archive does not have")
            self._child.send(os.pread(self._archive, size, at))

    @contextlib.contextmanager
    def _lost(self) -> Iterator[None]:
        try:
            yield
        except (Damaged, TooMuch):
            raise
        except (EOFError, OSError, ValueError, struct.error, RecursionError, MemoryError) as error:
            usage = self._child.close()
            raise Damaged(ENDS.get(outcome_of(usage, error, self._child.limits), DAMAGED)[0]) from None
