"""Whether a right answer is many times slower than the reference. It keeps its points, and is told so.

At the sizes of most cases nothing is slow. So a call is timed with many sentences and with long ones, on the CPU's
clock, and compared with the reference's on the same arguments.
"""

import time
from typing import Any

from course.checks.engine import Check, Draw
from course.checks.engine.declare import Declaration
from course.checks.engine.subject import Subject
from course.key import RECORDED_KEY
from course.protocol.student import Local, StudentError

TIMES, SECONDS = 5, 0.002  # told from here on: as many times the reference's time, and as much more, in one call
AXES = ("B", "T", "S")  # sentences or pictures, and positions: what experiments have many of
CALLS = 2  # the faster one counts


def clock() -> float:
    """Seconds of this process on the CPU: what others do on the machine does not count."""
    return time.process_time()


def times_slower(check: Check, answers: dict[str, Any], references: dict[str, Any]) -> tuple[str, float]:
    """The component that takes most times the reference's time, and how many times; ("", 1.0) where none is told."""
    worst = "", 1.0
    for declaration in check.declarations:
        for axis in declaration.sizes.keys() & AXES:
            at = declaration.usual | {axis: max(declaration.sizes[axis].long, declaration.sizes[axis].usual)}
            try:
                own, reference = (_seconds(check, declaration, at, components) for components in (answers, references))
            except StudentError:  # so many do not fit what the others of its arguments promise
                continue
            if own > reference * max(TIMES, worst[1]) and own - reference > SECONDS:
                worst = declaration.component, own / reference
    return worst


def _seconds(check: Check, declaration: Declaration, sizes: dict[str, int], components: dict[str, Any]) -> float:
    """What a call takes at these sizes."""
    student = check.student(Local(components))
    subject = Subject(declaration, student, Draw(RECORDED_KEY, check.name))
    call = subject.call(subject.arguments(sizes), subject.module(sizes))
    taken = []
    for _ in range(CALLS):
        start = clock()
        subject.ask({"usual": call})
        taken.append(clock() - start)
    return max(min(taken), 1e-6)
