"""A platform of LTI 1.3 on this machine: what `autograde push` uses of its services, as strictly as 1EdTech has them.

- Access tokens: Security Framework 1.1, 4.1.1, and RFC 6749, 4.4, 5 and RFC 7523, 2.2, 3. The signature is verified
  with `cryptography`, without the library that makes it.
- Line items, results and scores: Assignment and Grade Services 2.0, 3.2 to 3.4. An item's address has a query, as
  Moodle's has, and a score is answered with nothing.
- Members: Names and Role Provisioning Services 2.0, "Context Membership".
"""

import base64
import json
import re
import time
from datetime import UTC, datetime
from email.utils import formatdate
from urllib.parse import parse_qsl, urlencode, urlsplit

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import padding, rsa

from tests.autograde.reports.push.stand_in import Refusal, StandIn

CLIENT, KEY_ID, DEPLOYMENT = "10000000000042", "autograde-1", "7:abc"
SCOPES = {
    "items": "https://purl.imsglobal.org/spec/lti-ags/scope/lineitem.readonly",
    "results": "https://purl.imsglobal.org/spec/lti-ags/scope/result.readonly",
    "scores": "https://purl.imsglobal.org/spec/lti-ags/scope/score",
    "members": "https://purl.imsglobal.org/spec/lti-nrps/scope/contextmembership.readonly",
}
MEDIA = {
    "items": "application/vnd.ims.lis.v2.lineitemcontainer+json",
    "results": "application/vnd.ims.lis.v2.resultcontainer+json",
    "members": "application/vnd.ims.lti-nrps.v2.membershipcontainer+json",
    "scores": "application/vnd.ims.lis.v1.score+json",
}
ACTIVITY = {"Initialized", "Started", "InProgress", "Submitted", "Completed"}
GRADING = {"FullyGraded", "Pending", "PendingManual", "Failed", "NotReady"}
ASSERTION = "urn:ietf:params:oauth:client-assertion-type:jwt-bearer"


def made_key(bits=2048):
    """A private key, as PEM."""
    key = rsa.generate_private_key(65537, bits)
    return key.private_bytes(
        serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
    ).decode()


KEY = made_key()


def decoded(part):
    return base64.urlsafe_b64decode(part + "=" * (-len(part) % 4))


class Lti(StandIn):
    """`people`: user -> {"score", "email", "sourcedid", "status"}. `granted` are the scopes of the registration,
    `ahead` how many seconds its clock is ahead, `of` what its results are out of, None where they do not say."""

    def __init__(self, people, per_page=10, **more):
        super().__init__(people, **more)
        self.per_page, self.granted, self.ahead, self.of, self.deployment = per_page, set(SCOPES.values()), 0, 9.0, ""
        self.public = serialization.load_pem_private_key(KEY.encode(), None).public_key()
        self.tokens, self.seen, self.life, self.signed, self.scores = {}, set(), 3600, [], []
        self.last = dict.fromkeys(people, datetime.min.replace(tzinfo=UTC))
        self.item, self.closed = f"{self.address}/lti/11/lineitems/88/lineitem?type_id=3", ""
        self.others = [{"id": f"{self.address}/lti/11/lineitems/{n}/lineitem?type_id=3", "label": f"Essay {n}",
                        "scoreMaximum": 60} for n in (77, 78)]  # fmt: skip

    def now(self):
        return time.time() + self.ahead

    def send(self, request, status, body, headers=None, whole=True):
        request.date_time_string = lambda: formatdate(self.now(), usegmt=True)
        super().send(request, status, body, headers, whole)

    def route(self, request, body):
        parts = urlsplit(request.path)
        query = dict(parse_qsl(parts.query))
        if parts.path == "/lti/token":
            return self.token(request, body)
        match request.command, parts.path:
            case "GET", "/lti/11/lineitems":
                rows = [*self.others, {"id": self.item, "label": self.title, "scoreMaximum": self.most, "tag": "grade",
                                       "endDateTime": "2018-04-06T22:05:03Z"}]  # fmt: skip
                return self.listed(request, "items", query, rows)
            case "GET", "/lti/11/memberships":
                return self.listed(request, "members", query, [self.member(user) for user in self.people])
            case "GET", "/lti/11/lineitems/88/lineitem/results":
                return self.listed(request, "results", query, self.results(query))
            case "POST", "/lti/11/lineitems/88/lineitem/scores":
                self.allowed(request, "scores", query)
                return self.score(json.loads(body))
        return self.refuse(f"{request.command} {request.path}", status=404)

    # ------------------------------------------------------------ access tokens

    def token(self, request, body):
        form = dict(parse_qsl(body.decode(), strict_parsing=True))
        wanted = {"grant_type": "client_credentials", "client_assertion_type": ASSERTION}
        if request.command != "POST" or request.headers["Content-Type"] != "application/x-www-form-urlencoded":
            self.refuse("how a token is asked for")
        if {name: form.pop(name, "") for name in wanted} != wanted or set(form) != {"client_assertion", "scope"}:
            self.refuse(f"a form with {sorted(form)}")
        if why := self.amiss_in(form["client_assertion"]):
            raise Refusal(400, {"error": "invalid_client", "error_description": why})
        asked = form["scope"].split(" ")
        if not set(asked) <= set(SCOPES.values()):
            self.refuse(f"scopes {asked}")
        if not (given := [scope for scope in asked if scope in self.granted]):
            raise Refusal(400, {"error": "invalid_scope"})
        token = f"access-{len(self.tokens)}-sEcRet0123456789"
        self.tokens[token] = (given, self.now() + self.life)
        scope = {} if given == asked else {"scope": " ".join(given)}  # RFC 6749, 5.1: optional where it is the same
        return 200, {"access_token": token, "token_type": "Bearer", "expires_in": self.life} | scope, {}

    def amiss_in(self, assertion):
        """What is wrong with a JWT, "" where nothing is."""
        head, payload, signature = assertion.split(".")
        header, claims = json.loads(decoded(head)), json.loads(decoded(payload))
        self.signed.append(claims)
        if header != {"alg": "RS256", "typ": "JWT", "kid": KEY_ID}:
            return f"header {header}"
        try:
            self.public.verify(decoded(signature), f"{head}.{payload}".encode(), padding.PKCS1v15(), hashes.SHA256())
        except InvalidSignature:
            return "signature"
        if claims["iss"] != CLIENT or claims["sub"] != CLIENT:
            return "unknown client"
        if claims["aud"] != f"{self.address}/lti/token":
            return "audience"
        if claims.get("https://purl.imsglobal.org/spec/lti/claim/deployment_id", "") != self.deployment:
            return "deployment"
        if not claims["iat"] - 60 <= self.now() <= claims["exp"] <= claims["iat"] + 600:
            return "issued in the future, or expired"
        if claims["jti"] in self.seen or len(claims["jti"]) < 16:
            self.refuse("a jti twice, or one that can be guessed")
        self.seen.add(claims["jti"])
        return ""

    def allowed(self, request, what, query):
        """Raises Refusal where the access token does not hold, or the request is not as the service wants it."""
        scopes, until = self.tokens.get(request.headers.get("Authorization", "").removeprefix("Bearer "), ([], 0))
        if self.now() > until:
            raise Refusal(401, {"error": "invalid_token"}, **{"WWW-Authenticate": 'Bearer error="invalid_token"'})
        if SCOPES[what] not in scopes:
            raise Refusal(403, {"error": "insufficient_scope"})
        header = "Content-Type" if request.command == "POST" else "Accept"
        if request.headers.get_all(header) != [MEDIA[what]]:
            self.refuse(f"{header} {request.headers.get_all(header)}", status=415 if header != "Accept" else 406)
        own = {"results": {"user_id", "page"}, "scores": set()}.get(what, {"page"})
        if query.get("type_id", "3") != "3" or ("lineitem/" in request.path) != ("type_id" in query):
            self.refuse(f"the item's own query: {query}")
        if more := set(query) - own - {name for name, _ in parse_qsl(urlsplit(self.item).query)}:
            self.refuse(f"parameters {more}")

    # ------------------------------------------------------------ services

    def listed(self, request, what, query, rows):
        self.allowed(request, what, query)
        number = int(query.get("page", 1))
        page = rows[(number - 1) * self.per_page : number * self.per_page]
        answer = {"id": request.path, "context": {"id": "11"}, "members": page} if what == "members" else page
        path = f"{self.address}{urlsplit(request.path).path}"
        links = [f'<{path}?{urlencode(query | {"page": 1})}>; rel="first"']
        if number * self.per_page < len(rows):
            links.append(f'<{path}?{urlencode(query | {"page": number + 1})}>; rel="next"')
        return 200, answer, {"Link": ", ".join(links), "Content-Type": MEDIA[what]}

    def member(self, user):
        one = self.people[user]
        said = {"email": one.get("email"), "lis_person_sourcedid": one.get("sourcedid"), "status": one.get("status")}
        return {"user_id": user, "roles": ["Learner"]} | {name: value for name, value in said.items() if value}

    def results(self, query):
        rows = []
        for user, one in self.people.items():
            if query.get("user_id", user) != user:
                continue
            row = {"id": f"{self.address}/r/{user}", "userId": user, "scoreOf": self.item, "comment": "Well done."}
            if one["score"] is not None:
                row["resultScore"] = one["score"] / self.most * (1 if self.of is None else self.of)
                row |= {} if self.of is None else {"resultMaximum": self.of}
            rows.append(row)
        return rows

    def score(self, of):
        needed = {"userId", "scoreGiven", "scoreMaximum", "activityProgress", "gradingProgress", "timestamp"}
        if needed - set(of) or [name for name in set(of) - needed if not name.startswith("https://")]:
            self.refuse(f"a score with {sorted(of)}")
        numbers = [of["scoreGiven"], of["scoreMaximum"]]
        if not all(type(each) in (int, float) for each in numbers) or numbers[0] < 0 or numbers[1] <= 0:
            self.refuse(f"numbers {numbers}")
        if of["activityProgress"] not in ACTIVITY or of["gradingProgress"] not in GRADING:
            self.refuse("progress")
        if not re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d+(Z|\+00:00)", of["timestamp"]):
            self.refuse(f"timestamp {of['timestamp']}")
        user, when = of["userId"], datetime.fromisoformat(of["timestamp"])
        if user not in self.people:
            raise Refusal(422, {"errors": {"type": "unprocessable", "message": "User not found in course"}})
        if self.closed:
            raise Refusal(403, {"status": 403, "reason": self.closed})
        if when <= self.last[user]:
            raise Refusal(409, {"status": 409, "reason": "Refusing score with an earlier timestamp"})
        self.last[user] = when
        self.scores.append(of)
        if of["gradingProgress"] == "FullyGraded":
            self.written.append(user)
            self.people[user]["score"] = of["scoreGiven"] * self.most / of["scoreMaximum"]
        return 204, b"", {}
