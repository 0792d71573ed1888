"""What one child of the sandbox may use. The figures are generous for the course's cells and small for the machine."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from dataclasses import dataclass, replace

MIB = 1 << 20
UNPRIVILEGED = 65533  # user and group inside, as the fork server, which sees none of this, says too


@dataclass(frozen=True)
class Limits:
    """Limits of one submission's child. Times in seconds, sizes in bytes.

    `memory` counts what the child needs beyond the warm process that it was forked from. A soft deadline raises inside
    the student's code, where `except BaseException` can swallow it; the hard one, `grace` later, ends the child from
    outside.
    """

    cell_seconds: float = 20.0
    request_seconds: float = 10.0
    grace: float = 2.0
    wall_seconds: float = 180.0
    cpu_seconds: int = 180
    memory: int = 2048 * MIB
    disk: int = 64 * MIB
    processes: int = 64
    open_files: int = 128
    text: int = 100_000  # characters of output kept for a cell
    image: int = 1 * MIB  # bytes of one figure
    images: int = 8  # figures kept for a cell
    outputs: int = 24 * MIB  # characters of text and figures kept for all cells together
    replies: int = 512 * MIB  # bytes that one child may answer, over all its requests

    def __post_init__(self) -> None:
        for name, value in vars(self).items():
            if not value > 0:
                raise ValueError(f"limit {name} is {value}; it must be above zero")

    def patient(self, times: int) -> Limits:
        """These with so many times the seconds by the clock; those of a processor stay."""
        return replace(
            self,
            cell_seconds=self.cell_seconds * times,
            request_seconds=self.request_seconds * times,
            grace=self.grace * times,
            wall_seconds=self.wall_seconds * times,
        )


@contextlib.contextmanager
def bounded(memory: int) -> Iterator[None]:
    """Lets this process take at most so many bytes more than it has: beyond, an allocation raises, in torch a
    RuntimeError, where without a limit the machine might end the whole run.
    """
    import resource  # not everywhere, and doctor is to say so

    soft, hard = resource.getrlimit(resource.RLIMIT_AS)
    with open("/proc/self/statm") as file:
        limit = int(file.read().split()[0]) * resource.getpagesize() + memory
    if soft == resource.RLIM_INFINITY or limit < soft:
        resource.setrlimit(resource.RLIMIT_AS, (limit, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_AS, (soft, hard))
