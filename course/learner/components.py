"""A learner's own components: what passes its check is kept, and later notebooks use it.

A component that passes is kept as a small module in `.course/components/`, with the imports and helpers that it
reaches, so that later notebooks can use it after a kernel restart. `course.components` is where notebooks import from.
"""

import importlib
import sys
import types
from collections.abc import Sequence
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
    own = home() / "components" / f"{exercise.name}.py"
    chosen = name in read()["reference"]
    if own.exists() and not chosen:
        try:
            component = getattr(_executed(own, own.read_text("utf-8")), name)
        except Exception as error:  # the learner's own file: whatever it raises, say it and name the way on
            raise ImportError(
                f"your kept {name} ({own}) cannot be used: {type(error).__name__}: {error}. "
                f"Run the check of exercise {exercise.number} again to keep it afresh."
            ) from error
        print(f"{name}: your own, from exercise {exercise.number}.")
        return component
    if chosen:
        component = reference(name, exercise)
        print(f"{name}: the reference, as you chose.")
        return component
    if name in _came_along():
        component = reference(name, exercise)
        print(
            f"{name}: the reference, which came with this notebook, until your own passes (exercise {exercise.number})."
        )
        return component
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
    waiting = [e for e in exercises() if not e.question and not (home() / "components" / f"{e.name}.py").exists()]
    return [name for name in names if name not in chosen and any(name in e.components for e in waiting)]


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
        again = " again" if (home() / "components" / f"{exercise.name}.py").exists() else ""
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


def keep(exercise: Exercise, answers: dict[str, Any]) -> str:
    """Keep passed components for later notebooks; returns the sentence to show. Never raises: the points stand."""
    try:
        source = standalone(answers)
        path = home() / "components" / f"{exercise.name}.py"
        path.parent.mkdir(parents=True, exist_ok=True)
        _executed(path, source)  # on trial: what cannot be run is not kept
        replace(path, source)
        own_again(answers)
    except NotPassed as error:
        numbers = " and ".join(dict.fromkeys(of_component(name).number for name in error.names))
        return f"It is not kept yet, because it rests on exercise {numbers}: run this check again once that has passed."
    except Exception as error:
        why = f"{type(error).__name__}: {error}"
        return f"The points are yours, but the component could not be kept for other notebooks: {why}"
    names = " and ".join(answers)
    gives = f"`from course.components import {', '.join(answers)}`"
    return (
        f"Your {names} is kept as it is now: {gives} gives it in every notebook."
        if len(answers) == 1
        else (f"Your {names} are kept as they are now: {gives} gives them in every notebook.")
    )
