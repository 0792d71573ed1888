"""`hint`: a ladder of three for each exercise. The texts stand in `course/chapters/<chapter>.toml`."""

from course.chapters import chapter
from course.exercises import by_number
from course.learner import progress, session


class Hint(str):
    """A hint that shows itself as Markdown."""

    def _repr_markdown_(self) -> str:
        return str(self)

    def __repr__(self) -> str:
        return str(self)


def hint(number: str) -> Hint:
    """The next hint for exercise `number`; each call goes one step further. Costs no points."""
    exercise = by_number(number)
    ladder = chapter(exercise.chapter)["hints"].get(exercise.name)
    if ladder is None:
        return Hint(f"There is no hint for {number}: a question's options are explained once you have chosen.")
    step = progress.next_hint(exercise.name, len(ladder)) if session.learning() else 1
    steps = "\n\n".join(f"**Hint {i} of {len(ladder)}.** {text.strip()}" for i, text in enumerate(ladder[:step], 1))
    rest = f"\n\nThat was the last one. The book's solution page of {exercise.notebook} has the rest."
    rest = "" if step < len(ladder) else rest
    return Hint(steps + rest)
