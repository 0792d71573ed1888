"""Timing cells of chapters 09 and 10 on cards that are not here: what they assert of times holds by the made-up clock.

Run are the cells that are tagged `timing`, of the solved notebooks, with `device` a GPU in name, and of the other cells
the definitions that they use. On the CPU the whole notebooks run in `test_solved.py`.
"""

import ast
import contextlib
import io
import re
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import matplotlib
import matplotlib.pyplot as plt
import pytest
import torch

from benchmarks.cards import CARDS
from course.exercises import exercises
from tests import card
from tools.notebooks import files, solving

PATHS = {path.stem[:2]: path for path in files.paths(["09", "10"])}
both_chapters = pytest.mark.parametrize("number", PATHS)
CLOCKS = re.compile(r"\b(seconds_of|measure_throughput|perf_counter|process_time|elapsed_time|clock)\(")
# What these time are threads of this machine that sleep: no GPU has a part in it.
SLEEPERS = ("launch_kernel", "fetched(", "time.sleep(")


def code_cells(number: str) -> list[Any]:
    return [cell for cell in solving.solved(PATHS[number]).cells if cell.cell_type == "code"]


def is_timed(cell: Any) -> bool:
    """Whether it times the device."""
    return "timing" in cell.metadata.get("tags", []) and not any(word in cell.source for word in SLEEPERS)


def binds(statement: ast.stmt) -> set[str]:
    """The names that a statement gives to the cells after it."""
    if isinstance(statement, ast.FunctionDef | ast.ClassDef):
        return {statement.name}
    if isinstance(statement, ast.Import | ast.ImportFrom):
        return {(alias.asname or alias.name).partition(".")[0] for alias in statement.names}
    if isinstance(statement, ast.Assign | ast.AnnAssign):
        return {
            node.id for node in ast.walk(statement) if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)
        }
    return set()


def reads(statement: ast.stmt) -> set[str]:
    return {node.id for node in ast.walk(statement) if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load)}


def needed(cells: list[Any]) -> list[tuple[ast.stmt, bool]]:
    """The timing cells' statements, and those of the rest that they rest on; whether each is a timing cell's."""
    statements = [(statement, is_timed(cell)) for cell in cells for statement in ast.parse(cell.source).body]
    kept, wanted = [], set()
    for statement, timed in reversed(statements):
        if timed or binds(statement) & wanted:
            kept.append((statement, timed))
            wanted |= reads(statement)
    return kept[::-1]


class OnTheCard(ast.NodeTransformer):
    """`device.type` is "cuda", though the device is "meta"; and what is timed again and again is timed once, for by
    this clock it takes as long each time."""

    def visit_Call(self, node: ast.Call) -> ast.AST:
        if isinstance(node.func, ast.Name) and node.func.id == "min" and isinstance(node.args[0], ast.GeneratorExp):
            (again,) = node.args[0].generators
            if isinstance(again.target, ast.Name) and again.target.id == "_":
                again.iter = ast.copy_location(ast.Tuple([ast.Constant(0)], ast.Load()), again.iter)
        return self.generic_visit(node)

    def visit_Attribute(self, node: ast.Attribute) -> ast.AST:
        if node.attr == "type" and isinstance(node.value, ast.Name) and node.value.id == "device":
            return ast.copy_location(ast.Constant("cuda"), node)
        return self.generic_visit(node)


def from_solutions(names: list[ast.alias]) -> dict[str, Any]:
    """The course's components by name, as the reference has them."""
    found = {}
    modules = [__import__(f"solutions.{chapter}", fromlist=["x"]) for chapter in {e.chapter for e in exercises()}]
    for alias in names:
        found[alias.asname or alias.name] = next(
            getattr(module, alias.name)
            for module in modules
            if getattr(getattr(module, alias.name, None), "__module__", "") == module.__name__
        )
    return found


def fewer_steps(measure_throughput: Callable[..., float]) -> Callable[..., float]:
    """The same with one step after one for warming up."""

    def measured(step: Any, items: int, num_steps: int, warm_up: int, *more: Any) -> float:
        return measure_throughput(step, items, 1, min(warm_up, 1), *more)

    return measured


def run_on(which: str, cells: list[Any]) -> tuple[dict[str, Any], str, SimpleNamespace]:
    """What the cells left behind, what they printed, and the card."""
    matplotlib.use("Agg")
    printed = io.StringIO()
    with card.cuda(CARDS[which]) as here, contextlib.redirect_stdout(printed):
        clock = here.clock
        fixed = {
            "device": torch.device("meta"),
            "clock": clock,
            "time": SimpleNamespace(perf_counter=clock, process_time=clock, sleep=lambda s: None),
            "show": lambda *args, **kwargs: None,
        }
        names: dict[str, Any] = {"__name__": "__main__", **fixed}
        for statement, _ in needed(cells):
            if isinstance(statement, ast.ImportFrom) and statement.module == "course.components":
                names |= from_solutions(statement.names)
                continue
            if isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Name):  # the table that ends a cell
                statement = ast.parse(f"print({statement.value.id})").body[0]
            tree = OnTheCard().visit(ast.Module([statement], []))
            exec(compile(ast.fix_missing_locations(tree), "cells", "exec"), names)
            names |= {name: value for name, value in fixed.items() if name in binds(statement)}
            if "measure_throughput" in binds(statement):
                names["measure_throughput"] = fewer_steps(names["measure_throughput"])
    plt.close("all")  # `show`, which closes a figure, leaves nothing behind that is needed
    return names, printed.getvalue(), here


@pytest.fixture(scope="module")
def on_cards():
    """The timing cells' run on each card, made once."""
    made: dict[tuple[str, str], Any] = {}

    def run(number: str, which: str) -> Any:
        if (number, which) not in made:
            made[number, which] = run_on(which, code_cells(number))
        return made[number, which]

    return run


@both_chapters
@pytest.mark.parametrize("which", ["t4", "a100", "h100"])
def test_what_the_chapter_asserts_of_times_holds_on_a_card(on_cards, which, number):
    _, printed, here = on_cards(number, which)
    assert here.clock.kernels > 1000 and len(printed.splitlines()) > {"09": 20, "10": 10}[number]


@both_chapters
def test_every_cell_that_asserts_of_times_is_a_timing_cell_or_times_this_machines_threads(number):
    every = code_cells(number)
    assert sum(is_timed(cell) and "assert " in cell.source for cell in every) >= 2  # also what stands in a cell apart
    cells = [cell for cell in every if CLOCKS.search(cell.source) and "assert " in cell.source]
    for cell in cells:
        assert is_timed(cell) or any(word in cell.source for word in SLEEPERS), cell.source[:300]


ADDING = """
numbers = torch.zeros(4**11, device=device)
took = [seconds_of(lambda n=n: numbers[:n].add_(1), 50) for n in (1, 4**11)]
assert took[1] > {growth} * took[0]
"""


@pytest.mark.parametrize("which", ["t4", "a100", "h100"])
def test_an_assertion_that_a_launch_floor_rules_out_fails(which):
    """Adding to four million numbers takes more than 50 times as long as adding to one on a CPU, and on no card."""
    cells = code_cells("09")
    last = max(place for place, cell in enumerate(cells) if "def seconds_of" in cell.source)
    for growth, holds in ((1, True), (50, False)):
        made = SimpleNamespace(source=ADDING.format(growth=growth), metadata={"tags": ["timing"]})
        before = [SimpleNamespace(source=cell.source, metadata={}) for cell in cells[: last + 1]]
        with contextlib.nullcontext() if holds else pytest.raises(AssertionError):
            run_on(which, [*before, made])


def test_the_profilers_cell_counts_the_cards_time_once(on_cards):
    """The shares that 10.5 prints are those of the operators' kernels: none is counted at the kernel, too."""
    _, printed, here = on_cards("10", "a100")
    (profile,) = here.profiles
    truth = profile.seconds()
    total = sum(truth.values())
    shares = {name: float(share) for name, share in re.findall(r"^(aten::\S+|\S.*?)\s+([\d.]+)%", printed, re.M)}
    shares = {name: share for name, share in shares.items() if name in truth}
    assert len(shares) >= 5 and sum(shares.values()) <= 100.5
    for name, share in shares.items():
        assert share == pytest.approx(100 * truth[name] / total, abs=0.06), name
