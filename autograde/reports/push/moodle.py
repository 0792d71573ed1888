"""Moodle, by its web services: grades by mod_assign_save_grade, pages as feedback files.

What is used (mod/assign/externallib.php, webservice/upload.php and the feedback plugins' locallib.php in Moodle's
source), each by POST to webservice/rest/server.php with the token in the body, never in an address:

    mod_assign_get_assignments        title, grade (what it is out of; negative for a scale), its feedback plugins
    mod_assign_list_participants      user numbers, names, addresses
    mod_assign_get_user_mappings      the worksheet's "Participant 1234" -> user number
    mod_assign_get_grades             userid, grade ("-1.00000" is none), timemodified
    mod_assign_get_user_flags         states of the marking workflow, where that is on
    mod_assign_get_submission_status  the comment and the files that are there
    mod_assign_save_grade             userid, grade, plugindata[files_filemanager]: a draft area
    webservice/upload.php             a page into a draft area

core_grades_update_grades is not used: it writes past the assignment into the gradebook, where the next grading of the
assignment would undo it. There is no client of Moodle's own; each call is one request, so it is made here.

mod_assign_save_grade says nothing when it is done, so it is looked up. It empties a person's comment unless that is
sent again, so it is; files that a person put there would go with a new page, so then no page is sent.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Any

from autograde.intake.people import folded
from autograde.intake.roster import Person
from autograde.reports.push.platform import Found, Item, Page, Standing
from autograde.reports.push.web import Refused, Session, Stopped, Unknown, as_documented, repeated

_AT_ONCE, _MOST = 500, 50_000  # participants in one answer, and in all: more are one answer again and again
_TOKEN = ("invalidtoken", "accessexception", "invalidsesskey", "usernotfullysetup")  # about who asks, not for what


class Moodle:
    """A course of Moodle's, as `platform.Platform` says."""

    name = "Moodle"

    def __init__(self, session: Session, course: str, token: str) -> None:
        self._session, self._course, self._token = session, course, token
        self._assignments: dict[str, dict[str, Any]] = {}
        self._grades: dict[str, dict[str, Any]] = {}  # of the assignment that is open: user -> the newest row
        self._states: dict[str, str] = {}
        self._comments: dict[str, dict[str, Any] | None] = {}  # user -> the comment when they were looked at last
        self._users: dict[str, str] = {}  # participant's number, or address -> user

    def items(self) -> list[Item]:
        with as_documented(self.name):
            return self._items()

    def standing(self, item: Item) -> Found:
        with as_documented(self.name):
            return self._standings(item)

    def user_of(self, person: Person) -> str:
        return self._users.get(person.number) or (self._users.get(folded(person.email), "") if person.email else "")

    def takes_pages(self, item: Item) -> str:
        if self._has(item, "file"):
            return ""
        return f"{item.title!r} has no feedback files on Moodle: switch them on in its settings there"

    def look(self, item: Item, user: str) -> Standing:
        with as_documented(self.name):
            self._newest(item)
            files, self._comments[user], closed = self._feedback(item, user)
            return self._standing(user, files, closed)

    def give(self, item: Item, user: str, points: float, page: Page | None, before: Standing) -> Standing:
        with as_documented(self.name):
            self._read_states(item)  # whoever releases grades while this runs is not undone
            comment = self._comments[user]
            plugins: dict[str, Any] = {"assignfeedbackcomments_editor": comment} if comment is not None else {}
            if page is not None:
                plugins["files_filemanager"] = repeated(lambda: self._uploaded(page))
            self._call(
                "mod_assign_save_grade", again=False, assignmentid=item.number, userid=user, grade=f"{points:.2f}",
                attemptnumber=-1, addattempt=0, workflowstate=self._states.get(user, ""), applytoall=0,
                plugindata=plugins,
            )  # fmt: skip
        return self.look(item, user)

    # ------------------------------------------------------------ reading

    def _items(self) -> list[Item]:
        answer = self._call("mod_assign_get_assignments", courseids=[self._course])
        courses = [course for course in _rows(answer, "courses") if str(course.get("id")) == self._course]
        if not courses:
            raise Refused(f"Moodle shows the token's owner no course {self._course}: it must be one that they teach")
        self._assignments = {str(each["id"]): each for each in _rows(courses[0], "assignments")}
        return [_item(each) for each in self._assignments.values()]

    def _standings(self, item: Item) -> Found:
        ids, self._grades = [item.number], {}
        participants = list(self._participants(item))
        users = Counter(str(each["id"]) for each in participants)
        self._newest(item)
        self._read_states(item)
        mapped = self._call("mod_assign_get_user_mappings", assignmentids=ids)
        mails = [(folded(str(each.get("email") or "")), str(each["id"])) for each in participants]
        count = Counter(mail for mail, _ in mails)
        self._users = {mail: user for mail, user in mails if mail and count[mail] == 1} | {
            str(each["id"]): str(each["userid"]) for each in _of(mapped, "mappings")
        }
        notes = []
        if any(str(each.get("warningcode")) == "1" for each in _rows(mapped, "warnings")):
            notes.append(
                "the token may not see who is which participant (mod/assign:revealidentities): people are found by the"
                " addresses in the worksheet"
            )
        if self._workflow(item):
            notes.append("Moodle's marking workflow is on: students see their grades once you release them there")
        return Found({user: self._standing(user) for user in users}, frozenset(u for u in users if users[u] > 1), notes)

    def _participants(self, item: Item) -> Iterator[dict[str, Any]]:
        skip = 0
        while True:
            answer = self._call(
                "mod_assign_list_participants", assignid=item.number, groupid=0, filter="", skip=skip, limit=_AT_ONCE,
                onlyids=0, includeenrolments=0,
            )  # fmt: skip
            rows = _rows({"participants": answer}, "participants")
            yield from rows
            skip += len(rows)
            if len(rows) < _AT_ONCE:
                return
            if skip >= _MOST:
                raise Unknown(f"Moodle lists more than {_MOST} participants, and does not come to an end")

    def _read_states(self, item: Item) -> None:
        flags = self._call("mod_assign_get_user_flags", assignmentids=[item.number]) if self._workflow(item) else {}
        self._states = {str(each["userid"]): str(each.get("workflowstate") or "") for each in _of(flags, "userflags")}

    def _newest(self, item: Item) -> None:
        """Reads what has changed since the last time, by Moodle's own clock."""
        since = max((int(row["timemodified"]) for row in self._grades.values()), default=0)
        answer = self._call("mod_assign_get_grades", assignmentids=[item.number], since=since)
        if any(str(each.get("warningcode")) == "1" for each in _rows(answer, "warnings")):
            raise Refused(f"the token may not grade {item.title!r} on Moodle (mod/assign:grade)")
        for row in _of(answer, "grades"):
            self._grades[str(row["userid"])] = row

    def _standing(self, user: str, files: frozenset[str] | None = None, closed: str = "") -> Standing:
        grade = float(self._grades[user]["grade"]) if user in self._grades else -1.0
        return Standing(None if grade < 0 else grade, files, files or frozenset(), closed)

    def _feedback(self, item: Item, user: str) -> tuple[frozenset[str] | None, dict[str, Any] | None, str]:
        """(names of the feedback files or None where Moodle does not show them, the comment as it is to be sent again
        or None where there are no comments, why nothing may be sent)."""
        comments = self._has(item, "comments")
        if not comments and not self._has(item, "file"):
            return frozenset(), None, ""
        answer = self._call(
            "mod_assign_get_submission_status", assignid=item.number, userid=user, moodlewssettingraw=1
        )  # raw: the comment as it was written, or else it would be sent again as the HTML that Moodle makes of it
        plugins = {each["type"]: each for each in _rows(_part(answer, "feedback"), "plugins")}
        unseen = self._workflow(item) and user in self._grades and not plugins  # not until they are released
        files = None if unseen else frozenset(str(file["filename"]) for file in _files(plugins.get("file", {})))
        closed = (
            "Moodle's marking workflow hides whether there is a comment or a file, which would be lost: release it"
            " there first"
        )
        if not comments:
            return files, None, closed if unseen else ""
        said = plugins.get("comments", {})
        if _files(said):
            return files, None, "there is a comment with files on Moodle, which would be lost: change it there by hand"
        field = next(iter(_rows(said, "editorfields")), {"text": "", "format": 1})
        return files, {"text": str(field["text"]), "format": field["format"]}, closed if unseen else ""

    def _has(self, item: Item, plugin: str) -> bool:
        """Whether the assignment has this kind of feedback."""
        return any(
            (each.get("plugin"), each.get("subtype"), each.get("name"), str(each.get("value")))
            == (plugin, "assignfeedback", "enabled", "1")
            for each in _rows(self._assignments[item.number], "configs")
        )

    def _workflow(self, item: Item) -> bool:
        return bool(self._assignments[item.number].get("markingworkflow"))

    # ------------------------------------------------------------ requests

    def _uploaded(self, page: Page) -> int:
        """The draft area that holds the page: a new one for each upload; Moodle clears away those that are not used."""
        data = {"token": self._token, "filearea": "draft", "itemid": "0", "filepath": "/"}
        files = {"file": (page.name, page.content(), "text/html")}
        answer = self._answer("/webservice/upload.php", data, again=False, files=files)
        if answer[0].get("error"):
            raise Refused(f"Moodle did not take the page: {self._session.in_a_message(answer[0]['error'])}")
        return int(answer[0]["itemid"])

    def _call(self, function: str, *, again: bool = True, **parameters: Any) -> Any:
        data = {"wstoken": self._token, "wsfunction": function, "moodlewsrestformat": "json"}
        return self._answer("/webservice/rest/server.php", data | dict(_flat(parameters)), again=again, what=function)

    def _answer(self, path: str, data: dict[str, str], *, again: bool, what: str = "an upload", **more: Any) -> Any:
        response = self._session.request("POST", self._session.address + path, data=data, again=again, **more)
        answer = response.json()
        if not isinstance(answer, dict) or not ("exception" in answer or "errorcode" in answer):
            return answer
        code = self._session.in_a_message(answer.get("errorcode"))
        words = self._session.in_a_message(answer.get("message") or answer.get("error"))
        if code == "invalidtoken":
            raise Stopped("Moodle does not take the token: it is mistyped, revoked or expired. To do: make a new one")
        if code in _TOKEN:
            raise Stopped(f"Moodle does not let this token use {what} ({code}): see that its service has it. {words}")
        raise Refused(f"Moodle did not accept {what} ({code}): {words}")


def _item(of: dict[str, Any]) -> Item:
    most = float(of.get("grade") or 0)
    closed = "" if most > 0 else "it is graded by a scale or not at all on Moodle: set its grade there to points"
    return Item(str(of["id"]), str(of.get("name", "")), most, closed)


def _flat(parameters: Mapping[str, Any], prefix: str = "") -> Iterator[tuple[str, str]]:
    """Parameters as Moodle's REST server reads them: courseids[0], plugindata[files_filemanager]."""
    for name, value in parameters.items():
        key = f"{prefix}[{name}]" if prefix else name
        if isinstance(value, list):
            value = {str(place): each for place, each in enumerate(value)}
        if isinstance(value, Mapping):
            yield from _flat(value, key)
        else:
            yield key, str(value)


def _part(answer: Any, name: str) -> Any:
    return answer.get(name) or {} if isinstance(answer, dict) else {}


def _rows(answer: Any, name: str) -> list[dict[str, Any]]:
    """A list in an answer. Raises Unknown where it is none of objects."""
    rows = _part(answer, name) or []
    if not isinstance(rows, list) or not all(isinstance(row, dict) for row in rows):
        raise Unknown(f"an answer of Moodle's is not as its source says ({name})")
    return rows


def _of(answer: Any, name: str) -> list[dict[str, Any]]:
    """The rows of the one assignment that was asked for."""
    return [row for assignment in _rows(answer, "assignments") for row in _rows(assignment, name)]


def _files(plugin: Any) -> list[dict[str, Any]]:
    return [file for area in _rows(plugin, "fileareas") for file in _rows(area, "files")]
