"""What a platform's way of naming is: a head, a mark behind it, and whose a file is by the two."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass


@dataclass(frozen=True)
class Scheme:
    """How a platform names what it lets you download.

    An outermost name is `head` and then `mark`, each matched whole; a mark begins with `between`. Where the platform
    lets no `head` hold a mark, the first is its own and nothing in the student's file name behind it is taken for one;
    else each is a way to read the name. `whose` makes the possible (student, key) of the two; more than one means that
    nobody can say. `example` is what the platform writes.
    """

    name: str
    example: str
    head: re.Pattern[str]
    mark: re.Pattern[str]
    whose: Callable[[str, re.Match[str]], Sequence[tuple[str, str]]]
    loose: bool  # whether the name is that of a file, or (also) of a folder
    folder: bool
    distinct: bool = True  # whether nothing but this platform gives such names
    between: str = "_"
    moment: Callable[[re.Match[str]], str] = lambda mark: ""  # when it was handed in, for timestamp.txt

    def matches(self, name: str, folder: bool) -> Iterator[tuple[str, re.Match[str]]]:
        """The (head, mark) that the name can be read as."""
        if not (self.folder if folder else self.loose):
            return
        for at in (match.start() for match in re.finditer(re.escape(self.between), name)):
            mark = self.mark.fullmatch(name, at)
            if mark and self.head.fullmatch(name, 0, at):
                yield name[:at], mark
