"""Where a push goes: what the command says, and for what it does not say, `c.Push` in the class's configuration."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from autograde.folders import ClassFolder
from autograde.gradebook import configuration
from autograde.reports.push import registration
from autograde.reports.push.platform import LTI, PLATFORMS
from autograde.reports.push.registration import Registration

_KNOWN = {"platform", "address", "course", "ids", "token_file", *registration.NAMES}


@dataclass(frozen=True)
class Destination:
    """A course on a platform. `numbers` are (assignment as it was called, the platform's number of it), `token_file`
    the file that holds the token, None where the environment does; `registration` is LTI's, whose course is called by
    the address of its line items."""

    platform: str
    address: str
    course: str
    numbers: Sequence[tuple[str, str]]
    token_file: Path | None
    registration: Registration | None = None


def destination(
    folder: ClassFolder, platform: str, address: str, course: str, ids: Sequence[str], token_file: Path | None
) -> Destination:
    """What is said, "" and None where it is not; `ids` are such as "02=4321". Raises ValueError for what is missing or
    cannot be so."""
    said = configuration.read(folder).Push
    if other := sorted(set(said) - _KNOWN):
        raise ValueError(f"{folder.config.name}: no c.Push.{other[0]}; there are {', '.join(sorted(_KNOWN))}")
    platform = platform or str(said.get("platform", ""))
    if platform not in PLATFORMS:
        which = f"no platform {platform!r} to send to" if platform else "say where, with --for"
        raise ValueError(f"{which}; there are {', '.join(PLATFORMS)}")
    at = None
    if platform == LTI:
        if address or course:
            raise ValueError(f"--address and --course are not LTI's: {folder.config.name} has its addresses")
        at = registration.read(said, folder.config.name)
        address, course = registration.origin(at.line_items_url), at.line_items_url
    address, course = address or str(said.get("address", "")), course or str(said.get("course", ""))
    if at is None and (not address or not re.fullmatch("[0-9]+", course)):
        raise ValueError(
            "say --address, and --course, which is the number in the course's own address there; or put them into"
            f" {folder.config.name}: c.Push.address, c.Push.course"
        )
    kept = said.get("ids", {})
    if not isinstance(kept, dict):
        raise ValueError(f'{folder.config.name}: c.Push.ids is no table of numbers: write c.Push.ids = {{"02": 4321}}')
    numbers = [_number(words) for words in [*(f"{name}={number}" for name, number in kept.items()), *ids]]
    if token_file is None and "token_file" in said:
        token_file = Path(str(said["token_file"])).expanduser()
    return Destination(platform, address, course, numbers, token_file, at)


def _number(words: str) -> tuple[str, str]:
    which, equals, number = words.partition("=")
    if not equals or not number:
        raise ValueError(f"--id {words!r} names no assignment there: write '02=4321'")
    return which, number
