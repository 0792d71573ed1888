"""What may be done to one place of a reference, so that its answer is a wrong one that a learner might write."""

from __future__ import annotations

import ast
import re
from collections.abc import Collection, Iterator, Sequence
from typing import Any

from autograde.bank.places import Place, is_guard, unseen

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
# In place of a call of these, its argument would only be an error.
_OF_NO_OTHER_KIND = {"len", "range", "isinstance", "super", "enumerate", "zip"}
_NOTHING = [ast.Pass()]

Change = tuple[str, "ast.AST | list[Any]"]


def changes_of(place: Place, modules: Collection[str]) -> Iterator[Change]:
    """(operator, what stands there instead) of each change to this place. A list is of statements."""
    if isinstance(place.node, ast.stmt):
        yield from _changes_of_statement(place)
    else:
        yield from _changes_of_expression(place, modules)
    if place.field == "ifs":
        yield "always", ast.Constant(True)


def _changes_of_expression(place: Place, modules: Collection[str]) -> Iterator[Change]:
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


def _changes_of_statement(place: Place) -> Iterator[Change]:
    node = place.node
    match node:
        case ast.If(body=body, orelse=orelse):
            if not is_guard(node):
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


def _changes_of_call(place: Place, node: ast.Call, modules: Collection[str]) -> Iterator[Change]:
    name = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
    owner = node.func.value if isinstance(node.func, ast.Attribute) else None
    if isinstance(owner, ast.Attribute) or (isinstance(owner, ast.Name) and owner.id in modules):
        root = ast.unparse(owner).partition(".")[0]
        owner = None if root in modules else owner  # a module's function, no method
    if name not in _ANY_ORDER and not any(isinstance(arg, ast.Starred) for arg in node.args):
        yield from (("swapped", ast.Call(node.func, order, node.keywords)) for order in _swaps(node.args))
    for i, keyword in enumerate(node.keywords):
        if not unseen(Place(keyword)):
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
    moves = name == "to" and all(unseen(Place(arg)) for arg in node.args)
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


def _sibling(place: Place) -> str | None:
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


def _next_argument(place: Place) -> str | None:
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


def _has_value_before(place: Place) -> bool:
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
