"""Machine-made wrong answers: which changes are made, that the sandbox judges them, and that those which are said to be
right are.
"""

import ast

import pytest

from autograde import bank
from autograde.bank import mutation
from course import checks
from course.checks.engine import Table
from course.exercises import exercises, of_component
from course.key import Key

KEY = Key.public(20261122)
LISTED = [e for e in exercises() if e.name in mutation.equivalent()]


def changed(source: str) -> dict[str, list[str]]:
    """operator -> the changes that it makes, in a function whose body this is."""
    body = "\n    ".join(source.splitlines())
    by_operator: dict[str, list[str]] = {}
    for mutant in mutation.mutate(f"def function(a, b: int):\n    {body}", {"torch"}):
        operator, _, change = mutant.name.partition(": ")
        by_operator.setdefault(operator, []).append(change)
    return by_operator


@pytest.mark.parametrize(
    ("source", "operator", "expected"),
    [
        ("return c @ d", "arithmetic", ["c @ d -> c * d"]),
        ("return c @ d", "swapped", ["c @ d -> d @ c"]),
        ("return c + d", "operand dropped", ["c + d -> c", "c + d -> d"]),
        ("return -c * d", "sign dropped", ["-c * d -> c * d"]),
        ("return c < d", "comparison", ["c < d -> c <= d", "c < d -> c > d"]),
        ("return 0 < c <= d", "comparison", [
            "0 < c <= d -> 0 <= c <= d", "0 < c <= d -> 0 > c <= d", "0 < c <= d -> 0 < c < d",
            "0 < c <= d -> 0 < c >= d",
        ]),
        ("return c and d", "boolean", ["c and d -> c or d"]),
        ("return c(not d)", "not dropped", ["c(not d) -> c(d)"]),
        ("return c.sum(dim=-1, keepdim=True)", "constant", [
            "c.sum(dim=-1, keepdim=True) -> c.sum(dim=-2, keepdim=True)",
            "c.sum(dim=-1, keepdim=True) -> c.sum(dim=-0, keepdim=True)",
            "c.sum(dim=-1, keepdim=True) -> c.sum(dim=-1, keepdim=False)",
        ]),
        ("return c.sum(dim=-1, keepdim=True)", "keyword dropped", [
            "c.sum(dim=-1, keepdim=True) -> c.sum(keepdim=True)", "c.sum(dim=-1, keepdim=True) -> c.sum(dim=-1)",
        ]),
        ("return c ** 0.5", "constant", ["c ** 0.5 -> c ** 1.0"]),
        ("return c(float('-inf'))", "constant", ["float('-inf') -> 0.0"]),
        ("return torch.softmax(c, dim=d)", "call dropped", ["torch.softmax(c, dim=d) -> c"]),
        ("return c.transpose(1, 2)", "call dropped", ["c.transpose(1, 2) -> c"]),
        ("return torch.einsum('td,sd->ts', c, d)", "swapped", [
            "torch.einsum('td,sd->ts', c, d) -> torch.einsum(c, 'td,sd->ts', d)",
            "torch.einsum('td,sd->ts', c, d) -> torch.einsum('td,sd->ts', d, c)",
            "torch.einsum('td,sd->ts', c, d) -> torch.einsum('td,sd->st', c, d)",
        ]),
        ("return torch.tril(c)", "opposite", ["torch.tril(c) -> torch.triu(c)"]),
        ("return c[:, :d]", "slice", ["c[:, :d] -> c[:, :]", "c[:, :d] -> c[:, :d - 1]"]),
        ("return list(range(c))", "range", ["range(c) -> range(c - 1)"]),
        ("d.zero_grad()\nreturn c", "statement dropped", ["d.zero_grad()"]),
        ("c = torch.ones(2)\nc = c.exp()\nreturn c", "statement dropped", ["c = c.exp()"]),
        ("with torch.no_grad():\n    return c", "context dropped", ["with torch.no_grad():"]),
        ("if c:\n    d = 1\nreturn d", "always", ["if c:"]),
        ("if c:\n    d = 1\nreturn d", "never", ["if c:"]),
        ("return [c for c in d if c]", "always", ["[c for c in d if c] -> [c for c in d if True]"]),
    ],
)  # fmt: skip
def test_one_small_change_each(source, operator, expected):
    assert changed(source)[operator] == expected


def test_a_name_takes_the_place_of_a_sibling():
    """Attributes made in the same way, arguments of the same type."""
    source = """
class Block(nn.Module):
    def __init__(self, width):
        self.first, self.width = nn.Linear(width, width), width
        self.second = nn.Linear(width, width)

    def forward(self, query: Tensor, key: Tensor, mask: Mask):
        return self.second(self.first(key)) + self.width
"""
    changes = [m.name for m in mutation.mutate(source, {"nn"}) if m.operator == "sibling"]
    assert changes == [
        "sibling: self.second(self.first(key)) -> self.first(self.first(key))",
        "sibling: self.first(key) -> self.second(key)",
        "sibling: self.first(key) -> self.first(query)",
    ]


def test_what_is_given_or_not_promised_stays():
    """Signatures, annotations, texts, devices, the check of an argument; what is computed for an error's text alone."""
    body = """
    {docstring}
    size = a + 1
    if a > 2:
        raise ValueError(f"{{a + 3}} {{size}}")
    c: list[int] = torch.zeros(b, device=b.device)
    return c.to(b.device)
"""
    head = "@decorated(1)\ndef function(a: int = 0, b: bool = True) -> tuple[1, 2]:"
    silent, promised = (
        {m.name.partition(":")[0] for m in mutation.mutate(head + body.format(docstring=words), {"torch"})}
        for words in ('"""Says 1."""', '"""Raises ValueError where a is above 2."""')
    )
    assert silent == {"opposite", "call dropped"}
    assert promised - silent == {"never", "comparison", "constant"}


def test_what_may_stand_in_any_order_is_not_swapped():
    assert set(changed("return c.transpose(1, 2)")) == {"constant", "call dropped"}
    assert "swapped" not in changed("return torch.maximum(c, d)")


def test_equal_programs_are_left_out():
    """1 + 1 becomes 2 + 1 and 1 + 2, which compile to the same, and 0 + 1, 1 + 0 and 1."""
    made = [m.source.partition("return ")[2] for m in mutation.mutate("def function():\n    return 1 + 1")]
    assert made == ["1 - 1", "1", "2 + 1"]


def test_names_are_stable_and_tell_repeated_changes_apart():
    names = [m.name for m in mutation.mutate("def function(c):\n    return c[1] + c[1]") if m.operator == "constant"]
    assert names == [
        "constant: c[1] -> c[2]", "constant: c[1] -> c[0]", "constant: c[1] -> c[2] (2)", "constant: c[1] -> c[0] (2)",
    ]  # fmt: skip
    long = mutation.mutate(f"def function():\n    return call({', '.join('xyz' * 9 for _ in range(5))}, 1, 'z' * 30)")
    assert any(m.name.count("…") >= 2 and len(m.name) < 150 for m in long)


@pytest.mark.parametrize("exercise", [of_component("safe_softmax"), of_component("GRUCell")], ids=lambda e: e.name)
def test_mutants_of_a_reference(exercise):
    """Each is a program of its own and differs from the reference; a sample has all operators that there are."""
    mutants, taken = mutation.mutants(exercise), mutation.sample(exercise)
    assert len({m.name for m in mutants}) == len({m.source for m in mutants}) == len(mutants)
    assert min(len(mutants), mutation.MOST) == len(taken) == len(set(taken) & set(mutants)) > 8
    assert {m.operator for m in taken} == {m.operator for m in mutants}
    for mutant in mutants:
        ast.parse(mutant.source)
        assert mutant.difference(mutation.reference_form(exercise)).count("\n") >= 1, mutant.name


@pytest.mark.parametrize("exercise", LISTED, ids=lambda e: e.name)
def test_what_is_listed_as_equivalent_is_accepted(exercise, full):
    """Each entry names a mutant that there is, has a reason, and gets full marks: else it must go.

    One entry of an exercise is judged, in this process; with `--full` all.
    """
    listed, made = mutation.equivalent()[exercise.name], {m.name: m for m in mutation.mutants(exercise)}
    assert not set(listed) - set(made), "no such mutants: the reference has changed, or the name is not as printed"
    assert all(len(reason.split()) >= 4 for reason in listed.values()), "say why, in a sentence"
    check = checks.find(exercise.name, exercise.chapter)
    table = Table(KEY, bank.observe(exercise, None, KEY), ())
    for name in list(listed) if full else [sorted(listed)[20261122 % len(listed)]]:
        verdict = check.compare(bank.observe(exercise, made[name].source, KEY), table)
        assert verdict.outcome == "pass", f"{name} is caught, so it is no equivalent: {verdict}"


def test_a_changed_test_is_as_good_where_it_finds_what_the_references_finds(monkeypatch):
    test = of_component("test_split_heads")
    swapped = next(m for m in mutation.mutants(test) if m.name.startswith("swapped: torch.equal(heads[:, h], x"))
    assert "refuses no right one" in mutation.as_good(test, swapped, KEY)
    assert not mutation.as_good(of_component("split_heads"), swapped, KEY), "that is no test"
    alone = bank.implementations(test)[:1]
    monkeypatch.setattr(bank, "implementations", lambda exercise: alone)  # no bank: the machine-made forms count too
    assert mutation.as_good(test, swapped, KEY)
    for said in ("True", "False", "no_such_name"):  # misses all, refuses all, breaks
        careless = mutation.Mutant("careless", f"def test_split_heads(split_heads):\n    return {said}")
        assert not mutation.as_good(test, careless, KEY)


def test_the_list_knows_the_exercises():
    assert set(mutation.equivalent()) <= {e.name for e in exercises() if not e.question}
