"""A learner's own components: what passes its check is kept, and later notebooks use it.

A component that passes is kept as a small module in `.course/components/`, with the imports and helpers that it
reaches, so that later notebooks can use it after a kernel restart. `course.components` is where notebooks import from.
"""

import importlib
import sys
import types
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from course.exercises import Exercise, exercises, of_component
from course.files import replace
from course.learner import session
from course.learner.progress import choose_reference, home, own_again, read
from course.learner.standalone import standalone


def component(name: str) -> Any:
    """The learner's own component of that name, or the reference where it was chosen, saying which. Raises ImportError
    with the way on where there is neither.
    """
    try:
        exercise = of_component(name)
    except ValueError as error:
        raise ImportError(str(error)) from None
    if not session.learning():
        try:
            return reference(name, exercise)
        except ImportError:
            if (own := _of_this_notebook(name)) is not None:
                return own
            raise
    if name in read()["reference"]:
        chosen = reference(name, exercise)
        print(f"{name}: the reference, as you chose.")
        return chosen
    if (own := _kept_at(exercise)).exists():
        try:
            kept = getattr(_executed(own, own.read_text("utf-8")), name)
        except Exception as error:  # the learner's own file: whatever it raises, say it and name the way on
            raise ImportError(
                f"your kept {name} ({own}) cannot be used: {type(error).__name__}: {error}. "
                f"Run the check of exercise {exercise.number} again to keep it afresh."
            ) from error
        print(f"{name}: your own, from exercise {exercise.number}.")
        return kept
    if name in _came_along():
        given = reference(name, exercise)
        print(
            f"{name}: the reference, which came with this notebook, until your own passes (exercise {exercise.number})."
        )
        return given
    raise NotPassed([name])


class NotPassed(ImportError):
    """Components that a notebook imports and that have not passed: names them all, and one cell to go on with. Where
    IPython shows it, it is these lines and no traceback."""

    WAY_ON = "Solve it there, or go on with the reference: run this in a cell of its own, then this cell again"

    def __init__(self, names: Sequence[str]):
        self.names = tuple(names)
        named = [(name, of_component(name)) for name in names]
        self.lines = [
            f"{name} is exercise {e.number}, in {e.notebook}.ipynb, and has not passed yet." for name, e in named
        ]
        quoted = ", ".join(f'"{name}"' for name in names)
        self.cell = f"from course import use_reference\n\nuse_reference({quoted})"
        super().__init__("\n".join([*self.lines, f"{self.WAY_ON}:", "", self.cell]))

    def _render_traceback_(self) -> list[str]:
        return str(self).split("\n")


def not_passed(names: Sequence[str]) -> list[str]:
    """Those of these components that have not passed and that the learner does not go on with the reference for."""
    chosen = {*read()["reference"], *_came_along()}
    waiting = [e for e in exercises() if not e.question and not _kept_at(e).exists()]
    return [name for name in names if name not in chosen and any(name in e.components for e in waiting)]


def _kept_at(exercise: Exercise) -> Path:
    """The file of an exercise's components, once they have passed."""
    return home() / "components" / f"{exercise.name}.py"


def _came_along() -> tuple[str, ...]:
    """Components whose references an instructor put beside a notebook, for whoever has none of their own."""
    try:
        return getattr(importlib.import_module("solutions"), "CAME_ALONG", ())
    except ImportError:
        return ()


def _of_this_notebook(name: str) -> Any:
    """What the notebook that runs has bound to a name: where it is graded, its own chapter's references are not there,
    and a learner who imports a component that passed there gets that one."""
    shell = session.shell()
    return None if shell is None else shell.user_ns.get(name)


def own_or_reference(name: str) -> Any:
    """The learner's own component where it has passed, else the reference where it is installed. Raises NotPassed,
    with the way on, where there is neither.
    """
    try:
        return component(name)
    except ImportError:
        try:
            return reference(name, of_component(name))
        except ImportError:
            pass
        raise


def use_reference(*names: str) -> None:
    """Go on with the reference for these components until their check passes, or passes again. Raises ValueError for
    unknown names."""
    for name in names:
        exercise = of_component(name)
        try:
            reference(name, exercise)
        except ImportError as error:
            print(error)
            continue
        choose_reference(name)
        again = " again" if _kept_at(exercise).exists() else ""
        print(f"{name}: the reference is used until exercise {exercise.number} passes{again}.")


def references(exercise: Exercise) -> dict[str, Any]:
    """The reference's components of an exercise. Raises ImportError where they are not installed."""
    return {name: reference(name, exercise) for name in exercise.components}


def reference(name: str, exercise: Exercise) -> Any:
    try:
        # When it is asked for: a release leaves out what is not yet due.
        return getattr(importlib.import_module(f"solutions.{exercise.chapter}"), name)
    except ImportError as error:
        raise ImportError(
            f"the reference for {name} is not installed here ({error}). Solve exercise {exercise.number} in "
            f"{exercise.notebook}.ipynb and run its check; your own component is used from then on."
        ) from None


def _executed(path: Path, source: str) -> types.ModuleType:
    """The module of a kept component, which is found by its name while it runs: a dataclass in it looks there."""
    module = types.ModuleType(f"course.own.{path.stem}")
    module.__file__ = str(path)
    sys.modules[module.__name__] = module
    exec(compile(source, str(path), "exec"), module.__dict__)
    return module


def not_kept_yet(numbers: Iterable[str]) -> str:
    """What is said of an answer that passed and rests on these exercises, whose own have not."""
    rests = " and ".join(numbers)
    return f"It is not kept yet, because it rests on exercise {rests}: run this check again once that has passed."


def keep(exercise: Exercise, answers: dict[str, Any]) -> str:
    """Keep passed components for later notebooks; returns the sentence to show. Never raises: the points stand."""
    try:
        source = standalone(answers)
        path = _kept_at(exercise)
        path.parent.mkdir(parents=True, exist_ok=True)
        _executed(path, source)  # on trial: what cannot be run is not kept
        replace(path, source)
        own_again(answers)
    except NotPassed as error:
        return not_kept_yet(dict.fromkeys(of_component(name).number for name in error.names))
    except Exception as error:
        why = f"{type(error).__name__}: {error}"
        return f"The points are yours, but the component could not be kept for other notebooks: {why}"
    names = " and ".join(answers)
    kept, them = ("is kept as it is", "it") if len(answers) == 1 else ("are kept as they are", "them")
    return (
        f"Your {names} {kept} now: `from course.components import {', '.join(answers)}` gives {them} in every notebook."
    )
