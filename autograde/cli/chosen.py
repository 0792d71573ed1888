"""Which class, assignments and students the words of a command mean; where they mean none, the command stops and says
which there are."""

from __future__ import annotations

import difflib
import re
from collections import Counter
from collections.abc import Collection, Iterable
from pathlib import Path

from autograde.folders import ClassFolder
from autograde.terminal import stop
from course.exercises import exercise_of, exercises, meant


def class_at(where: Path, any_layout: bool = False) -> ClassFolder:
    """The folder of a class that there is."""
    from autograde import layout

    folder = ClassFolder.at(where)
    if not folder.root.is_dir() or (any_layout and not layout.there(folder)):
        raise stop(f"there is no class in {folder.root}: run `autograde release`, or say --class where the class is")
    if not any_layout:
        require_layout(folder)
    return folder


def require_layout(folder: ClassFolder) -> None:
    """Stops where another version of the course made the class, with what to type."""
    from autograde import layout

    try:
        layout.require(folder)
    except layout.OtherLayout as error:
        raise stop(error) from None


def assignments(folder: ClassFolder, given: list[str] | None) -> list[str]:
    """The assignments meant by names or numbers; all that are released, where none is."""
    require_layout(folder)
    released = folder.assignments()
    if not released:
        raise stop(
            f"nothing is released in {folder.root}: run `autograde release` first, or say --class where the class is"
        )
    return all_meant(given or released, released, "assignment")


def all_meant(words: Iterable[str], names: Collection[str], kind: str) -> list[str]:
    """The names that words mean, each once. Stops at a word that means none."""
    matches: list[str] = []
    for word in words:
        match = meant(word, names)
        if not match:
            raise stop(f"no {kind} {word!r}; there are {', '.join(names)}")
        matches += match
    return list(dict.fromkeys(matches))


def assignment_of(file: Path, assignment: str | None) -> str:
    """The assignment that a file answers: as said; else by the graded cells in it; else by the file's name or its
    folder's."""
    assignments = sorted({exercise.notebook for exercise in exercises()})
    if assignment:
        return all_meant([assignment], assignments, "assignment")[0]
    held = _held(file)
    for word in [*held, file.stem, file.resolve().parent.name]:
        if match := meant(word, assignments):
            return match[0]
    raise stop(f"which assignment is {file.name}? Say --assignment; there are {', '.join(assignments)}")


def _held(file: Path) -> list[str]:
    """The assignment that most of a file's graded cells belong to, found in its text, which may be damaged; none where
    no cell is known. Of a folder: of the notebooks in it."""
    of = {exercise.name: exercise.notebook for exercise in exercises()}
    paths = [file] if file.is_file() else [path for path in file.glob("*.ipynb") if path.is_file()]
    texts = [path.read_text("utf-8", errors="replace") for path in paths]
    names = map(exercise_of, re.findall(r'"grade_id"\s*:\s*"([\w-]+)"', "\n".join(texts)))
    counted = Counter(of[name] for name in names if name in of)
    return [notebook for notebook, _ in counted.most_common(1)]


def require_student(folder: ClassFolder, student: str, *assignments: str) -> None:
    """Raises ValueError, with those of nearly that name, for somebody whom neither submissions/, the gradebook nor the
    roster knows."""
    from autograde.reports import summary as summing

    students = set().union(*(summing.students(folder, assignment) for assignment in assignments))
    if student not in students:
        near = did_you_mean(student, students)
        raise ValueError(f"no student {student!r} in submissions/, the gradebook or the roster{near}")


def did_you_mean(student: str, names: Iterable[str]) -> str:
    """A question that names those of nearly this name, "" where there is nobody."""
    from autograde.intake.people import folded, spelled_apart

    wanted, of = folded(student), {name: folded(name) for name in names}
    near = [name for name in of if of[name].startswith(f"{wanted} (")]  # one of several of that name
    near = near or [name for name in of if of[name] == wanted]
    if not near:
        close = difflib.get_close_matches(wanted, set(of.values()), 3, 0.7)
        near = [name for name in of if of[name] in close]
    near = sorted(near)[:5]
    own, *others = spelled_apart(student, *near)
    proposals = " or ".join(f"{name}{other}" for name, other in zip(near, others, strict=True))
    typed = f" What was typed is {own[2:-1]}: copy the name from there." if own else ""
    return f"; did you mean {proposals}?{typed}" if near else ""
