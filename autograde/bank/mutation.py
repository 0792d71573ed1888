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
import difflib
import hashlib
import tomllib
from collections.abc import Collection
from dataclasses import dataclass
from functools import cache
from itertools import takewhile, zip_longest
from pathlib import Path
from types import CodeType, ModuleType
from typing import Any

from autograde import bank, reference
from autograde.bank.changes import changes_of
from autograde.bank.places import Place, places
from course import checks
from course.checks.engine import Implementation
from course.checks.engine.of_tests import CheckOfTest
from course.exercises import Exercise, of_component
from course.key import Key

MOST = 60  # mutants of one exercise that are judged; of more, a sample spread over the operators
_EQUIVALENT = Path(__file__).with_name("equivalent.toml")
# What tells by itself what was changed in it.
_SHOWN = (ast.Call, ast.Subscript, ast.BinOp, ast.BoolOp, ast.Compare, ast.Dict, ast.ListComp, ast.stmt)


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


def mutate(source: str, modules: Collection[str] = ()) -> tuple[Mutant, ...]:
    """Every mutant of a source text as `ast.unparse` writes it; `modules` are its names of modules, as torch and F.

    Left out is what compiles to the same code as the source or as an earlier mutant.
    """
    tree = ast.parse(source)
    made, seen, counts = [], {_code(source)}, dict[str, int]()
    for place in places(Place(tree)):
        for operator, new in changes_of(place, modules):
            context = _telling(place)
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


def _telling(place: Place) -> Place:
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
