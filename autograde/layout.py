"""By which layout a class's folder was made, and whether this version of the course can work in it.

A layout is what stands where in a class, and in what form. It changes seldom: a class keeps its own until `autograde
upgrade`, and no other command works in one that it may misread. `layout.json` says which one it is; a class without
that file was made before version 1.0, and has layout 0.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from shlex import quote

from autograde.files import write_atomically
from autograde.folders import ClassFolder

LAYOUT = 1
VERSION = "1.0.0"  # of the course, as pyproject.toml says it


class OtherLayout(ValueError):
    """A class that this version of the course cannot work in as it is: which one, and what to type."""


@dataclass(frozen=True)
class Made:
    """The layout of a class, and the version of the course that gave it to it."""

    layout: int
    version: str


def of(folder: ClassFolder) -> Made:
    """By what a class was made. Raises OtherLayout where its file cannot be read."""
    try:
        stored = json.loads(folder.layout.read_bytes())
        return Made(int(stored["layout"]), str(stored["version"]))
    except FileNotFoundError:
        return Made(0, "earlier than 1.0")
    except (ValueError, TypeError, KeyError) as error:
        raise OtherLayout(
            f'{folder.layout} cannot be read ({error!r}). To do: bring it back from a backup, or write {{"layout": N,'
            ' "version": "1.0.0"} into it, with the N of another class of the same age'
        ) from None


def there(folder: ClassFolder) -> bool:
    """Whether a class is in the folder: something that only the grader puts there."""
    return any(path.exists() for path in (folder.layout, folder.config, folder.release, folder.ledger))


def write(folder: ClassFolder) -> None:
    """Says that the class has this version's layout."""
    stored = {"layout": LAYOUT, "version": VERSION}
    write_atomically(folder.layout, json.dumps(stored) + "\n")


def explained(folder: ClassFolder) -> str:
    """Why this version cannot work in the class, and what to type; "" where it can, or where there is no class."""
    if not there(folder):
        return ""
    made = of(folder)
    here = f"this is version {VERSION}, with layout {LAYOUT}"
    if made.layout > LAYOUT:
        return (
            f"{folder.root} is a class of a newer version of the course ({made.version}, layout {made.layout}); {here}."
            " Nothing was changed. To do: update the course to that version or a later one (git pull, make course), and"
            " give the command again"
        )
    if made.layout < LAYOUT:
        command = f"autograde upgrade --class {quote(str(folder.root))}"
        return (
            f"{folder.root} is a class of an older version of the course ({made.version}, layout {made.layout});"
            f" {here}. Nothing was changed. To do: {command} --dry-run, which shows what would change, then {command}"
        )
    return ""


def require(folder: ClassFolder) -> None:
    """Raises OtherLayout where this version cannot work in the class."""
    if why := explained(folder):
        raise OtherLayout(why)
