"""What a child of the jail answers, and how far it is believed.

Its form is checked, its sentences are cut and made plain, and of its flags only those that there are count. What does
not hold is no answer.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from autograde.intake import flags, parse
from autograde.intake.merge import Merged, Piece, lay_out
from autograde.intake.names import Names
from autograde.intake.parse import Contents
from autograde.text import without_controls

if TYPE_CHECKING:
    from nbformat import NotebookNode

MAX_SENTENCES = 1_000
MAX_SENTENCE = 1_000  # characters

_TEXTS = [str]
_NAMES = {"bound": str, "used": str, "defined": str}  # with spaces between them
_PIECE = {"at": (None, int), "source": str, "run": (None, True, str), "names": (None, _NAMES)}
MERGED = {
    "pieces": [_PIECE],
    "notes": _TEXTS,
    "details": _TEXTS,
    "unanswered": _TEXTS,
    "untouched": bool,
    "edited": _TEXTS,
    "flags": _TEXTS,
}
READ = {
    "notebook": (None, dict),
    "notes": [[str]],
    "student": str,
    "instructor": str,
    "merged": (None, MERGED),
    "failed": str,
}


def contents_of(answer: dict[str, Any], assignment: NotebookNode | None) -> Contents:
    """What a child says of a file's bytes, where it can be so. Raises an exception of any kind where not."""
    notebook, merged = answer["notebook"], None
    if (notebook is None) != bool(answer["student"]) or (notebook and parse.clean(notebook) != notebook):
        raise ValueError("no notebook of ours")
    if (answer["merged"] is None) != (notebook is None or assignment is None):
        raise ValueError("nothing that is merged, or a notebook that is not")
    if assignment is not None and notebook is not None:
        merged = merged_of(answer["merged"])
        lay_out(assignment, merged)
    notes = [(sentence(student), sentence(instructor)) for student, instructor in answer["notes"][:MAX_SENTENCES]]
    return Contents(notebook, tuple(notes), sentence(answer["student"]), sentence(answer["instructor"]), merged)


def merged_of(answer: dict[str, Any]) -> Merged:
    """What a child says, whose form is right, as it counts: sentences cut and plain, flags that are flags."""
    ours = {*flags.ALL, flags.MARKS, flags.CHECKS}
    sentences = {side: tuple(map(sentence, answer[side][:MAX_SENTENCES])) for side in ("notes", "details")}
    return Merged(
        tuple(_piece(piece) for piece in answer["pieces"]),
        unanswered=frozenset(answer["unanswered"]),
        untouched=answer["untouched"],
        edited=tuple(flag for flag in answer["edited"] if flag in ours),
        flags=tuple(flag for flag in answer["flags"] if flag in ours),
        **sentences,
    )


def _piece(answer: dict[str, Any]) -> Piece:
    run = answer["source"] if answer["run"] is True else answer["run"]
    if (run is None) != (answer["names"] is None):
        raise ValueError("a text without names, or names without a text")
    names = (
        None if run is None else Names(run, **{kind: frozenset(text.split()) for kind, text in answer["names"].items()})
    )
    return Piece(answer["at"], answer["source"], run, names)


def sentence(text: str) -> str:
    return without_controls(text)[:MAX_SENTENCE]
