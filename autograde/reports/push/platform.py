"""What a platform is asked for and told, whichever it is."""

from __future__ import annotations

import contextlib
import hashlib
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Protocol

from autograde.intake.roster import CANVAS, MOODLE, Person
from autograde.reports.push.web import Refused

LTI = "lti"
PLATFORMS = (CANVAS, MOODLE, LTI)


@dataclass(frozen=True)
class Item:
    """An assignment there: its number and title, what it is out of, and why no points can go to it, "" if they can."""

    number: str
    title: str
    most: float
    closed: str = ""


@dataclass(frozen=True)
class Page:
    """A feedback page to send. Its name has the content's digest, so that the platform itself tells which is there."""

    path: Path
    name: str

    def content(self) -> bytes:
        """What is to be sent. Raises Refused where it is no longer what the name says."""
        with contextlib.suppress(OSError):
            if self.name == named(self.path.stem, content := self.path.read_bytes()):
                return content
        raise Refused("the page here changed while this command ran, so nothing was sent: give the command again")


def named(assignment: str, content: bytes) -> str:
    """The name of a page with this content."""
    return f"{assignment}-{hashlib.sha256(content).hexdigest()[:8]}.html"


def is_page(name: str, assignment: str) -> bool:
    """Whether a file's name is one that `named` gives."""
    return re.fullmatch(re.escape(assignment) + r"-[0-9a-f]{8}\.html", name) is not None


@dataclass(frozen=True)
class Standing:
    """What stands there for a person: points, None for none; names of the files that are there, None where that was not
    asked or is not shown, and of those that a new page takes the place of; why nothing may be put there, "" if it may;
    and what to know."""

    points: float | None
    pages: frozenset[str] | None = None
    replaced: frozenset[str] = frozenset()
    closed: str = ""
    note: str = ""


@dataclass(frozen=True)
class Found:
    """Everybody there: number -> what stands for them; those who were listed twice; and what to know."""

    people: Mapping[str, Standing]
    twice: frozenset[str] = frozenset()
    notes: list[str] = field(default_factory=list)


class Platform(Protocol):
    """A platform with one course open. Everything raises PushError."""

    name: str

    def items(self) -> Sequence[Item]:
        """The course's assignments."""

    def standing(self, item: Item) -> Found:
        """What stands there for everybody."""

    def user_of(self, person: Person) -> str:
        """The platform's number of a person of the roster, "" where nobody knows; after `standing`."""

    def takes_pages(self, item: Item) -> str:
        """Why no pages can be sent to an assignment, "" if they can."""

    def look(self, item: Item, user: str) -> Standing:
        """What stands there for one, with the pages."""

    def give(self, item: Item, user: str, points: float, page: Page | None, before: Standing) -> Standing:
        """Puts it there, and says what stands there then, `before` being what `look` has just said. Whatever else is
        there stays."""
