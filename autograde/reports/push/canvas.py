"""Canvas, by canvasapi: grades by "Grade or comment on a submission", pages as files on a comment.

What is used of Canvas's REST API (developerdocs.instructure.com: Assignments, Submissions, Submission Comments, File
Uploads, Throttling, Pagination):

    GET  courses/:course/assignments               title, points_possible, how it is graded
    below .../assignments/:id:
    GET  submissions                               user_id, entered_score, score, excused
    GET  submissions/:user                         the same, include[]=submission_comments
    POST submissions/:user/comments/files          where a page may be uploaded
    PUT  submissions/:user                         submission[posted_grade], comment[file_ids][]

Grade and page go in one request, the last of a student's. `entered_score` is what was given, before what Canvas's own
late policy takes off: that is what is compared.
"""

from __future__ import annotations

import tempfile
from collections import Counter
from collections.abc import Iterable
from itertools import islice
from pathlib import Path
from typing import Any

from canvasapi.assignment import Assignment
from canvasapi.course import Course
from canvasapi.requester import Requester
from canvasapi.submission import Submission
from canvasapi.upload import Uploader

from autograde.intake.roster import Person
from autograde.reports.push.platform import Found, Item, Page, Standing
from autograde.reports.push.web import Session, as_documented, repeated

_MOST = 50_000  # rows of a list: more are pages that lead round in a circle
_POINTS = ("points", "percent", "letter_grade", "gpa_scale")  # ways to grade that take points


class Canvas:
    """A course of Canvas's, as `platform.Platform` says."""

    name = "Canvas"

    def __init__(self, session: Session, course: str, token: str) -> None:
        self._requester = Requester(session.address, token)
        self._requester._session = session  # which is where its requests are made, and the one way to say how
        self._course = Course(self._requester, {"id": course})

    def items(self) -> list[Item]:
        with as_documented(self.name):
            return [_item(each) for each in islice(self._course.get_assignments(), _MOST)]

    def standing(self, item: Item) -> Found:
        with as_documented(self.name):
            submissions = list(islice(self._assignment(item).get_submissions(), _MOST))
            people = {str(each.user_id): _standing(each) for each in submissions}
        count = Counter(str(each.user_id) for each in submissions)
        return Found(people, frozenset(user for user, times in count.items() if times > 1))

    def user_of(self, person: Person) -> str:
        return person.number

    def takes_pages(self, item: Item) -> str:
        return ""

    def look(self, item: Item, user: str) -> Standing:
        with as_documented(self.name):
            submission = self._assignment(item).get_submission(user, include=["submission_comments"])
            return _standing(submission, _attached(submission))

    def give(self, item: Item, user: str, points: float, page: Page | None, before: Standing) -> Standing:
        course, number = self._course.id, item.number
        with as_documented(self.name):
            more = {"comment": {"file_ids": [repeated(lambda: self._uploaded(item, user, page))]}} if page else {}
            submission = Submission(
                self._requester, {"course_id": course, "assignment_id": number, "user_id": user, "id": None}
            )
            same = before.points is not None and round(before.points - points, 2) == 0
            given = {} if same else {"submission": {"posted_grade": f"{points:.2f}"}}
            submission.edit(**given, **more, prefer_points_over_scheme=True)
            return _standing(submission, _attached(submission))

    def _assignment(self, item: Item) -> Assignment:
        return Assignment(self._requester, {"id": item.number, "course_id": self._course.id})

    def _uploaded(self, item: Item, user: str, page: Page) -> int:
        """The number of the page's file once it is there; one that no comment shows does no harm. The uploader takes
        the name of a file on the disk."""
        url = f"courses/{self._course.id}/assignments/{item.number}/submissions/{user}/comments/files"
        with tempfile.TemporaryDirectory() as folder:
            file = Path(folder, page.name)
            file.write_bytes(page.content())
            _, answer = Uploader(self._requester, url, file, content_type="text/html").start()
        return int(answer["id"])


def _item(of: Any) -> Item:
    closed = ""
    if of.grading_type not in _POINTS:
        closed = f"Canvas grades it as {of.grading_type}, which takes no points: change that there"
    elif not getattr(of, "published", True):
        closed = "it is not published on Canvas"
    elif getattr(of, "anonymize_students", False):
        closed = "Canvas grades it anonymously and shows no names yet: post its grades there first"
    elif getattr(of, "moderated_grading", False) and not getattr(of, "grades_published", False):
        closed = "it is moderated on Canvas, and its grades are not released there yet"
    return Item(str(of.id), str(of.name), float(of.points_possible or 0), closed)


def _standing(of: Any, pages: frozenset[str] | None = None) -> Standing:
    score = getattr(of, "entered_score", None)
    score = of.score if score is None else score
    taken = getattr(of, "points_deducted", None) or 0
    note = f"Canvas's own late policy takes {float(taken):g} more points off" if taken else ""
    return Standing(
        points=None if score is None else float(score),
        pages=pages,
        closed="excused on Canvas" if getattr(of, "excused", False) else "",
        note=note,
    )


def _attached(submission: Any) -> frozenset[str]:
    comments: Iterable[dict[str, Any]] = getattr(submission, "submission_comments", None) or ()
    return frozenset(
        str(file.get("display_name") or file.get("filename"))
        for comment in comments
        for file in comment.get("attachments") or ()
    )
