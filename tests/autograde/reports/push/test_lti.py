"""LTI's grade services alone: what is signed, what the specification's examples say, and what goes wrong there."""

import contextlib
import json
import logging
import sys
from datetime import UTC, datetime, timedelta
from urllib.parse import parse_qs

import pytest
import requests
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import ec

from autograde import layout
from autograde.gradebook import configuration
from autograde.intake.roster import BadRoster, Person
from autograde.reports.push import lti, registration, web
from autograde.sent import Sent
from tests.autograde import toy
from tests.autograde.command import run, said
from tests.autograde.reports.push.stand_in_lti import CLIENT, KEY, KEY_ID, SCOPES, Lti, decoded, made_key
from tests.autograde.reports.push.test_send import ADA, ASA, GIVEN, LINK, Case, kinds, opened, people_of  # noqa: F401


@pytest.fixture
def case(opened):  # noqa: F811
    return opened("lti")


@pytest.fixture
def alone():
    """A platform with no class beside it: `items` is the first that is asked of it."""
    with Lti(people_of("lti")) as server:
        server.title = toy.NAME
        yield Case("lti", None, server)
        assert not server.amiss, server.amiss


# ---------------------------------------------------------------- as the specifications say


def test_what_is_signed_and_what_is_sent(case):
    case.server.deployment = "7:abc"
    case.push()
    case.points[ADA] = 8.25
    case.push()
    one, two = case.server.signed  # one access token a run
    assert set(one) == {
        "iss", "sub", "aud", "iat", "exp", "jti", "https://purl.imsglobal.org/spec/lti/claim/deployment_id"
    }  # fmt: skip
    assert one["jti"] != two["jti"] and one["exp"] - one["iat"] == 300
    (first,) = [score for score in case.server.scores if score["userId"] == "a6b1" and score["scoreGiven"] == 9.0]
    last = case.server.scores[-1]
    assert (last["userId"], last["scoreGiven"], last["scoreMaximum"]) == ("a6b1", 8.25, 9.0)
    assert (last["activityProgress"], last["gradingProgress"]) == ("Completed", "FullyGraded")
    assert datetime.fromisoformat(last["timestamp"]) > datetime.fromisoformat(first["timestamp"])
    canvas = "https://canvas.instructure.com/lti/submission"  # no attempt; and nothing unseen is written over
    assert first[canvas] == {"new_submission": False, "prioritize_non_tool_grade": True}
    assert last[canvas] == {"new_submission": False, "prioritize_non_tool_grade": False}


def test_timestamps_increase_while_the_clock_stands(case, monkeypatch):
    class Standing(datetime):
        @classmethod
        def now(cls, tz=None):
            return datetime(2026, 11, 27, 6, 0, 0, 999900, tzinfo=UTC)

    monkeypatch.setattr(lti, "datetime", Standing)
    assert len(case.push().sent) == 3
    moments = [score["timestamp"] for score in case.server.scores]
    assert moments == sorted(set(moments)) and moments[:2] == [
        "2026-11-27T06:00:00.999+00:00", "2026-11-27T06:00:01.000+00:00"
    ]  # fmt: skip


BASE = "https://lms.example.com/context/2923"
# AGS 2.0, 3.2.1 (line item container), 3.3.4 (result container); NRPS 2.0, figure 1; Security 1.1, 4.1.1 (the token)
EXAMPLES = {
    "https://www.example.com/lti/auth/token": {
        "access_token": "dkj4985kjaIAJDJ89kl8rkn5", "token_type": "bearer", "expires_in": 3600,
        "scope": " ".join(SCOPES.values()),
    },
    f"{BASE}/lineitems": [
        {"id": f"{BASE}/lineitems/1", "scoreMaximum": 60, "label": "Chapter 5 Test", "resourceId": "a-9334df-33",
         "tag": "grade", "resourceLinkId": "1g3k4dlk49fk", "endDateTime": "2018-04-06T22:05:03Z"},
        {"id": f"{BASE}/lineitems/47", "scoreMaximum": 100, "label": "Chapter 5 Progress", "resourceId": "a-9334df-33",
         "tag": "originality", "resourceLinkId": "1g3k4dlk49fk"},
        {"id": f"{BASE}/lineitems/69", "scoreMaximum": 60, "label": "Chapter 2 Essay", "tag": "grade"},
    ],
    f"{BASE}/lineitems/1/results": [
        {"id": f"{BASE}/lineitems/1/results/5323497", "scoreOf": f"{BASE}/lineitems/1", "userId": "5323497",
         "resultScore": 0.83, "resultMaximum": 1, "comment": "This is exceptional work."}
    ],
    "https://lms.example.com/sections/2923/memberships": {
        "id": "https://lms.example.com/sections/2923/memberships",
        "context": {"id": "2923-abc", "label": "CPS 435", "title": "CPS 435 Learning Analytics"},
        "members": [
            {"status": "Active", "name": "Jane Q. Public", "picture": "https://platform.example.edu/jane.jpg",
             "given_name": "Jane", "family_name": "Doe", "middle_name": "Marie", "email": "jane@platform.example.edu",
             "user_id": "0ae836b9-7fc9-4060-006f-27b2066ac545", "lis_person_sourcedid": "59254-6782-12ab",
             "roles": ["http://purl.imsglobal.org/vocab/lis/v2/membership#Instructor"]}
        ],
    },
}  # fmt: skip


def test_the_specifications_own_examples_are_read_as_they_say(monkeypatch):
    def answered(self, request, **_):
        response = requests.Response()
        response.status_code, response.url = 200, request.url
        response._content = json.dumps(EXAMPLES[request.url.partition("?")[0]]).encode()
        return response

    monkeypatch.setattr(requests.adapters.HTTPAdapter, "send", answered)
    where = {"client_id": CLIENT, "key_id": KEY_ID, "token_url": "https://www.example.com/lti/auth/token"}
    where |= {"memberships_url": "https://lms.example.com/sections/2923/memberships"}
    where |= {"line_items_url": f"{BASE}/lineitems"}
    platform = lti.Lti(registration.read(where, "c"), KEY)
    items = platform.items()
    assert [(item.number, item.title, item.most, item.closed) for item in items] == [
        (f"{BASE}/lineitems/1", "Chapter 5 Test", 60.0, ""), (f"{BASE}/lineitems/47", "Chapter 5 Progress", 100.0, ""),
        (f"{BASE}/lineitems/69", "Chapter 2 Essay", 60.0, ""),
    ]  # fmt: skip
    assert platform.look(items[0], "5323497").points == pytest.approx(0.83 * 60)
    found = platform.standing(items[0])
    jane = "0ae836b9-7fc9-4060-006f-27b2066ac545"
    assert list(found.people) == [jane] and found.people[jane].points is None and not found.twice
    for number, email in ((jane.upper(), ""), ("59254-6782-12ab", ""), ("x", "Jane@platform.example.edu")):
        assert platform.user_of(Person("Jane", "Jane", number, email, (), "", 2, {})) == jane
    assert platform.user_of(Person("Jane Q. Public", "Jane Q. Public", "Jane Q. Public", "", (), "", 2, {})) == ""


@pytest.mark.parametrize("of", [None, 1.0, 100.0])
def test_results_are_out_of_what_they_say_and_of_1_where_they_do_not(case, of):
    case.server.of = of
    case.one(ASA)["score"] = 4.5
    assert kinds(case.push()) == {ADA: "send", ASA: "same", LINK: "send"} and case.standing() == GIVEN
    assert kinds(case.push()) == dict.fromkeys(GIVEN, "same")


def test_every_page_of_a_list_is_read(case):
    case.server.per_page = 1
    case.server.item += "&x=a%20b"  # whatever else it asks for stays
    case.push()
    assert case.standing() == GIVEN
    assert sum("/memberships" in path for _, path in case.server.log) == len(case.server.people)


def test_pages_stay_here_with_a_sentence(case):
    pushed = case.push(pages=True)
    assert len(pushed.sent) == 3 and pushed.notes == ["LTI's grade services take points alone: the pages stay here"]


# ---------------------------------------------------------------- who is who


def test_a_hub_calls_people_as_the_platform_does(case):
    case.folder.roster().unlink()
    case.server.people["A6B2"] = case.server.people.pop("a6b2")  # a hub writes names in small letters
    case.server.last["A6B2"] = case.server.last["a6b1"]
    case.points = {"a6b1": 9.0, "a6b2": 4.5, "Ada Lovelace": 1.0}
    pushed = case.push()
    assert pushed.sent == ["a6b1", "a6b2"] and case.server.people["A6B2"]["score"] == 4.5
    assert [who for who, _ in pushed.left_out] == ["Ada Lovelace"] and "enrolled there" in pushed.left_out[0][1]


@pytest.mark.parametrize("change", [{"email": "a@x.org"}, {"sourcedid": "a6b1"}])
def test_nobody_takes_anothers_grade_by_calling_themselves_so(case, change):
    case.server.people["a6b4"] |= change  # with Ada's address or number
    pushed = case.push()
    assert [who for who, _ in pushed.left_out] == [ADA] and case.server.people["a6b4"]["score"] is None


def test_members_who_have_left_are_left_out(case):
    case.one(ASA)["status"] = "Inactive"
    pushed = case.push()
    assert [who for who, _ in pushed.left_out] == [ASA] and pushed.sent == [LINK, ADA]


def test_a_platforms_own_table_says_nothing_here(case, tmp_path):
    (tmp_path / "moodle.csv").write_text('Identifier,"Full name",Grade\n"Participant 7","Ada Lovelace",\n')
    with pytest.raises(BadRoster, match=r"id, name and email .* is no such table\. To do: make it"):
        case.push(roster=tmp_path / "moodle.csv")
    assert not case.server.log


# ---------------------------------------------------------------- what goes wrong


@pytest.mark.parametrize(
    ("what", "says"),
    [
        ({"token": made_key()}, r"\(status 400: invalid_client: signature\)\. To do: see that the public half"),
        ({"key_id": "another"}, r"invalid_client: header .* is registered there as 'another'"),
        ({"client_id": "1"}, "invalid_client: unknown client"),
        ({"audience": "https://lms.org"}, r"invalid_client: audience.*c\.Push\.client_id, token_url, audience and"),
        ({"deployment": "9"}, "invalid_client: deployment"),
    ],
)
def test_a_request_that_is_not_the_registrations(alone, monkeypatch, what, says):
    token, real = what.pop("token", ""), alone.registration
    monkeypatch.setattr(alone, "registration", lambda: real() | what)
    with pytest.raises(web.Stopped, match=says) as error:
        alone.connected(token, pause=lambda _: None).items()
    assert "sEcRet" not in str(error.value) and "eyJ" not in str(error.value)


@pytest.mark.parametrize("status", [400, 401, 403])
def test_a_platform_says_no_to_a_token_in_its_own_way(alone, monkeypatch, status):
    header = {"WWW-Authenticate": "Bearer"} if status == 401 else {}
    monkeypatch.setattr(alone.server, "token", lambda *_: (status, {"error": "invalid_client"}, header))
    with pytest.raises(web.Stopped, match=rf"gives no access token \(status {status}: invalid_client\)"):
        alone.connected(pause=lambda _: None).items()


def test_what_was_signed_comes_back_into_no_message(alone, monkeypatch):
    def token(request, body):
        return 400, {"error": "invalid_client", "error_description": f"bad {parse_qs(body.decode())}"}, {}

    monkeypatch.setattr(alone.server, "token", token)
    with pytest.raises(web.Stopped, match=r"invalid_client: bad .*\(token\)") as error:
        alone.connected().items()
    assert "eyJ" not in str(error.value)


def test_an_access_token_that_expires_on_the_way_is_renewed(case):
    real = case.server.score

    def score(of):
        case.server.tokens.clear()  # after each score
        return real(of)

    case.server.score = score
    assert len(case.push().sent) == 3 and case.standing() == GIVEN and len(case.server.written) == 3
    assert len(case.server.signed) == 4
    case.server.score, case.server.life, case.points[ADA] = real, 30, 1.0
    assert case.push().sent == [ADA]  # one that is too old before it is used
    assert len(case.server.signed) == 4 + 6


def test_an_access_token_that_is_never_taken(alone, monkeypatch):
    monkeypatch.setattr(alone.server, "life", -1)
    with pytest.raises(web.Stopped, match="does not take the token"):
        alone.connected(pause=lambda _: None).items()
    assert len(alone.server.signed) == 2


@pytest.mark.parametrize("what", SCOPES)
def test_a_scope_that_the_registration_lacks_is_named(alone, what):
    alone.server.granted.remove(SCOPES[what])
    with pytest.raises(web.Stopped, match=rf"does not grant {SCOPES[what]}\. To do: let an administrator"):
        alone.connected(pause=lambda _: None).items()
    alone.server.granted.clear()
    with pytest.raises(web.Stopped, match=rf"does not grant .*{SCOPES[what]}.*To do: let an administrator"):
        alone.connected(pause=lambda _: None).items()


@pytest.mark.parametrize("answer", [{}, [], None, {"access_token": 5}, {"access_token": "a b"}, {"access_token": ""}])
def test_an_answer_without_an_access_token(alone, monkeypatch, answer):
    monkeypatch.setattr(alone.server, "token", lambda *_: (200, answer, {}))
    with pytest.raises(web.Unknown, match="is not as its documentation says"):
        alone.connected(pause=lambda _: None).items()


def test_a_closed_line_item_is_named_and_nothing_is_written(case):
    case.server.closed = "This column is closed"
    pushed = case.push()
    assert len(pushed.failed) == 3 and not case.server.written
    assert all("(status 403). It says: This column is closed" in why for _, why in pushed.failed)


def test_a_user_whom_the_platform_will_not_grade(case, monkeypatch):
    listed = case.server.member
    monkeypatch.setattr(case.server, "member", lambda user: {"user_id": user, "roles": []} | listed(user))
    case.server.fault = lambda number: (case.grading(ADA) and case.server.people.pop("a6b1", None) and "") or ""
    pushed = case.push()
    assert pushed.failed == [(ADA, "127.0.0.1 did not accept it (status 422). It says: User not found in course")]
    assert pushed.sent == [LINK, ASA]


@pytest.mark.parametrize("ahead", [-600, 600])
def test_a_clock_that_is_off_is_told_from_a_wrong_key(case, monkeypatch, ahead):
    case.server.ahead = ahead
    where = "behind" if ahead > 0 else "ahead of"
    with pytest.raises(web.Stopped, match=rf"expired\): this machine's clock is 10 minutes {where} the platform's"):
        case.push()
    monkeypatch.setattr(case.server, "amiss_in", lambda assertion: "")  # a platform that does not look
    with pytest.raises(web.Stopped, match=f"^this machine's clock is 10 minutes {where} .*older or newer"):
        case.push()
    assert not case.server.written


def test_a_score_older_than_what_is_there_is_refused_for_that_one(case):
    case.server.last["a6b1"] = datetime.now(UTC) + timedelta(hours=1)
    pushed = case.push()
    assert [who for who, _ in pushed.failed] == [ADA] and "(status 409)" in pushed.failed[0][1]
    assert "It says: Refusing score with an earlier timestamp" in pushed.failed[0][1] and pushed.sent == [LINK, ASA]


def test_a_platform_that_ignores_a_score_is_found_out(case, monkeypatch):
    monkeypatch.setattr(case.server, "score", lambda of: (202, b"", {}))
    pushed = case.push()
    assert len(pushed.failed) == 3 and "took it and still shows none instead of 9" in dict(pushed.failed)[ADA]


@pytest.mark.parametrize("what", ["circle", "new ones"])
def test_pages_that_never_end(alone, monkeypatch, what):
    monkeypatch.setattr(lti, "_PAGES", 20)
    count = iter(range(1000))

    def listed(*_):
        number = 1 if what == "circle" else next(count)
        return 200, [], {"Link": f'<{alone.server.address}/lti/11/lineitems?page={number}>; rel="next"'}

    monkeypatch.setattr(alone.server, "listed", listed)
    with pytest.raises(web.Unknown, match=r"a list of 127\.0\.0\.1's does not come to an end"):
        alone.connected(pause=lambda _: None).items()
    assert len(alone.server.log) <= 21


def test_a_page_or_an_item_elsewhere_gets_no_token(case, monkeypatch):
    case.server.item = case.server.item.replace("127.0.0.1", "localhost")
    with pytest.raises(web.Stopped, match=r"names http://localhost:\d+ as the next address, which gets no token"):
        case.push()
    real = case.server.listed

    def listed(*given):
        status, rows, headers = real(*given)
        return status, rows, headers | {"Link": '<https://example.org/2>; rel="next"'}

    monkeypatch.setattr(case.server, "listed", listed)
    with pytest.raises(web.Stopped, match=r"names https://example\.org as the next address, which gets no token"):
        case.push()


def test_a_student_with_two_results_is_left_out(case, monkeypatch):
    real = case.server.results
    monkeypatch.setattr(case.server, "results", lambda query: [row for row in real(query) for _ in range(2)])
    pushed = case.push()
    assert len(pushed.left_out) == 3 and "listed twice" in pushed.left_out[0][1] and not case.server.written


def test_no_secret_is_in_a_log_a_record_an_address_or_a_message(case, caplog):
    caplog.set_level(logging.DEBUG)
    case.push()
    case.server.fault = lambda number: "500" if number % 2 else ""
    with contextlib.suppress(web.PushError):
        case.push()
    texts = [caplog.text, Sent(case.folder.ledger).path.read_text(), *(path for _, path in case.server.log)]
    texts += [path.read_text("utf-8", "replace") for path in case.folder.root.rglob("*") if path.is_file()]
    assert caplog.records and not [text for text in texts if "sEcRet" in text or "eyJ" in text or "BEGIN" in text]


# ---------------------------------------------------------------- the registration and the key


@pytest.mark.parametrize(
    ("change", "says"),
    [
        ({"client_id": ""}, r"conf: say c\.Push\.client_id: the platform's page"),
        ({"token_url": "", "key_id": " "}, r"say c\.Push\.key_id, c\.Push\.token_url"),
        ({"token_url": "http://lms.org/token"}, r"c\.Push\.token_url: 'http://lms\.org' is no address"),
        ({"line_items_url": "lms.org"}, r"c\.Push\.line_items_url: .* is no address"),
        ({"memberships_url": "https://me:pw@lms.org/m"}, "has a name or a password in it"),
        ({"memberships_url": "https://[/m"}, r"c\.Push\.memberships_url"),
        ({"memberships_url": "https://other.org/m"}, "are on two servers"),
    ],
)
def test_what_is_no_registration(change, says):
    fine = {"client_id": CLIENT, "key_id": KEY_ID, "token_url": "https://sso.org/token"}
    fine |= {"line_items_url": "https://lms.org/api/lti/courses/5/line_items", "memberships_url": "https://lms.org/m"}
    assert registration.read(fine, "conf").audience == ""
    with pytest.raises(ValueError, match=says):
        registration.read(fine | change, "conf")


def test_without_pyjwt_it_says_what_to_install(alone, monkeypatch):
    monkeypatch.delitem(sys.modules, "autograde.reports.push.lti")
    monkeypatch.setitem(sys.modules, "jwt", None)
    with pytest.raises(ValueError, match=r"^jwt, which is needed for LTI, is not installed\. To do: .* pyjwt$"):
        alone.connected()


def test_keys_that_cannot_be_used():
    curve = ec.generate_private_key(ec.SECP256R1())
    rsa = serialization.load_pem_private_key(KEY.encode(), None)
    pem, pkcs8 = serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8
    locked = rsa.private_bytes(pem, pkcs8, serialization.BestAvailableEncryption(b"x")).decode()
    other = curve.private_bytes(pem, pkcs8, serialization.NoEncryption()).decode()
    public = rsa.public_key().public_bytes(pem, serialization.PublicFormat.SubjectPublicKeyInfo).decode()
    for bad in ("", "x", locked, other, public, made_key(1024), KEY[:-200]):
        with pytest.raises(ValueError, match=r"^the key is no RSA key of 2048 bits or more, in PEM") as error:
            lti.private_key(bad)
        assert "-----" not in str(error.value) and (not bad or bad[-90:-70] not in str(error.value) or len(bad) < 99)


def test_the_public_half_as_platforms_ask_for_it():
    (key,) = json.loads(lti.public_keys(KEY, KEY_ID))["keys"]
    numbers = serialization.load_pem_private_key(KEY.encode(), None).public_key().public_numbers()
    assert (key["kty"], key["kid"], key["alg"], key["use"]) == ("RSA", KEY_ID, "RS256", "sig")
    assert [int.from_bytes(decoded(key[name]), "big") for name in ("n", "e")] == [numbers.n, numbers.e]
    assert not {"d", "p", "q"} & set(key)


# ---------------------------------------------------------------- the command


def test_the_command_from_the_dry_run_to_the_second_time(case, tmp_path):
    folder, server = case.folder, case.server
    layout.write(folder)
    configuration.write(folder)
    words = ["push", toy.NAME, "--class", folder.root]
    file = tmp_path / "key.pem"
    file.write_text(KEY)
    file.chmod(0o600)
    with folder.config.open("a") as config:
        config.write(f'\nc.Push.platform, c.Push.client_id, c.Push.key_id = "lti", "{CLIENT}", "{KEY_ID}"\n')
        for name, path in (("token", "token"), ("line_items", "11/lineitems"), ("memberships", "11/memberships")):
            config.write(f'c.Push.{name}_url = "{server.address}/lti/{path}"\n')
    assert "as AUTOGRADE_LTI_TOKEN, or into a file with mode 0600" in said(run(*words))
    with folder.config.open("a") as config:
        config.write(f'c.Push.token_file = "{file}"\n')
    shown = run(*words, "--dry-run")
    assert shown.exit_code == 0 and "3 would be sent" in said(shown) and "(nothing was sent)" in said(shown)
    assert f"{toy.NAME} to 127.0.0.1: {toy.NAME}" in said(shown) and not server.written
    done = run(*words)
    assert done.exit_code == 0 and "3 sent and confirmed" in said(done), done.output
    server.people["a6b1"]["score"] = 1.0
    case.points[ASA] = 5.0
    again = run(*words, "--feedback")
    assert "1 sent and confirmed, 1 the same there already, 1 left as they are" in said(again), again.output
    assert f"Left as it is: {ADA}: 9 points were sent, and somebody changed them to 1" in said(again)
    assert "take points alone" in said(again) and server.people["a6b2"]["score"] == 5.0
    assert "are not LTI's" in said(run(*words, "--course", "11"))
    file.write_text("a token\n")
    assert "is no private key in PEM" in said(run(*words))
    file.write_text(KEY.replace("M", "N"))
    assert "is no RSA key of 2048 bits" in said(run(*words))
    assert not [one for one in (shown, done, again) if "sEcRet" in one.output or "BEGIN" in one.output]
