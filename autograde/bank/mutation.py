"""Machine-made wrong answers: the reference's source with one small change each, to see what the checks let through.

They are judged in `autograde.grading.mutants`. One that passes there is a hole in a check, unless a person finds the
change to be right after all (another form of the same thing, something that the docstring does not promise) and says
so, with the reason, in `equivalent.toml` beside this module. A changed test that no check catches may be another
example of the same: it is tried on machine-made wrong forms too, and is as good where it finds all that the reference's
test finds. Where it is not, the bank of what it tests lacks the one that it lets through.

Nothing is changed in what a learner is given or nobody promises: signatures, annotations, decorators, docstrings, the
texts of errors, checks of arguments that the docstring does not mention, devices (the sandbox has one).
cosmic-ray and mutmut were looked at: they change a project's files and drive its own tests, and know what any program
has in it; here an answer is a text, the sandbox is the judge, and most changes are those of tensors and modules.
"""

from __future__ import annotations

import ast
import contextlib
import difflib
import hashlib
import re
import tomllib
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import takewhile, zip_longest
from pathlib import Path
from types import CodeType, ModuleType
from typing import Any

from autograde import bank, reference
from course import checks
from course.checks.engine import Implementation
from course.checks.engine.of_tests import CheckOfTest
from course.exercises import Exercise, of_component
from course.key import Key

MOST = 60  # mutants of one exercise that are judged; of more, a sample spread over the operators
_EQUIVALENT = Path(__file__).with_name("equivalent.toml")


@dataclass(frozen=True)
class Mutant:
    """A changed reference. `name` says what was changed: it stays the same as long as the reference does."""

    name: str
    source: str

    @property
    def operator(self) -> str:
        return self.name.partition(":")[0]

    def difference(self, reference: str) -> str:
        """The changed lines against the reference as `reference_form` gives it."""
        lines = difflib.unified_diff(reference.splitlines(), self.source.splitlines(), n=0, lineterm="")
        return "\n".join(line for line in lines if line[:2] not in ("--", "++", "@@"))


def reference_form(exercise: Exercise) -> str:
    """The reference's source in the form in which mutants come: without comments, a statement on a line."""
    return ast.unparse(ast.parse(reference.source(exercise.chapter, exercise.components)))


@cache
def mutants(exercise: Exercise) -> tuple[Mutant, ...]:
    """All mutants of an exercise's reference, in the order of its source."""
    names = vars(reference.module(exercise.chapter)).items()
    return mutate(reference_form(exercise), {name for name, value in names if isinstance(value, ModuleType)})


def sample(exercise: Exercise) -> tuple[Mutant, ...]:
    """At most MOST of them: each operator's in turn, in an order that no other change of the source disturbs."""
    by_operator: dict[str, list[Mutant]] = {}
    for mutant in sorted(mutants(exercise), key=lambda m: hashlib.sha256(m.name.encode()).digest()):
        by_operator.setdefault(mutant.operator, []).append(mutant)
    turns = zip_longest(*(by_operator[operator] for operator in sorted(by_operator)))
    return tuple(mutant for turn in turns for mutant in turn if mutant is not None)[:MOST]


@cache
def equivalent() -> dict[str, dict[str, str]]:
    """exercise -> {name of a mutant that is no wrong answer: why}."""
    return tomllib.loads(_EQUIVALENT.read_text("utf-8"))


# ---------------------------------------------------------------- places in a tree

_LEFT_OUT = (ast.arguments, ast.JoinedStr, ast.Raise, ast.expr_context, ast.operator, ast.cmpop)
_GIVEN = {"annotation", "returns", "decorator_list", "type", "msg"}
_SHOWN = (ast.Call, ast.Subscript, ast.BinOp, ast.BoolOp, ast.Compare, ast.Dict, ast.ListComp, ast.stmt)
_SCOPES = (ast.FunctionDef, ast.ClassDef)


@dataclass(frozen=True, eq=False)
class _Place:
    """A node, and where it stands: in `field` of its parent's node, at `index` if that is a list."""

    node: Any
    parent: _Place | None = None
    field: str = ""
    index: int | None = None

    def above(self) -> Iterator[_Place]:
        place = self.parent
        while place is not None:
            yield place
            place = place.parent

    @contextlib.contextmanager
    def holding(self, new: ast.AST | list[Any]) -> Iterator[None]:
        """While it lasts, the new node, or these nodes, stand in this one's place."""
        assert self.parent is not None
        old = getattr(self.parent.node, self.field)
        value: Any = new
        if self.index is not None:
            several = new if isinstance(new, list) else [new]
            value = [*old[: self.index], *several, *old[self.index + 1 :]]
        setattr(self.parent.node, self.field, value)
        yield
        setattr(self.parent.node, self.field, old)


def _places(place: _Place) -> Iterator[_Place]:
    """This place and all in it that may be changed, in the order of the source."""
    yield place
    for field, value in ast.iter_fields(place.node):
        if field in _GIVEN:
            continue
        for index, node in enumerate(value if isinstance(value, list) else [value]):
            inner = _Place(node, place, field, index if isinstance(value, list) else None)
            if isinstance(node, ast.AST) and not isinstance(node, _LEFT_OUT) and not _unseen(inner):
                yield from _places(inner)


def _unseen(place: _Place) -> bool:
    """Whether no check can or may look at what stands here: see the module's first words."""
    match place.node:
        case ast.Expr(value=ast.Constant()):
            return True
        case ast.keyword(arg="device" | "strict") | ast.Attribute(attr="device"):
            return True
        case ast.If():
            return _is_guard(place.node) and not _promised(place)
        case ast.Assign(targets=[ast.Name(id=name)]):
            return _only_told(place, name)
    return False


def _only_told(place: _Place, name: str) -> bool:
    """Whether a local name is used in errors' texts alone."""
    around = next((above.node for above in place.above() if isinstance(above.node, ast.FunctionDef)), None)
    if around is None:
        return False
    raised = {node for error in ast.walk(around) if isinstance(error, ast.Raise) for node in ast.walk(error)}
    uses = [n for n in ast.walk(around) if isinstance(n, ast.Name) and n.id == name and isinstance(n.ctx, ast.Load)]
    return bool(uses) and raised.issuperset(uses)


def _is_guard(node: ast.AST) -> bool:
    """Whether it refuses an argument: `if ...: raise ...`."""
    return isinstance(node, ast.If) and isinstance(node.body[0], ast.Raise) and not node.orelse


def _promised(place: _Place) -> bool:
    """Whether a docstring around this place speaks of an error."""
    scopes = (above.node for above in place.above() if isinstance(above.node, _SCOPES))
    return any(re.search(r"\b[Rr]aise", ast.get_docstring(scope) or "") for scope in scopes)


# ---------------------------------------------------------------- what may be done to a node

_ARITHMETIC: dict[type, tuple[type, ...]] = {
    ast.Add: (ast.Sub,), ast.Sub: (ast.Add,), ast.Mult: (ast.Div,), ast.Div: (ast.Mult,), ast.MatMult: (ast.Mult,),
    ast.Mod: (ast.FloorDiv,), ast.FloorDiv: (ast.Div,), ast.Pow: (ast.Mult,),
    ast.BitAnd: (ast.BitOr,), ast.BitOr: (ast.BitAnd,), ast.BitXor: (ast.BitOr,),
}  # fmt: skip
_COMPARED: dict[type, tuple[type, ...]] = {
    ast.Lt: (ast.LtE, ast.Gt), ast.LtE: (ast.Lt, ast.GtE), ast.Gt: (ast.GtE, ast.Lt), ast.GtE: (ast.Gt, ast.LtE),
    ast.Eq: (ast.NotEq,), ast.NotEq: (ast.Eq,), ast.Is: (ast.IsNot,), ast.IsNot: (ast.Is,),
    ast.In: (ast.NotIn,), ast.NotIn: (ast.In,),
}  # fmt: skip
_PAIRS = (
    ("any", "all"), ("max", "min"), ("amax", "amin"), ("argmax", "argmin"), ("maximum", "minimum"), ("sum", "mean"),
    ("zeros", "ones"), ("zeros_like", "ones_like"), ("new_zeros", "new_ones"), ("tril", "triu"), ("sin", "cos"),
    ("sigmoid", "tanh"), ("softmax", "log_softmax"), ("train", "eval"),
)  # fmt: skip
_OTHER = dict(_PAIRS) | {second: first for first, second in _PAIRS}
_ANY_ORDER = {"max", "min", "maximum", "minimum", "transpose"}  # of arguments
_OF_NO_OTHER_KIND = {
    "len",
    "range",
    "isinstance",
    "super",
    "enumerate",
    "zip",
}  # in their place x would only be an error
_NOTHING = [ast.Pass()]

Change = tuple[str, "ast.AST | list[Any]"]


def _changes(place: _Place, modules: Collection[str]) -> Iterator[Change]:
    """(operator, what stands there instead) of each change to this place. A list is of statements."""
    if isinstance(place.node, ast.stmt):
        yield from _changes_of_statement(place)
    else:
        yield from _changes_of_expression(place, modules)
    if place.field == "ifs":
        yield "always", ast.Constant(True)


def _changes_of_expression(place: _Place, modules: Collection[str]) -> Iterator[Change]:
    node = place.node
    match node:
        case ast.Constant(value=bool(value)):
            yield "constant", ast.Constant(not value)
        case ast.Constant(value=int(value)):
            yield from (("constant", ast.Constant(value + by)) for by in (1, -1))
        case ast.Constant(value=float(value)):
            yield "constant", ast.Constant(2 * value or 1.0)
        case ast.UnaryOp(operand=operand):
            yield ("not dropped" if isinstance(node.op, ast.Not) else "sign dropped"), operand
        case ast.BinOp(left=left, op=op, right=right):
            yield from (("arithmetic", ast.BinOp(left, other(), right)) for other in _ARITHMETIC.get(type(op), ()))
            yield "operand dropped", left
            if isinstance(op, (ast.Add, ast.Mult, ast.BitAnd, ast.BitOr)):
                yield "operand dropped", right
            elif isinstance(op, (ast.Sub, ast.Div, ast.MatMult)):
                yield "swapped", ast.BinOp(right, op, left)
        case ast.Compare(left=left, ops=[first, *ops], comparators=comparators):
            for other in _COMPARED[type(first)]:
                yield "comparison", ast.Compare(left, [other(), *ops], comparators)
            if ops:
                for other in _COMPARED[type(ops[0])]:
                    yield "comparison", ast.Compare(left, [first, other(), *ops[1:]], comparators)
        case ast.BoolOp(op=op, values=values):
            yield "boolean", ast.BoolOp(ast.Or() if isinstance(op, ast.And) else ast.And(), values)
            for i in range(len(values)):
                kept = [*values[:i], *values[i + 1 :]]
                yield "operand dropped", ast.BoolOp(op, kept) if len(kept) > 1 else kept[0]
        case ast.Tuple(elts=parts, ctx=ast.Load()):
            yield from (("swapped", ast.Tuple(order, node.ctx)) for order in _swaps(parts))
        case ast.Call():
            yield from _changes_of_call(place, node, modules)
        case ast.Slice():
            yield from _changes_of_slice(node)
        case ast.Attribute(value=ast.Name(id="self"), ctx=ast.Load()):
            if (sibling := _sibling(place)) is not None:
                yield "sibling", ast.Attribute(node.value, sibling, node.ctx)
        case ast.Name(ctx=ast.Load()):
            if (following := _next_argument(place)) is not None:
                yield "sibling", ast.Name(following, node.ctx)
        case ast.IfExp(body=body, orelse=orelse):
            yield from (("always", body), ("never", orelse))


def _changes_of_statement(place: _Place) -> Iterator[Change]:
    node = place.node
    match node:
        case ast.If(body=body, orelse=orelse):
            if not _is_guard(node):
                yield "always", body
            yield "never", orelse or _NOTHING
        case ast.With(body=body):
            yield "context dropped", body
        case ast.AugAssign(target=target, op=op, value=value):
            for other in _ARITHMETIC.get(type(op), ()):
                yield "arithmetic", ast.AugAssign(target, other(), value)
            yield "statement dropped", _NOTHING
        case ast.Expr() | ast.Assert() | ast.For() | ast.While() | ast.Break() | ast.Continue():
            if "super().__init__" not in ast.unparse(node):
                yield "statement dropped", _NOTHING
        case ast.Assign() if _has_value_before(place):
            yield "statement dropped", _NOTHING


def _changes_of_call(place: _Place, node: ast.Call, modules: Collection[str]) -> Iterator[Change]:
    name = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
    owner = node.func.value if isinstance(node.func, ast.Attribute) else None
    if isinstance(owner, ast.Attribute) or (isinstance(owner, ast.Name) and owner.id in modules):
        root = ast.unparse(owner).partition(".")[0]
        owner = None if root in modules else owner  # a module's function, no method
    if name not in _ANY_ORDER and not any(isinstance(arg, ast.Starred) for arg in node.args):
        yield from (("swapped", ast.Call(node.func, order, node.keywords)) for order in _swaps(node.args))
    for i, keyword in enumerate(node.keywords):
        if not _unseen(_Place(keyword)):
            kept = [*node.keywords[:i], *node.keywords[i + 1 :]]
            yield "keyword dropped", ast.Call(node.func, node.args, kept)
    if name in ("range", "arange") and node.args:
        end = min(1, len(node.args) - 1)
        if not isinstance(node.args[end], ast.Constant):
            less = ast.BinOp(node.args[end], ast.Sub(), ast.Constant(1))
            yield "range", ast.Call(node.func, [*node.args[:end], less, *node.args[end + 1 :]], node.keywords)
    if name in _OTHER:
        func = ast.Attribute(node.func.value, _OTHER[name], ast.Load()) if isinstance(node.func, ast.Attribute) else (
            ast.Name(_OTHER[name], ast.Load())
        )  # fmt: skip
        yield "opposite", ast.Call(func, node.args, node.keywords)
    match node.args:
        case [ast.Constant(value=str(equation)), *rest] if name == "einsum" and re.search(r">.*\w\w$", equation):
            other = ast.Constant(equation[:-2] + equation[-1] + equation[-2])
            yield "swapped", ast.Call(node.func, [other, *rest], node.keywords)
        case [ast.Constant(value=str()), *_] if name == "float":
            yield "constant", ast.Constant(0.0)
            return
    makes_an_object = name[:1].isupper() or name in _OF_NO_OTHER_KIND
    moves = name == "to" and all(_unseen(_Place(arg)) for arg in node.args)
    if not makes_an_object and not moves and not isinstance(place.parent and place.parent.node, ast.Expr):
        own = owner is not None and ast.unparse(owner) in ("self", "super()")
        given = node.args[0] if (owner is None or own) and node.args else None if own else owner
        if given is not None and not isinstance(given, ast.Starred):
            yield "call dropped", given


def _changes_of_slice(node: ast.Slice) -> Iterator[Change]:
    for field in ("lower", "upper", "step"):
        bound = getattr(node, field)
        bounds: dict[str, Any] = {"lower": node.lower, "upper": node.upper, "step": node.step}
        if bound is not None and not (isinstance(bound, ast.Constant) and field != "upper"):
            yield "slice", ast.Slice(**bounds | {field: None})
        if bound is not None and not isinstance(bound, ast.Constant):
            yield "slice", ast.Slice(**bounds | {field: ast.BinOp(bound, ast.Sub(), ast.Constant(1))})


def _swaps(nodes: Sequence[ast.expr]) -> Iterator[list[ast.expr]]:
    """Each order in which two neighbors have changed places."""
    for i in range(len(nodes) - 1):
        if ast.unparse(nodes[i]) != ast.unparse(nodes[i + 1]):
            yield [*nodes[:i], nodes[i + 1], nodes[i], *nodes[i + 2 :]]


def _sibling(place: _Place) -> str | None:
    """The next attribute of self that the class made in the same way: linear2 for linear1."""
    owner = next((above.node for above in place.above() if isinstance(above.node, ast.ClassDef)), None)
    made: dict[str, str] = {}
    for node in ast.walk(owner) if owner is not None else ():
        if isinstance(node, ast.Assign):
            target, value = node.targets[0], node.value
            several = isinstance(target, ast.Tuple) and isinstance(value, ast.Tuple)
            for one, of in zip(target.elts, value.elts, strict=True) if several else [(target, value)]:  # type: ignore[attr-defined]
                if isinstance(one, ast.Attribute) and ast.unparse(one.value) == "self":
                    kind = ast.unparse(of.func) if isinstance(of, ast.Call) else type(of).__name__
                    made.setdefault(one.attr, kind)
    name = place.node.attr
    return _following(name, [other for other, kind in made.items() if kind == made.get(name)])


def _next_argument(place: _Place) -> str | None:
    """The next argument of the same type of the function around it: key for query."""
    for above in place.above():
        if isinstance(above.node, ast.FunctionDef):
            arguments = (*above.node.args.args, *above.node.args.kwonlyargs)
            types = {a.arg: a.annotation and ast.unparse(a.annotation) for a in arguments if a.arg != "self"}
            if place.node.id in types:
                return _following(place.node.id, [a for a, kind in types.items() if kind == types[place.node.id]])
    return None


def _following(name: str, names: Sequence[str]) -> str | None:
    return names[(names.index(name) + 1) % len(names)] if name in names and len(names) > 1 else None


def _has_value_before(place: _Place) -> bool:
    """Whether what is assigned here has had a value: without one, to drop the statement would only be an error."""
    around = next((above.node for above in place.above() if isinstance(above.node, ast.FunctionDef)), None)
    if around is None:
        return False
    names = {a.arg for a in (*around.args.args, *around.args.kwonlyargs)}
    names |= {
        n.id
        for n in ast.walk(around)
        if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store) and n.lineno < place.node.lineno
    }
    targets = [t for target in place.node.targets for t in (target.elts if isinstance(target, ast.Tuple) else [target])]
    return all(isinstance(t, ast.Subscript) or (isinstance(t, ast.Name) and t.id in names) for t in targets)


# ---------------------------------------------------------------- mutants of a text


def mutate(source: str, modules: Collection[str] = ()) -> tuple[Mutant, ...]:
    """Every mutant of a source text as `ast.unparse` writes it; `modules` are its names of modules, as torch and F.

    Left out is what compiles to the same code as the source or as an earlier mutant.
    """
    tree = ast.parse(source)
    made, seen, counts = [], {_code(source)}, dict[str, int]()
    for place in _places(_Place(tree)):
        for operator, new in _changes(place, modules):
            context = _shown(place)
            before = _line(context.node)
            with place.holding(new):
                text = ast.unparse(tree)
                after = "" if isinstance(new, list) else _line(new if context is place else context.node)
            name = f"{operator}: {before if isinstance(new, list) else _apart(before, after)}"
            counts[name] = counts.get(name, 0) + 1
            if (code := _code(text)) not in seen:
                seen.add(code)
                made.append(Mutant(name if counts[name] == 1 else f"{name} ({counts[name]})", text))
    return tuple(made)


def _shown(place: _Place) -> _Place:
    """The place whose text tells what is changed here: a lone 0 would tell nothing."""
    for around in (place, *place.above()):
        if isinstance(around.node, _SHOWN):
            return around
    return place


def _line(node: ast.AST) -> str:
    """The node's text; of a statement with others in it the first line."""
    text = ast.unparse(node)
    return text.partition("\n")[0] if hasattr(node, "body") else " ".join(text.split())


def _apart(old: str, new: str, around: int = 24, most: int = 60) -> str:
    """ "old -> new", of long texts only what is near their difference."""
    if max(len(old), len(new)) > most:
        start = max(0, _alike(old, new) - around)
        end = max(0, _alike(old[start:][::-1], new[start:][::-1]) - around)
        old, new = (
            ("…" if start else "") + text[start : len(text) - end] + ("…" if end else "") for text in (old, new)
        )
    return f"{old} -> {new}"


def _alike(one: str, other: str) -> int:
    """How many characters two texts begin with alike."""
    return sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(one, other, strict=False)))


def _code(source: str) -> Any:
    """What a source compiles to, without docstrings and without places in the text: equal for equal programs."""

    def of(value: Any) -> Any:
        if not isinstance(value, CodeType):
            return type(value), repr(value)
        names = value.co_names, value.co_varnames, value.co_freevars, value.co_cellvars, value.co_exceptiontable
        return value.co_code, tuple(of(constant) for constant in value.co_consts), names

    return of(compile(source, "<mutant>", "exec", optimize=2))


def as_good(exercise: Exercise, mutant: Mutant, key: Key) -> str:
    """Of a changed test, why it is as good as the reference's: it finds the same wrong forms of what it tests, those of
    the bank and the machine-made ones, and refuses no right one. "" where it is not, or is no test.
    """
    if (forms := bank.implementations(exercise)) is None:
        return ""
    forms += _made(exercise)
    (rights, wrongs), (_, reference_finds) = (
        bank.observe(exercise, text, key, forms) for text in (mutant.source, None)
    )
    wanted = [name for name, finds in reference_finds.values.items() if finds]
    if not (rights.values and all(rights.values.values()) and all(map(wrongs.values.get, wanted))):
        return ""
    return f"It finds all {len(wanted)} wrong forms that the reference's test finds, and refuses no right one."


@cache
def _made(test: Exercise) -> tuple[Implementation, ...]:
    """The machine-made wrong forms of what a test is for. They run in this process, where nothing ends a loop that does
    not end: what tests are asked for has no loop that a change could make so."""
    check = checks.find(test.name, test.chapter)
    assert isinstance(check, CheckOfTest)
    tested = of_component(check.component)
    wrong = [mutant for mutant in mutants(tested) if mutant.name not in equivalent().get(tested.name, {})]
    return tuple(Implementation(m.name, False, bank.namespace(tested, m.source)[check.component]) for m in wrong)
