"""Any platform of LTI 1.3, by its grade services: for a course whose students come in through a hub.

What is used of 1EdTech's specifications (imsglobal.org/spec): Security Framework 1.1 (security/v1p1), Assignment and
Grade Services 2.0 (lti-ags/v2p0), Names and Role Provisioning Services 2.0 (lti-nrps/v2p0):

    POST token URL               for a JWT of ours, signed with RS256: access_token, expires_in, scope (Security 4.1.1)
    GET  line items URL          id, label, scoreMaximum (AGS 3.2.1 to 3.2.8)
    GET  memberships URL         user_id, status, email, lis_person_sourcedid (NRPS 2, "Context Membership")
    GET  line item's id/results  userId, resultScore, resultMaximum, which is 1 unless said; ?user_id= for one (AGS 3.3)
    POST line item's id/scores   userId, scoreGiven, scoreMaximum, timestamp, how far it is (AGS 3.4)

A list goes on where a Link header says "next" (AGS 3.2.4, 3.3.6; NRPS "Limit query parameter"). No limit is asked for:
Moodle then writes that header with curly quotes, which no parser reads.

A result is what counts on the platform, with what a person changed there (AGS 3.3, 4.1). So that is compared, and
looked up after each score, since a platform may ignore a score without a word (AGS 3.4.9). A score has no comment.
Canvas takes a score for a new attempt of the student's, and has no result where no score was sent before; its
extension of a score (AGS 3.1.2) says that it is no attempt, and that what a person gave stays.

PyJWT makes the JWT. PyLTI1p3 (last released in 2022) and Authlib would make the requests too, and past `web`.
"""

from __future__ import annotations

import json
import re
import secrets
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterable
from datetime import UTC, datetime, timedelta
from email.utils import parsedate_to_datetime
from pathlib import Path
from typing import Any
from urllib.parse import urlencode, urljoin, urlsplit

import jwt
import requests
from cryptography.hazmat.primitives.asymmetric.rsa import RSAPrivateKey
from cryptography.hazmat.primitives.serialization import load_pem_private_key
from jwt.algorithms import RSAAlgorithm

from autograde.intake.people import folded
from autograde.intake.roster import Person
from autograde.reports.push.platform import Found, Item, Page, Standing
from autograde.reports.push.registration import Registration, origin
from autograde.reports.push.web import PushError, Session, Stopped, Unknown, as_documented, repeated

_AGS, _NRPS = "https://purl.imsglobal.org/spec/lti-ags/scope/", "https://purl.imsglobal.org/spec/lti-nrps/scope/"
_SCOPES = (
    f"{_AGS}lineitem.readonly", f"{_AGS}result.readonly", f"{_AGS}score", f"{_NRPS}contextmembership.readonly",
)  # fmt: skip
_LINE_ITEMS, _RESULTS = (f"application/vnd.ims.lis.v2.{what}container+json" for what in ("lineitem", "result"))
_MEMBERS, _SCORE = "application/vnd.ims.lti-nrps.v2.membershipcontainer+json", "application/vnd.ims.lis.v1.score+json"
_DEPLOYMENT = "https://purl.imsglobal.org/spec/lti/claim/deployment_id"
_CANVAS = "https://canvas.instructure.com/lti/submission"
_PAGES = 5000  # of one list: more are pages that lead round in a circle
_VALID, _OFF = 300, 120  # seconds for which a request for a token is good, and by which clocks may differ


class Lti:
    """A course of a platform's, as `platform.Platform` says. `key` is the tool's private key, as PEM."""

    def __init__(self, at: Registration, key: str, pause: Callable[[float], None] = time.sleep) -> None:
        self.name = urlsplit(at.line_items_url).hostname or ""
        self._at, self._key, self._pause = at, private_key(key), pause
        self._session: Session  # once there is an access token
        self._token, self._until = "", 0.0
        self._users: dict[str, set[str]] = {}  # number or address -> users who have it
        self._last = datetime.min.replace(tzinfo=UTC)  # the newest score's timestamp

    def items(self) -> list[Item]:
        with as_documented(self.name):
            return [_item(each) for each in self._all(self._at.line_items_url, _LINE_ITEMS)]

    def standing(self, item: Item) -> Found:
        with as_documented(self.name):
            members = [each for each in self._all(self._at.memberships_url, _MEMBERS) if not _has_left(each)]
            users, results = Counter(str(each["user_id"]) for each in members), self._results(item)
        self._users = {}
        for each in members:
            for name in ("user_id", "email", "lis_person_sourcedid"):
                self._users.setdefault(folded(str(each.get(name) or "")), set()).add(str(each["user_id"]))
        points, graded = dict(results), Counter(user for user, _ in results)
        twice = frozenset(user for user in users if users[user] > 1 or graded[user] > 1)
        return Found({user: Standing(points.get(user)) for user in users}, twice)

    def user_of(self, person: Person) -> str:
        """By all that is known of them, folded since a hub writes names in small letters: it must be one user."""
        words = {folded(word) for word in (person.number, person.email, *person.logins)} - {""}
        users = set[str]().union(*(self._users.get(word, ()) for word in words))
        return users.pop() if len(users) == 1 else ""

    def takes_pages(self, item: Item) -> str:
        return "LTI's grade services take points alone: the pages stay here"

    def look(self, item: Item, user: str) -> Standing:
        with as_documented(self.name):
            results = [points for who, points in self._results(item, user) if who == user]
        if len(results) > 1:
            raise Unknown(f"{self.name} lists this student twice, and its answer cannot be right")
        return Standing(results[0] if results else None)

    def give(self, item: Item, user: str, points: float, page: Page | None, before: Standing) -> Standing:
        self._last = max(datetime.now(UTC), self._last + timedelta(milliseconds=1))  # AGS 3.4.9: strictly increasing
        score = {
            "userId": user, "scoreGiven": points, "scoreMaximum": item.most, "activityProgress": "Completed",
            "gradingProgress": "FullyGraded", "timestamp": self._last.isoformat(timespec="milliseconds"),
            _CANVAS: {"new_submission": False, "prioritize_non_tool_grade": before.points is None},
        }  # fmt: skip
        self._ask("POST", _below(item.number, "scores"), {"Content-Type": _SCORE}, data=json.dumps(score))
        return self.look(item, user)

    # ------------------------------------------------------------ reading

    def _results(self, item: Item, user: str = "") -> list[tuple[str, float | None]]:
        """(user, points) of everybody, or of one; None for no points."""
        rows = self._all(_below(item.number, "results", user), _RESULTS)
        return [(str(each["userId"]), _points(each, item.most)) for each in rows]

    def _all(self, url: str, media: str) -> list[dict[str, Any]]:
        """What stands in a list, on all its pages."""
        rows, seen = list[dict[str, Any]](), set[str]()
        while url:
            if url in seen or len(seen) == _PAGES:
                raise Unknown(f"a list of {self.name}'s does not come to an end")
            seen.add(url)
            response = self._ask("GET", url, {"Accept": media})
            answer = response.json()["members"] if media == _MEMBERS else response.json()
            if not isinstance(answer, list) or not all(isinstance(each, dict) for each in answer):
                raise TypeError(media)
            rows += answer
            following = response.links.get("next", {}).get("url", "")
            url = urljoin(url, following) if following else ""
        return rows

    # ------------------------------------------------------------ requests

    def _ask(self, method: str, url: str, headers: dict[str, str], **more: Any) -> requests.Response:
        """An answer, with a new access token where the last one is too old or not taken any more."""

        def answer() -> requests.Response:
            own = {"Authorization": f"Bearer {self._token}"}
            return self._session.request(method, url, headers=headers | own, empty=method == "POST", **more)

        if time.monotonic() > self._until:
            self._sign_in()
        try:
            return answer()
        except PushError as error:
            if error.response is None or error.response.status_code != 401:
                raise
        self._sign_in()
        return answer()

    def _sign_in(self) -> None:
        """Gets an access token. Each try is a JWT of its own, since a platform takes none twice."""
        response = repeated(self._granted, self._pause)
        if wrong := _clock(response):
            raise Stopped(f"{wrong}, and grades would count as older or newer than they are. To do: set the clock")
        answer = response.json()
        with as_documented(self.name):
            token, seconds = answer["access_token"], float(answer.get("expires_in", 3600))
            granted = str(answer.get("scope", " ".join(_SCOPES))).split()
            if not re.fullmatch(r"[\x21-\x7e]+", token):
                raise ValueError("no token")
        if lacking := [scope for scope in _SCOPES if scope not in granted]:
            raise Stopped(_lacking(self.name, lacking))
        self._token, self._until = token, time.monotonic() + seconds - 60
        self._session = Session(self.name, origin(self._at.line_items_url), token, self._pause)

    def _granted(self) -> requests.Response:
        at, now = self._at, int(time.time())
        claims = {"iss": at.client_id, "sub": at.client_id, "aud": at.audience or at.token_url, "iat": now}
        claims |= {"exp": now + _VALID, "jti": secrets.token_urlsafe(24)}
        claims |= {_DEPLOYMENT: at.deployment} if at.deployment else {}
        assertion = jwt.encode(claims, self._key, algorithm="RS256", headers={"kid": at.key_id})
        session = Session(self.name, origin(at.token_url), assertion, self._pause)  # where it goes, and nowhere else
        form = {
            "grant_type": "client_credentials", "client_assertion": assertion, "scope": " ".join(_SCOPES),
            "client_assertion_type": "urn:ietf:params:oauth:client-assertion-type:jwt-bearer",
        }  # fmt: skip
        try:
            return session.request("POST", at.token_url, data=form, again=False)
        except PushError as error:
            if error.response is None or isinstance(error, Unknown):
                raise
            raise Stopped(self._why(error.response, session.said(error.response))) from None

    def _why(self, refusal: requests.Response, said: str) -> str:
        """Why there is no access token, and what to do (RFC 6749, 5.2)."""
        if said.startswith("invalid_scope"):
            return _lacking(self.name, _SCOPES)
        status = f"{self.name} gives no access token (status {refusal.status_code}{said and f': {said}'})"
        if wrong := _clock(refusal):
            return f"{status}: {wrong}. To do: set the clock"
        return (
            f"{status}. To do: see that the public half of this key is registered there as {self._at.key_id!r}, and"
            " that c.Push.client_id, token_url, audience and deployment are the registration's"
        )


def _lacking(name: str, scopes: Iterable[str]) -> str:
    return f"{name} does not grant {', '.join(scopes)}. To do: let an administrator give the tool's registration these"


def _clock(response: requests.Response) -> str:
    """What is wrong with this machine's clock by the platform's, "" where nothing is, or it does not say."""
    try:
        ahead = time.time() - parsedate_to_datetime(response.headers["Date"]).timestamp()
    except (KeyError, TypeError, ValueError):
        return ""
    if abs(ahead) <= _OFF:
        return ""
    return (
        f"this machine's clock is {abs(ahead) / 60:.0f} minutes {'ahead of' if ahead > 0 else 'behind'} the platform's"
    )


def _item(of: dict[str, Any]) -> Item:
    most = float(of["scoreMaximum"])
    return Item(str(of["id"]), str(of["label"]), most, "" if most > 0 else "it is out of nothing there")


def _has_left(member: dict[str, Any]) -> bool:
    return member.get("status") in ("Inactive", "Deleted")


def _points(result: dict[str, Any], most: float) -> float | None:
    score = result.get("resultScore")
    return None if score is None else float(score) * most / float(result.get("resultMaximum") or 1)


def _below(line_item: str, what: str, user: str = "") -> str:
    """An address below a line item's; what that asks for stays (AGS 3.3.1, 3.4.1)."""
    parts = urlsplit(line_item)
    query = "&".join(filter(None, [parts.query, urlencode({"user_id": user}) if user else ""]))
    return parts._replace(path=f"{parts.path.rstrip('/')}/{what}", query=query).geturl()


def private_key(pem: str) -> RSAPrivateKey:
    """The tool's key. Raises ValueError, which holds none of it, where it cannot be used."""
    try:
        key = load_pem_private_key(pem.encode(), None)
    except (TypeError, ValueError):
        key = None
    if not isinstance(key, RSAPrivateKey) or key.key_size < 2048:
        raise ValueError("the key is no RSA key of 2048 bits or more, in PEM and without a passphrase: make a new one")
    return key


def public_keys(pem: str, key_id: str) -> str:
    """The key set, in JSON, that a platform asks for: the key's public half."""
    key = json.loads(RSAAlgorithm.to_jwk(private_key(pem).public_key()))
    return json.dumps({"keys": [key | {"kid": key_id, "alg": "RS256", "use": "sig"}]}, indent=1)


if __name__ == "__main__":
    print(public_keys(Path(sys.argv[1]).expanduser().read_text("ascii"), sys.argv[2]))
