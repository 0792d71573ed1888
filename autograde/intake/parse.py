"""Reads a submission's folder as hostile data: what comes out is a small clean notebook, or a plain reason
why there is none.

Nothing here runs, follows a link, unpacks anything or keeps an output. `receive` never raises, whatever it is given.
What the bytes of a file say is `contents`, which needs the standard library alone: the grader has it looked at in a
child without rights (`intake.jail`), and never parses a file of a student's in its own process.
"""

from __future__ import annotations

import errno
import hashlib
import json
import os
import re
import stat
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from autograde.text import in_one_line

if TYPE_CHECKING:
    import nbformat

    from autograde.intake.merge import Merged

MAX_BYTES = 256 << 20  # a notebook with a hundred megabytes of images in it is still read
MAX_TOKENS = 10_000_000  # commas and brackets: what a file of this size could unfold to in memory
MAX_CELLS = 5_000
MAX_SOURCE = 1 << 20  # characters of one cell
MAX_SOURCES = 8 << 20  # characters of all cells
MAX_ENTRIES = 2_000  # files and folders looked at
MAX_DEPTH = 6
MAX_LOOKED = 2 * MAX_BYTES  # bytes of all notebooks in one submission that are looked at, to choose one
STAMP = "timestamp.txt"  # nbgrader's: the moment of handing in, as text
SEVERAL = "several notebooks"
NO_FILE = hashlib.sha256().hexdigest()  # stands for a submission in which no notebook was found
# What a file of a student's, or its name, can itself be the reason for; any other error of the system is the machine's.
_ITS_OWN = {errno.ELOOP, errno.ENAMETOOLONG, errno.ENOENT, errno.ENOTDIR, errno.ENXIO, errno.EINVAL}
_FITS = 8 << 20  # bytes of a file whose reading cannot take the memory that a reader has: then there was less
_NAMED = 100  # doubled keys that are looked at, of which a few are named
_NOTEBOOK = re.compile(r"\.ipynb(\.txt|\.json)?$", re.IGNORECASE)  # some browsers add the second ending
_SKIPPED = {"__MACOSX", "__pycache__"}  # and everything hidden, such as .ipynb_checkpoints


@dataclass(frozen=True)
class Received:
    """What came out of a submission's folder: a notebook, or the reason why there is none.

    `notebook` is nbformat 4 with nothing in its cells but type, id, text, and nbgrader's marks (see `_marks`); None
    where it could not be read.
    `notes` are sentences for the student, `details` the same things for the instructor, `flags` what a person should
    look at. `sha256` is of the file's bytes (`NO_FILE` where there is none), `name` its name relative to the folder.
    `failed` says why the machine could not read it, which no student is to blame for: it has no verdict then.
    """

    notebook: nbformat.NotebookNode | None
    sha256: str
    name: str = ""
    notes: tuple[str, ...] = ()
    details: tuple[str, ...] = ()
    reason_for_student: str = ""
    reason_for_instructor: str = ""
    flags: tuple[str, ...] = ()
    empty: bool = False  # there is no file at all
    merged: Merged | None = field(default=None, compare=False, repr=False)  # its cells in the assignment's order
    failed: str = ""


@dataclass(frozen=True)
class Contents:
    """What the bytes of a file say: the clean notebook as plain dictionaries, or why there is none (`student`,
    `instructor`). `notes` are pairs of sentences, for the student and for the instructor. `merged` says what of it
    belongs where in the assignment, for whoever has asked that too. `failed` is as in `Received`.
    """

    notebook: dict[str, Any] | None
    notes: tuple[tuple[str, str], ...] = ()
    student: str = ""
    instructor: str = ""
    merged: Merged | None = None
    failed: str = ""


class _Refused(Exception):
    """Carries the two reasons why a submission cannot be read: the student's and the instructor's."""

    def __init__(self, student: str, instructor: str):
        super().__init__(student, instructor)
        self.student, self.instructor = student, instructor


@dataclass
class _Reading:
    """What is found on the way, for the result to carry."""

    sha256: str = NO_FILE
    name: str = ""
    notes: list[str] = field(default_factory=list)
    details: list[str] = field(default_factory=list)
    flags: list[str] = field(default_factory=list)
    empty: bool = False

    def note(self, student: str, instructor: str) -> None:
        self.notes.append(student)
        self.details.append(instructor)


def contents(data: bytes) -> Contents:
    """What a file of these bytes holds. Never raises: what goes wrong is the reason."""
    reading, notebook, student, instructor, failed = _Reading(), None, "", "", ""
    try:
        notebook = _clean(_parse(data, reading), reading)
    except Exception as error:
        if isinstance(error, OSError) or (isinstance(error, MemoryError) and len(data) <= _FITS):
            failed = f"a file of {len(data)} bytes cannot be read here: {_safe(error) or type(error).__name__}"
        else:
            student, instructor = _reasons(error)
    notes = tuple(zip(reading.notes, reading.details, strict=True))
    return Contents(notebook, notes, student, instructor, failed=failed)


def receive(
    path: str | os.PathLike[str], assignment: str, contents: Callable[[bytes], Contents] = contents
) -> Received:
    """The notebook of the submission at `path`: a folder, in which "<assignment>.ipynb" should be, or the file itself.

    A notebook under another name or in a sub-folder is taken too; of several, see `_choose`. Never raises, but what
    `contents` does: it says what the bytes hold.
    """
    reading = _Reading()
    try:
        data = _file_to_grade(Path(path), f"{assignment}.ipynb", reading)
    except OSError as error:
        result = Contents(None, failed=f"{_safe(error.filename or path)} cannot be read here: {_safe(error.strerror)}")
    except Exception as error:  # the last line of defence: one submission never stops a run
        result = Contents(None, (), *_reasons(error))
    else:
        result = contents(data)
    return Received(
        _as_notebook(result.notebook),
        reading.sha256,
        reading.name,
        (*reading.notes, *(student for student, _ in result.notes)),
        (*reading.details, *(instructor for _, instructor in result.notes)),
        result.student,
        result.instructor,
        tuple(reading.flags),
        reading.empty,
        result.merged,
        result.failed,
    )


def digest(path: str | os.PathLike[str], assignment: str) -> tuple[str, str]:
    """(SHA-256 of the file that `receive` would read, its name): `NO_FILE` and "" where there is none. Never raises."""
    seen = receive(path, assignment, lambda data: Contents(None))
    return seen.sha256, seen.name


def _reasons(error: Exception) -> tuple[str, str]:
    """(for the student, for the instructor): why nothing could be read."""
    if isinstance(error, _Refused):
        return error.student, error.instructor
    if isinstance(error, RecursionError):
        reason = "Your file is nested too deeply to be a notebook. Open it in JupyterLab, save it and hand it in again."
        return reason, "JSON nested too deeply"
    if isinstance(error, MemoryError):
        reason = "Your notebook is too large to be read. Clear its outputs, save it and hand it in again."
        return reason, "memory ran out while it was read"
    reason = "Your notebook could not be read. Open it in JupyterLab, save it and hand it in again."
    return reason, f"{type(error).__name__}: {_safe(error)}"


def _as_notebook(content: dict[str, Any] | None) -> nbformat.NotebookNode | None:
    import nbformat  # seconds to import, and of no use where only bytes are looked at

    return None if content is None else nbformat.from_dict(content)


def _file_to_grade(path: Path, expected: str, reading: _Reading) -> bytes:
    """The bytes of the file to grade."""
    files = list(_regular_files(path, reading)) if _is_folder(path) else [path.name]
    folder = path if _is_folder(path) else path.parent
    notebooks = [name for name in files if _NOTEBOOK.search(name)]
    if not notebooks:
        raise _Refused(_nothing_found(files, expected, reading), f"no notebook among {_listed(files) or 'no files'}")
    name, data = _choose(notebooks, expected, lambda name: _bytes(folder, name, reading))
    reading.sha256, reading.name = hashlib.sha256(data).hexdigest(), _safe(name)
    if len(notebooks) > 1:
        others = _listed([other for other in notebooks if other != name])
        reading.note(
            f"You handed in several notebooks; {_safe(name)} was graded. Hand in one only.",
            f"{len(notebooks)} notebooks; graded {_safe(name)}, left aside {others}",
        )
        reading.flags.append(SEVERAL)
    elif name != expected:
        reading.note(
            f"Your notebook was found as {_safe(name)}; please hand it in as {expected}.",
            f"the notebook was found as {_safe(name)}",
        )
    return data


# ---------------------------------------------------------------- files


def _safe(text: object) -> str:
    """A name or message that can be printed, stored and put on a page whatever bytes it came from."""
    return re.sub(r"[\ue000-\uf8ff]", "?", in_one_line(str(text)[:200]))


def _listed(names: list[str]) -> str:
    more = f" and {len(names) - 5} more" if len(names) > 5 else ""
    return ", ".join(map(_safe, names[:5])) + more


def _unless_the_machines(error: Exception) -> None:
    """Raises an error of the system again that a student's file cannot be the reason for."""
    if isinstance(error, OSError) and error.errno not in _ITS_OWN:
        raise error


def _is_folder(path: Path) -> bool:
    """Whether the submission is a folder (or else a regular file). Refuses links, devices, and what is not there."""
    try:
        mode = os.lstat(path).st_mode
    except (OSError, ValueError) as error:
        _unless_the_machines(error)
        reason = f"the submission cannot be looked at: {_safe(error)}"
        raise _Refused("Nothing of yours was found to grade.", reason) from None
    if stat.S_ISLNK(mode):
        reason = "Your submission is a link. Hand in the notebook itself."
        raise _Refused(reason, "the submission's folder is a symbolic link")
    if not (stat.S_ISDIR(mode) or stat.S_ISREG(mode)):
        raise _Refused("Your submission is not a notebook.", f"neither a folder nor a file (mode {mode:o})")
    return stat.S_ISDIR(mode)


def _regular_files(folder: Path, reading: _Reading) -> Iterator[str]:
    """Regular files below the folder, as relative names in order; links and devices are noted and never opened."""
    waiting, seen = [("", 0)], 0
    while waiting:
        below, depth = waiting.pop(0)
        try:
            with os.scandir(folder / below) as entries:
                in_order = sorted(entries, key=lambda entry: (not _NOTEBOOK.search(entry.name), entry.name))
        except OSError as error:
            _unless_the_machines(error)
            reading.note(
                "A folder of your submission could not be opened.",
                f"{_safe(below) or 'the folder'}: {_safe(error.strerror)}",
            )
            continue
        for entry in in_order:
            seen += 1
            if seen > MAX_ENTRIES:
                reading.note(
                    "Your submission holds more files than are looked at.", f"more than {MAX_ENTRIES} files and folders"
                )
                return
            name = os.path.join(below, entry.name)
            if entry.name.startswith(".") or entry.name in _SKIPPED:
                continue
            mode = entry.stat(follow_symlinks=False).st_mode
            if stat.S_ISDIR(mode):
                if depth < MAX_DEPTH:
                    waiting.append((name, depth + 1))
            elif stat.S_ISREG(mode):
                yield name
            else:
                kind = "a link" if stat.S_ISLNK(mode) else "no ordinary file"
                reading.note(
                    f"{_safe(name)} is {kind} and was left aside.", f"refused {_safe(name)}: {kind} (mode {mode:o})"
                )


def _nothing_found(files: list[str], expected: str, reading: _Reading) -> str:
    packed = [name for name in files if name.lower().endswith((".zip", ".tar", ".gz", ".tgz", ".7z", ".rar"))]
    if packed:
        return f"You handed in {_safe(packed[0])}; hand in the notebook {expected} itself, not an archive."
    if files:
        return f"There is no notebook in what you handed in ({_listed(files)}); hand in {expected}."
    if reading.notes:
        return f"{reading.notes[0]} Hand in the file {expected} itself."
    reading.empty = True
    return f"Nothing was handed in: the folder is empty. Hand in {expected}."


def _bytes(folder: Path, name: str, reading: _Reading) -> bytes:
    """The file's content, by a descriptor that is known to be a regular file's."""
    try:
        descriptor = os.open(folder / name, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    except OSError as error:
        _unless_the_machines(error)
        raise _Refused(
            f"{_safe(name)} could not be opened; hand it in again.", f"{_safe(name)}: {_safe(error.strerror)}"
        ) from None
    with os.fdopen(descriptor, "rb") as file:
        status = os.fstat(descriptor)
        if not stat.S_ISREG(status.st_mode):
            raise _Refused(f"{_safe(name)} is not an ordinary file.", f"{_safe(name)} has mode {status.st_mode:o}")
        if status.st_nlink > 1:
            reading.note(
                f"{_safe(name)} was read.", f"{_safe(name)} has {status.st_nlink} names on this disk (hard links)"
            )
        data = file.read(MAX_BYTES + 1)
    if len(data) > MAX_BYTES:
        raise _Refused(
            f"{_safe(name)} is larger than {MAX_BYTES >> 20} MB. Clear its outputs, save it and hand it in again.",
            f"{_safe(name)} has {status.st_size} bytes",
        )
    return data


def _choose(names: list[str], expected: str, read: Callable[[str], bytes]) -> tuple[str, bytes]:
    """The notebook to grade: the expected name before others, then the most marks of our cells, then the outermost,
    then by name; an empty file after all. Raises what `read` does where no other file has as good a name.

    "02-bahdanau (1).ipynb" or "Copy of 02-bahdanau.ipynb" comes after the exact name and before strangers. However
    many there are, all are ranked; only those that may be chosen are read, the likeliest first.
    """
    stem = expected.removesuffix(".ipynb").lower()

    def kinship(name: str) -> int:
        base = os.path.basename(name)
        return 0 if base == expected else 1 if base.lower() == expected.lower() else 2 if stem in base.lower() else 3

    best: tuple[tuple, str, bytes] | None = None
    refused: tuple[int, _Refused] | None = None
    left = MAX_LOOKED
    for name in sorted(names, key=lambda name: (kinship(name), name.count(os.sep), name)):
        if best is not None and (left < 0 or best[0] < (False, kinship(name))):
            break
        try:
            data = read(name)
        except _Refused as error:
            refused = refused or (kinship(name), error)
            continue
        left -= len(data)
        rank = (not data.strip(), kinship(name), -data.count(b'"grade_id"'), name.count(os.sep), name)
        if best is None or rank < best[0]:
            best = rank, name, data
    if refused is not None and (best is None or best[0] > (False, refused[0] + 1)):
        raise refused[1]
    assert best is not None, "no names"
    return best[1], best[2]


def handed_in_at(folder: Path) -> str:
    """The moment in the submission's timestamp.txt, as text; "" where there is none that nbgrader can read."""
    try:
        descriptor = os.open(folder / STAMP, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
        with os.fdopen(descriptor, "rb") as file:
            return readable_moment(file.read(200)) if stat.S_ISREG(os.fstat(descriptor).st_mode) else ""
    except (OSError, ValueError):
        return ""


def readable_moment(data: bytes) -> str:
    """The text where nbgrader can read it as a moment, else "". What its own reading raises would stop everything."""
    from nbgrader.utils import parse_utc  # which brings all of nbgrader along

    try:
        text = data.decode("ascii").strip()
        return text if text and parse_utc(text).year > 1900 else ""
    except Exception:  # dateutil raises many kinds
        return ""


# ---------------------------------------------------------------- JSON


def _parse(data: bytes, reading: _Reading) -> dict[str, Any]:
    if not data.strip(b"\0 \t\r\n"):
        raise _Refused("Your notebook is an empty file. Save it in JupyterLab and hand it in again.", "empty file")
    # a smaller file cannot hold as many
    if len(data) > MAX_TOKENS and sum(map(data.count, (b",", b"[", b"{"))) > MAX_TOKENS:
        raise _Refused(
            "Your notebook is too large to be read. Clear its outputs, save it and hand it in again.",
            f"more than {MAX_TOKENS} JSON values",
        )
    text = _text(data, reading)
    try:
        value = _json(text, reading)
    except ValueError as error:
        value = _without_conflict(text, error, reading)
    if not isinstance(value, dict):
        raise _Refused(
            "Your file is not a notebook. Hand in the .ipynb that you worked in.", f"JSON, but a {type(value).__name__}"
        )
    return value


def _text(data: bytes, reading: _Reading) -> str:
    for encoding in ("utf-8-sig", "utf-16"):
        if encoding == "utf-16" and data[:2] not in (b"\xff\xfe", b"\xfe\xff"):
            continue
        try:
            return data.decode(encoding)
        except UnicodeDecodeError:
            continue
    reading.note(
        "Some letters of your notebook could not be read; it was not saved as UTF-8.", "not UTF-8: read as Latin-1"
    )
    return data.decode("latin-1")


def _json(text: str, reading: _Reading) -> Any:
    """Parse strictly but for NaN and infinities, which notebooks' outputs hold in practice. Raises ValueError."""
    doubled: set[str] = set()

    def pairs(items: list[tuple[str, Any]]) -> dict[str, Any]:
        mapping = dict(items)
        if len(mapping) < len(items) and len(doubled) < _NAMED:
            met: set[str] = set()
            for name, _ in items:
                if name in met and len(doubled) < _NAMED:
                    doubled.add(_safe(name))
                met.add(name)
        return mapping

    def integer(digits: str) -> int:
        return int(digits) if len(digits) < 20 else 0

    value = json.loads(text, object_pairs_hook=pairs, parse_constant=lambda name: None, parse_int=integer)
    if doubled:
        reading.note(
            "Your notebook file holds some entries twice; the last of each was read, as JupyterLab does.",
            f"duplicated JSON keys: {', '.join(sorted(doubled)[:5])}",
        )
    return value


def _without_conflict(text: str, error: ValueError, reading: _Reading) -> Any:
    """The notebook under a merge conflict's marks, if both sides hold the same text in their cells; else a refusal."""
    if not re.search(r"^<{7}", text, re.MULTILINE):
        where = f"line {error.lineno}" if isinstance(error, json.JSONDecodeError) else "it"
        cut = " It looks cut short." if _cut_short(text, error) else ""
        raise _Refused(
            f"Your notebook file is damaged and could not be read.{cut} "
            "Open it in JupyterLab, save it and hand it in again.",
            f"not JSON ({where}): {_safe(error)}",
        ) from None
    try:
        sides = [_json(_side(text, side), reading) for side in ("ours", "theirs")]
        same = _texts(sides[0]) == _texts(sides[1]) is not None
    except (ValueError, RecursionError):
        same = False
    if not same:
        raise _Refused(
            "Your notebook holds the marks of an unresolved merge (<<<<<<<). Resolve them, see that it opens in "
            "JupyterLab, and hand it in again.",
            "merge conflict whose sides differ in the cells' text, or do not parse",
        )
    reading.note(
        "Your notebook held the marks of an unresolved merge; both sides had the same cells, so it was graded.",
        "merge conflict in outputs or metadata only: graded",
    )
    return sides[0]


def _side(text: str, wanted: str) -> str:
    """The text with one side of each conflict: "ours" above the line of =======, "theirs" below it."""
    kept, side = [], ""
    for line in text.splitlines(keepends=True):
        if line.startswith("<<<<<<<"):
            side = "ours"
        elif line.startswith("|||||||") and side:
            side = "base"
        elif line.startswith("=======") and side:
            side = "theirs"
        elif line.startswith(">>>>>>>") and side:
            side = ""
        elif side in ("", wanted):
            kept.append(line)
    return "".join(kept)


def _cut_short(text: str, error: ValueError) -> bool:
    """Whether the file simply ends too early."""
    if not isinstance(error, json.JSONDecodeError):
        return False
    return error.msg.startswith("Unterminated string") or error.pos >= len(text.rstrip()) - 1


def _texts(notebook: Any) -> list | None:
    if not isinstance(notebook, dict) or not isinstance(notebook.get("cells"), list):
        return None
    return [(cell.get("cell_type"), cell.get("source")) for cell in notebook["cells"] if isinstance(cell, dict)]


# ---------------------------------------------------------------- the notebook


def clean(content: dict[str, Any]) -> dict[str, Any]:
    """A notebook of our own making of the JSON that a child says a notebook is: the same where it is one that
    `contents` gives. Raises an exception of any kind where it is not.
    """
    return _clean(content, _Reading())


def _clean(content: dict[str, Any], reading: _Reading) -> dict[str, Any]:
    """A notebook of our own making with the cells' type, id, text and grade_id, and nothing else of the file's."""
    cells = _cells(content, reading)
    if len(cells) > MAX_CELLS:
        raise _Refused(
            f"Your notebook has more than {MAX_CELLS} cells. Remove those you do not need and hand it in again.",
            f"{len(cells)} cells",
        )
    kept, total, odd = [], 0, 0
    for cell in cells:
        source = _source(cell)
        if source is None:
            odd += 1
            continue
        total += len(source)
        if len(source) > MAX_SOURCE or total > MAX_SOURCES:
            raise _Refused(
                "The text of your notebook's cells is too large to be read. Remove what is no part of your answers and "
                "hand it in again.",
                f"a cell of {len(source)} characters, {total} so far",
            )
        kind, identifier = cell.get("cell_type"), _identifier(cell.get("id"))
        kept.append(
            {"cell_type": kind if kind in ("code", "markdown", "raw") else "raw", "source": source}
            | {"metadata": _marks(cell)}
            | ({"id": identifier} if identifier else {})
        )
    if odd:
        reading.note(
            "Some cells of your notebook are damaged and were left aside.",
            f"{odd} entries that are no cells, left aside",
        )
    if not kept:
        raise _Refused(
            "Your notebook has no cells. Hand in the notebook that you worked in.", "a notebook without cells"
        )
    return {"nbformat": 4, "nbformat_minor": 5, "metadata": {}, "cells": kept}


def _cells(content: dict[str, Any], reading: _Reading) -> list[Any]:
    """The cells, of an old format too."""
    cells = content.get("cells")
    if isinstance(cells, list):
        return cells
    if isinstance(content.get("worksheets"), list) or content.get("nbformat") in (1, 2, 3):
        reading.note(
            "Your notebook is in an old format; save it with a current JupyterLab next time.",
            f"nbformat {_safe(content.get('nbformat'))}",
        )
        sheets = [sheet for sheet in _list(content.get("worksheets")) if isinstance(sheet, dict)]
        old = [cell for sheet in sheets for cell in _list(sheet.get("cells")) if isinstance(cell, dict)]
        return [
            {**cell, "source": cell.get("input", cell.get("source")), "cell_type": _OLD.get(str(cell.get("cell_type")))}
            for cell in old
        ]
    raise _Refused(
        "Your file is not a notebook. Hand in the .ipynb that you worked in.", "JSON without a list of cells"
    )


_OLD = {"code": "code", "markdown": "markdown", "heading": "markdown", "html": "raw", "raw": "raw"}


def _list(value: Any) -> list[Any]:
    return value if isinstance(value, list) else []


def _dict(value: Any) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}


def _source(cell: Any) -> str | None:
    """A cell's text, or None for what is no cell. The format allows a list of lines; lone surrogates are replaced."""
    if not isinstance(cell, dict):
        return None
    source = cell.get("source", "")
    if isinstance(source, list) and all(isinstance(line, str) for line in source):
        source = "".join(source)
    if not isinstance(source, str):
        return None
    source = source.replace("\r\n", "\n").replace("\r", "\n").replace("\0", "")
    return source.encode("utf-8", "replace").decode("utf-8")


_CLAIMS = {"grade": (bool,), "solution": (bool,), "points": (int, float)}


def _marks(cell: dict[str, Any]) -> dict[str, Any]:
    """Metadata with the cell's nbgrader name, by which it is found, and what else is said of it, which is compared with
    the assignment's own marks and never used in their place.
    """
    metadata = _dict(cell.get("metadata"))
    ours = _dict(metadata.get("nbgrader"))
    grade_id = ours.get("grade_id")
    if not (isinstance(grade_id, str) and re.fullmatch(r"[A-Za-z0-9_\-]{1,100}", grade_id)):
        return {}
    claims = {name: ours[name] for name, kinds in _CLAIMS.items() if type(ours.get(name)) in kinds}
    skipped = {"tags": ["skip-execution"]} if "skip-execution" in _list(metadata.get("tags")) else {}
    return {"nbgrader": {"grade_id": grade_id} | claims} | skipped


def _identifier(value: Any) -> str | None:
    return value if isinstance(value, str) and re.fullmatch(r"[A-Za-z0-9_\-]{1,64}", value) else None
