"""What would change on a platform, and then just that.

A grade there is ours where it is what was sent last, or what may have arrived since (`autograde.sent`). Any other is
somebody's: it is held back and listed, unless `overwrite`. Each student is looked at once more right before anything is
sent, and again where the answer was lost, so that nothing is written twice and nothing over what came in between.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from autograde.folders import ClassFolder
from autograde.intake.roster import MOODLE, PLAIN, Person, Roster
from autograde.intake.roster_file import kept
from autograde.ledger import Ledger
from autograde.reports import roster_rows
from autograde.reports.push import platform as platforms
from autograde.reports.push.moodle import Moodle
from autograde.reports.push.platform import LTI, Found, Item, Page, Platform, Standing
from autograde.reports.push.registration import Registration
from autograde.reports.push.web import PushError, Refused, Session, Stopped, Unknown
from autograde.reports.roster_rows import Points
from autograde.sent import History, Sent, Target
from autograde.text import in_one_line

SEND, SAME, HELD = "send", "same", "held"
_LOST, _REFUSED = 3, 10  # answers lost, or students refused, in a row after which nothing more is tried


@dataclass(frozen=True)
class Change:
    """What becomes of one student: `kind` is SEND, SAME or HELD; points there before and here; and why, or what to
    know. `page` is to be sent too."""

    student: str
    user: str
    kind: str
    before: float | None
    after: float
    page: Page | None = None
    why: str = ""


@dataclass
class Pushed:
    """What a push of one assignment would do, or did. `sent` are the students whose change the platform confirmed,
    `failed` those of whom it did not, and why; `stopped` says why it went no further, with `left` to send."""

    assignment: str
    item: Item
    changes: list[Change]
    left_out: list[tuple[str, str]]
    notes: list[str]
    sent: list[str] = field(default_factory=list)
    failed: list[tuple[str, str]] = field(default_factory=list)
    stopped: str = ""
    left: int = 0


@dataclass
class Push:
    """One class and one course of a platform's. `progress` is told what is done, how much of it, and of how much."""

    folder: ClassFolder
    platform: Platform
    kind: str
    address: str
    course: str
    overwrite: bool = False
    progress: Callable[[str, int, int], object] = lambda what, done, of: None
    _items: Sequence[Item] | None = None
    _taken: dict[str, str] = field(default_factory=dict)  # the platform's number -> the assignment that went there

    def push(
        self, assignment: str, said: str = "", roster: Path | None = None, *, pages: bool = False, write: bool = True
    ) -> Pushed:
        """Sends an assignment's grades, and its feedback pages with `pages`; without `write`, says what would be sent.
        `said` is the platform's number of the assignment, or its title there.

        Raises BadRoster and PushError before anything is sent; GradebookError and OSError.
        """
        (points,) = roster_rows.points_of(self.folder, [assignment])
        rows, left_out = roster_rows.rows_of(self.folder, self._roster(points, roster), points)
        if self._items is None:
            self._items = self.platform.items()
        item = _meant(self._items, assignment, said, self.platform.name)
        _fits(item, points, self.platform.name)
        sent = Sent(self.folder.ledger)
        target = Target(self.kind, self.address, self.course, item.number, assignment)
        history = sent.of(target)
        self._free(assignment, item, history)
        standings = self.platform.standing(item)
        done = Pushed(assignment, item, [], left_out, list(standings.notes))
        closed = self.platform.takes_pages(item) if pages else ""
        if closed:
            done.notes.append(closed)
        users = _users(self.platform, rows, standings, done)
        without = 0
        for student, user in users.items():
            page = self._page(student, assignment) if pages and not closed else None
            without += page is None
            after, standing = round(points.of[student], 2), standings.people[user]
            change = decide(student, user, standing, history.get(user, History()), after, page, self.overwrite)
            done.changes.append(change)
        if pages and not closed and without:
            done.notes.append(f"{without} of {len(users)} have no page here: `autograde feedback` writes them")
        if write:
            self._send(done, sent, target, history)
        return done

    def _roster(self, points: Points, given: Path | None) -> Roster:
        """Who is who there. Whom a hub has let in is called by the platform's own number: no table has to say it."""
        if self.kind != LTI:
            return roster_rows.roster_for(self.folder, self.kind, points.assignment, given)
        if given or kept(self.folder, points.assignment, PLAIN):
            return roster_rows.roster_for(self.folder, PLAIN, points.assignment, given)
        people = (Person(name, name, name, "", (), "", row, {}) for row, name in enumerate(sorted(points.of), 1))
        return Roster("the class", PLAIN, (), tuple(people), {})

    def _free(self, assignment: str, item: Item, history: Mapping[str, History]) -> None:
        """Raises PushError where the class's points of another assignment went: they would count as ours to replace."""
        others = {each.assignment for each in history.values()} | {self._taken.setdefault(item.number, assignment)}
        if (others := others - {assignment, ""}) and not self.overwrite:
            raise PushError(
                f"{assignment}: {item.title!r} ({item.number}) has the points of {', '.join(sorted(others))}, which"
                f" these would replace. To do: say its own, with --id '{assignment}=NUMBER', or --overwrite if it is"
                " meant"
            )

    def _page(self, student: str, assignment: str) -> Page | None:
        path = self.folder.feedback / student / assignment / f"{assignment}.html"
        return Page(path, platforms.named(assignment, path.read_bytes())) if path.is_file() else None

    def _send(self, done: Pushed, sent: Sent, target: Target, history: Mapping[str, History]) -> None:
        numbers = Ledger(self.folder.ledger).numbers({change.student for change in done.changes})
        for change in done.changes:
            before = history.get(change.user, History())
            if change.kind == SAME and (before.confirmed, before.assignment) != (change.after, done.assignment):
                sent.add(target, numbers[change.student], change.user, change.after, "", confirmed=True)
        todo = [place for place, change in enumerate(done.changes) if change.kind == SEND]
        lost = refused = 0
        for count, place in enumerate(todo):
            change = done.changes[place]
            self.progress(done.assignment, count, len(todo))
            before = history.get(change.user, History())
            try:
                done.changes[place] = self._one(done.item, change, sent, target, numbers[change.student], before)
            except Stopped as error:
                done.stopped, done.left = str(error), len(todo) - count
                return
            except (Refused, Unknown) as error:
                done.failed.append((change.student, str(error)))
                lost, refused = (lost + 1, 0) if isinstance(error, Unknown) else (0, refused + 1)
                if (lost == _LOST or refused == _REFUSED) and count + 1 < len(todo):
                    done.stopped, done.left = f"{lost or refused} in a row went wrong", len(todo) - count - 1
                    return
                continue
            lost = refused = 0
            if done.changes[place].kind == SEND:
                done.sent.append(change.student)

    def _one(self, item: Item, change: Change, sent: Sent, target: Target, number: int, before: History) -> Change:
        """Sends one student's, unless it is there by now or somebody was there before; the change as it came out."""
        student, user, after, page = change.student, change.user, change.after, change.page
        try:
            now = self.platform.look(item, user)
        except Unknown as error:
            raise Unknown(f"{error}, so nothing was sent") from None
        change = decide(student, user, now, before, after, page, self.overwrite)
        if change.kind == SEND:
            name = change.page.name if change.page else ""
            sent.add(target, number, user, after, name, confirmed=False)
            now = self._given(item, change, now)
            if not _there(now, change):
                kept = "none" if now.points is None else f"{now.points:g}"
                raise Refused(
                    f"{self.platform.name} took it and still shows {kept} instead of {after:g}"
                    f"{'' if change.page is None else ', or not the page'}: is the grade locked or overridden there?"
                )
            sent.add(target, number, user, after, name, confirmed=True)
        elif change.kind == SAME:  # an earlier run's that was not confirmed then
            name = page.name if page is not None and page.name in (now.pages or ()) else ""
            sent.add(target, number, user, after, name, confirmed=True)
        return change

    def _given(self, item: Item, change: Change, before: Standing) -> Standing:
        """What stands there once it is sent. Where the answer is lost it is looked up; if it did not arrive, and nobody
        else was there, it is sent once more."""
        lost: Unknown | None = None
        for _ in range(2):
            try:
                return self.platform.give(item, change.user, change.after, change.page, before)
            except Unknown as error:
                lost = error
            try:
                now = self.platform.look(item, change.user)
            except Unknown:
                break
            if _there(now, change):
                return now
            others = now.points not in (before.points, change.after)
            if others or now.closed or (change.page and _foreign(now, change.page)):
                raise Refused(f"{lost}, and somebody changed what is there in between: give the command again")
            before = now
        raise Unknown(f"{lost}: nobody knows whether it arrived")


def decide(
    student: str, user: str, now: Standing, before: History, after: float, page: Page | None, overwrite: bool
) -> Change:
    """What becomes of a student, as things stand there."""
    there = now.pages if now.pages is not None else {before.page}
    change = Change(student, user, SEND, now.points, after, page, now.note)
    if now.closed:
        return replace(change, kind=HELD, page=None, why=now.closed)
    if page is not None and (_foreign(now, page) or page.name in there):
        theirs = "there are feedback files that a person put there, which a page would replace"
        change = replace(change, page=None, why=theirs if _foreign(now, page) else now.note)
    if now.points is not None and _same(now.points, after):
        return change if change.page else replace(change, kind=SAME)
    ours = before.confirmed is None if now.points is None else before.ours(now.points)
    if ours or overwrite:
        return change
    if now.points is None:
        why = f"{before.confirmed:g} points were sent, and there are none now: somebody took them away"
    elif before.confirmed is None:
        why = f"{now.points:g} points stand there that were not sent from here"
    else:
        why = f"{before.confirmed:g} points were sent, and somebody changed them to {now.points:g}"
    return replace(change, kind=HELD, page=None, why=f"{why}; --overwrite puts {after:g} in their place")


def connect(
    kind: str, address: str, course: str, token: str, at: Registration | None = None, **more: Callable[[float], None]
) -> Platform:
    """A platform, one of PLATFORMS, with a course open; `at` is LTI's, and `token` then its key. Raises ValueError
    where its client is not installed, or the key cannot be used."""
    if kind == MOODLE:
        return Moodle(Session("Moodle", address, token, **more), course, token)
    try:
        if kind == LTI:
            assert at is not None, "LTI has a registration"
            from autograde.reports.push.lti import Lti  # an extra, too

            return Lti(at, token, **more)
        from autograde.reports.push.canvas import Canvas  # an extra: who has no Canvas needs no client of it
    except ModuleNotFoundError as error:
        what = ("LTI", "pyjwt") if kind == LTI else ("Canvas", "canvasapi")
        raise ValueError(
            f"{error.name}, which is needed for {what[0]}, is not installed. To do: python -m pip install -c"
            f" requirements.txt {what[1]}"
        ) from None
    return Canvas(Session("Canvas", address, token, **more), course, token)


def _same(one: float, other: float) -> bool:
    return abs(one - other) < 0.005


def _foreign(now: Standing, page: Page) -> bool:
    """Whether the page would take the place of files that are not ours."""
    return any(not platforms.is_page(name, page.path.stem) for name in now.replaced)


def _there(now: Standing, change: Change) -> bool:
    """Whether what was sent has arrived. Where pages are not shown, one came with its points, in the same request."""
    if now.points is None or not _same(now.points, change.after):
        return False
    if change.page is None or now.pages is not None:
        return change.page is None or change.page.name in (now.pages or ())
    return change.before is None or not _same(change.before, change.after)


def _meant(items: Sequence[Item], assignment: str, said: str, name: str) -> Item:
    """The platform's assignment: by its number or title as said, else by the class's name for it in its title. What was
    said is never a part of a title: a mistyped number would find another assignment."""
    wanted = (said or assignment).casefold()
    matches = [item for item in items if said and item.number == said]
    matches = matches or [item for item in items if item.title.casefold() == wanted]
    matches = matches or [item for item in items if not said and wanted in item.title.casefold()]
    if len(matches) != 1:
        why = f"{len(matches)} assignments of {name}'s are" if matches else f"no assignment of {name}'s is"
        some = ", ".join(f"{in_one_line(item.title)} ({item.number})" for item in (matches or items)[:8]) or "none"
        raise PushError(
            f"{assignment}: {why} called {said or assignment!r}; there are {some}. To do: say which by its number, with"
            f" --id '{assignment}=NUMBER'"
        )
    return matches[0]


def _fits(item: Item, points: Points, name: str) -> None:
    if item.closed:
        raise PushError(f"{points.assignment}: nothing can go to {item.title!r}: {item.closed}")
    if not _same(item.most, points.most):
        raise PushError(
            f"{points.assignment}: {item.title!r} is out of {item.most:g} on {name}, and here it is out of"
            f" {points.most:g}. To do: make them the same there"
        )


def _users(platform: Platform, rows: Mapping[str, Person], standings: Found, done: Pushed) -> dict[str, str]:
    """Student -> the platform's number, of those who are there once; the others are left out with the reason."""
    users = {student: platform.user_of(person) for student, person in rows.items()}
    count, fine = Counter(users.values()), dict[str, str]()
    for student, user in users.items():
        if not user or user not in standings.people:
            number = f" (number {rows[student].number})"
            why = (
                f"is not in {done.item.title!r} on {platform.name}{number}: enrolled there, and in the roster as there?"
            )
        elif count[user] > 1:
            others = [other for other in users if users[other] == user and other != student]
            why = f"is the same person on {platform.name} as {', '.join(others)}: see the roster"
        elif user in standings.twice:
            why = f"was listed twice by {platform.name}, whose answer cannot be right: give the command again"
        else:
            fine[student] = user
            continue
        done.left_out.append((student, f"{done.assignment}: {why}"))
    return fine
