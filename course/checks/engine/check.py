"""The check of an exercise: declared by a chapter's module case by case, it observes, compares and gives a verdict."""

from collections.abc import Callable, Sequence
from typing import Any

from course.checks.engine import conditions
from course.checks.engine.case import Case, Explain
from course.checks.engine.compare import alike, difference
from course.checks.engine.declare import Arguments, Axis, Declaration
from course.checks.engine.diagnose import Cause, case_verdicts, causes
from course.checks.engine.draw import Draw
from course.checks.engine.kinds import kind_of
from course.checks.engine.table import Diagnosis, Implementation, Observation, Table
from course.key import Key
from course.protocol.blocked import FAMILIES
from course.protocol.student import Student
from course.verdict import Outcome, Verdict


class Check:
    """The check of one exercise. `components` are the names it judges, in the order `check(number, ...)` takes them.

    `blocked` names families of PyTorch's operators (`course.protocol.blocked`) of which none may be called while the
    components run; the exercise tells the learner so. Raises ValueError where there is no such family.
    """

    registry: dict[str, "Check"] = {}
    keeps = True  # whether a passed component is kept for later notebooks
    guesses = True  # whether a diagnosis that explains nearly all that failed is told as a possibility

    def __init__(self, name: str, components: tuple[str, ...], blocked: tuple[str, ...] = ()):
        self.name = name
        self.components = tuple(components)
        self.blocked = tuple(blocked)
        if unknown := set(blocked) - set(FAMILIES):
            raise ValueError(f"{name} blocks {sorted(unknown)}: there are the families {', '.join(FAMILIES)}")
        self.own_cases: list[Case] = []  # written by hand, for what is particular to the exercise
        self.declarations: list[Declaration] = []
        self.undeclared = ""  # why none of its components is declared
        self.redundant = conditions.redundant().get(name, frozenset())
        Check.registry[name] = self

    def case(
        self,
        title: str,
        *,
        weight: float = 1.0,
        explain: Explain | None = None,
        atol: float = 1e-5,
        rtol: float = 1e-4,
        contract: bool = False,
    ) -> Callable[[Callable], Callable]:
        """Add a case: a function (student, draw) -> observations. Names beginning with "_" are not compared.

        A `contract` case looks at errors raised and arguments left alone, which code that does nothing gets right too:
        it earns its share only where a case of another kind passes.
        """

        def add(look: Callable[[Student, Draw], dict[str, Any]]) -> Callable:
            self.own_cases.append(Case(title, look, weight, explain, atol, rtol, contract))
            return look

        return add

    def takes(self, component: str, **declared: Any) -> Callable[[Callable[..., Arguments]], Callable[..., Arguments]]:
        """Declare what a component takes and promises: see `Declaration`. Upper-case keywords are the sizes of its
        axes, a number or an `Axis`; `same`, `optional` and `spread` may be one text of names."""
        axes = {n: v if isinstance(v, Axis) else Axis(v) for n, v in declared.items() if n.isupper()}
        promised = {n: v for n, v in declared.items() if not n.isupper()}
        for name in {"same", "optional", "spread"} & promised.keys():
            if isinstance(promised[name], str):
                promised[name] = tuple(promised[name].split())
        if component not in self.components:
            raise ValueError(f"{self.name} declares {component!r}, and its components are {self.components}")
        if unknown := set(promised.get("excused", {})) - conditions.EXCUSABLE:
            kinds = ", ".join(sorted(conditions.EXCUSABLE))
            raise ValueError(f"{self.name}: no conditions {sorted(unknown)} to be excused from, only {kinds}")

        def add(build: Callable[..., Arguments]) -> Callable[..., Arguments]:
            self.declarations.append(Declaration(component, build, axes, **promised))
            return build

        return add

    def takes_nothing(self, reason: str) -> None:
        """Say why no condition applies to it."""
        self.undeclared = reason

    @property
    def cases(self) -> list[Case]:
        """Its own cases, and those that are made from what its components declare."""
        made = conditions.cases(tuple(self.declarations))
        return [*self.own_cases, *(case for kind, case in made.items() if kind not in self.redundant)]

    def student(self, protocol: Any) -> Student:
        """The student at the other end of a protocol, under this exercise's rules."""
        return Student(protocol, self.blocked)

    def observe(
        self, student: Student, key: Key, against: Sequence[Implementation] | None = None
    ) -> tuple[Observation, ...]:
        """Let every case look. `against` matters to checks of tests alone."""
        return tuple(self.look(index, student, key) for index in range(len(self.cases)))

    def look(self, index: int, student: Student, key: Key) -> Observation:
        """Let one case look. What it draws, and so what it sees, rests on no other case."""
        return self.cases[index].observe(student, Draw(key, self.name, index))

    def judge(self, student: Student, table: Table) -> Verdict:
        """Look at the student's code with the table's key and compare with the table."""
        return self.compare(self.observe(student, table.key, table.against), table)

    def compare(self, seen: Sequence[Observation], table: Table) -> Verdict:
        """The verdict on observations made with the table's key."""
        if not (len(seen) == len(self.cases) == len(table.reference)):
            raise ValueError(f"{self.name}: {len(seen)} observations for a table of {len(table.reference)} cases")
        each = list(zip(self.cases, seen, table.reference, strict=True))
        differences = [difference(observed, reference, case) for case, observed, reference in each]
        failing = [i for i, sentence in enumerate(differences) if sentence is not None]
        by_index = causes(differences, self.cases, seen, table, self.same, self.guesses)
        if not by_index and (kind := kind_of([each[i] for i in failing])):
            own = [i for i in failing if i < len(self.own_cases) and not self.cases[i].contract]
            by_index = {i: Cause(Diagnosis("", kind, ()), True) for i in own}
        said = conditions.by_chance(self.cases, seen)
        sentences = [
            sentence and (said.get(i) or case.explained(observed, reference) or sentence)
            for i, (sentence, (case, observed, reference)) in enumerate(zip(differences, each, strict=True))
        ]
        lines = case_verdicts(self.cases, sentences, by_index)
        if not failing:
            return Verdict(Outcome.PASS, 1.0, tuple(lines))
        passed = [case for case, sentence in zip(self.cases, differences, strict=True) if sentence is None]
        earning = not all(case.contract for case in passed)
        fraction = sum(case.weight for case in passed) / sum(case.weight for case in self.cases) if earning else 0.0
        outcome = Outcome.ERROR if all(observed.raised for observed in seen) else Outcome.FAIL
        diagnosis = next((cause.diagnosis.name for cause in by_index.values() if cause.certain), "")
        return Verdict(Outcome.PARTIAL if fraction > 0 else outcome, fraction, tuple(lines), diagnosis)

    def hold(self, reference: Sequence[Observation]) -> None:
        """Raises ValueError, naming the condition, where the reference itself does not keep what is declared of it."""
        for case, seen in zip(self.cases, reference, strict=True):
            said = {name: value for name, value in seen.values.items() if isinstance(value, str) and value}
            broken = {name: value for name, value in said.items() if case.agrees or name.endswith(": changed")}
            if seen.raised is not None or broken:
                what = f"it raised {seen.raised}" if seen.raised is not None else f"it saw {broken}, {seen.hidden}"
                raise ValueError(
                    f"{self.name}: the reference fails the case {case.title!r} of its own check ({what}). Mend the "
                    "reference or the case, or let the declaration be excused from it, with a reason"
                )

    def same(self, i: int, seen: Observation, other: Observation) -> bool:
        """Whether case i cannot tell two answers apart."""
        return alike(seen, other, self.cases[i])
