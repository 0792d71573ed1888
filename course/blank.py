"""What is blank: an answer that is still what was handed out, or less. Its text says so; what code raises never does.

The same in a notebook and under grading: the text of an answer is compared with its stub, one function after the other.
"""

import ast
from collections.abc import Iterator
from typing import Any

Function = ast.FunctionDef | ast.AsyncFunctionDef
_SCOPES = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda, ast.ClassDef)


def blank(tree: ast.Module, stub: ast.Module) -> bool:
    """Whether a text holds nothing that its stub does not: of each function that the stub leaves to be written, at most
    the lines that were given, and docstrings, `pass`, `...` or `raise NotImplementedError`.

    A stub that leaves none to be written is a program with a fault to be found: to take a line out of it may be the
    answer, so that only a text without any is blank. That it is still the same text is for the caller to see.
    """
    given, left = _statements(stub), set(unwritten(stub))
    for name, statements in _statements(tree).items():
        of_stub = given.get(name, []) if left else []
        if not statements or (len(statements) == len(of_stub) and all(map(alike, statements, of_stub))):
            continue
        if name not in left or not all(any(alike(one, other) for other in of_stub) for one in statements):
            return False
    return True


def unwritten(tree: ast.Module) -> list[str]:
    """The functions and methods (`f`, `Class.method`) that end in `raise NotImplementedError` and never return."""
    return [
        name
        for name, function in _functions(tree.body, "")
        if _raises(function.body[-1])
        and not any(isinstance(n, (ast.Return, ast.Yield, ast.YieldFrom)) for n in _own(function))
    ]


def left_to_write(source: str) -> str:
    """What of a stub is to be written: its functions and classes that have some of it, without their docstrings; all of
    them where none has, in a program with a fault to be found."""
    defined = [
        n for n in ast.parse(source).body if isinstance(n, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef))
    ]
    kept = [node for node in defined if unwritten(ast.Module([node], []))] or defined
    for node in kept:
        for inner in ast.walk(node):
            if isinstance(inner, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)) and ast.get_docstring(inner):
                inner.body = inner.body[1:] or [ast.Pass()]
    return "\n\n".join(map(ast.unparse, kept))


def alike(one: Any, other: Any) -> bool:
    """Whether two syntax trees, or parts of them, are equal; over at the first difference, where `ast.dump` goes on."""
    if type(one) is not type(other):
        return False
    if isinstance(one, list):
        return len(one) == len(other) and all(map(alike, one, other))
    if isinstance(one, ast.AST):
        return all(alike(getattr(one, name, None), getattr(other, name, None)) for name in one._fields)
    return one == other


def _statements(tree: ast.Module) -> dict[str, list[ast.AST]]:
    """What each function and class says, by its name, and under "" what stands around them: its bases and decorators,
    and its statements but for those that say nothing."""
    by_name: dict[str, list[ast.AST]] = {}

    def visit(node: ast.Module | ast.ClassDef | Function, name: str) -> None:
        said = by_name.setdefault(name, [])  # a name that is bound twice says all of both
        if isinstance(node, ast.ClassDef):
            said += [*node.decorator_list, *node.bases, *node.keywords]
        elif not isinstance(node, ast.Module):
            said += node.decorator_list
        for statement in node.body:
            inside = isinstance(node, (ast.Module, ast.ClassDef))
            if inside and isinstance(statement, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
                visit(statement, f"{name}.{statement.name}" if name else statement.name)
            elif not _says_nothing(statement):
                said.append(statement)

    visit(tree, "")
    return by_name


def _says_nothing(statement: ast.stmt) -> bool:
    constant = isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Constant)  # a docstring, or `...`
    return constant or isinstance(statement, ast.Pass) or _raises(statement)


def _raises(statement: ast.stmt) -> bool:
    """Whether it is `raise NotImplementedError`, with or without words."""
    raised = statement.exc if isinstance(statement, ast.Raise) else None
    raised = raised.func if isinstance(raised, ast.Call) else raised
    return isinstance(raised, ast.Name) and raised.id == "NotImplementedError"


def _functions(body: list[ast.stmt], within: str) -> Iterator[tuple[str, Function]]:
    for node in body:
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
            yield f"{within}{node.name}", node
        elif isinstance(node, ast.ClassDef):
            yield from _functions(node.body, f"{within}{node.name}.")


def _own(function: Function) -> Iterator[ast.AST]:
    """The nodes of a function but for those of functions inside it."""
    todo: list[ast.AST] = list(function.body)
    while todo:
        node = todo.pop()
        yield node
        if not isinstance(node, _SCOPES):
            todo += ast.iter_child_nodes(node)
