"""Questions: a number to compute, several choices at once, or an order. Keys stand in `course/chapters/*.toml`.

Every option is explained once the learner has committed to an answer. The point is given for the right answer at any
try.
"""

import numbers
import re
from typing import Any

from course.chapters import question as held
from course.exercises import Exercise
from course.verdict import YOUR_NUMBER, CaseVerdict, Outcome, Verdict

TRY_AGAIN = "Read what is said about the options, change your answer and run its check again."


def judge(exercise: Exercise, answer: Any) -> Verdict:
    """The verdict on an answer. A form that cannot be an answer is told as such and costs nothing."""
    question = held(exercise.name, exercise.chapter)
    if answer is None or answer is Ellipsis or type(answer).__name__ == "Foreign":
        return Verdict(
            Outcome.NOT_ANSWERED, message="Not answered yet. Put your answer in place of the dots in the cell above."
        )
    kind = question["kind"]
    if kind == "number":
        return _number(question, answer)
    return _choice(question, answer, ordered=kind == "order")


def _split(text: str, options: dict[str, str]) -> list[str]:
    """Choices written as one text: "a, b", or "ab" where every option is a letter."""
    words = [word for word in re.split(r"[\s,]+", text) if word]
    if len(words) == 1 and words[0].lower() not in map(str.lower, options) and all(len(o) == 1 for o in options):
        return list(words[0])
    return words


def _number(question: dict[str, Any], answer: Any) -> Verdict:
    if hasattr(answer, "item") and getattr(answer, "numel", lambda: 1)() == 1:
        answer = answer.item()
    if isinstance(answer, bool) or not isinstance(answer, numbers.Real):
        return Verdict(Outcome.NOT_ANSWERED, message="The answer is a number.")
    try:
        value = float(answer)
    except OverflowError:  # a whole number beyond all floats
        value = float("inf")
    if abs(value - question["answer"]) <= question["tolerance"]:
        return Verdict(Outcome.PASS, 1.0, (CaseVerdict(YOUR_NUMBER, True, message=question["right"]),))
    near = [wrong for wrong in question.get("values", ()) if abs(value - wrong["value"]) <= _closeness(question, wrong)]
    if near:
        closest = min(near, key=lambda wrong: abs(value - wrong["value"]))
        return Verdict(Outcome.FAIL, cases=(CaseVerdict(YOUR_NUMBER, False, message=closest["explanation"]),))
    message = question.get("otherwise", "That is not it. Work through the example before the question once more.")
    return Verdict(Outcome.FAIL, cases=(CaseVerdict(YOUR_NUMBER, False, message=message),))


def _closeness(question: dict[str, Any], wrong: dict[str, Any]) -> float:
    """How near an answer has to be to a named wrong value to be told by it: the value's own `tolerance`, else the
    question's, but no more than a twentieth of the value, since 0.5 is not 1 where whole numbers are asked for."""
    return wrong.get("tolerance", min(question["tolerance"], abs(wrong["value"]) / 20 + 1e-9))


def _choice(question: dict[str, Any], answer: Any, ordered: bool) -> Verdict:
    options: dict[str, str] = question["options"]
    chosen = _split(answer, options) if isinstance(answer, str) else answer
    if not isinstance(chosen, (list, tuple, set)) or not all(isinstance(c, str) for c in chosen):
        form = 'a list of your choices in their order, such as ["b", "a"]' if ordered else 'a set such as {"a", "c"}'
        return Verdict(Outcome.NOT_ANSWERED, message=f"The answer is {form}.")
    given = [c.strip().lower() for c in chosen]
    by_lower_case = {option.lower(): option for option in options}
    unknown = [c for c in given if c not in by_lower_case]
    if unknown or not given:
        return Verdict(Outcome.NOT_ANSWERED, message=f"Choose among {', '.join(options)}.")
    picked = [by_lower_case[c] for c in given]
    right = picked == question["answer"] if ordered else set(picked) == set(question["answer"])
    lines = []
    for option, explanation in options.items():
        if ordered:
            fits = option in picked and picked.index(option) == question["answer"].index(option)
        else:
            fits = (option in picked) == (option in question["answer"])
        took = "chosen" if option in picked else "left out"
        title = option if ordered else f"{option}: {'rightly' if fits else 'wrongly'} {took}"
        lines.append(CaseVerdict(title, fits, message=explanation))
    message = question.get("right", "") if right else TRY_AGAIN
    return Verdict(Outcome.PASS if right else Outcome.FAIL, float(right), tuple(lines), message=message)
