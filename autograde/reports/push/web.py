"""Requests to one platform: to its address alone, over TLS, one at a time, and each failure as a sentence.

What only reads is tried again where the platform is out of breath. What writes is not, unless the platform has said
that it did nothing: where nobody knows, `Unknown` is raised, and whoever sent it looks before sending again. Redirects
are not followed: a token would go with them. Text of the platform's is shown short, in one line, and without the token.
"""

from __future__ import annotations

import contextlib
import re
import time
from collections.abc import Callable, Iterator
from typing import Any, TypeVar
from urllib.parse import urljoin, urlsplit

import requests

from autograde.text import in_one_line

TIMEOUT = (10.0, 60.0)  # seconds to connect, and between two pieces of an answer
_TRIES, _READS = 6, 3  # as often at most where the platform asks to wait; where a reading request fails
_LONGEST = 60.0  # seconds of one wait
_HOPS = 5  # redirects of an upload
T = TypeVar("T")
_LOCAL = ("127.0.0.1", "localhost", "::1")


class PushError(ValueError):
    """What went wrong, in a sentence with the next step; `response` is the platform's refusal, where it was one."""

    def __init__(self, words: str, response: requests.Response | None = None) -> None:
        super().__init__(words)
        self.response = response


class Stopped(PushError):
    """Nothing more can be sent: the token, the address, or the platform as a whole."""


class Refused(PushError):
    """The platform did not do this one thing, and says so."""


class Unknown(PushError):
    """Nobody knows whether the platform did it: the answer is missing or cannot be read."""


def repeated(what: Callable[[], T], pause: Callable[[float], None] = lambda seconds: None) -> T:
    """What `what` gives, which may be done twice without harm: tried again where nobody knows whether it was done."""
    for attempt in range(1, _READS):
        with contextlib.suppress(Unknown):
            return what()
        pause(2.0**attempt)
    return what()


@contextlib.contextmanager
def as_documented(name: str) -> Iterator[None]:
    """Around what reads answers: one that is not as the platform's documentation says is one error."""
    try:
        yield
    except PushError:
        raise
    except (AttributeError, IndexError, KeyError, TypeError, ValueError) as error:
        why = f"{type(error).__name__} at {error}" if isinstance(error, KeyError) else type(error).__name__
        raise Unknown(f"an answer of {name}'s is not as its documentation says ({why})") from None


def address_of(given: str) -> str:
    """The address of a platform as it is used. Raises ValueError for one that is none, or that is not encrypted."""
    none = f"{in_one_line(given)!r} is no address of a platform: write https://canvas.example.org"
    try:
        parts = urlsplit(given.strip())
        _ = parts.port  # which may be no number
    except ValueError:
        raise ValueError(none) from None
    local = parts.scheme == "http" and parts.hostname in _LOCAL
    more = parts.query or parts.fragment or re.search(r"\s", parts.netloc)
    if not parts.hostname or not (parts.scheme == "https" or local) or more:
        raise ValueError(none)
    if parts.username or parts.password:
        raise ValueError("the address has a name or a password in it: the token alone says who you are")
    if re.search(r"/courses?(/|$)", parts.path):
        raise ValueError(f"{in_one_line(given)!r} is a course's address: leave out what comes after the platform's own")
    return (_origin(given.strip()) + parts.path).rstrip("/").removesuffix("/api/v1")


class Session(requests.Session):
    """A session with one platform. `name` is the platform's, `address` what `address_of` gives; `pause` waits."""

    def __init__(self, name: str, address: str, token: str, pause: Callable[[float], None] = time.sleep) -> None:
        super().__init__()
        self.name, self.address, self.pause, self._token = name, address, pause, token
        self.auth = lambda request: request  # or else ~/.netrc may put another password in the token's place

    def request(
        self,
        method: Any,
        url: Any,
        *args: Any,
        again: bool | None = None,
        empty: bool = False,
        hops: int = 0,
        **more: Any,
    ) -> requests.Response:
        """As `requests` has it, for its libraries' sake; `again` says that the request only reads, `empty` that the
        answer need not say anything. What has no token in it, an upload to where the platform said, may lead elsewhere,
        `hops` times so far. Raises PushError."""
        url, headers, data = str(url), more.get("headers") or {}, more.get("data")
        secret = "Authorization" in headers or (isinstance(data, dict) and self._token in data.values())
        if secret and _origin(url) != _origin(self.address):
            raise Stopped(
                f"{self.name} names {_origin(url)} as the next address, which gets no token: nothing was sent"
            )
        if urlsplit(url).scheme != "https" and _origin(url) != _origin(self.address):
            raise Stopped(f"{self.name} names {_origin(url)} as the next address, which is not encrypted")
        more |= {"timeout": TIMEOUT, "allow_redirects": False}
        reads = method == "GET" if again is None else again
        response = self._patiently(method, url, reads, args, more)
        created = response.status_code == 201 and "Location" in response.headers and not _is_json(response)
        if (response.is_redirect or created) and not secret and hops < _HOPS:
            return self._onward(response, url, headers, hops + 1)
        return self._checked(response, json=secret and not empty)

    def _patiently(self, method: str, url: str, reads: bool, args: tuple, more: dict[str, Any]) -> requests.Response:
        """The answer, once the platform is not asking to wait; of what only reads, once it is whole."""
        failed = 0
        opened = [file for file in (more.get("files") or {}).values() if hasattr(file, "seek")]
        for attempt in range(_TRIES):
            for file in opened:  # which an earlier try has read to its end
                file.seek(0)
            try:
                response = super().request(method, url, *args, **more)
            except requests.exceptions.SSLError:
                raise Stopped(
                    f"the certificate of {_origin(url)} cannot be verified, so nothing was sent. To do: see that the"
                    " address is right; a school's own authority goes into REQUESTS_CA_BUNDLE"
                ) from None
            except requests.exceptions.RequestException as error:
                failed += 1
                if not reads or failed == _READS:
                    why = "did not answer in time" if isinstance(error, requests.Timeout) else "broke off"
                    raise Unknown(f"{self.name} ({_origin(url)}) {why}") from None
                self.pause(2.0**failed)
                continue
            status = response.status_code
            broken = status >= 500 or (status == 200 and not _is_json(response))
            if status == 429 or (status == 403 and "rate limit exceeded" in response.text.lower()):
                self.pause(_seconds(response, attempt))
            elif reads and broken and failed < _READS - 1:
                failed += 1
                self.pause(2.0**failed)
            else:
                return response
        raise Stopped(f"{self.name} asks to wait again and again: give the same command later, it sends the rest")

    def _onward(self, response: requests.Response, url: str, headers: dict[str, str], hops: int) -> requests.Response:
        """Where an upload leads to, as Canvas's documentation says: back to it, with the token, or to its store."""
        to = urljoin(url, response.headers["Location"])
        home = _origin(to) == _origin(self.address)
        own = {"Authorization": f"Bearer {self._token}"} if home else {}
        return self.request("GET", to, headers=headers | own, hops=hops)

    def _checked(self, response: requests.Response, json: bool) -> requests.Response:
        status, where = response.status_code, _origin(response.url)
        if response.is_redirect:
            to = _origin(urljoin(response.url, response.headers["Location"]))
            raise Stopped(f"{where} leads on to {to}, which gets no token. To do: if that is it, give that address")
        said = f" It says: {words}" if (words := self.said(response)) else ""
        if status == 401 and "WWW-Authenticate" in response.headers:
            raise Stopped(
                f"{self.name} does not take the token: it is mistyped, revoked or expired. To do: make a new one",
                response,
            )
        if status in (401, 403):
            raise Refused(f"the token may not do this on {self.name} (status {status}).{said}", response)
        if status == 404:
            raise Refused(
                f"{self.name} knows no such thing (status 404): is the address right, and is the course's number?"
                + said,
                response,
            )
        if status >= 500:
            raise Unknown(f"{self.name} is out of order (status {status})")
        if status >= 400:
            raise Refused(f"{self.name} did not accept it (status {status}).{said}", response)
        if status >= 300:
            raise Unknown(f"{self.name} leads on to nowhere (status {status})")
        if json and not _is_json(response):
            raise Unknown(f"the answer of {where} is not {self.name}'s, or only half of it")
        return response

    def said(self, response: requests.Response) -> str:
        """The platform's own words of an answer, "" where it has none that can be shown."""
        try:
            read = response.json()
        except ValueError:
            return ""
        read = read if isinstance(read, dict) else {}
        errors = next((read[name] for name in ("errors", "error", "reason") if name in read), "")
        if "error_description" in read:  # OAuth's: a word, and what it means
            errors = f"{errors}: {read['error_description']}"
        each = errors if isinstance(errors, list) else [errors]
        messages = [str(one["message"]) for one in each if isinstance(one, dict) and "message" in one]
        return self.in_a_message("; ".join(messages) if messages else errors)

    def in_a_message(self, words: object) -> str:
        """Words of a platform's as they may stand in a message."""
        return in_one_line(re.sub(r"\s+", " ", str(words or "")).replace(self._token, "(token)"))[:200]


def _is_json(response: requests.Response) -> bool:
    try:
        response.json()
    except ValueError:
        return False
    return True


def _origin(url: str) -> str:
    parts = urlsplit(url)
    return f"{parts.scheme}://{parts.netloc.rpartition('@')[2].lower()}"


def _seconds(response: requests.Response, attempt: int) -> float:
    """How long to wait: as the platform says, or twice as long each time."""
    asked = response.headers.get("Retry-After", "")
    return min(_LONGEST, float(asked) if asked.isdecimal() else 2.0**attempt)
