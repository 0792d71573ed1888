"""The answer bank: wrong and correct answers of every exercise, read from plain files.

One file an exercise, `autograde/bank/answers/<chapter>/<exercise>.py`, in the percent format that editors know:

    # %% wrong: steps per second
    # That is how many steps a second has. Each of them handles several items. See section 9.2.

    # --- before
        return items * num_steps / (clock() - start)
    # --- after
        return num_steps / (clock() - start)

    # %% correct: a loop over the rows

    def masked_softmax(scores, mask):
        ...

An answer is a whole cell's code, or what stands in the reference before and after the change: whole lines that occur
in it exactly once. Below a wrong answer's name stands its diagnosis: the likely cause and one next step, no code. A
mistake is one that a learner could really make; a correct answer is right in another form than the reference.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from autograde import reference
from course.exercises import Exercise

FOLDERS: tuple[Path, ...] = (Path(__file__).with_name("answers"),)  # tests add one of their own
_HEADER = re.compile(r"# %% (wrong|correct): (.+)")
_BEFORE, _AFTER = "# --- before", "# --- after"


class BankError(ValueError):
    """A file of the answer bank cannot be read, or does not fit its reference; names the file and the answer."""


@dataclass(frozen=True)
class Answer:
    """One answer: its name in the learner's words, its full source, and, of a wrong one, its diagnosis."""

    name: str
    source: str
    message: str = ""


@dataclass(frozen=True)
class Bank:
    """The wrong and correct answers of one exercise."""

    name: str
    wrong: tuple[Answer, ...]
    correct: tuple[Answer, ...]


def path_of(exercise: Exercise) -> Path:
    """Where the answers of an exercise stand."""
    places = [folder / exercise.chapter / f"{exercise.name}.py" for folder in FOLDERS]
    return next((path for path in places if path.exists()), places[0])


@cache
def find(exercise: Exercise) -> Bank:
    """The bank of an exercise. Raises BankError naming file and answer where it cannot be read or does not fit."""
    path = path_of(exercise)
    if not path.exists():
        raise BankError(f"{path} is missing: exercise {exercise.number} has no answer bank. See CONTRIBUTING.md")
    right = reference.source(exercise.chapter, exercise.components)
    return parse(path.read_text("utf-8"), right, exercise.name, path)


def parse(text: str, right: str, name: str, path: Path) -> Bank:
    """The bank that a file's text holds; `right` is the reference's source, which changed answers begin from."""
    answers: dict[str, list[Answer]] = {"wrong": [], "correct": []}
    header: re.Match[str] | None = None
    lines: list[str] = []

    def close() -> None:
        if header is None:
            if any(line and not line.startswith("#") for line in lines):
                raise BankError(f"{path}: code before the first answer; an answer begins with `# %% wrong: its name`")
            return
        kind, title = header.groups()
        try:
            answer = _answer(title, lines, right, diagnosed=kind == "wrong")
        except BankError as error:
            raise BankError(f"{path}, {kind} answer {title!r}: {error}") from None
        if title in {each.name for each in answers[kind]}:
            raise BankError(f"{path}: two {kind} answers have the name {title!r}")
        answers[kind].append(answer)

    for line in text.splitlines():
        if line.startswith("# %%"):
            close()
            header, lines = _HEADER.fullmatch(line), []
            if header is None:
                raise BankError(f"{path}: {line!r} begins no answer; write `# %% wrong: name` or `# %% correct: name`")
        else:
            lines.append(line)
    close()
    return Bank(name, tuple(answers["wrong"]), tuple(answers["correct"]))


def _answer(name: str, lines: list[str], right: str, diagnosed: bool) -> Answer:
    """An answer from the lines below its header: a diagnosis in comments up to the first empty line, then its code."""
    count = next((i for i, line in enumerate(lines) if not line.startswith("#")), len(lines))
    if count < len(lines) and lines[count].strip():
        count = 0  # a comment right above code belongs to it
    message = " ".join(line[1:].strip() for line in lines[:count])
    if diagnosed != bool(message):
        problem = "a diagnosis is missing below the name" if diagnosed else "a correct answer has no diagnosis"
        raise BankError(f"{problem} (comment lines, then an empty line)")
    body = "\n".join(lines[count:]).strip("\n")
    if body.startswith(_BEFORE + "\n"):
        return Answer(name, _changed(right, body), message)
    if not body.strip():
        raise BankError("there is no code")
    return Answer(name, body, message)


def _changed(right: str, body: str) -> str:
    """The reference with each block of lines replaced. Raises BankError where one does not occur exactly once."""
    source = right.split("\n")
    for change in re.split(rf"^{_BEFORE}\n", body, flags=re.MULTILINE)[1:]:
        before, marker, after = change.partition(f"{_AFTER}\n") if f"{_AFTER}\n" in change else change.partition(_AFTER)
        if not marker:
            raise BankError(f"`{_BEFORE}` without `{_AFTER}`")
        old, new = before.strip("\n").split("\n"), after.strip("\n").split("\n") if after.strip("\n") else []
        places = [i for i in range(len(source) - len(old) + 1) if source[i : i + len(old)] == old]
        if len(places) != 1:
            raise BankError(f"these lines stand in the reference {len(places)} times, not once:\n{before.rstrip()}")
        source[places[0] : places[0] + len(old)] = new
    return "\n".join(source)
