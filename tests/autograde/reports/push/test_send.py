"""Grades straight to a platform: what would change, only that, nothing twice, and nothing over what a person gave."""

import contextlib
import logging
import os
import random
import ssl
import sys
import time
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta

import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

from autograde.files import objects
from autograde.folders import ClassFolder
from autograde.intake.collect import collect
from autograde.intake.roster import BadRoster
from autograde.ledger import Ledger
from autograde.reports import roster_rows
from autograde.reports.push import registration, send, web
from autograde.sent import Sent
from tests.autograde import toy
from tests.autograde.command import run, said
from tests.autograde.intake.test_collect import NOTEBOOK, unpacked
from tests.autograde.reports.push import stand_in, stand_in_lti
from tests.autograde.reports.push.stand_in import COURSE, TOKEN
from tests.autograde.reports.push.stand_in_lti import CLIENT, KEY, KEY_ID
from tests.autograde.reports.test_grade_import import FORMS, GIVEN, enter, given_back  # noqa: F401

ADA, ASA, LINK = GIVEN
USERS = {
    "canvas": {ADA: "7", ASA: "8", LINK: "9", "": "10"},
    "moodle": {ADA: "100", ASA: "101", LINK: "102", "": "103"},
    "lti": {ADA: "a6b1", ASA: "a6b2", LINK: "a6b3", "": "a6b4"},
}
SERVERS = {"canvas": stand_in.Canvas, "moodle": stand_in.Moodle, "lti": stand_in_lti.Lti}
OWN = """\
id,name,email
a6b1,Ada Lovelace,a@x.org
S8,Åsa O'Neil,
own-9,=HYPERLINK(1),H@x.org
"""
ROSTERS = FORMS | {"lti": (OWN, [f"{name}/x.ipynb" for name in GIVEN])}


def people_of(kind):
    if kind == "canvas":
        return {user: {"score": None, "comments": []} for user in USERS[kind].values()}
    mails = ("a@x.org", "O@x.org", "h@x.org", "q@x.org")
    if kind == "lti":
        return {
            user: {"score": None, "email": mails[n], "sourcedid": f"S{7 + n}"}
            for n, user in enumerate(USERS[kind].values())
        }
    return {
        user: {"score": None, "files": {}, "comment": "", "participant": str(7 + n), "email": mails[n]}
        for n, user in enumerate(USERS[kind].values())
    }


@dataclass
class Case:
    """A class and a platform beside it. `points` are what the gradebook gives."""

    kind: str
    folder: ClassFolder
    server: stand_in.StandIn
    points: dict = field(default_factory=lambda: dict(GIVEN))

    def connected(self, token="", course=COURSE, **more):
        at = {} if self.kind != "lti" else {"at": registration.read(self.registration(), "nbgrader_config.py")}
        token = token or (KEY if at else TOKEN)
        return send.connect(self.kind, web.address_of(self.server.address), course, token, **at, **more)

    def registration(self):
        base = self.server.address
        return {
            "client_id": CLIENT, "key_id": KEY_ID, "token_url": f"{base}/lti/token",
            "line_items_url": f"{base}/lti/11/lineitems", "memberships_url": f"{base}/lti/11/memberships",
            "deployment": self.server.deployment,
        }  # fmt: skip

    def opened(self, course=COURSE, overwrite=False, **more):
        address = web.address_of(self.server.address)
        return send.Push(self.folder, self.connected(course=course, **more), self.kind, address, course, overwrite)

    def push(self, said="", pause=lambda _: None, token="", course=COURSE, overwrite=False, **more):
        return self.opened(course, overwrite, token=token, pause=pause).push(toy.NAME, said, **more)

    @property
    def paged(self):
        """Whether pages can be sent."""
        return self.kind != "lti"

    def standing(self):
        return {student: self.server.people[user]["score"] for student, user in USERS[self.kind].items() if student}

    def one(self, student):
        return self.server.people[USERS[self.kind][student]]

    def grading(self, student):
        """Whether the request that has just come grades a student."""
        user, body = USERS[self.kind][student], self.server.body
        put = ("PUT", f"/api/v1/courses/{COURSE}/assignments/4321/submissions/{user}")
        moodles = b"mod_assign_save_grade" in body and f"userid={user}&".encode() in body
        return self.server.log[-1] == put or moodles or f'"userId": "{user}"'.encode() in body

    def start_again(self):
        """Nothing was sent, and nobody knows of it."""
        self.server.people = people_of(self.kind)
        self.server.written.clear()
        Sent(self.folder.ledger).path.unlink(missing_ok=True)

    def by_hand(self, student, points):
        """Somebody gives points on the platform, or takes them away."""
        self.one(student)["score"] = points
        if self.kind == "moodle":
            self.server.clock += 1
            self.server.changed[USERS[self.kind][student]] = self.server.clock
        elif self.kind == "lti":
            self.server.last[USERS[self.kind][student]] = datetime.now(UTC)

    def pages(self, student):
        """The names of the pages that are there for a student, as often as they are."""
        one = self.one(student)
        if not self.paged:
            return []
        return list(one["files"]) if self.kind == "moodle" else [name for names in one["comments"] for name in names]

    def contents(self, student):
        """What is in the pages that are there for a student."""
        if self.kind == "moodle":
            return list(self.one(student)["files"].values())
        names = self.pages(student)
        return [content for name, content in self.server.files.values() if name in names]

    def write_page(self, student, text):
        path = self.folder.feedback / student / toy.NAME / f"{toy.NAME}.html"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(f"<p>{text}", "utf-8")


@pytest.fixture
def opened(tmp_path, monkeypatch):
    """A function that makes a class of three, who handed in and have points and pages, and a platform beside it."""
    with contextlib.ExitStack() as stack:

        def make(kind):
            folder = ClassFolder.at(tmp_path / "class")
            folder.released(toy.NAME).parent.mkdir(parents=True)
            folder.released(toy.NAME).write_bytes(NOTEBOOK)
            roster, names = ROSTERS[kind]
            (tmp_path / "roster.csv").write_text(roster, "utf-8")
            source = unpacked(tmp_path / "back", dict.fromkeys(names, NOTEBOOK))
            platform = "folders" if kind == "lti" else kind
            collect(folder, source, toy.NAME, platform=platform, roster=tmp_path / "roster.csv")
            server = stack.enter_context(SERVERS[kind](people_of(kind)))
            server.title = toy.NAME
            made = Case(kind, folder, server)
            points = roster_rows.Points
            monkeypatch.setattr(
                roster_rows, "points_of", lambda *_: [points(toy.NAME, 9.0, dict(made.points), frozenset())]
            )
            for student in GIVEN:
                made.write_page(student, f"Good, {student}")
            stack.callback(lambda: _as_documented(server))
            return made

        yield make


def _as_documented(server):
    assert not server.amiss, server.amiss


@pytest.fixture(params=USERS)
def case(request, opened):
    return opened(request.param)


@pytest.fixture(params=["canvas", "moodle"])
def paged(request, opened):
    """One that takes pages, and whose token is made by hand."""
    return opened(request.param)


@pytest.fixture
def canvas(opened):
    return opened("canvas")


@pytest.fixture
def moodle(opened):
    return opened("moodle")


def kinds(pushed):
    return {change.student: change.kind for change in pushed.changes}


def test_a_dry_run_shows_each_change_and_sends_nothing(case):
    case.one(ASA)["score"] = 4.5
    pushed = case.push(pages=True, write=False)
    assert sorted((c.student, c.before, c.after, bool(c.page)) for c in pushed.changes) == [
        (LINK, None, 0.0, case.paged), (ADA, None, 9.0, case.paged), (ASA, 4.5, 4.5, case.paged),
    ]  # fmt: skip
    assert kinds(case.push(write=False)) == {ADA: "send", ASA: "same", LINK: "send"}
    assert not case.server.written and not case.pages(ADA) and not Sent(case.folder.ledger).path.exists()


def test_what_differs_is_sent_once_with_its_page(paged):
    pushed = paged.push(pages=True)
    assert pushed.sent == sorted(GIVEN) and not pushed.failed and not pushed.stopped and not pushed.left_out
    assert paged.standing() == GIVEN and len(paged.server.written) == 3
    assert all(len(paged.pages(student)) == 1 for student in GIVEN)
    assert kinds(paged.push(pages=True)) == dict.fromkeys(GIVEN, "same") and len(paged.server.written) == 3
    paged.points[ADA] = 8.25
    paged.write_page(ASA, "Better, Åsa")
    before = len(paged.server.log)
    again = paged.push(pages=True)
    each = {"canvas": 3 + 2 + 5, "moodle": 4 + 5 + 6}  # the lists, one student's points, another's page
    assert len(paged.server.log) - before == each[paged.kind]
    assert again.sent == [ADA, ASA] and paged.standing() == GIVEN | {ADA: 8.25}
    assert len(set(paged.pages(ASA))) == len(paged.pages(ASA)) == (2 if paged.kind == "canvas" else 1)
    assert kinds(paged.push(pages=True)) == dict.fromkeys(GIVEN, "same")


def test_what_a_person_gave_there_is_listed_and_left(case):
    case.one(ASA)["score"] = 3.0  # before anything was sent
    first = case.push()
    assert kinds(first) == {ADA: "send", ASA: "held", LINK: "send"} and case.standing()[ASA] == 3.0
    case.by_hand(ADA, 7.0)  # after it was
    second = case.push()
    held = {change.student: change.why for change in second.changes if change.kind == "held"}
    assert "9 points were sent, and somebody changed them to 7" in held[ADA] and "not sent from here" in held[ASA]
    assert case.standing() == {ADA: 7.0, ASA: 3.0, LINK: 0.0}
    assert case.push(overwrite=True).sent == [ADA, ASA] and case.standing() == GIVEN
    case.by_hand(LINK, None)
    (gone,) = [change for change in case.push().changes if change.kind == "held"]
    assert gone.student == LINK and "0 points were sent, and there are none now: somebody took them away" in gone.why


def test_a_person_who_comes_in_between_is_not_written_over(case, monkeypatch):
    kind = type(case.connected())
    real = kind.look

    def look(self, item, user):
        if user == USERS[case.kind][ADA] and ADA not in case.server.written:
            case.by_hand(ADA, 2.0)
        return real(self, item, user)

    monkeypatch.setattr(kind, "look", look)
    pushed = case.push()
    assert kinds(pushed)[ADA] == "held" and ADA not in pushed.sent and case.standing()[ADA] == 2.0


def test_a_person_who_comes_in_while_an_answer_is_lost_is_not_written_over(case):
    def lost(number):
        if not case.grading(ADA):
            return ""
        case.by_hand(ADA, 2.0)
        return "before"

    case.server.fault = lost
    pushed = case.push(pages=True)
    assert [who for who, _ in pushed.failed] == [ADA] and "in between" in pushed.failed[0][1]
    assert case.standing() == GIVEN | {ADA: 2.0} and pushed.sent == [LINK, ASA]
    case.server.fault = lambda number: ""
    assert kinds(case.push(pages=True))[ADA] == "held" and case.standing()[ADA] == 2.0


@pytest.mark.parametrize("how", ["before", "after", "503", "half", "cut JSON"])
def test_requests_die_and_nothing_is_lost_or_doubled(case, how):
    """Every fourth, every seventh, and one in three by chance: the same command is given until it ends well."""
    chance = random.Random(20261126)
    for dies in (lambda n: n % 4 == 0, lambda n: n % 7 == 0, lambda n: chance.random() < 1 / 3):
        case.start_again()
        case.server.fault = lambda number, dies=dies: how if dies(number) else ""
        for _ in range(40):
            with contextlib.suppress(web.PushError):  # while it only reads
                pushed = case.push(pages=True)
                if not pushed.failed and not pushed.stopped:
                    break
        else:
            pytest.fail("it never came to its end")
        assert case.standing() == GIVEN and sorted(case.server.written) == [USERS[case.kind][who] for who in GIVEN]
        assert all(len(case.pages(student)) == case.paged for student in GIVEN)
        case.server.fault = lambda number: ""
        assert kinds(case.push(pages=True)) == dict.fromkeys(GIVEN, "same")


class Killed(BaseException):
    """The process, at that moment."""


def test_killed_at_any_request_the_next_run_sends_the_rest_only(case, monkeypatch):
    case.points = points = {ADA: 9.0, ASA: 4.5}
    (case.folder.feedback / ASA / toy.NAME / f"{toy.NAME}.html").unlink()  # one with a page, and one without
    case.push(pages=True)
    length, real = len(case.server.log), web.Session.request
    for after in (False, True):
        for place in range(1, length + 1):
            case.start_again()
            count = iter(range(1, 1000))

            def dies(self, *args, place=place, after=after, count=count, **more):
                number = next(count)
                if number == place and not after:
                    raise Killed
                answer = real(self, *args, **more)
                if number == place:
                    raise Killed
                return answer

            with monkeypatch.context() as patch:
                patch.setattr(web.Session, "request", dies)
                with contextlib.suppress(Killed):
                    case.push(pages=True)
            rest = case.push(pages=True)
            assert not rest.failed and "held" not in kinds(rest).values(), (place, after)
            assert case.standing() == points | {LINK: None} and len(case.server.written) == 2, (place, after)
            assert [len(case.pages(student)) for student in GIVEN] == [case.paged, 0, 0], (place, after)


def test_points_that_changed_after_a_lost_answer_are_ours_to_change(case, monkeypatch):
    real = web.Session.request

    def dies(self, *args, **more):
        answer = real(self, *args, **more)
        if case.server.written:
            raise Killed
        return answer

    with monkeypatch.context() as patch:
        patch.setattr(web.Session, "request", dies)
        with pytest.raises(Killed):
            case.push()
    assert len(case.server.written) == 1  # and nobody has written down that it arrived
    case.points = {student: points + 0.5 for student, points in GIVEN.items() if points < 9} | {ADA: 8.0}
    assert not case.push().failed and case.standing() == case.points


@pytest.mark.parametrize(
    ("how", "says"),
    [
        ("503", "is out of order (status 503)"),
        ("before", "broke off"),
        ("half", "broke off"),
        ("html", "only half of it"),
        ("elsewhere", "leads on to http://localhost:9, which gets no token"),
        ("429", "asks to wait again and again"),
        ("throttled", "asks to wait again and again"),
    ],
)
def test_a_platform_that_is_out_of_order_is_one_sentence(case, how, says):
    waits = []
    case.server.fault = lambda number: how
    with pytest.raises(web.PushError) as error:
        case.push(pause=waits.append)
    assert says in str(error.value) and TOKEN not in str(error.value)
    assert bool(waits) == (how != "elsewhere") and not case.server.written


@pytest.mark.parametrize("status", ["400", "401", "403", "404", "409", "422"])
def test_what_is_refused_for_one_student_names_them_and_the_others_go_on(case, status):
    case.server.fault = lambda number: status if case.grading(ADA) else ""
    pushed = case.push()
    assert [who for who, _ in pushed.failed] == [ADA] and f"(status {status})" in pushed.failed[0][1]
    assert "It says: No." in pushed.failed[0][1] and pushed.sent == [LINK, ASA] and case.standing()[ADA] is None
    case.server.fault = lambda number: ""
    assert case.push().sent == [ADA] and case.standing() == GIVEN and len(case.server.written) == 3


def test_a_limit_is_waited_for(paged):
    waits = []
    paged.server.fault = lambda number: ("429", "throttled", "")[number % 3]
    assert len(paged.push(pages=True, pause=waits.append).sent) == 3 and paged.standing() == GIVEN and waits
    assert {student: paged.contents(student) for student in GIVEN} == {
        student: [f"<p>Good, {student}".encode()] for student in GIVEN
    }


def test_a_page_written_anew_in_the_middle_is_not_sent_under_the_old_name(paged):
    def written(number):
        if paged.server.written:
            paged.write_page(ASA, "Another")
        return ""

    paged.server.fault = written
    pushed = paged.push(pages=True)
    assert [who for who, _ in pushed.failed] == [ASA] and "changed while this command ran" in pushed.failed[0][1]
    assert paged.push(pages=True).sent == [ASA] and paged.contents(ASA) == [b"<p>Another"]


def test_a_platform_that_stops_in_the_middle_names_who_is_left(case):
    asked = []
    case.server.fault = lambda number: "503" if case.server.written and not asked.append(number) else ""
    pushed = case.push()
    assert pushed.failed or pushed.stopped
    assert case.standing() != GIVEN
    case.server.fault = lambda number: ""
    assert not case.push().failed and case.standing() == GIVEN and len(case.server.written) == 3


def test_no_answer_in_time(case, monkeypatch):
    monkeypatch.setattr(web, "TIMEOUT", (0.2, 0.2))
    case.server.fault = lambda number: time.sleep(0.5) or "before"
    with pytest.raises(web.Unknown, match="did not answer in time"):
        case.push()


def test_a_token_that_is_not_taken(paged):
    with pytest.raises(web.Stopped, match="does not take the token: it is mistyped, revoked or expired"):
        paged.push(token="7~another")


def test_a_course_or_assignment_that_is_not_there(paged):
    with pytest.raises(web.Refused):
        paged.push(course="12")
    paged.server.amiss.clear()
    paged.server.title = "Week 2"
    with pytest.raises(web.PushError, match=r"there are .*Week 2 \((4321|88)\).*say which by its number, with --id"):
        paged.push()
    for name in ("Week 2", {"canvas": "4321", "moodle": "88"}[paged.kind]):
        assert len(paged.push(said=name).changes) == 3


@pytest.mark.parametrize("said", ["2", "Week"])
def test_what_was_said_is_no_part_of_another_title(case, said):
    case.server.title = "Week 2"
    with pytest.raises(web.PushError, match=f"no assignment of .* is called '{said}'"):
        case.push(said=said)
    assert not case.server.written


@pytest.mark.parametrize("write", [True, False])
def test_two_assignments_do_not_go_to_one(case, write):
    one = case.opened()
    assert kinds(one.push(toy.NAME, write=write)) == dict.fromkeys(GIVEN, "send")
    (roster,) = [path for path in (case.folder.roster(toy.NAME), case.folder.roster()) if path.exists()]
    for push in (one, case.opened()) if write else (one,):  # in the same run, and in one that only the record tells
        with pytest.raises(
            web.PushError, match=rf"^01-other: .* has the points of {toy.NAME}, which these would replace"
        ):
            push.push("01-other", toy.NAME, roster)
    assert len(case.server.written) == 3 * write
    one.overwrite = True
    assert kinds(one.push("01-other", toy.NAME, roster)) == dict.fromkeys(GIVEN, "same" if write else "send")
    case.opened().push("01-other", toy.NAME, roster)  # whose it is from now on


def test_an_assignment_that_takes_other_points_stops_it(case):
    case.server.most = 10.0
    with pytest.raises(web.PushError, match=r"is out of 10 on \S+, and here it is out of 9"):
        case.push()


def test_who_is_missing_or_twice_is_left_out_by_name(case):
    user = USERS[case.kind][ASA]
    del case.server.people[user]
    pushed = case.push()
    assert [who for who, _ in pushed.left_out] == [ASA] and "enrolled there" in pushed.left_out[0][1]
    assert sorted(pushed.sent) == sorted([ADA, LINK])


def test_a_student_listed_twice_by_the_platform_is_left_out(case, monkeypatch):
    name = {"canvas": "shown", "moodle": "list_participants", "lti": "member"}[case.kind]
    real = getattr(case.server, name)
    if case.kind == "canvas":
        one, other = USERS["canvas"][ADA], USERS["canvas"][""]
        monkeypatch.setattr(case.server, name, lambda user, **more: real(one if user == other else user, **more))
    elif case.kind == "lti":
        monkeypatch.setattr(case.server, name, lambda user: real({"a6b4": "a6b1"}.get(user, user)))
    else:
        monkeypatch.setattr(case.server, name, lambda given: [*(rows := real(given)), rows[0]])
    pushed = case.push()
    assert [who for who, _ in pushed.left_out] == [ADA] and "listed twice" in pushed.left_out[0][1]
    assert case.standing()[ADA] is None and len(pushed.sent) == 2


def test_without_the_platforms_roster_nobody_is_guessed(paged):
    for path in (paged.folder.roster(), paged.folder.roster(toy.NAME)):
        path.unlink(missing_ok=True)
    with pytest.raises(BadRoster, match="says who is who there"):
        paged.push()
    assert not paged.server.log


def test_the_token_is_in_no_log_record_or_message(paged, caplog, capsys):
    caplog.set_level(logging.DEBUG)
    paged.push(pages=True)
    paged.server.fault = lambda number: "500" if number % 2 else ""
    with contextlib.suppress(web.PushError):
        paged.push()
    assert caplog.records and TOKEN not in caplog.text and TOKEN not in Sent(paged.folder.ledger).path.read_text()
    assert not any(TOKEN in path for _, path in paged.server.log)
    assert not any(TOKEN.encode() in path.read_bytes() for path in paged.folder.root.rglob("*") if path.is_file())


def test_a_password_of_netrc_does_not_take_the_tokens_place(case, tmp_path, monkeypatch):
    file = tmp_path / "netrc"
    file.write_text("machine 127.0.0.1 login me password another\n")
    file.chmod(0o600)
    monkeypatch.setenv("NETRC", str(file))
    assert len(case.push().sent) == 3


def test_a_forgotten_student_leaves_the_record(case):
    case.push()
    sent, number = Sent(case.folder.ledger), Ledger(case.folder.ledger).numbers({ADA})[ADA]
    assert sent.forget(number) and not sent.forget(number)
    left = [line["student"] for line in objects(sent.path, ())]
    assert number not in left and len(left) == 4


def test_a_line_cut_short_is_passed_over(case):
    case.push()
    path = Sent(case.folder.ledger).path
    path.write_bytes(path.read_bytes()[:-20])
    assert case.push().sent == [] and case.points.update({ADA: 5.0}) is None
    assert case.push().sent == [ADA] and path.stat().st_mode & 0o777 == 0o600


# ---------------------------------------------------------------- one platform's own


@pytest.mark.parametrize(
    ("setting", "says"),
    [
        ({"grading_type": "pass_fail"}, "grades it as pass_fail, which takes no points"),
        ({"published": False}, "not published"),
        ({"anonymize_students": True}, "anonymously"),
        ({"moderated_grading": True, "grades_published": False}, "moderated"),
    ],
)
def test_canvas_assignments_that_take_no_points(canvas, setting, says):
    canvas.server.assignment = setting
    with pytest.raises(web.PushError, match=says):
        canvas.push()


def test_canvas_excused_students_and_its_own_late_policy(canvas):
    canvas.one(ADA)["excused"] = True
    canvas.one(ASA).update(score=4.5, deducted=1.0)
    pushed = canvas.push()
    whys = {change.student: change.why for change in pushed.changes}
    assert kinds(pushed) == {ADA: "held", ASA: "same", LINK: "send"}  # 3.5 is shown there, and 4.5 was entered
    assert whys[ADA] == "excused on Canvas" and whys[ASA] == "Canvas's own late policy takes 1 more points off"
    assert kinds(canvas.push(overwrite=True))[ADA] == "held"


def test_canvas_pages_that_lead_elsewhere_get_no_token(canvas, monkeypatch):
    def page(request, rows, query, real=canvas.server.page):
        status, rows, headers = real(request, rows, query)
        return status, rows, {"Link": headers["Link"].replace("127.0.0.1", "example.org")}

    monkeypatch.setattr(canvas.server, "page", page)
    canvas.server.others *= 3
    with pytest.raises(web.Unknown, match="an answer of Canvas's is not as its documentation says"):
        canvas.push()


def test_canvas_an_upload_that_leads_on_for_ever_ends(canvas, monkeypatch):
    def route(request, body, real=canvas.server.route):
        to = {"Location": f"{canvas.server.address}/upload"}
        return (303, b"", to) if request.path == "/upload" else real(request, body)

    monkeypatch.setattr(canvas.server, "route", route)
    pushed = canvas.push(pages=True)
    assert pushed.stopped and "which gets no token" in pushed.stopped and not canvas.server.written


def test_canvas_an_upload_that_was_created_is_looked_up(canvas, monkeypatch):
    def upload(request, body, real=canvas.server.upload):
        _, _, headers = real(request, body)
        return 201, b"", headers

    monkeypatch.setattr(canvas.server, "upload", upload)
    assert len(canvas.push(pages=True).sent) == 3 and canvas.contents(ADA) == [f"<p>Good, {ADA}".encode()]


def test_canvas_an_upload_does_not_go_to_this_machine(canvas, monkeypatch):
    real = canvas.server.route

    def route(request, body):
        status, answer, headers = real(request, body)
        if isinstance(answer, dict) and "upload_url" in answer:
            answer["upload_url"] = answer["upload_url"].replace("127.0.0.1", "localhost")
        return status, answer, headers

    monkeypatch.setattr(canvas.server, "route", route)
    pushed = canvas.push(pages=True)
    assert pushed.stopped and "not encrypted" in pushed.stopped
    assert not canvas.server.written and ("POST", "/upload") not in canvas.server.log


def test_moodle_participants_that_never_end(moodle, monkeypatch):
    row = {"id": 100, "email": "a@x.org"}
    monkeypatch.setattr(moodle.server, "list_participants", lambda given: [row] * 500)
    with pytest.raises(web.Unknown, match="does not come to an end"):
        moodle.push()


@pytest.mark.parametrize("answer", [{"error": True}, {"errors": 5}, {"errors": {"a": [1]}}, [], None])
def test_a_refusal_in_other_words_is_one(canvas, monkeypatch, answer):
    monkeypatch.setattr(canvas.server, "route", lambda request, body: (400, answer, {}))
    with pytest.raises(web.Refused, match="status 400"):
        canvas.push()


def test_a_platform_that_says_the_token_back_does_not_bring_it_into_a_message(paged, monkeypatch):
    monkeypatch.setitem(stand_in.FAULTS, "422", (422, {"errors": [{"message": f"bad {TOKEN}\u202e"}]}))
    paged.server.fault = lambda number: "422"
    with pytest.raises(web.Refused, match=r"It says: bad \(token\)\?") as error:
        paged.push()
    assert TOKEN not in str(error.value)


@pytest.mark.parametrize("rows", [[], [{}], [{"id": 1}], {"a": 1}, None, "x", [1]])
def test_answers_of_another_form(case, rows, monkeypatch):
    monkeypatch.setattr(case.server, "route", lambda request, body: (200, rows, {}))
    with pytest.raises(web.PushError):
        case.push()


def test_moodle_keeps_a_persons_comment_and_files(moodle):
    moodle.one(ADA).update(score=9.0, comment="<p>Well seen, Ada</p>", files={"marked.pdf": b"%PDF"})
    pushed = moodle.push(pages=True)
    (ada,) = [change for change in pushed.changes if change.student == ADA]
    assert ada.kind == "same" and "which a page would replace" in ada.why
    moodle.points[ADA] = 8.0
    moodle.push(pages=True)
    assert moodle.one(ADA) | {"state": ""} == {
        "score": 8.0, "comment": "<p>Well seen, Ada</p>", "files": {"marked.pdf": b"%PDF"}, "participant": "7",
        "email": "a@x.org", "state": "", "format": 1,
    }  # fmt: skip
    assert len(moodle.pages(ASA)) == 1


def test_moodle_marking_workflow_is_kept_and_a_hidden_comment_is_not_lost(moodle):
    moodle.server.assignment = {"markingworkflow": 1}
    moodle.one(ASA).update(state="inreview")
    moodle.one(LINK).update(score=1.0, comment="hidden", state="inmarking")
    pushed = moodle.push(overwrite=True)
    assert moodle.one(ASA)["state"] == "inreview" and moodle.one(ASA)["score"] == 4.5
    assert kinds(pushed)[LINK] == "held" and moodle.one(LINK)["comment"] == "hidden"
    assert any("once you release them there" in note for note in pushed.notes)


def test_moodle_a_comment_in_markdown_stays_as_it_was_written(moodle):
    moodle.one(ADA).update(score=1.0, comment="*Well* seen", format=4)
    assert ADA in moodle.push(overwrite=True).sent
    assert (moodle.one(ADA)["comment"], moodle.one(ADA)["format"]) == ("*Well* seen", 4)


def test_moodle_pages_that_the_marking_workflow_hides_are_sent_once(moodle):
    moodle.server.assignment = {"markingworkflow": 1}
    pushed = moodle.push(pages=True)
    assert len(pushed.sent) == 3 and not pushed.failed and all(len(moodle.pages(who)) == 1 for who in GIVEN)
    assert kinds(moodle.push(pages=True)) == dict.fromkeys(GIVEN, "same") and len(moodle.server.written) == 3
    moodle.points[ADA] = 8.0  # there may be a comment by now, or files
    (ada,) = [change for change in moodle.push(pages=True).changes if change.student == ADA]
    assert ada.kind == "held" and "release it there first" in ada.why


def test_moodle_grades_released_while_it_runs_stay_released(moodle):
    moodle.server.assignment = {"markingworkflow": 1}

    def released(number):
        if not moodle.server.written and b"get_submission_status" in moodle.server.body:
            for student in GIVEN:
                moodle.one(student)["state"] = "released"
        return ""

    moodle.server.fault = released
    assert len(moodle.push().sent) == 3
    assert {moodle.one(student)["state"] for student in GIVEN} == {"released"}


def test_moodle_a_persons_file_may_look_like_a_page(moodle):
    moodle.one(ADA).update(score=1.0, files={"marks-20261126.html": b"<p>by hand"})
    moodle.push(pages=True, overwrite=True)
    assert moodle.one(ADA)["score"] == 9.0 and moodle.one(ADA)["files"] == {"marks-20261126.html": b"<p>by hand"}


def test_moodle_a_locked_grade_is_named(moodle):
    moodle.server.locked.add(USERS["moodle"][ASA])
    pushed = moodle.push()
    assert [who for who, _ in pushed.failed] == [ASA] and "still shows none instead of 4.5" in pushed.failed[0][1]
    assert pushed.sent == sorted([ADA, LINK])


def test_moodle_people_are_found_by_address_where_numbers_are_not_shown(moodle):
    moodle.server.may["reveal"] = False
    moodle.one(LINK)["email"] = moodle.one("")["email"] = "both@x.org"
    pushed = moodle.push()
    assert pushed.sent == [ADA, ASA] and [who for who, _ in pushed.left_out] == [LINK]
    assert any("revealidentities" in note for note in pushed.notes)


def test_moodle_without_feedback_files_gets_the_points_alone(moodle):
    moodle.server.plugins.remove("file")
    pushed = moodle.push(pages=True)
    assert len(pushed.sent) == 3 and any("no feedback files on Moodle" in note for note in pushed.notes)


def test_moodle_a_function_that_the_service_lacks_is_named(moodle, monkeypatch):
    refused = moodle.server.exception("webservice_access_exception", "accessexception", "Access control exception")
    monkeypatch.setattr(moodle.server, "get_grades", lambda given: refused)
    with pytest.raises(
        web.Stopped, match=r"use mod_assign_get_grades \(accessexception\): see that its service has it"
    ):
        moodle.push()


def test_moodle_scales(moodle):
    moodle.server.most = -3.0
    with pytest.raises(web.PushError, match="graded by a scale or not at all"):
        moodle.push()


# ---------------------------------------------------------------- the connection


def certified(tmp_path):
    """A server's side of TLS, with a certificate that nobody has signed but itself."""
    key, name = (
        ec.generate_private_key(ec.SECP256R1()),
        x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "localhost")]),
    )
    now = datetime.now(UTC)
    made = x509.CertificateBuilder().subject_name(name).issuer_name(name).public_key(key.public_key())
    made = made.serial_number(1).not_valid_before(now - timedelta(days=1)).not_valid_after(now + timedelta(days=1))
    file = tmp_path / "server.pem"
    secret = key.private_bytes(
        serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
    )
    file.write_bytes(secret + made.sign(key, hashes.SHA256()).public_bytes(serialization.Encoding.PEM))
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(file)
    return context


@pytest.mark.filterwarnings("ignore::pytest.PytestUnhandledThreadExceptionWarning")
def test_a_certificate_that_cannot_be_verified_gets_no_token(tmp_path):
    with stand_in.Canvas(people_of("canvas"), tls=certified(tmp_path)) as server:
        platform = send.connect("canvas", server.address, COURSE, TOKEN, pause=lambda _: None)
        with pytest.raises(web.Stopped, match=r"certificate of https://127\.0\.0\.1:\d+ cannot be verified"):
            platform.items()
        assert not server.log


def test_without_the_client_canvas_says_what_to_install_and_moodle_works(monkeypatch):
    monkeypatch.delitem(sys.modules, "autograde.reports.push.canvas", raising=False)
    for name in [name for name in sys.modules if name.partition(".")[0] == "canvasapi"]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, "canvasapi", None)
    with pytest.raises(ValueError, match=r"canvasapi.*is not installed. To do: python -m pip install -c requirements"):
        send.connect("canvas", "https://x.org", COURSE, TOKEN)
    assert send.connect("moodle", "https://x.org", COURSE, TOKEN).name == "Moodle"


@pytest.mark.parametrize(
    "address",
    [
        "",
        "canvas.example.org",
        "http://canvas.example.org",
        "https://",
        "ftp://x.org",
        "https://me:p@x.org",
        "https://[",
        "https://x.org:port",
        "https://x y.org",
        "https://x.org/courses/12",
        "https://x.org/course",
    ],
)
def test_addresses_that_are_none(address):
    with pytest.raises(ValueError, match="address"):
        web.address_of(address)


def test_an_address_may_have_what_a_browser_shows_at_its_end():
    assert web.address_of(" https://school.org/moodle/ ") == "https://school.org/moodle"
    assert web.address_of("https://canvas.org/api/v1/") == "https://canvas.org"
    assert web.address_of("HTTPS://Canvas.ORG/Moodle") == "https://canvas.org/Moodle"


# ---------------------------------------------------------------- the command


@pytest.fixture
def class_and_server(given_back):  # noqa: F811
    with stand_in.Canvas(people_of("canvas")) as server:
        server.title = "Homework 2"
        yield given_back("canvas"), server
        _as_documented(server)


def test_the_command_from_the_dry_run_to_the_second_time(class_and_server, tmp_path):
    folder, server = class_and_server
    file = tmp_path / "token"
    file.write_text(TOKEN + "\n")
    file.chmod(0o600)
    words = ["push", toy.NAME, "--for", "canvas", "--address", server.address, "--course", COURSE, "--token-file", file]
    words += ["--id", f"{toy.NAME}=4321", "--class", folder.root]
    shown = run(*words, "--dry-run")
    assert shown.exit_code == 0 and "3 would be sent" in said(shown) and "(nothing was sent)" in said(shown)
    assert f"{toy.NAME} to Canvas: Homework 2" in said(shown) and "none" in said(shown) and ADA in said(shown)
    assert not server.written
    done = run(*words)
    assert done.exit_code == 0 and "3 sent and confirmed" in said(done), done.output
    with folder.config.open("a") as config:
        config.write(f'\nc.Push.platform, c.Push.address, c.Push.course = "canvas", "{server.address}", {COURSE}\n')
        config.write(f'c.Push.ids = {{"00": 4321}}\nc.Push.token_file = "{file}"\n')
    enter(folder, GIVEN | {ASA: 5.0})
    server.people["7"]["score"] = 1.0
    again = run("push", toy.NAME, "--class", folder.root)
    assert "1 sent and confirmed, 1 the same there already, 1 left as they are" in said(again), again.output
    assert f"Left as it is: {ADA}: 9 points were sent, and somebody changed them to 1" in said(again)
    assert server.people["8"]["score"] == 5.0 and TOKEN not in shown.output + done.output + again.output
    server.fault = lambda number: "503"
    broken = run("push", toy.NAME, "--class", folder.root)
    assert broken.exit_code == 1 and "out of order (status 503)" in said(broken) and "Traceback" not in said(broken)
    with folder.config.open("a") as config:
        config.write("c.Push.ids = 4321\n")
    assert "c.Push.ids is no table of numbers" in said(run("push", toy.NAME, "--class", folder.root))
    with folder.config.open("a") as config:
        config.write("c.Push.adress = 'https://x.org'\n")
    assert "no c.Push.adress; there are address, audience" in said(run("push", toy.NAME, "--class", folder.root))


@pytest.mark.parametrize(
    ("words", "says"),
    [
        ([], "say where, with --for; there are canvas, moodle"),
        (["--for", "sakai"], "no platform 'sakai' to send to"),
        (["--for", "canvas"], "say --address, and --course"),
        (["--for", "canvas", "--address", "https://x.org", "--course", "a/b"], "say --address, and --course"),
        (["--for", "canvas", "--address", "http://x.org", "--course", "1"], "is no address of a platform"),
        (
            ["--for", "canvas", "--address", "https://x.org", "--course", "1"],
            "put it into the environment as AUTOGRADE_C",
        ),
        (["--for", "moodle", "--address", "https://x.org", "--course", "1", "--id", "2"], "names no assignment there"),
    ],
)
def test_what_is_not_said_is_asked_for(toy_released, monkeypatch, words, says):
    monkeypatch.delenv("AUTOGRADE_CANVAS_TOKEN", raising=False)
    result = run("push", *words, "--class", toy_released.root)
    assert result.exit_code == 1 and says in said(result) and "Traceback" not in result.output


def test_files_that_may_hold_no_token(toy_released, tmp_path):
    words = ["push", "--for", "canvas", "--address", "https://x.org", "--course", "1", "--class", toy_released.root]
    open_to_all, inside = tmp_path / "token", toy_released.root / "token"
    for file in (open_to_all, inside):
        file.write_text(TOKEN)
        file.chmod(0o600)
    open_to_all.chmod(0o640)
    empty = tmp_path / "empty"
    empty.touch(0o600)
    (tmp_path / "folder").mkdir(0o700)
    os.mkfifo(pipe := tmp_path / "pipe")
    for file, says in {
        open_to_all: "others may read",
        inside: "lies in the class",
        tmp_path / "none": "is not there",
        empty: "is no token",
        pipe: "is no file",
        tmp_path / "folder": "is no file",
    }.items():
        result = run(*words, "--token-file", file)
        assert result.exit_code == 1 and says in said(result) and TOKEN not in result.output, result.output


def test_while_another_run_has_the_class_nothing_is_sent(class_and_server, monkeypatch):
    folder, server = class_and_server
    monkeypatch.setenv("AUTOGRADE_CANVAS_TOKEN", TOKEN)
    words = ["push", "--for", "canvas", "--address", server.address, "--course", COURSE, "--class", folder.root]
    with Ledger(folder.ledger).alone():
        result = run(*words, "--id", f"{toy.NAME}=4321")
    assert result.exit_code == 1 and "another run" in said(result) and not server.log

    def interrupted(*_, **__):
        raise KeyboardInterrupt

    monkeypatch.setattr(send.Push, "push", interrupted)
    result = run(*words)
    assert result.exit_code == 130 and "The same command sends the rest" in said(result)
