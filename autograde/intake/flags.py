"""What a submission's code tries, read from its text: notes for the instructor that never change a point.

Verdicts are made out of the code's reach whether or not it is flagged; a flag says where to look. Keep each rule to
things that an honest answer has no use for, and let it fail to see rather than accuse: plotting settings,
`torch.backends` switches and the like are not flagged.
"""

from __future__ import annotations

import ast
import re
import warnings
from collections.abc import Iterable

from autograde.intake.magics import LONG_LINE
from autograde.intake.syntax import nodes

PATCHES = "changes a library or the checks"
HOOKS = "hooks into how the notebook runs"
READS = "looks at files"
PROCESSES = "starts or ends processes"
NETWORK = "uses the network"
LIES = "returns objects that answer comparisons themselves"
WATCHES = "asks whether it is being graded"
BELOW = "reaches below Python"
LOOKS = "looks at the program around it"
HIDES = "hides what it calls"
BRINGS = "brings modules that the course has no use for"
MARKUP = "puts HTML or script into its output"
POINTS = "asks for points"
MARKS = "edited the marks of graded cells"  # these two are of `marks`, seen in the notebook and not in its code
CHECKS = "edited a check"
UNREAD = "may run, though it cannot be read as Python"
ALL = (PATCHES, HOOKS, READS, PROCESSES, NETWORK, LIES, WATCHES, BELOW, LOOKS, HIDES, BRINGS, MARKUP, POINTS, UNREAD)

_OURS = {"torch", "numpy", "math", "course", "builtins", "sys", "IPython", "unittest", "nbgrader", "inspect"}
_LIBRARIES = {"torch", "torch.nn", "torch.nn.functional", "torch.Tensor", "torch._C", "builtins", "numpy"}
_OF_FUNCTIONS = {"torch.nn.functional", "torch.Tensor", "torch._C"}
# other ways to what a name is blocked for
_ROUNDABOUT = (
    "torch.ops.", "torch._C.", "torch.jit.", "torch.overrides.", "torch.library.", "torch._refs.", "torch._decomp.",
)  # fmt: skip
_SETTINGS = (
    "torch.backends",
    "torch._dynamo",
    "torch._inductor",
    "numpy.random",
    "sys.stdout",
    "sys.stderr",
    "sys.path",
)
_CALLS = {
    READS: {
        "open", "io.open", "os.walk", "os.listdir", "os.scandir", "os.open", "glob.glob", "glob.iglob",
        "*.read_text", "*.read_bytes", "*.write_text", "*.write_bytes", "*.rglob", "*.iterdir",
    },
    PROCESSES: {
        "os.system", "os.popen", "os.fork", "os._exit", "os.kill", "os.abort", "os.exec*", "os.spawn*",
        "sys.exit", "exit", "quit", "subprocess.*", "multiprocessing.*", "pty.*", "*.system",
        "threading.Thread", "*.ThreadPoolExecutor", "*.ProcessPoolExecutor",
    },
    NETWORK: {"socket.*", "urllib.*", "requests.*", "http.*", "urlopen", "httpx.*"},
    HOOKS: {"atexit.*", "sys.settrace", "sys.setprofile", "sys.addaudithook", "*.events.register"},
    BELOW: {
        "ctypes.*", "mmap.*", "fcntl.*", "resource.*", "signal.*", "pickle.*", "os.write", "os.dup*", "os.closerange",
        "os.memfd_create",
    },
    LOOKS: {"gc.get_*", "sys._getframe", "inspect.stack", "inspect.currentframe", "sys._current_frames"},
    HIDES: {"eval", "exec", "compile", "__import__", "importlib.*", "vars", "*.run_backward", "*.grad_fn"},
}  # fmt: skip
# flag -> whole names, how names begin, how they end
_SPLIT = {
    flag: (
        {name for name in names if "*" not in name},
        tuple(name[:-1] for name in names if name.endswith("*")),
        tuple(name[1:] for name in names if name.startswith("*")),
    )
    for flag, names in _CALLS.items()
}
_HOOKS = {
    "ast_transformers",
    "input_transformers_post",
    "input_transformers_cleanup",
    "input_transformer_manager",
    "set_custom_exc",
    "run_cell",
    "meta_path",
    "path_hooks",
}
_WATCHED = ("NBGRADER_EXECUTION", "COURSE_STRICT", "COURSE_HOME", "/sandbox")
_INNER = {
    "__subclasses__",
    "__globals__",
    "__builtins__",
    "__code__",
    "__getattribute__",
    "__wrapped__",
    "f_locals",
    "f_back",
    "history_manager",
    "user_ns",
}
_INNER_MODULES = ("course.protocol", "course.checks", "course.fixtures", "autograde")
# What answers may import without a note: what the notebooks use, and of Python what computes and no more. All else is
# noted, since any library may have what an exercise blocks, and any module a way around the rules.
_USUAL = {
    "torch", "numpy", "matplotlib", "course", "tqdm", "IPython",
    "__future__", "abc", "bisect", "cmath", "collections", "contextlib", "copy", "dataclasses", "datetime", "decimal",
    "enum", "fractions", "functools", "gc", "heapq", "inspect", "io", "itertools", "json", "math", "numbers",
    "operator", "os", "pathlib", "pprint", "random", "re", "shutil", "statistics", "string", "sys", "tempfile",
    "textwrap", "time", "timeit", "typing", "unittest", "uuid", "warnings",
}  # fmt: skip
_SCRIPT = ("<script", "javascript:", "onerror=", "onload=", "<iframe")
_POINTS = {"extra_credit", "auto_score", "manual_score", "max_score"}
_AS_VALUES = {"gc": LOOKS, "os": HIDES}  # modules of which a part may be taken by any name


def flags(sources: Iterable[str]) -> list[str]:
    """Each flag once, in a fixed order, for the code of one submission.

    `sources` are as they run, with IPython's own lines left out. A cell that does not parse is passed over where it
    will not run either, and flagged where it may.
    """
    raised: set[str] = set()
    for source in sources:
        tree = nodes(source)
        raised |= _of(tree) if tree else _of_no_python(source)
    return [flag for flag in ALL if flag in raised]


_WORD = re.compile(r"\s*\w+ +")


def _of_no_python(source: str) -> set[str]:
    """Flags of a text that Python's parser cannot read: as IPython may run it, and whether it may."""
    lines = source.split("\n")
    own = [line.lstrip().startswith(("!", "%")) for line in lines]
    raised = {PROCESSES for line in lines if line.lstrip().startswith("!")}
    raised |= {UNREAD for line, is_own in zip(lines, own, strict=True) if is_own and len(line) > LONG_LINE}
    if tree := nodes("\n".join("pass" if is_own else line for line, is_own in zip(lines, own, strict=True))):
        return raised | _of(tree)
    called = False
    if "\n" not in source.strip():  # a magic without its sign, or a call without its brackets
        word = _WORD.match(source)
        raised |= _of(nodes(source[word.end() if word else 0 :]))
        called = source.lstrip().startswith(("/", ",", ";"))
    return raised | ({UNREAD} if called or any(own) or _compiles(source) else set())


def _compiles(source: str) -> bool:
    """Whether the text is Python after all: too deep for a tree, for instance."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            compile(source, "<cell>", "exec", ast.PyCF_ALLOW_TOP_LEVEL_AWAIT, dont_inherit=True)
    except (SyntaxError, ValueError, OverflowError):
        return False
    except (RecursionError, MemoryError):  # here; the limits are others where it runs
        return True
    return True


def _of(tree: list[ast.AST]) -> set[str]:
    modules = _modules(tree)
    raised = {LOOKS for name in modules.values() if f"{name}.".startswith(tuple(f"{ours}." for ours in _INNER_MODULES))}
    raised |= {HIDES for name in modules.values() if f"{name}.".startswith(_ROUNDABOUT)}
    for name in modules.values():
        raised |= _of_name(name)
    raised |= {BRINGS for name in _imported(tree).values() if name.split(".")[0] not in _USUAL}
    owners = {id(node.value) for node in tree if isinstance(node, ast.Attribute)}
    values = {modules.get(n.id) for n in tree if isinstance(n, ast.Name) and id(n) not in owners}
    raised |= {flag for name, flag in _AS_VALUES.items() if name in values}
    for node in tree:
        if isinstance(node, (ast.Assign, ast.AugAssign, ast.AnnAssign, ast.Delete)):
            targets = node.targets if isinstance(node, (ast.Assign, ast.Delete)) else [node.target]
            raised |= set().union(*(_of_target(target, modules) for target in targets))
        elif isinstance(node, ast.Call):
            raised |= _of_call(node, modules)
        elif isinstance(node, ast.Attribute):
            raised |= _of_attribute(node, modules)
        elif isinstance(node, ast.MatchClass):  # `case object(f_back=frame)` reads an attribute without a dot
            raised |= {HOOKS for name in node.kwd_attrs if name in _HOOKS}
            raised |= {LOOKS for name in node.kwd_attrs if name in _INNER}
        elif isinstance(node, ast.FunctionDef) and node.name in ("__eq__", "__torch_function__", "__ne__", "__array__"):
            raised.add(LIES)
        elif isinstance(node, ast.FunctionDef) and node.name == "__del__":
            raised.add(HOOKS)
        elif isinstance(node, ast.Constant) and isinstance(node.value, str):
            raised |= _of_text(node.value)
    return raised


def _of_target(target: ast.AST, modules: dict[str, str]) -> set[str]:
    """What is written to: an attribute of a library, an entry of `sys.modules`, a grade."""
    if isinstance(target, ast.Subscript):
        name = _dotted(target.value, modules)
        return {PATCHES} if name == "sys.modules" or name.endswith(".__dict__") else set()
    name = _dotted(target, modules)
    if isinstance(target, ast.Attribute) and _is_library(name):
        return {PATCHES}
    return {POINTS} if name.split(".")[-1] in _POINTS else set()


def _of_attribute(node: ast.Attribute, modules: dict[str, str]) -> set[str]:
    if node.attr in _HOOKS:
        return {HOOKS}
    if node.attr in _INNER:
        return {LOOKS}
    name = _dotted(node, modules)
    if name.startswith(_ROUNDABOUT) or (node.attr == "__dict__" and _dotted(node.value, modules) in _LIBRARIES):
        return {HIDES}
    return _of_name(name)  # named and not called: it may be called by another name


def _of_call(node: ast.Call, modules: dict[str, str]) -> set[str]:
    name = _dotted(node.func, modules)
    dotted = "." in name
    raised = {
        flag
        for flag, (whole, starts, ends) in _SPLIT.items()
        if name in whole or name.startswith(starts) or (dotted and name.endswith(ends))
    }
    first = _dotted(node.args[0], modules) if node.args else ""
    if name in ("setattr", "delattr") and _is_library(first + "."):
        raised.add(PATCHES)
    if name.endswith((".mock.patch", "mock.patch.object")):
        raised.add(PATCHES)
    written = any(isinstance(argument, ast.Constant) for argument in node.args[:1])
    if name in ("operator.attrgetter", "operator.methodcaller") and not written:
        raised.add(HIDES)
    if name == "getattr" and first in _LIBRARIES and not (len(node.args) > 1 and isinstance(node.args[1], ast.Name)):
        raised.add(HIDES)  # a name put together, or one that could have been written with a dot
    if name == "getattr" and first.rpartition(".")[0] in _OF_FUNCTIONS:
        raised.add(HIDES)  # a part of an operator
    return raised


def _of_name(name: str) -> set[str]:
    """What a module's function is noted for, wherever its name stands."""
    if "." not in name:
        return set()
    return {flag for flag, (whole, starts, _) in _SPLIT.items() if name in whole or name.startswith(starts)}


def _of_text(text: str) -> set[str]:
    raised = {WATCHES for watched in _WATCHED if text.startswith(watched)}
    raised |= {LOOKS for name in text.split(".") if name in _INNER}  # for operator.attrgetter, or a getattr of its own
    return raised | {MARKUP for part in _SCRIPT if part in text.lower()}


def _modules(tree: list[ast.AST]) -> dict[str, str]:
    """Local name -> what it stands for, so that `import torch.testing as t` is seen through."""
    return {"torch": "torch", "np": "numpy", "sys": "sys", "os": "os", "course": "course"} | _imported(tree)


def _imported(tree: list[ast.AST]) -> dict[str, str]:
    """Local name -> what it was imported as."""
    imported = {}
    for node in tree:
        if isinstance(node, ast.Import):
            for name in node.names:
                imported[name.asname or name.name.split(".")[0]] = name.name if name.asname else name.name.split(".")[0]
        elif isinstance(node, ast.ImportFrom) and node.module:
            for name in node.names:
                imported[name.asname or name.name] = f"{node.module}.{name.name}"
    return imported


def _dotted(node: ast.AST, modules: dict[str, str]) -> str:
    """`torch.testing.assert_close` for such an expression, with the first name as it was imported; "?" where it begins
    in a call or an index."""
    names: list[str] = []
    while isinstance(node, ast.Attribute):  # no recursion: a chain may be thousands long
        names.append(node.attr)
        node = node.value
    first = modules.get(node.id, node.id) if isinstance(node, ast.Name) else "?"
    return ".".join([first, *reversed(names)])


def _is_library(name: str) -> bool:
    return "." in name and name.split(".")[0] in _OURS and not name.startswith(_SETTINGS)
