"""A learner's own components: what passes its check is kept, and later notebooks use it.

A component that passes is kept as a small module in `.course/components/`, with the imports and helpers that it
reaches, so that later notebooks can use it after a kernel restart. `course.components` is where notebooks import from.
"""

import ast
import importlib
import inspect
import linecache
import symtable
import sys
import types
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from course.exercises import Exercise, exercises, of_component
from course.files import replace
from course.learner import session
from course.learner.progress import choose_reference, home, own_again, read


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
            return _reference(name, exercise)
        except ImportError:
            if (own := _of_this_notebook(name)) is not None:
                return own
            raise
    own = home() / "components" / f"{exercise.name}.py"
    chosen = name in read()["reference"]
    if own.exists() and not chosen:
        try:
            component = getattr(_load(own), name)
        except Exception as error:  # the learner's own file: whatever it raises, say it and name the way on
            raise ImportError(
                f"your kept {name} ({own}) cannot be used: {type(error).__name__}: {error}. "
                f"Run the check of exercise {exercise.number} again to keep it afresh."
            ) from error
        print(f"{name}: your own, from exercise {exercise.number}.")
        return component
    if chosen:
        component = _reference(name, exercise)
        print(f"{name}: the reference, as you chose.")
        return component
    if name in _came_along():
        component = _reference(name, exercise)
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
    from IPython.core.interactiveshell import InteractiveShell

    shell = InteractiveShell.instance() if InteractiveShell.initialized() else None
    return None if shell is None else shell.user_ns.get(name)


def own_or_reference(name: str) -> Any:
    """The learner's own component where it has passed, else the reference where it is installed. Raises NotPassed,
    with the way on, where there is neither.
    """
    try:
        return component(name)
    except ImportError:
        try:
            return _reference(name, of_component(name))
        except ImportError:
            pass
        raise


def use_reference(*names: str) -> None:
    """Go on with the reference for these components until their check passes, or passes again. Raises ValueError for
    unknown names."""
    for name in names:
        exercise = of_component(name)
        try:
            _reference(name, exercise)
        except ImportError as error:
            print(error)
            continue
        choose_reference(name)
        again = " again" if (home() / "components" / f"{exercise.name}.py").exists() else ""
        print(f"{name}: the reference is used until exercise {exercise.number} passes{again}.")


def references(exercise: Exercise) -> dict[str, Any]:
    """The reference's components of an exercise. Raises ImportError where they are not installed."""
    return {name: _reference(name, exercise) for name in exercise.components}


def _reference(name: str, exercise: Exercise) -> Any:
    try:
        # When it is asked for: a release leaves out what is not yet due.
        return getattr(importlib.import_module(f"solutions.{exercise.chapter}"), name)
    except ImportError as error:
        raise ImportError(
            f"the reference for {name} is not installed here ({error}). Solve exercise {exercise.number} in "
            f"{exercise.notebook}.ipynb and run its check; your own component is used from then on."
        ) from None


def _load(path: Path) -> types.ModuleType:
    module = types.ModuleType(f"course.own.{path.stem}")
    module.__file__ = str(path)
    source = path.read_text("utf-8")
    exec(compile(source, str(path), "exec"), module.__dict__)
    sys.modules[module.__name__] = module
    return module


def keep(exercise: Exercise, answers: dict[str, Any]) -> str:
    """Keep passed components for later notebooks; returns the sentence to show. Never raises: the points stand."""
    try:
        source = _standalone(answers)
        path = home() / "components" / f"{exercise.name}.py"
        path.parent.mkdir(parents=True, exist_ok=True)
        trial = types.ModuleType("course.own.trial")
        exec(compile(source, str(path), "exec"), trial.__dict__)
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


def _standalone(answers: dict[str, Any]) -> str:
    """A module's source with the answers and all that they reach: imports, helpers, constants of the notebook.

    An answer that was defined under another name than the component's is bound to the component's name as well.
    """
    imports: dict[str, str] = {}
    definitions: dict[str, str] = {}
    held: dict[str, Any] = {}
    aliases: dict[str, list[str]] = {}  # what is defined under one name and used under others as well

    def visit(name: str, value: Any, scope: dict[str, Any]) -> None:
        if name in held:
            _same_or_refuse(name, held[name], value)
            return
        held[name] = value
        if isinstance(value, types.ModuleType):
            imports[name] = f"import {value.__name__} as {name}"
            return
        home_module = getattr(value, "__module__", None)
        own = isinstance(value, (type, types.FunctionType)) and home_module in ("__main__", *_own_modules())
        if not own:
            origin = _origin(name, value)
            if origin is not None:
                imports[name] = origin
            elif isinstance(value, (bool, int, float, str, tuple, type(None))):
                definitions[name] = f"{name} = {value!r}"
            else:
                raise ValueError(f"it uses {name}, a {type(value).__name__} of the notebook: pass it as an argument")
            return
        if value.__name__ != name:
            aliases.setdefault(value.__name__, []).append(f"{name} = {value.__name__}")
            visit(value.__name__, value, scope)
            if value.__name__ in definitions:  # else it is being visited, and binds its aliases itself
                bind_aliases(value.__name__)
            return
        source = _source(value)
        scope = {**_globals(value), **scope}  # a kept component's private helpers stand beside it, not in the notebook
        for free in _free_names(source):
            if free in scope and free != name:
                visit(free, scope[free], scope)
        definitions[name] = source  # after what it reaches
        bind_aliases(name)

    def bind_aliases(name: str) -> None:
        for line in aliases.pop(name, []):
            definitions[line] = line

    main = vars(sys.modules["__main__"])
    for name, answer in answers.items():
        visit(name, answer, {**main, **_globals(answer)} if isinstance(answer, type) else _globals(answer))
    header = '"""A component of yours that has passed; later notebooks import it. Made by `check`: do not edit."""\n'
    return header + "\n".join(sorted(imports.values())) + "\n\n\n" + "\n\n".join(definitions.values()) + "\n"


def _source(value: Any) -> str:
    """The text of a function or class that was defined in a notebook cell or in a kept component.

    `inspect.getsource` cannot find a class of a notebook before Python 3.13, so the cell is looked up by the file name
    that its code carries.
    """
    function = _first_function(value)
    if function is None:
        raise ValueError(f"{value.__name__} has no method of its own, so its source cannot be found")
    code = function.__code__
    text = "".join(linecache.getlines(code.co_filename)) or Path(code.co_filename).read_text("utf-8")
    for node in reversed(ast.parse(text).body):
        if isinstance(node, (ast.FunctionDef, ast.ClassDef)) and node.name == value.__name__:
            first = min([node.lineno, *(d.lineno for d in node.decorator_list)])
            return "\n".join(text.splitlines()[first - 1 : node.end_lineno])
    raise ValueError(f"{value.__name__} is not defined at the top level of a cell")


def _own_modules() -> list[str]:
    return [name for name in sys.modules if name.startswith("course.own.")]


def _globals(value: Any) -> dict[str, Any]:
    """What a function, or the first method of a class, finds as globals."""
    function = _first_function(value)
    return {} if function is None else function.__globals__


def _first_function(value: Any) -> types.FunctionType | None:
    """A function, or the first method of a class, as it was written: without what a decorator such as
    `@torch.no_grad()` has wrapped around it, which stands in another file.
    """
    values = [value, *vars(value).values()] if isinstance(value, type) else [value]
    functions = (inspect.unwrap(one) for one in values if isinstance(one, types.FunctionType))
    return next((one for one in functions if isinstance(one, types.FunctionType)), None)


def _same_or_refuse(name: str, one: Any, other: Any) -> None:
    """Raises ValueError where two functions or classes that are not the same are reached by one name."""
    if one is other or not all(isinstance(value, (type, types.FunctionType)) for value in (one, other)):
        return
    if _source(one) != _source(other):
        raise ValueError(f"two different things in it are called {name}: give one of them another name")


def _origin(name: str, value: Any) -> str | None:
    """The import statement that gives this value, or None."""
    module, attribute = getattr(value, "__module__", None), getattr(value, "__qualname__", None)
    if module and module.startswith("solutions."):
        return f"from course.components import {attribute} as {name}"
    candidates = [module] if module else []
    for origin in (*candidates, "torch", "torch.nn", "typing", "math"):
        holder = sys.modules.get(origin or "")
        for spelled in (attribute, name):
            if holder is not None and spelled and getattr(holder, spelled, None) is value:
                return f"from {origin} import {spelled} as {name}"
    return None


def _free_names(source: str) -> list[str]:
    """Names that the source takes from outside: a local variable that happens to be called like a global is none."""
    names: set[str] = set()
    scopes = [symtable.symtable(source, "<component>", "exec")]
    while scopes:
        scope = scopes.pop()
        scopes += scope.get_children()
        top = scope.get_type() == "module"
        names |= {s.get_name() for s in scope.get_symbols() if s.is_referenced() and (top or s.is_global())}
    return sorted(names)
