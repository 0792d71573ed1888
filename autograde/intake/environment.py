"""What a student's text asks of its machine that the sandbox has not: Colab, a person, a network, a GPU.

Such a line would only raise, and take the answer below it in its cell with it. It is left out, or made to mean the CPU,
line for line, so that errors keep their numbers.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Callable

from autograde.intake.magics import LONG_LINE, left_out
from autograde.intake.notes import Notes
from autograde.intake.syntax import lines_in_strings, nodes, parsed


def adapted(source: str, notes: Notes) -> str:
    """The text as it can run in the sandbox."""
    for step in (_without_colab, _without_what_fails, _on_the_cpu):
        source = _no_worse(source, step, notes)
    return source


def _no_worse(source: str, step: Callable[[str, Notes], str], notes: Notes) -> str:
    """What a step makes of the text, where that is Python or the text was none: nobody loses points by an error that
    is not their own."""
    before = [*notes.student], [*notes.instructor]
    changed = step(source, notes)
    if changed != source and parsed(changed) is None and parsed(source) is not None:
        notes.student, notes.instructor = before
        return source
    return changed


_COLABS = "Lines that only work in Colab (drive.mount and the like) are left out"
_COLAB = re.compile(
    r"^\s*(?:from\s+google\.colab\b.*|import\s+google\.colab\b.*|(?:drive\.mount|files\.upload)\(.*\))\s*$"
)


def _without_colab(source: str, notes: Notes) -> str:
    """The text without Colab's lines, of a text that does not parse too."""
    lines = source.split("\n")
    inside = lines_in_strings(source) if any("colab" in x or "drive" in x or "files" in x for x in lines) else set()
    for i, line in enumerate(lines):
        if i not in inside and len(line) < LONG_LINE and _COLAB.match(line) and not line.rstrip().endswith("("):
            lines[i] = left_out(line)
            notes.add(f"{_COLABS} when your notebook is graded.", f"left out: {line.strip()[:80]}")
    return "\n".join(lines)


_MAY_FAIL = re.compile(r"\binput\b|\bgetpass\b|\bcolab\b|\bdrive\b|\bpip\b|\bconda\b|\bapt(-get)?\b")
_SHELLS = {"check_call", "check_output", "run", "call", "Popen", "system", "getoutput", "run_line_magic", "magic"}


def _without_what_fails(source: str, notes: Notes) -> str:
    """The text without statements of its top level that ask somebody something, install a package, or need Colab.

    They run before the answer that stands below them in the cell, and would take it with them.
    """
    tree = parsed(source) if _MAY_FAIL.search(source) else None
    if tree is None:
        return source
    lines = source.split("\n")
    taken = [line for node in tree.body for line in {node.lineno, node.end_lineno}]
    for node in tree.body:
        reason = _reason(node)
        if not reason or taken.count(node.lineno) > 1 or taken.count(node.end_lineno or 0) > 1:
            continue  # another statement shares its line
        notes.add(f"{reason} when your notebook is graded.", f"left out: {lines[node.lineno - 1].strip()[:80]}")
        span = range(node.lineno - 1, node.end_lineno or node.lineno)
        for i in span:
            lines[i] = left_out(lines[i]) if i == span[0] else f"# {lines[i]}"
    return "\n".join(lines)


def _reason(node: ast.stmt) -> str:
    """What is said of a statement that cannot work without a person, a network or Colab; "" for any other."""
    if isinstance(node, (ast.Import, ast.ImportFrom)):
        names = [name.name for name in node.names] if isinstance(node, ast.Import) else [node.module or ""]
        colab = any(name.startswith("google.colab") for name in names)
        return _COLABS if colab else ""
    if not isinstance(node, (ast.Expr, ast.Assign, ast.AnnAssign)):
        return ""
    for call in (each for each in ast.walk(node) if isinstance(each, ast.Call)):
        function = call.func
        if isinstance(function, ast.Name) and function.id in ("input", "getpass"):
            return "Lines that ask for input are left out: nobody is there to answer"
        if isinstance(function, ast.Attribute):
            of = function.value.id if isinstance(function.value, ast.Name) else ""
            if f"{of}.{function.attr}" in ("drive.mount", "files.upload", "files.download"):
                return _COLABS
            if function.attr in _SHELLS and re.search(r"\b(pip|conda|apt(-get)?)\b", " ".join(_strings(call))):
                return "Lines that install packages are left out: nothing can be installed there"
    return ""


def _strings(node: ast.AST) -> list[str]:
    return [each.value for each in ast.walk(node) if isinstance(each, ast.Constant) and isinstance(each.value, str)]


_GPU = re.compile(r"cuda(:\d+)?")


def _on_the_cpu(source: str, notes: Notes) -> str:
    """The text with `.cuda()` left out and `"cuda"` as "cpu" where it says on which device something is to be made.

    Where submissions are graded there is no GPU, whatever the machine has: such a line would only raise. What asks
    first (`"cuda" if torch.cuda.is_available() else "cpu"`), compares or names a kind of device stays as it is.
    """
    tree = nodes(source) if "cuda" in source else []
    if not tree:
        return source
    lines = [line.encode() for line in source.split("\n")]  # Python counts columns in bytes
    edits: list[_Edit] = []
    compared = {id(each) for node in tree if isinstance(node, ast.Compare) for each in ast.walk(node)}
    for node in tree:
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == "cuda":
            line, start, end = node.end_lineno or 0, (node.func.end_col_offset or 0) - 5, node.end_col_offset or 0
            if line == node.func.end_lineno and _CALL.fullmatch(lines[line - 1][start:end]):
                edits.append((line, start, end, b""))
        for constant in _devices(node):
            line, start, end = constant.lineno, constant.col_offset, constant.end_col_offset or 0
            written = _TEXT.fullmatch(lines[line - 1][start:end])
            if id(constant) not in compared and line == constant.end_lineno and written:
                edits.append((line, start, end, written[1] + b"cpu" + written[1]))
    edits = _outermost(edits)
    if not edits:
        return source
    for line, start, end, instead in reversed(edits):  # from the right, so that columns stay true
        lines[line - 1] = lines[line - 1][:start] + instead + lines[line - 1][end:]
    notes.add(
        "There is no GPU where your notebook is graded: what you put on one ran on the CPU.",
        f"cuda, {len(edits)} times: taken for the CPU",
    )
    return b"\n".join(lines).decode()


_Edit = tuple[int, int, int, bytes]  # line, where it begins and ends there, what stands there then
# What such a place reads like: before Python 3.12 those inside f-strings are not always where Python says.
_CALL = re.compile(rb"\.cuda\b.*\)")
_TEXT = re.compile(rb"""[rRuU]?('|"|\'{3}|"{3})cuda(?::\d+)?\1""")


def _outermost(edits: list[_Edit]) -> list[_Edit]:
    """The edits in their order, without those inside another: what it takes away they need not change."""
    kept: list[_Edit] = []
    for edit in sorted(set(edits), key=lambda edit: (edit[0], edit[1], -edit[2])):
        if not kept or kept[-1][0] != edit[0] or edit[1] >= kept[-1][2]:
            kept.append(edit)
    return kept


def _devices(node: ast.AST) -> list[ast.Constant]:
    """Constants in this node that put something on a GPU."""
    places: list[ast.expr | None] = []
    if isinstance(node, ast.Call):
        called = node.func.attr if isinstance(node.func, ast.Attribute) else ""
        places = [keyword.value for keyword in node.keywords if keyword.arg in ("device", "map_location")]
        places += node.args[:1] if called in ("to", "device", "set_default_device") else []
    elif isinstance(node, ast.Assign):
        is_device = any(isinstance(target, ast.Name) and "device" in target.id.lower() for target in node.targets)
        places = [node.value] if is_device else []
    elif isinstance(node, ast.arguments):
        named = [*node.posonlyargs, *node.args][-len(node.defaults) :] if node.defaults else []
        pairs = [*zip(named, node.defaults, strict=True), *zip(node.kwonlyargs, node.kw_defaults, strict=True)]
        places = [default for argument, default in pairs if argument.arg == "device"]
    return [
        each
        for each in places
        if isinstance(each, ast.Constant) and isinstance(each.value, str) and _GPU.fullmatch(each.value)
    ]
