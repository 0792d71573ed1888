"""A tool's registration at an LTI platform, and the services of one course there: what `c.Push` says of them.

There are no options for it: five addresses and identifiers that stay the same for a whole term are no words of a
command. None of them is secret; the key is, and lies in a file of its own (see `token`).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields
from urllib.parse import urlsplit

from autograde.reports.push.web import address_of


@dataclass(frozen=True)
class Registration:
    """`client_id` and `key_id` name the tool and its key, `deployment` where it is deployed; `audience` is whom a
    request for an access token is made out to, the token URL unless the platform says otherwise."""

    client_id: str
    key_id: str
    token_url: str
    line_items_url: str
    memberships_url: str
    audience: str = ""
    deployment: str = ""


NAMES = tuple(field.name for field in fields(Registration))
_OPTIONAL = ("audience", "deployment")


def origin(url: str) -> str:
    """An address without its path. Raises ValueError where it is none, or not encrypted."""
    parts = urlsplit(url)
    return address_of(f"{parts.scheme}://{parts.netloc}")


def read(said: Mapping[str, object], where: str) -> Registration:
    """The registration in `c.Push`; `where` is the file's name. Raises ValueError for what is missing or no address."""
    values = {name: str(said.get(name, "")).strip() for name in NAMES}
    if missing := [f"c.Push.{name}" for name in NAMES if not values[name] and name not in _OPTIONAL]:
        raise ValueError(f"{where}: say {', '.join(missing)}: the platform's page on the tool has them")
    origins = {}
    for name in (name for name in NAMES if name.endswith("_url")):
        try:
            origins[name] = origin(values[name])
        except ValueError as error:
            raise ValueError(f"{where}: c.Push.{name}: {error}") from None
    if origins["line_items_url"] != origins["memberships_url"]:
        raise ValueError(
            f"{where}: c.Push.line_items_url and c.Push.memberships_url are on two servers, and an access token goes to"
            " one"
        )
    return Registration(**values)
