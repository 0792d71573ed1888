"""The exercises and questions of the course, as the notebooks' check cells declare them.

Points, difficulty, importance and minutes stand in the check cells' metadata; `chapters/exercises.json` is made from
them by `python -m tools.notebooks`, so that they are known where no notebook file is at hand.
"""

import json
from collections.abc import Collection, Iterable
from dataclasses import dataclass
from functools import cache
from pathlib import Path

# The chapters that carry the story, as the page on ways through the course lists them.
SPINE = ("02-bahdanau", "04-dot-product", "05-multi-head", "06-transformer", "08-vit")
ANSWER, CHECK = "-answer", "-check"  # what stands behind an exercise's name in the grade_ids of its two cells
_FILE = Path(__file__).parent / "chapters" / "exercises.json"


@dataclass(frozen=True)
class Exercise:
    """One graded exercise or question. `number` is its label for people, `name` its identity for ever."""

    number: str
    name: str
    chapter: str  # the module's name, for example "bahdanau"
    notebook: str  # the file's stem and the assignment's name, for example "02-bahdanau"
    components: tuple[str, ...]  # names of the functions and classes asked for, or the answer's variable
    points: float
    difficulty: int
    importance: int
    minutes: int
    stretch: bool
    question: bool
    stub: str = ""  # what its cell leaves to be written, or the program with a fault that it holds; no docstrings

    @property
    def answer_id(self) -> str:
        """The grade_id of the cell that holds the answer."""
        return self.name + ANSWER

    @property
    def check_id(self) -> str:
        """The grade_id of the cell that checks it."""
        return self.name + CHECK


@cache
def exercises() -> tuple[Exercise, ...]:
    """All of them, in the order of the chapters."""
    return tuple(Exercise(**{**e, "components": tuple(e["components"])}) for e in json.loads(_FILE.read_text("utf-8")))


def exercise_of(grade_id: str) -> str:
    """The name of the exercise whose answer or check a cell is."""
    return grade_id.removesuffix(ANSWER).removesuffix(CHECK)


def meant(word: str, notebooks: Iterable[str]) -> list[str]:
    """Of notebooks' stems, which are assignments' names, those that a word means: "02-bahdanau", or "02"."""
    return [stem for stem in notebooks if word in (stem, stem.partition("-")[0])]


def tasks(wanted: Collection[str] = ()) -> list[Exercise]:
    """The exercises that ask for code: those that words mean by chapter, name or number, all for none. Raises
    ValueError with the words that mean none."""
    calls = {e: {e.chapter, e.name, e.number} for e in exercises() if not e.question}
    if unknown := sorted(set(wanted).difference(*calls.values())):
        chapters = ", ".join(dict.fromkeys(e.chapter for e in calls))
        raise ValueError(f"no chapter or exercise {', '.join(unknown)}; the chapters are {chapters}")
    return [e for e, called in calls.items() if not wanted or called.intersection(wanted)]


def by_number(number: str) -> Exercise:
    """The exercise with a label such as "2.1" or "2.q1". Raises ValueError naming the chapter's labels, also for a
    number without quotes that may be one of two: 6.10 is 6.1 to Python."""
    if isinstance(number, float) and f"{number}0" in {e.number for e in exercises()}:
        raise ValueError(f"without quotes {number} may be '{number}' or '{number}0': write one of them, in quotes")
    for exercise in exercises():
        if exercise.number == str(number):
            return exercise
    for exercise in exercises():
        if number == exercise.name or number in exercise.components:
            raise ValueError(f"exercises go by their number: {number} is {exercise.number!r}")
    chapter = str(number).split(".")[0]
    near = [e.number for e in exercises() if e.number.split(".")[0] == chapter] or [e.number for e in exercises()]
    raise ValueError(f"there is no exercise {number!r}; there are {', '.join(near)}")


def asking_for(component: str) -> Exercise | None:
    """The exercise that asks for a component, None for a name that no exercise asks for."""
    return next((e for e in exercises() if component in e.components and not e.question), None)


def of_component(component: str) -> Exercise:
    """The exercise that asks for a component. Raises ValueError for a name no exercise asks for."""
    if (exercise := asking_for(component)) is None:
        raise ValueError(f"no exercise of the course asks for {component!r}")
    return exercise
