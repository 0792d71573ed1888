"""A component of a notebook's as a module of its own: with the imports, helpers and constants that it reaches."""

import ast
import inspect
import linecache
import math
import symtable
import sys
import types
from pathlib import Path
from typing import Any


def standalone(answers: dict[str, Any]) -> str:
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
        own = isinstance(value, (type, types.FunctionType)) and home_module in ("__main__", *own_modules())
        if not own:
            origin = _origin(name, value)
            if origin is not None:
                imports[name] = origin
            elif isinstance(value, float) and not math.isfinite(value):
                definitions[name] = f"{name} = float({str(value)!r})"  # no text of Python's says inf, or nan
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
        source = source_of(value)
        # A kept component's private helpers stand beside it, not in the notebook.
        scope = {**globals_of(value), **scope}
        for free in free_names(source):
            if free in scope and free != name:
                visit(free, scope[free], scope)
        definitions[name] = source  # after what it reaches
        bind_aliases(name)

    def bind_aliases(name: str) -> None:
        for line in aliases.pop(name, []):
            definitions[line] = line

    main = vars(sys.modules["__main__"])
    for name, answer in answers.items():
        visit(name, answer, {**main, **globals_of(answer)} if isinstance(answer, type) else globals_of(answer))
    header = '"""A component of yours that has passed; later notebooks import it. Made by `check`: do not edit."""\n'
    return header + "\n".join(sorted(imports.values())) + "\n\n\n" + "\n\n".join(definitions.values()) + "\n"


def source_of(value: Any) -> str:
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


def own_modules() -> list[str]:
    return [name for name in sys.modules if name.startswith("course.own.")]


def globals_of(value: Any) -> dict[str, Any]:
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
    if source_of(one) != source_of(other):
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


def free_names(source: str) -> list[str]:
    """Names that the source takes from outside: a local variable that happens to be called like a global is none."""
    names: set[str] = set()
    scopes = [symtable.symtable(source, "<component>", "exec")]
    while scopes:
        scope = scopes.pop()
        scopes += scope.get_children()
        top = scope.get_type() == "module"
        names |= {s.get_name() for s in scope.get_symbols() if s.is_referenced() and (top or s.is_global())}
    return sorted(names)
