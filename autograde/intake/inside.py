"""The warm process inside the intake's jail: forks a child for each question, which answers it and ends.

It has read the class's own assignment and nothing of any student's. A child gives up all rights before it gets a byte
of a student's, and what it answers is checked outside as if a student had written it.
"""

from __future__ import annotations

import gc
import json
import os
import socket
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

from autograde.intake import archives, merge, parse, protocol
from autograde.sandbox.inside.confinement import confine
from autograde.sandbox.inside.fork_server import begin, serve

QUESTION = 1 << 10  # bytes of the frame that says what is asked
NOTEBOOK = 256 << 20  # bytes of a notebook that was read before
_ASSIGNMENT = Path("/sandbox/assignment.json")


def main() -> None:
    started = time.monotonic()
    control, allowed = begin()
    assignment = json.loads(_ASSIGNMENT.read_text("utf-8"))
    if assignment:  # its texts are parsed once, here
        merge.merge(assignment["notebook"], assignment["notebook"], assignment["marks"])
    serve(control, started, partial(_child, allowed=allowed, assignment=assignment))


def _child(data: int, limits: dict[str, Any], allowed: bytes, assignment: Any) -> None:
    """Runs in the child: gives up its rights, answers one question, ends. Never returns."""
    line = socket.socket(fileno=data)
    try:
        confine(limits, allowed)
    except BaseException as error:
        protocol.send_json(line, {"fatal": f"{type(error).__name__}: {error}"})
        os._exit(1)
    try:
        gc.disable()  # it does not live long enough to have garbage
        protocol.send_json(line, {"ready": True})
        _JOBS[protocol.receive_json(line, QUESTION)["job"]](line, assignment)
        line.recv(1)  # until its supervisor is told to end it
    except BaseException:
        os._exit(1)
    os._exit(0)


def _read(line: socket.socket, assignment: Any) -> None:
    contents = parse.contents(protocol.receive(line, parse.MAX_BYTES))
    wanted = assignment is not None and contents.notebook is not None
    merged = _merged(contents.notebook, assignment) if wanted else None
    fields = {name: getattr(contents, name) for name in ("notebook", "notes", "student", "instructor", "failed")}
    protocol.send_answer(line, fields | {"merged": merged})


def _merge(line: socket.socket, assignment: Any) -> None:
    protocol.send_answer(line, _merged(protocol.receive_json(line, NOTEBOOK), assignment))


def _merged(submission: Any, assignment: Any) -> dict[str, Any]:
    merged = merge.merge(assignment["notebook"], submission, assignment["marks"])
    return vars(merged) | {"unanswered": sorted(merged.unanswered), "pieces": [_as_json(p) for p in merged.pieces]}


def _as_json(piece: merge.Piece) -> dict[str, Any]:
    """A piece as plain JSON: the text to run where it differs from the student's; names with spaces between them."""
    names = piece.names and {
        kind: " ".join(sorted(getattr(piece.names, kind))) for kind in ("bound", "used", "defined")
    }
    run = True if piece.run == piece.source else piece.run
    return {"at": piece.at, "source": piece.source, "run": run, "names": names}


def _unpack(line: socket.socket, assignment: Any) -> None:
    archives.serve(line)


_JOBS: dict[str, Callable[[socket.socket, Any], None]] = {"read": _read, "merge": _merge, "unpack": _unpack}

if __name__ == "__main__":
    main()
