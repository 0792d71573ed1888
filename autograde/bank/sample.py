"""`autograde sample`: a class of made-up submissions, right, partly right, wrong, broken and hostile, with the score
that each must get.

Every submission is made from the solutions and the banks, and says what was put in: a student's name here is a
description. What the grader gives is held against `expected`, which comes from what was put in and never from the
grader's own run.
"""

from __future__ import annotations

import copy
import json
import re
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from autograde import bank, reference
from autograde.files import write_atomically
from autograde.folders import ClassFolder
from autograde.intake import flags
from autograde.intake.marks import grade_id
from course.chapters import question
from course.checks.engine import Table
from course.exercises import ANSWER, Exercise, exercises
from course.key import Key

_KEYS = tuple(map(Key.public, (2, 3, 5, 7, 11)))  # from which a wrong answer's worth is told; the grader draws its own


@dataclass(frozen=True)
class MadeUp:
    """A file as a student might hand it in. `expected` is exercise -> points; `flags` are those that the grader must
    raise."""

    student: str
    what: str
    content: bytes
    expected: dict[str, float]
    flags: tuple[str, ...] = field(default=())

    @property
    def score(self) -> float:
        return round(sum(self.expected.values()), 2)


class Sheet:
    """An assignment's own notebook, to be filled in."""

    def __init__(self, content: bytes, assignment: str):
        self.notebook = json.loads(content)
        self.exercises = [e for e in exercises() if e.notebook == assignment]
        if not self.exercises:
            raise ValueError(f"no exercise of the course belongs to {assignment!r}")
        self.right = {e.name: right_answer(e) for e in self.exercises}
        self.full = {e.name: float(e.points) for e in self.exercises}
        self.tasks = [e for e in self.exercises if not e.question]

    def filled(self, answers: dict[str, str], edit: Callable[[list[dict]], list[dict] | None] | None = None) -> bytes:
        """The notebook with these answers in their cells; `edit` may then change the list of cells."""
        notebook = copy.deepcopy(self.notebook)
        for cell in notebook["cells"]:
            exercise = grade_id(cell).removesuffix(ANSWER)
            if grade_id(cell).endswith(ANSWER) and exercise in answers:
                cell["source"] = answers[exercise].splitlines(keepends=True)
        if edit is not None:
            notebook["cells"] = edit(notebook["cells"]) or notebook["cells"]
        return json.dumps(notebook, indent=1, ensure_ascii=False).encode()

    def only(self, names: list[str]) -> dict[str, float]:
        """Full points for these exercises; for the others what their stubs earn, which only a bug to find may."""
        return {e.name: self.full[e.name] if e.name in names else self.stub(e) for e in self.exercises}

    def stub(self, exercise: Exercise) -> float:
        """What the answer cell as handed out is worth."""
        if exercise.question:
            return 0.0
        cells = (cell for cell in self.notebook["cells"] if grade_id(cell) == exercise.answer_id)
        return worth(exercise, "".join(next(cells)["source"]), _KEYS[0])


def right_answer(exercise: Exercise) -> str:
    """The source of the right answer: the reference's, or the question's key."""
    if not exercise.question:
        return reference.source(exercise.chapter, exercise.components)
    return f"{exercise.components[0]} = {question(exercise.name, exercise.chapter)['answer']!r}"


def worth(exercise: Exercise, source: str, key: Key) -> float:
    """The points of an answer by its check, in this process, from a key."""
    table = Table(key, bank.observe(exercise, None, key), ())
    check = bank.check_of(exercise)
    return round(exercise.points * check.compare(bank.observe(exercise, source, key), table).fraction, 2)


def _added(source: str) -> dict:
    """A code cell that the student put in."""
    return {
        "cell_type": "code",
        "execution_count": None,
        "id": "added",
        "metadata": {},
        "outputs": [],
        "source": source.splitlines(keepends=True),
    }


def _slug(text: str) -> str:
    return re.sub(r"[^a-z0-9]+", "-", text.lower()).strip("-")[:60].strip("-")


def class_of(content: bytes, assignment: str) -> list[MadeUp]:
    """The sample class for one assignment, given its released notebook."""
    sheet = Sheet(content, assignment)
    made = [MadeUp("right", "every answer right", sheet.filled(sheet.right), sheet.full)]
    made += [_other_form(sheet, index) for index in (0, 1)]
    made += [_partly_right(sheet)]
    for index in range(4):
        made += _wrong(sheet, index, {each.student for each in made})
    made += [MadeUp("untouched", "handed in as it was handed out", content, sheet.only([]))]
    made += [_syntax_error(sheet), _unreadable(sheet), _deleted_cells(sheet), _duplicated_cells(sheet)]
    made += [_patches_tests(sheet), _reads_the_disk(sheet), _never_ends(sheet)]
    return made


def _other_form(sheet: Sheet, index: int) -> MadeUp:
    answers = dict(sheet.right)
    for exercise in sheet.tasks:
        correct = bank.find(exercise).correct
        answers[exercise.name] = correct[index % len(correct)].source
    what = "every answer right, each written differently from the reference"
    return MadeUp(f"right-other-form-{index + 1}", what, sheet.filled(answers), sheet.full)


def _half(sheet: Sheet) -> list[str]:
    """The first half of the exercises and of the questions: somebody who ran out of time. Something is always left: of
    one exercise and one question the question, and of a single exercise that."""
    asked = [e for e in sheet.exercises if e.question]
    half = [e.name for e in [*sheet.tasks[: (len(sheet.tasks) + 1) // 2], *asked[: (len(asked) + 1) // 2]]]
    return half if len(half) < len(sheet.exercises) else half[:-1]


def _partly_right(sheet: Sheet) -> MadeUp:
    half = _half(sheet)
    return MadeUp(
        "partly-right",
        "the first half right, the rest not begun",
        sheet.filled({name: sheet.right[name] for name in half}),
        sheet.only(half),
    )


def _wrong(sheet: Sheet, index: int, taken: set[str]) -> list[MadeUp]:
    """One wrong answer of the bank among right ones: it loses what its failing rows weigh, and no other answer does.

    None where others of the class have taken all that would do, as may be where there are fewer than four exercises.
    """
    exercise = sheet.tasks[index * len(sheet.tasks) // 4]
    wrongs = bank.find(exercise).wrong
    in_turn = [*wrongs[index % len(wrongs) :], *wrongs[: index % len(wrongs)]]
    left = [wrong for wrong in in_turn if f"wrong-{_slug(wrong.name)}" not in taken]
    for wrong in left:
        source = wrong.source
        points = {worth(exercise, source, key) for key in _KEYS}
        if len(points) == 1:  # the grader has a key of its own: only what no key changes can be expected of it
            what = f"all right, except {exercise.number}: {wrong.name}"
            expected = sheet.full | {exercise.name: points.pop()}
            content = sheet.filled(sheet.right | {exercise.name: source})
            return [MadeUp(f"wrong-{_slug(wrong.name)}", what, content, expected)]
    if len(left) < len(wrongs):
        return []
    raise ValueError(f"{exercise.name}: the points of every wrong answer depend on the key")


def _syntax_error(sheet: Sheet) -> MadeUp:
    exercise = sheet.tasks[len(sheet.tasks) // 2]
    broken = f"def {exercise.components[0]}(:\n    return 'a colon too early'"
    expected = sheet.full | {exercise.name: 0.0}
    return MadeUp(
        "syntax-error",
        f"all right, except a syntax error in {exercise.number}",
        sheet.filled(sheet.right | {exercise.name: broken}),
        expected,
    )


def _unreadable(sheet: Sheet) -> MadeUp:
    content = sheet.filled(sheet.right)
    middle = content.index(b"\n", len(content) // 2) + 1
    nothing = dict.fromkeys(sheet.full, 0.0)
    conflict = b"<<<<<<< HEAD\n" + content[middle : middle + 80] + b"\n=======\n"
    return MadeUp(
        "unreadable-file",
        "a merge conflict in the file itself",
        content[:middle] + conflict + content[middle:],
        nothing,
    )


def _deleted_cells(sheet: Sheet) -> MadeUp:
    """The check cell of the first exercise is gone (costs nothing), and the answer cell of the last (costs that
    answer)."""
    first, last = sheet.exercises[0], sheet.exercises[-1]
    gone = {first.check_id, last.answer_id}
    content = sheet.filled(sheet.right, lambda cells: [cell for cell in cells if grade_id(cell) not in gone])
    what = f"all right, but the check cell of {first.number} and the answer cell of {last.number} are deleted"
    return MadeUp("deleted-cells", what, content, sheet.full | {last.name: sheet.stub(last)})


def _duplicated_cells(sheet: Sheet) -> MadeUp:
    exercise = sheet.exercises[0]
    twice = {exercise.check_id, exercise.answer_id}
    content = sheet.filled(
        sheet.right,
        lambda cells: [copy.deepcopy(cell) for cell in cells for _ in range(2 if grade_id(cell) in twice else 1)],
    )
    return MadeUp("duplicated-cells", f"all right, with the cells of {exercise.number} copied", content, sheet.full)


# Not torch.equal: an honest answer that is itself a test (exercise 5.2) compares with it, and would be spoilt.
_PATCH = """\
import torch
import course
import course.checks.engine
torch.testing.assert_close = lambda *args, **kwargs: None
torch.allclose = lambda *args, **kwargs: True
course.check = check = lambda *args, **kwargs: 100.0
course.checks.engine.Check.judge = lambda *args, **kwargs: course.checks.engine.Verdict("pass", 1.0)
"""

_THIEF = '''\
import os
import sys


def _look_for(name):
    """The source of the first function or class of this name in any file of answers that can be read."""
    for root in (os.getcwd(), "/"):
        for folder, inside, files in os.walk(root):
            inside[:] = [d for d in inside if d not in ("proc", "sys", "dev", "site-packages", "usr")]
            for file in files:
                if any(word in folder for word in ("solutions", "bank", "source", "submissions", "autograded")):
                    text = open(os.path.join(folder, file), errors="replace").read()
                    if f"def {name}" in text or f"class {name}" in text:
                        return text
    return None


def _steal(name):
    text = _look_for(name)
    if text is None:
        raise LookupError(name)
    exec(text, globals())
'''


_LOOP = """\
    while True:
        try:
            while True:
                pass
        except BaseException:
            continue
"""


def _cheat(
    sheet: Sheet, student: str, what: str, cheat: str, rest: Callable[[Exercise], str | None], flag: tuple[str, ...]
) -> MadeUp:
    """The first half honestly right, the others by a trick whose honest worth is nothing."""
    half = _half(sheet)
    others = {e.name: rest(e) for e in sheet.exercises if e.name not in half}
    answers = {name: sheet.right[name] for name in half}
    answers |= {name: source for name, source in others.items() if source is not None}

    def put_in(cells: list[dict]) -> list[dict]:
        at = next(i for i, cell in enumerate(cells) if grade_id(cell).removesuffix(ANSWER) in others)
        return [*cells[:at], _added(cheat), *cells[at:]]

    return MadeUp(student, what, sheet.filled(answers, put_in), sheet.only(half), flag)


def _patches_tests(sheet: Sheet) -> MadeUp:
    def rest(exercise: Exercise) -> str | None:
        if exercise.question:
            return f"{exercise.components[0]} = type('Anything', (), {{'__eq__': lambda self, other: True}})()"
        return None  # why write it, when every comparison comes out well

    what = "half right, then replaces the functions that compare, and the check itself"
    return _cheat(sheet, "hostile-patches-the-tests", what, _PATCH, rest, (flags.PATCHES,))


def _reads_the_disk(sheet: Sheet) -> MadeUp:
    def rest(exercise: Exercise) -> str:
        if exercise.question:
            return f"{exercise.components[0]} = open('/etc/hostname').read()"
        return "\n".join(f"_steal({name!r})" for name in exercise.components)

    what = "half right, then looks for the answers on the disk"
    return _cheat(sheet, "hostile-reads-the-disk", what, _THIEF, rest, (flags.READS,))


def _never_ends(sheet: Sheet) -> MadeUp:
    """An answer that swallows every exception and goes on for ever. What stands before and after it is right and must
    count."""
    exercise = sheet.tasks[len(sheet.tasks) // 2]
    endless = "\n\n".join(f"def {name}(*args, **kwargs):\n{_LOOP}" for name in exercise.components)
    expected = sheet.full | {exercise.name: 0.0}
    what = f"all right, except that {exercise.number} never ends and swallows every exception"
    return MadeUp("hostile-never-ends", what, sheet.filled(sheet.right | {exercise.name: endless}), expected)


def sample(folder: ClassFolder, assignment: str) -> list[MadeUp]:
    """Fills class/submissions/ with the sample class for one assignment; files that are there already and the same are
    not touched."""
    made = class_of(folder.released(assignment).read_bytes(), assignment)
    for submission in made:
        target = folder.submitted / submission.student / assignment / f"{assignment}.ipynb"
        if not target.exists() or target.read_bytes() != submission.content:
            write_atomically(target, submission.content, lasting=False)
    return made


def write_expected(folder: ClassFolder, made: dict[str, list[MadeUp]]) -> Path:
    """class/sample.json: assignment -> student -> what it is, and the points it must get."""
    listed = {
        assignment: {
            h.student: {"what": h.what, "score": h.score, "points": h.expected, "flags": list(h.flags)}
            for h in submissions
        }
        for assignment, submissions in made.items()
    }
    target = folder.root / "sample.json"
    write_atomically(target, json.dumps(listed, indent=1, ensure_ascii=False) + "\n")
    return target
