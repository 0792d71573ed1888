"""Formats for teaching the course, with hours that are sums of what the notebooks say."""

from __future__ import annotations

import re
import tomllib
from dataclasses import dataclass
from functools import cached_property

from course.exercises import Exercise, exercises
from theme.notebooks import ROOT
from theme.teaching.goals import introduction

FILE = ROOT / "book" / "instructors" / "syllabus.toml"
NUMBERS = {word: number for number, word in enumerate(("one", "two", "three", "four", "five", "six", "seven"), 1)}
HOURS = re.compile(rf"\b({'|'.join(NUMBERS)})( and a half)? hours?\b")


def planned(stem: str) -> int:
    """The minutes that a chapter's introduction says to plan, "three and a half hours": the larger number of two.

    Raises ValueError where it names no hours.
    """
    hours = HOURS.search(" ".join(introduction(stem).split()))
    if hours is None:
        raise ValueError(
            f"notebooks/{stem}.ipynb does not say how many hours to plan; write so before its first section"
        )
    return NUMBERS[hours[1]] * 60 + (30 if hours[2] else 0)


@dataclass(frozen=True)
class Part:
    """A chapter, or the sections of one with their exercises."""

    chapter: str
    sections: str
    exercises: tuple[Exercise, ...]

    @cached_property
    def minutes(self) -> float:
        """The chapter's hours; of a piece, its core exercises, and the same share of the other hours."""
        here, whole = (sum(e.minutes for e in of if not e.stretch) for of in (self.exercises, chapter(self.chapter)))
        return planned(self.chapter) * here / whole


@dataclass(frozen=True)
class Session:
    """A week, a day or a meeting."""

    parts: tuple[Part, ...]
    note: str

    @property
    def exercises(self) -> list[Exercise]:
        return [e for part in self.parts for e in part.exercises]

    @property
    def minutes(self) -> float:
        return sum(part.minutes for part in self.parts)


@dataclass(frozen=True)
class Plan:
    """A format: what it is called, what its sessions are, and the minutes of each that go into work on the chapter."""

    title: str
    unit: str
    together: int
    sessions: tuple[Session, ...]

    def at_home(self, session: Session) -> float:
        return max(0, session.minutes - self.together)


def chapter(stem: str) -> tuple[Exercise, ...]:
    """A chapter's exercises. Raises ValueError for what is no chapter."""
    its_exercises = tuple(e for e in exercises() if e.notebook == stem)
    if not its_exercises:
        raise ValueError(f"syllabus.toml: no chapter is {stem!r}")
    return its_exercises


def part(held: dict) -> Part:
    """A part as syllabus.toml has it: without exercises, the whole chapter. Raises ValueError for an unknown number."""
    there = {e.number: e for e in chapter(held["chapter"])}
    wanted = held.get("exercises", list(there))
    if unknown := [number for number in wanted if number not in there]:
        raise ValueError(f"syllabus.toml: {held['chapter']} has no exercise {', '.join(unknown)}")
    return Part(held["chapter"], held.get("sections", ""), tuple(there[number] for number in wanted))


def plan(name: str) -> Plan:
    """A format by its name in syllabus.toml. Raises ValueError where it has none of that name, or a wrong part."""
    held = tomllib.loads(FILE.read_text("utf-8"))
    if name not in held:
        raise ValueError(f"syllabus.toml has no format {name!r}; there are {', '.join(held)}")
    of = held[name]
    sessions = [Session(tuple(part(each) for each in s["parts"]), s.get("note", "")) for s in of["sessions"]]
    return Plan(of["title"], of["unit"], of["together"], tuple(sessions))
