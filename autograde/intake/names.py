"""What a text of Python binds and uses, told from the text alone.

A student's text is looked at in a child of the intake, which gives its names along with it; the grader's own process
looks at the assignment's and the reference's texts.
"""

from __future__ import annotations

import ast
import re
import symtable
from dataclasses import dataclass
from functools import lru_cache

from autograde.intake.syntax import parsed


@dataclass(frozen=True)
class Names:
    """The names of one text, `source`.

    bound: names that it binds, or whose objects its statements change.
    used: names that it uses from outside.
    defined: of those bound, the ones to which it gives something of its own: neither imported nor deleted.
    All are every word of a text that may run though its symbols cannot be told, and none of one that will not run.
    """

    source: str
    bound: frozenset[str]
    used: frozenset[str]
    defined: frozenset[str]


def names_of(source: str) -> Names:
    """The names of the text, by its syntax tree."""
    sets = symbols(source, frozenset())
    if sets is None:
        words = _words(source) if _may_run(source) else frozenset()
        return Names(source, words, words, words)
    return Names(source, *sets, (sets[0] - _borrowed(source)) | defined(source))


@lru_cache(maxsize=1000)  # the given cells are the same in all submissions of an assignment
def symbols(source: str, modules: frozenset[str]) -> tuple[frozenset[str], frozenset[str]] | None:
    """(names that the text binds, or whose objects its statements change; names that it uses), None if no Python.

    A call on a module, such as torch.manual_seed(0), changes nothing that counts: every request sets its own seed.
    """
    try:
        tree, table = parsed(source), symtable.symtable(source, "<cell>", "exec")
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None
    if tree is None:
        return None
    bound = {symbol.get_name() for symbol in table.get_symbols() if symbol.is_assigned() or symbol.is_imported()}
    used, todo = {symbol.get_name() for symbol in table.get_symbols() if symbol.is_referenced()}, table.get_children()
    while todo:
        inner = todo.pop()
        used |= {symbol.get_name() for symbol in inner.get_symbols() if symbol.is_global()}
        todo += inner.get_children()
    for statement in tree.body:  # words.append("und"), words[0] = "und"
        if isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Call):
            bound |= _root(statement.value.func) - modules
        elif isinstance(statement, (ast.Assign, ast.AugAssign, ast.Delete)):
            targets = [statement.target] if isinstance(statement, ast.AugAssign) else statement.targets
            bound |= set().union(*map(_root, targets)) - modules
    return frozenset(bound), frozenset(used)


def _borrowed(source: str) -> set[str]:
    """Names that a statement at the text's top level imports or deletes."""
    names: set[str] = set()
    for node in getattr(parsed(source), "body", ()):
        if isinstance(node, (ast.Import, ast.ImportFrom)):
            names.update((alias.asname or alias.name).partition(".")[0] for alias in node.names)
        elif isinstance(node, ast.Delete):
            names.update(target.id for target in node.targets if isinstance(target, ast.Name))
    return names


_DEFINITION = re.compile(r"^(?:async\s+def|def|class)\s+(\w+)|^(\w+)[ \t]*(?::[^=\n]+)?=(?!=)", re.MULTILINE)


def defined(source: str) -> frozenset[str]:
    """Names that the text defines at its top level, as well as can be seen where it does not parse."""
    tree = parsed(source)
    if tree is None:
        return frozenset(name for pair in _DEFINITION.findall(source) for name in pair if name)
    names = set()
    for node in tree.body:
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
            names.add(node.name)
        elif isinstance(node, (ast.Assign, ast.AnnAssign)):
            targets = node.targets if isinstance(node, ast.Assign) else [node.target]
            names.update(target.id for target in targets if isinstance(target, ast.Name))
    return frozenset(names)


_IPYTHON = re.compile(r"^\s*[%!?]|=\s*[%!]|\?\s*$", re.MULTILINE)


def _may_run(source: str) -> bool:
    """Whether a text of which no symbols can be told is Python after all (`await` at its top), or IPython's. Where it
    is neither it will not run, and uses nothing: an experiment that it mentions need not be run for it.
    """
    return parsed(source) is not None or _IPYTHON.search(source) is not None


def _words(source: str) -> frozenset[str]:
    """Everything that could be a name in a text that is no Python."""
    return frozenset(re.findall(r"[^\W\d]\w*", source))


def _root(node: ast.AST) -> set[str]:
    """The name that an expression such as a.b[0].c begins with; nothing for a plain name or another expression."""
    deeper = False
    while isinstance(node, (ast.Attribute, ast.Subscript)):
        node, deeper = node.value, True
    return {node.id} if deeper and isinstance(node, ast.Name) else set()
