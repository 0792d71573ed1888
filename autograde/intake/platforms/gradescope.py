"""Gradescope: "submission_number", a folder for each, beside submission_metadata.yml, which says whose each is.

Gradescope publishes no description of its export. That file is Ruby's YAML, as public programs read it:

    submission_123456789:
      :submitters:
      - :name: Ada Lovelace
        :sid: '2001'
        :email: ada@example.org
      :created_at: 2026-01-30 15:00:00.000000000 Z

with several submitters where a group handed in, and the school's own offset (-08:00) where it is not on UTC. What the
autograder printed stands in it too (`:results:`, `:history:`), deeper, and is not read.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

import yaml

from autograde.intake.platforms.scheme import Scheme

LIST = "submission_metadata.yml"
MAX_LIST = 256 << 20  # bytes of that file, most of which is what autograders printed
EXPORT = re.compile(r"assignment_\d+_export")
SCHEMES = (
    Scheme(
        "Gradescope",
        "submission_123456789/02-bahdanau.ipynb",
        re.compile("submission"),
        re.compile(r"_(?P<id>[0-9]+)"),
        lambda head, mark: [(f"{head}_{mark['id']}", mark["id"])],
        loose=False,
        folder=True,
        distinct=False,
    ),
)
_TOP = re.compile(r"(?P<quote>['\"]?)(?P<key>[^\s'\"#:-][^'\"]*)(?P=quote):\s*")
_WANTED = re.compile(r"  :(?:submitters|created_at):")
_OTHER = re.compile(r"  [^ -]")


@dataclass(frozen=True)
class Submitter:
    """One of those who handed a submission in. Of the three, at least one is not empty."""

    name: str
    sid: str
    email: str

    @property
    def key(self) -> str:
        """What tells this person from others."""
        return self.email.casefold() or self.sid or self.name


@dataclass(frozen=True)
class Listed:
    """What the list says of one submission: who handed it in, and when."""

    submitters: tuple[Submitter, ...]
    when: str


def listed(text: str) -> dict[str, Listed]:
    """Folder -> what the list says of it. Raises ValueError, with the row, where it cannot be read."""
    kept, rows, keys = _of_interest(text)
    try:
        read = yaml.load("\n".join(kept), Loader=yaml.BaseLoader)  # texts, lists and tables: no tag makes an object
    except (yaml.YAMLError, RecursionError) as error:
        mark = getattr(error, "problem_mark", None)
        row = rows[min(mark.line, len(rows) - 1)] if mark and rows else len(text.splitlines())
        raise ValueError(f"row {row} is damaged, or the file is cut off") from None
    if not isinstance(read, dict) or not read:
        raise ValueError("row 1 names no submission")
    return {key: _one(read.get(key), row) for key, row in keys.items()}


def _of_interest(text: str) -> tuple[list[str], list[int], dict[str, int]]:
    """The lines that say who and when, the row of each in the file, and the row of each submission."""
    kept, rows, keys, wanted = list[str](), list[int](), dict[str, int](), False
    for row, line in enumerate(text.splitlines(), 1):
        if top := _TOP.fullmatch(line):
            key = top["key"]
            if key in keys:
                raise ValueError(f"row {row} names {key!r} again, as row {keys[key]} does")
            keys[key], wanted, line = row, False, f"{key}:"
        elif _WANTED.match(line) or _OTHER.match(line):
            wanted = bool(_WANTED.match(line))
            if not wanted:
                continue
        elif not wanted:
            continue
        kept.append(line)
        rows.append(row)
    return kept, rows, keys


def _one(said: object, row: int) -> Listed:
    submitters = said.get(":submitters") if isinstance(said, dict) else None
    if not isinstance(submitters, list) or not submitters:
        raise ValueError(f"row {row} says of no submitter")
    made = []
    for each in submitters:
        of = each if isinstance(each, dict) else {}
        texts = [of.get(f":{name}") for name in ("name", "sid", "email")]
        name, sid, email = (text.strip() if isinstance(text, str) and text != "~" else "" for text in texts)
        if not (name or sid or email):
            raise ValueError(f"a submitter of row {row} has neither name, number nor e-mail address")
        made.append(Submitter(name, sid, email))
    when = said.get(":created_at") if isinstance(said, dict) else ""
    return Listed(tuple(made), when if isinstance(when, str) else "")
