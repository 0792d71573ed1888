"""Errors that an instructor can mend, as one line that says how; anything else is a traceback."""

from __future__ import annotations

import contextlib
import errno
import io
import os
import sys
from collections.abc import Iterator
from typing import Any

from typer.core import TyperGroup

from autograde.terminal import stop

STOPPED = 3  # the exit code where grading stopped before its end; book/instructors/term.md lists them all
# What a disk, or whoever set it up, refuses: no fault of the grader's, and an instructor can mend it.
REFUSED = {
    errno.ENOSPC: "make room",
    errno.EDQUOT: "make room",
    errno.EROFS: "make that place writable, or name another",
    errno.EACCES: "see that you may read and write there",
    errno.EPERM: "see that you may read and write there",
    errno.EISDIR: "name a file",
    errno.ENOTDIR: "name a folder",
    errno.EEXIST: "put away what is there",
    errno.ELOOP: "name another file or folder",
    errno.ENAMETOOLONG: "name a shorter one",
    errno.ENOENT: "see that it is there, and that nothing else moves it",
}
AGAIN = "The same command once more does what is still to be done"


class Commands(TyperGroup):
    """Commands whose files are for their owner alone, and that end in one line where a disk refuses, or where they are
    interrupted."""

    def invoke(self, ctx: Any) -> Any:
        if isinstance(sys.stdout, io.TextIOWrapper):  # what a terminal's encoding has no letter for is spelled out
            sys.stdout.reconfigure(errors="backslashreplace")
        before = os.umask(0o077)  # no file of a library's, in no temporary folder either, is for others
        try:
            return super().invoke(ctx)
        except OSError as error:
            if error.errno not in REFUSED:
                raise
            where = f"{error.filename}: " if error.filename else ""
            todo = f"{REFUSED[error.errno]}, and give the command again"
            raise stop(f"{where}{error.strerror}. To do: {todo}.") from None
        except KeyboardInterrupt:
            raise stop(f"interrupted. {AGAIN}.", 130) from None
        finally:
            os.umask(before)


@contextlib.contextmanager
def mended(interrupted: str = AGAIN) -> Iterator[None]:
    """Errors of a run that an instructor can mend, in one line; one that is interrupted says what then."""
    from autograde.gradebook.store import GradebookError
    from autograde.grading import isolation
    from autograde.grading.executor import EngineError
    from autograde.ledger import LedgerBusy
    from autograde.sandbox import doctor
    from autograde.sandbox.pool import SandboxError

    try:
        yield
    except (isolation.Stopped, EngineError) as error:
        raise stop(error, STOPPED) from None
    except (doctor.NotReady, GradebookError, LedgerBusy, SandboxError, ValueError) as error:
        raise stop(error) from None
    except KeyboardInterrupt:
        raise stop(f"interrupted. {interrupted}.", 130) from None
