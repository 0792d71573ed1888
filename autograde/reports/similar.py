"""`autograde similar`: which answers of an assignment are equal, and which students' have unusual things in common.

The answers alone are compared, exercise by exercise, each with the cells that the student added and it uses: no stub,
no given cell, no output. Answers of the same tokens are one group. The others go through copydetect (winnowing:
Schleimer, Wilkerson and Aiken 2003), with every passage kept rather than a sample, so that the same class gives the
same page. Left out of the comparison is what says nothing: what stands in the stub, the reference or a right answer of
the answer bank, and what more than a few students wrote.

Two texts that are alike prove nothing. The page holds names and what students wrote: it is for those who teach.
"""

from __future__ import annotations

import io
import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from itertools import combinations, product

import nbformat
import numpy as np
from copydetect import CodeFingerprint, compare_files
from copydetect.utils import find_fingerprint_overlap, get_copied_slices
from pygments import token
from pygments.lexers import PythonLexer

from autograde import reference
from autograde.bank import reader
from autograde.folders import ClassFolder
from autograde.intake.intake import Intake
from autograde.intake.jail import Unread
from autograde.intake.marks import grade_id
from autograde.intake.matching import TOGETHER
from autograde.intake.merge import MergedNotebook
from autograde.intake.names import Names
from autograde.progress import Progress, silent
from autograde.reports.pages import rendered
from course.exercises import ANSWER, Exercise, tasks

PASSAGE = 25  # characters of code that make a passage, names and strings counted as one each: copydetect's own default
COMMON = 5  # students who wrote a passage, above which it is nobody's own
LEAST = 0.5  # of what is their own, what two answers must share to be listed
MOST_TEXT = 20_000  # characters of an answer that is compared
MOST_PAIRS = 100  # on the page
MOST_BLANK = 100  # characters of white space in a row that are looked at
_FILE = "answer.py"  # tells copydetect the language
_PYTHON = PythonLexer(stripnl=False)
_BLANK = re.compile(rf"\s{{{MOST_BLANK + 1},}}")
_ELSEWHERE = re.compile(rf"{TOGETHER} \w+\n\.\.\.")  # all that stands in a cell whose answer is in another
_BETWEEN = (token.Text, token.Comment, token.Literal.String.Doc)
# What copydetect writes as one character, and what it leaves out.
_ONE = (token.Name.Function, token.Name.Class, token.Comment.Preproc, token.Comment.Hashbang, token.Literal.String)
_ONE_AS_IT_IS = {token.Name, token.Name.Variable, token.Name.Attribute}
_NONE = (token.Text, token.Comment)


@dataclass(frozen=True)
class Group:
    """Students whose answers to an exercise are equal but for comments and layout. `known` says whose answer it is,
    where it is no student's own: the course's, or one of the right ones that its answer bank holds."""

    number: str
    name: str
    students: tuple[str, ...]
    text: str
    known: str = ""


@dataclass(frozen=True)
class Line:
    """A line of an answer, and whether it is in what two answers share."""

    text: str
    shared: bool


@dataclass(frozen=True)
class Shared:
    """What two answers to one exercise share: `size` in characters of code (names count as one), and as a share of what
    is each one's own, the smaller of the two."""

    number: str
    name: str
    size: int
    share: float
    texts: tuple[str, str]

    @property
    def sides(self) -> tuple[list[Line], list[Line]]:
        """Both texts by line."""
        left, right = (_fingerprint(text) for text in self.texts)
        overlap = find_fingerprint_overlap(left.hashes, right.hashes, left.hash_idx, right.hash_idx)
        return _lines(left, overlap[0]), _lines(right, overlap[1])


@dataclass
class Pair:
    """Two students, and the exercises in which their answers share much."""

    students: tuple[str, str]
    shared: list[Shared] = field(default_factory=list)

    @property
    def size(self) -> int:
        return sum(each.size for each in self.shared)


@dataclass
class Similar:
    """What an assignment's answers have in common. `aside` are (student, why) of what could not be compared."""

    assignment: str
    submissions: int = 0
    answers: int = 0
    groups: list[Group] = field(default_factory=list)
    pairs: list[Pair] = field(default_factory=list)
    aside: list[tuple[str, str]] = field(default_factory=list)

    @property
    def listed(self) -> list[Pair]:
        """The pairs on the page."""
        return self.pairs[:MOST_PAIRS]


def similar(folder: ClassFolder, assignment: str, progress: Progress = silent) -> Similar:
    """Compares the answers that lie in submissions/. Raises ValueError where none can be read on this machine, and
    BankError and Unfinished where the course itself is not whole."""
    notebook = nbformat.reads(folder.released(assignment).read_text("utf-8"), as_version=4)
    stubs = {grade_id(cell).removesuffix(ANSWER): cell.source for cell in notebook.cells if _is_answer(cell)}
    asked = [exercise for exercise in tasks() if exercise.notebook == assignment and exercise.name in stubs]
    similar_ones = Similar(assignment)
    by_exercise = _answers(folder, assignment, notebook, [exercise.name for exercise in asked], similar_ones, progress)
    pairs: dict[tuple[str, str], Pair] = {}
    for done, exercise in enumerate(asked):
        progress("comparing exercises", done, len(asked))
        texts = by_exercise[exercise.name]
        groups = _groups(exercise, texts)
        similar_ones.answers += len(texts)
        similar_ones.groups += [group for group in groups if len(group.students) > 1]
        own = [group for group in groups if not group.known]
        for students, shared in _compared(exercise, stubs[exercise.name], own):
            pairs.setdefault(students, Pair(students)).shared.append(shared)
    progress("comparing exercises", len(asked), len(asked))
    similar_ones.pairs = sorted(pairs.values(), key=lambda pair: (-len(pair.shared), -pair.size, pair.students))
    return similar_ones


def _is_answer(cell: nbformat.NotebookNode) -> bool:
    return bool(cell.metadata.get("nbgrader", {}).get("solution")) and grade_id(cell).endswith(ANSWER)


# ---------------------------------------------------------------- what was written


def _answers(
    folder: ClassFolder,
    assignment: str,
    notebook: nbformat.NotebookNode,
    asked: list[str],
    similar_ones: Similar,
    progress: Progress,
) -> dict[str, dict[str, str]]:
    """exercise -> student -> the answer's text, of those who wrote one. What cannot be compared is put aside."""
    written: dict[str, dict[str, str]] = {name: {} for name in asked}
    submissions = folder.submissions(assignment)
    similar_ones.submissions = len(submissions)
    broken = []
    with Intake(notebook) as intake:
        for done, (student, path) in enumerate(submissions):
            progress("reading submissions", done, len(submissions))
            seen = intake.receive(path, assignment)
            if seen.failed:
                broken.append(seen.failed)
            if seen.failed or seen.notebook is None:
                similar_ones.aside.append((student, seen.failed or seen.reason_for_instructor))
                continue
            try:
                merged = intake.merged(seen)
            except Unread as unread:
                similar_ones.aside.append((student, unread.instructor))
                continue
            for cell in merged.notebook.cells:
                name = grade_id(cell).removesuffix(ANSWER)
                if not _is_answer(cell) or name not in written or name in merged.unanswered:
                    continue
                if _ELSEWHERE.fullmatch(cell.source):
                    continue
                text = in_short(_with_what_it_uses(merged, name))
                if len(text) > MOST_TEXT:
                    similar_ones.aside.append((student, f"{name}: more than {MOST_TEXT:,} characters"))
                else:
                    written[name][student] = text
    progress("reading submissions", len(submissions), len(submissions))
    if broken and len(broken) == len(submissions):
        raise ValueError(f"no submission can be read on this machine: {broken[0]}. To do: `autograde doctor` says why")
    return written


def _with_what_it_uses(merged: MergedNotebook, exercise: str) -> str:
    """The text of an answer behind that of the added cells that it uses, through any depth, in their order."""
    nobodys = Names("", frozenset(), frozenset(), frozenset())
    taken = {cell.index for cell in merged.cells if cell.exercise == exercise}
    used = set[str]().union(*((cell.names or nobodys).used for cell in merged.cells if cell.index in taken))
    grown = True
    while grown:
        grown = False
        for cell in merged.cells:
            names = cell.names or nobodys
            if cell.kind == "added" and cell.index not in taken and names.defined & used:
                taken.add(cell.index)
                used |= names.used
                grown = True
    return "\n\n".join(merged.notebook.cells[index].source for index in sorted(taken))


def in_short(text: str) -> str:
    """The text with long runs of white space cut to the indentation behind them: a lexer looks through the whole of
    one from each of its places, and says nothing of it."""
    return _BLANK.sub(lambda run: "\n" * ("\n" in run[0]) + run[0].rpartition("\n")[2][-MOST_BLANK:], text)


def _groups(exercise: Exercise, texts: Mapping[str, str]) -> list[Group]:
    """The answers to an exercise, those that are equal together; the largest groups first."""
    origin = {_tokens(answer.source): f"a right answer of the bank, {answer.name!r}" for answer in _right(exercise)}
    origin[_tokens(reference.source(exercise.chapter, exercise.components))] = "the course's own solution"
    together: dict[tuple[str, ...], list[str]] = defaultdict(list)
    for student, text in texts.items():
        together[_tokens(text)].append(student)
    groups = [
        Group(exercise.number, exercise.name, tuple(sorted(students)), texts[min(students)], origin.get(tokens, ""))
        for tokens, students in together.items()
    ]
    return sorted(groups, key=lambda group: (-len(group.students), group.students))


def _right(exercise: Exercise) -> tuple[reader.Answer, ...]:
    return reader.find(exercise).correct


def _tokens(text: str) -> tuple[str, ...]:
    """A text's tokens without comments, docstrings and white space, all quotes alike. Nothing is parsed: any text has
    some."""
    tokens = _PYTHON.get_tokens(text)
    own = ((kind, value) for kind, value in tokens if not any(kind in between for between in _BETWEEN))
    return tuple('"' if kind in token.Literal.String and not value.strip("'\"") else value for kind, value in own)


# ---------------------------------------------------------------- what is in common


def _compared(exercise: Exercise, stub: str, groups: list[Group]) -> Iterator[tuple[tuple[str, str], Shared]]:
    """(two students, what their answers to the exercise share) of all who share much. `groups` are their answers."""
    given = [stub, reference.source(exercise.chapter, exercise.components)]
    left_out = set[int]().union(*(_fingerprint(text).hashes for text in given + [a.source for a in _right(exercise)]))
    wrote: Counter[int] = Counter()
    for group in groups:
        for passage in _fingerprint(group.text).hashes - left_out:
            wrote[passage] += len(group.students)
    left_out |= {passage for passage, students in wrote.items() if students > COMMON}
    own = [_fingerprint(group.text, left_out) for group in groups]
    holders: dict[int, list[int]] = defaultdict(list)  # passage -> places in `groups`: only what shares one is compared
    for place, fingerprint in enumerate(own):
        for passage in fingerprint.hashes:
            holders[passage].append(place)
    together = {pair for places in holders.values() for pair in combinations(places, 2)}
    together |= {(place, place) for places in holders.values() for place in places}
    for one, other in sorted(together):
        size, shares, _ = compare_files(own[one], own[other])
        share = float(min(shares))
        if share < LEAST:
            continue
        texts = groups[one].text, groups[other].text
        who = groups[one].students, groups[other].students
        for a, b in combinations(who[0], 2) if one == other else product(*who):
            ordered = texts if a < b else texts[::-1]
            shared = Shared(exercise.number, exercise.name, int(size), share, ordered)
            yield (min(a, b), max(a, b)), shared


def _fingerprint(text: str, left_out: set[int] | None = None) -> CodeFingerprint:
    """A text's passages but for those left out, every one of them (a window of one)."""
    passages = np.array(sorted(left_out or ()), dtype=np.int64)
    return CodeFingerprint(_FILE, PASSAGE, 1, passages, fp=io.StringIO(text))


def _lines(fingerprint: CodeFingerprint, places: np.ndarray) -> list[Line]:
    """A text by line, each marked where it is in passages that begin at these places of its filtered form.

    copydetect's own way back to the text loses count at the name of a class, so how much of its form each line gives
    is measured here. A token of several lines counts to its first.
    """
    lines = fingerprint.raw_code.rstrip("\n").split("\n")
    begin, end = get_copied_slices(places, PASSAGE)
    sizes, row = [0] * (len(lines) + 1), 0
    for kind, value in _PYTHON.get_tokens(fingerprint.raw_code):
        sizes[min(row, len(lines))] += _size(kind, value)
        row += value.count("\n")
    made, at = [], 0
    for line, size in zip(lines, sizes, strict=False):  # the last size is of what is behind them
        after = at + size
        shared = any(a < after and at < b for a, b in zip(begin, end, strict=True)) and after > at
        made.append(Line(line, shared))
        at = after
    return made


def _size(kind: token._TokenType, value: str) -> int:
    """How many characters copydetect makes of a token."""
    if kind in _ONE_AS_IT_IS or any(kind in one for one in _ONE):
        return 1
    return 0 if any(kind in none for none in _NONE) else len(value)


# ---------------------------------------------------------------- the page


def page(comparison: Similar) -> str:
    """The page, whole: it stands alone and runs nothing."""
    return rendered("similar", page=comparison, common=COMMON, least=round(100 * LEAST))
