"""Which submission each file of a source belongs to, by names alone: no file is opened.

What belongs nowhere, to nobody, or to two people is put aside with a reason.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from autograde.intake.binding import Binding, Bound
from autograde.intake.people import spelled_apart
from autograde.intake.platforms import classroom
from autograde.intake.received import STAMP
from autograde.intake.sources import Aside, Entry
from autograde.intake.submissions import NO_MOMENT, Submission
from autograde.intake.whose import IN_A_FOLDER, LOOSE, Names, Place, safe

EARLIER = "an earlier attempt: kept in earlier/, not graded"
MAX_EARLIER = 20  # attempts of one submission in one source that are kept
Submissions = dict[tuple[str, str], Submission]  # (student, assignment) -> submission


def named_in(text: str, assignments: Sequence[str]) -> str:
    """The one assignment whose name stands in the text, "" for none or several."""
    names = [name for name in assignments if name.lower() in text.lower()]
    return names[0] if len(names) == 1 else ""


@dataclass(frozen=True)
class Placed:
    """A file with its place and those whose it is, one or the members of a group."""

    entry: Entry
    place: Place
    people: tuple[Bound, ...]
    when: str

    @property
    def student(self) -> str:
        return self.people[0].student


def placed_of(
    entries: list[Entry], names: Names, assignment: str, hint: str, who: Binding, aside: Aside
) -> list[Placed]:
    """Each file that has a place and people; one that has no place, nobody, or another assignment's place is put
    aside."""
    placed: list[Placed] = []
    for entry in entries:
        place = names.place(entry.parts)
        if isinstance(place, str):
            aside.append((safe(entry.name), place))
        elif assignment and place.assignment and place.assignment != assignment:
            aside.append((safe(entry.name), f"of {place.assignment}, not of {assignment}"))
        else:
            likely = place.assignment or assignment or named_in(place.rest[-1], names.assignments) or hint
            people = who.of(place, likely)
            if isinstance(people, str):
                aside.append((safe(entry.name), people))
            else:
                placed.append(Placed(entry, place, tuple(people), who.moment(place) or people[0].when))
    twice = _twice(placed, hint or assignment, who)
    for each in placed:
        if why := next((twice[bound.student] for bound in each.people if bound.student in twice), ""):
            aside.append((safe(each.entry.name), why))
    return [each for each in placed if not any(bound.student in twice for bound in each.people)]


def _twice(placed: list[Placed], assignment: str, who: Binding) -> dict[str, str]:
    """Student -> why what is theirs may be another's: a platform gave it under two names, in one assignment."""
    outer: dict[str, dict[str, Place]] = {}
    for each in placed:
        for bound in each.people:
            outer.setdefault(bound.student, {})[each.place.outer] = each.place
    twice = {}
    for student, places in outer.items():
        named = " and ".join(sorted(map(safe, places))[:3])
        one = next(iter(places.values()))
        if len(places) > 1 and one.scheme == "Gradescope":
            twice[student] = f"{student} handed in {named}. To do: keep one of them, and collect again"
        elif len(places) > 1 and who.needs_roster(one, assignment):
            twice[student] = f"{named} are of two people or of one. To do: say who is who with --roster"
        elif one.scheme == classroom.NAME and len(places) > max(1, len({e.assignment for e in places.values()} - {""})):
            twice[student] = (
                f"{named} bear the name of {student}, and another may have taken it. To do: of the right one of them,"
                f" {IN_A_FOLDER}"
            )
    return twice


def sorted_out(placed: list[Placed], names: Names, assignment: str, hint: str, aside: Aside) -> Submissions:
    """(student, assignment) -> submission; what belongs nowhere is put aside. No file is opened."""
    people: dict[str, set[tuple[str, str]]] = {}
    answered: dict[str, set[str]] = {}  # student -> assignments that a file's own name says
    for each in placed:
        if each.place.scheme != LOOSE:
            for bound in each.people:
                people.setdefault(bound.student, set()).add((each.place.scheme, bound.key))
        if named := each.place.assignment or named_in(each.place.rest[-1], names.assignments):
            answered.setdefault(each.student, set()).add(named)
    attempts: dict[tuple[str, str], dict[str, Submission]] = {}
    for each in placed:
        entry, place = each.entry, each.place
        if several := [bound.student for bound in each.people if len(people.get(bound.student, ())) > 1]:
            aside.append((safe(entry.name), _two_people(several[0], people[several[0]])))
            continue
        only = answered.get(each.student, set())
        name = place.assignment or assignment or named_in(place.rest[-1], names.assignments)
        name = name or (next(iter(only)) if len(only) == 1 else hint)
        if not name:
            aside.append((safe(entry.name), "of which assignment? Say --assignment"))
            continue
        of = attempts.setdefault((each.student, name), {})
        _add(each, of.setdefault(each.when, Submission(when=each.when)), aside)
    return _latest(attempts, aside)


def _add(each: Placed, submission: Submission, aside: Aside) -> None:
    """Adds a file to the submission that it is of."""
    place, own = each.place, each.people[0]
    submission.mark = (place.scheme, own.key) if place.scheme != LOOSE else place.mark
    submission.people.add((place.scheme, own.key))
    submission.outer = submission.outer or safe(place.outer)
    if len(each.people) > 1:
        submission.together = tuple(bound.student for bound in each.people)
        submission.keys = {bound.student: bound.key for bound in each.people}
    if place.rest == (STAMP,):
        if place.stamped:
            aside.append((safe(each.entry.name), NO_MOMENT))
        else:
            submission.stamps.append(each.entry)
        return
    submission.late |= place.late or own.late
    submission.notes |= {place.note, own.note} - {""}
    submission.files.append((place.rest, each.entry))


def _latest(attempts: dict[tuple[str, str], dict[str, Submission]], aside: Aside) -> Submissions:
    """The last attempt of each, with those before it."""
    submissions: Submissions = {}
    for (student, name), by_moment in attempts.items():
        in_order = [attempt for _, attempt in sorted(by_moment.items()) if attempt.files]
        if not in_order:
            continue
        last = in_order.pop()
        people = last.people.union(*(attempt.people for attempt in in_order))
        if len(people) > 1:
            files = [entry for attempt in [*in_order, last] for _, entry in attempt.files]
            aside += [(safe(entry.name), _two_people(student, people)) for entry in files]
            continue
        for attempt in in_order:
            aside += [(safe(entry.name), EARLIER) for _, entry in attempt.files]
            attempt.budget = last.budget
        last.earlier = in_order[-MAX_EARLIER:]
        submissions[student, name] = last
    return submissions


def _two_people(student: str, people: set[tuple[str, str]]) -> str:
    keys = sorted(key for _, key in people)
    distinct = ", ".join(f"{safe(key)}{own}" for key, own in zip(keys, spelled_apart(*keys), strict=True))
    return f"two people would be {student} ({distinct}): put their files into folders of names that tell them apart"
