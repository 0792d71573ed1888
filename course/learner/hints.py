"""`hint`: a ladder of three for each exercise. The texts stand in `course/chapters/<chapter>.toml`.

The calls are counted, so that each goes one step further. A hint that is opened by a click, in what a failed check
shows, needs no kernel and is not counted; nothing but the next call depends on the count.
"""

from course.chapters import chapter
from course.exercises import Exercise, by_number, exercises
from course.learner import place, progress, session


class Hint(str):
    """A hint that shows itself as Markdown."""

    def _repr_markdown_(self) -> str:
        return str(self)

    def __repr__(self) -> str:
        return str(self)


def _ladder(exercise: Exercise) -> list[str]:
    """The three texts, from the first; none for a question."""
    return chapter(exercise.chapter)["hints"].get(exercise.name, [])


def left(exercise: Exercise) -> list[tuple[int, str]]:
    """The hints that no call has given yet, each with its step; the last one again where all have been given."""
    texts = list(enumerate(_ladder(exercise), 1))
    given = progress.read()["exercises"].get(exercise.name, {}).get("hints", 0)
    return texts[given:] or texts[-1:]


def _open() -> Exercise | None:
    """The exercise that somebody who names none needs a hint for: the one checked last, if it is open; else the first
    open one of the notebook, or of the course where it is not known which notebook runs."""
    state = progress.read()["exercises"]

    def first(those: list[Exercise]) -> Exercise | None:
        there = [e for e in those if not e.question and "passed" not in state.get(e.name, {})]
        return min(there, key=lambda e: e.stretch, default=None)  # stretch ones come last; else in their order

    notebook = session.notebook() or (session.checked[-1].notebook if session.checked else "")
    last = first(session.checked[-1:])
    return last or first([e for e in exercises() if e.notebook == notebook]) or first(list(exercises()))


def hint(number: str | None = None) -> Hint:
    """The next hint for exercise `number`, or for the next open one where none is named; each call goes one step
    further. Costs no points."""
    exercise = _open() if number is None else by_number(number)
    next_hint = (
        _hint(exercise) if exercise is not None else Hint("Every exercise has passed: there is nothing to hint at.")
    )
    if session.learning():
        place.show({"text/plain": str(next_hint), "text/markdown": str(next_hint)}, "hint")
    return next_hint


def _hint(exercise: Exercise) -> Hint:
    ladder = _ladder(exercise)
    if not ladder:
        return Hint(f"There is no hint for {exercise.number}: a question is explained once you have answered it.")
    step = progress.next_hint(exercise.name, len(ladder)) if session.learning() else 1
    steps = [f"**Exercise {exercise.number}, hint {i} of {len(ladder)}.** {t.strip()}" for i, t in enumerate(ladder, 1)]
    page = session.solution_page(exercise)
    named = f"[solution page]({page})" if page else "solution page"
    rest = f"That was the last one. The book's {named} of {exercise.notebook} has the rest."
    return Hint("\n\n".join(steps[:step] + ([rest] if step == len(ladder) else [])))
