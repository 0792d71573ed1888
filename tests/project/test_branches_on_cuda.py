"""Every place in the code that asks for CUDA, and which test reaches it without a GPU, or why none can.

Each function or statement that mentions `torch.cuda`, `is_cuda` or compares with "cuda" or "cpu" stands in one of two
tables. The tests that are named there are run once more, and watched: each question, be it in an `if`, a conditional
expression, an operand of `and` or `or`, a comprehension's condition or an argument, must have had the answer that it
has on CUDA. Each mention of `torch.cuda` must have been reached, and so must the side for CUDA of each `if`, `match`
and conditional expression.
Cells that are tagged `timing` need no line: `tests/notebooks/test_on_a_card.py` runs all of them.
"""

import ast
import builtins
import json
import os
import subprocess
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path
from types import CodeType
from typing import Any

from tools.notebooks import files

ROOT = Path(__file__).resolve().parents[2]
FOLDERS = ("solutions", "training", "benchmarks", "course", "theme", "tools")
LEFT_OUT = ("benchmarks/first_look/",)  # answers from outside, kept as they came


ROLE = "tests/training/test_processes_in_name.py::"
RUNG = "tests/benchmarks/test_on_a_card.py::"
GPU = "tests/benchmarks/test_gpu.py::"
SET_UP = "tests/tools/test_setup.py::"
MODELS = "tests/benchmarks/test_models.py::"
MEASURED = f"{RUNG}test_every_rung_is_measured_on_a_card[tf32, fused attention-inference]"
CELLS = "tests/notebooks/test_on_a_card.py::test_what_the_chapter_asserts_of_times_holds_on_a_card"
# By place, the test that reaches it. A notebook's place is its number and how the statement begins.
REACHED: dict[str, str | tuple[str, ...]] = {
    "solutions/scale.py:save_checkpoint": "tests/solutions/test_scale.py::test_random_numbers_of_every_gpu_are_kept",
    "solutions/scale.py:load_checkpoint": "tests/solutions/test_scale.py::test_random_numbers_of_every_gpu_are_kept",
    "training/devices.py:device_of": "tests/training/test_training.py::test_each_process_takes_a_gpu_of_its_own",
    "training/devices.py:_require_units": (
        "tests/training/test_training.py::test_a_gpu_without_units_for_bfloat16_is_not_asked_to_imitate_them"
    ),
    "training/devices.py:this_process": f"{ROLE}test_each_rank_has_a_gpu_of_its_own_and_they_talk_by_nccl",
    "training/devices.py:distributed": f"{ROLE}test_what_a_gpu_is_handed",
    "training/step.py:seed_step": f"{ROLE}test_what_a_gpu_is_handed",
    "training/step.py:optimizer_of": f"{ROLE}test_what_a_gpu_is_handed",
    "training/loading.py:Loader.__init__": f"{ROLE}test_what_a_gpu_is_handed",
    "training/loading.py:num_workers": f"{ROLE}test_what_a_gpu_is_handed",
    "training/speed.py:peaks": f"{ROLE}test_what_a_gpu_is_handed",
    "benchmarks/curves.py:training_dtype": f"{GPU}test_a_curve_is_in_bfloat16_where_a_gpu_has_units_for_it",
    "benchmarks/gpu.py:parts": f"{GPU}test_every_part_is_a_command_that_its_module_takes",
    "benchmarks/gpu.py:look": f"{GPU}test_what_is_seen_and_what_will_be_in_the_way",
    "benchmarks/gpu_parts.py:run_notebook": f"{GPU}test_a_notebook_takes_the_gpu_unless_it_is_kept_from_it",
    "benchmarks/gpu_parts.py:main": (
        f"{GPU}test_every_part_is_a_command_that_its_module_takes",
        f"{GPU}test_a_part_is_given_the_gpu",
    ),
    "benchmarks/gpu_parts.py:formats": f"{GPU}test_a_format_without_units_is_left_out",
    "benchmarks/gpu_parts.py:refusing_waits": f"{GPU}test_torch_is_told_to_refuse_waits_and_told_back",
    "benchmarks/models.py:ladder": f"{MODELS}test_the_ladder_has_what_the_model_the_device_and_the_work_have",
    "benchmarks/models.py:precision": f"{RUNG}test_a_precision_is_set_and_taken_back",
    "benchmarks/models.py:Rates.measure": MEASURED,
    "benchmarks/models.py:matrix_product": f"{RUNG}test_the_product_that_is_the_peak_is_large_on_a_card",
    "benchmarks/models.py:compare": MEASURED,
    "benchmarks/models.py:speeds": MEASURED,
    "benchmarks/models.py:time_of": MEASURED,
    "benchmarks/models.py:warmed_up": MEASURED,
    "benchmarks/models.py:fitting": f"{MODELS}test_a_gpus_batch_leaves_room_for_the_others",
    "benchmarks/models.py:imitates_bfloat16": f"{RUNG}test_a_card_without_units_for_bfloat16_is_known",
    "benchmarks/models.py:main": f"{RUNG}test_on_a_card_the_batch_is_fitted_and_the_result_has_a_name_of_its_own",
    "benchmarks/record.py:machine": f"{GPU}test_the_whole_command_on_a_card_that_is_none",
    "tools/setup.py:chosen_build": (
        f"{SET_UP}test_with_a_gpu_or_when_asked_torch_is_the_build_for_gpus",
        f"{SET_UP}test_elsewhere_than_linux_torch_is_pypis",
    ),
    "tools/setup.py:torch_words": (
        f"{SET_UP}test_with_a_gpu_or_when_asked_torch_is_the_build_for_gpus",
        f"{SET_UP}test_a_build_for_gpus_that_is_there_is_not_asked_for_again",
    ),
    "tools/setup.py:make_environment": (
        f"{SET_UP}test_make_gpu_changes_over_to_the_build_for_gpus_by_itself_where_one_is_seen",
        f"{SET_UP}test_from_one_build_to_the_other_and_back",
    ),
    "tools/setup.py:main": f"{SET_UP}test_a_gpus_compiler_is_installed_where_it_may",
    "09:def wait() -> None": CELLS,
    "10:def wait() -> None": CELLS,
}
ONLY_THERE = "it works on a GPU's own numbers and times; `make gpu` runs it"
ONE_LINE = "one expression, whose side for CUDA allows or asks for more; the rest is the same on a CPU"
# By place, why no test can be sure of it without a GPU.
NOT_REACHED = {
    "training/speed.py:measured_peak": "a product that takes a GPU a tenth of a second and a CPU half a minute",
    "benchmarks/curves.py:main": "after the refusal, that `test_record.py` sees, it trains for minutes",
    "benchmarks/decoding.py:compiled": "torch.compile writes its kernels for a device that is there",
    "benchmarks/gpu_parts.py:placement": ONLY_THERE,
    "benchmarks/gpu_parts.py:wait": ONLY_THERE,
    "benchmarks/gpu_parts.py:roof": ONLY_THERE,
    "benchmarks/gpu_parts.py:training": ONLY_THERE,
    "benchmarks/models.py:run": ONE_LINE,
    "course/fixtures/scale.py:TwoDevices.__init__": "it plays CUDA itself, for the checks",
    "course/protocol/runner.py:as_at_the_start": "it sets back the default device, whichever a learner's code left",
    "09:device = ": "the first thing that `make gpu` sees when it runs the notebook",
    "09:clock = ": ONE_LINE,
    "10:device = ": "the first thing that `make gpu` sees when it runs the notebook",
    "10:clock = ": ONE_LINE,
    "10:for batch_size in": "bytes that a GPU gave out; `make gpu` runs the cell",
    "10:assert ": ONE_LINE,
    "10:for number in range(torch.cuda.device_count())": "what a GPU says of itself",
    "10:if device.type == 'cpu'": "the other side of it is nothing",
}


def asks(node: ast.AST) -> bool:
    """Whether this expression asks for CUDA, or is made for it."""
    if isinstance(node, ast.Attribute):
        return node.attr == "is_cuda" or (node.attr == "cuda" and ast.unparse(node.value) == "torch")
    if isinstance(node, ast.Compare) and not ast.unparse(node.left).endswith(".chapter"):
        return bool(words([node.left, *node.comparators]) & {"cuda", "cpu"})
    if isinstance(node, ast.match_case):
        return bool(words([node.pattern]) & {"cuda", "cpu"})
    if isinstance(node, ast.Call):
        return ast.unparse(node.func) == "sees_gpu"
    return isinstance(node, ast.Name) and node.id == "cuda" and isinstance(node.ctx, ast.Load)


def words(nodes: Iterable[ast.AST]) -> set[object]:
    """The constants in these."""
    return {x.value for node in nodes for x in ast.walk(node) if isinstance(x, ast.Constant)}


def on_cuda(node: ast.AST) -> bool | None:
    """What a question about the device is answered on CUDA, or None where that is open."""
    if isinstance(node, ast.Compare) and len(node.ops) == 1:
        sides = [node.left, *node.comparators]
        sides += [x for side in sides if isinstance(side, ast.Tuple | ast.List | ast.Set) for x in side.elts]
        named = {x.value for x in sides if isinstance(x, ast.Constant)} & {"cuda", "cpu"}
        if len(named) == 1 and isinstance(node.ops[0], ast.Eq | ast.In):
            return "cuda" in named
        if len(named) == 1 and isinstance(node.ops[0], ast.NotEq | ast.NotIn):
            return "cuda" not in named
    if isinstance(node, ast.Call):
        return True if ast.unparse(node.func) in ("torch.cuda.is_available", "sees_gpu") else None
    return True if isinstance(node, ast.Attribute) and node.attr == "is_cuda" else None


def side(node: ast.If | ast.IfExp | ast.While, known: set[str]) -> Any:
    """What runs on CUDA of something that has two sides, or None where its condition does not ask. `known`: the names
    that hold an answer. Where the answer on CUDA is open, that is what comes first."""
    condition, turned = node.test, False
    while isinstance(condition, ast.UnaryOp) and isinstance(condition.op, ast.Not):
        condition, turned = condition.operand, not turned
    asked = [x for x in ast.walk(condition) if asks(x) or on_cuda(x) or (isinstance(x, ast.Name) and x.id in known)]
    if not asked:
        return None
    answers = [True if isinstance(x, ast.Name) else on_cuda(x) for x in asked]
    answer = next((x for x in answers if x is not None), True) != turned
    return node.body if answer else node.orelse


def answers(top: ast.AST) -> set[str]:
    """The names in it that hold the answer to a question: `on_gpu = device.type == "cuda"`."""
    names = set()
    for node in ast.walk(top):
        if not isinstance(node, ast.Assign):
            continue
        for target in node.targets:
            pairs = [(target, node.value)]
            if isinstance(target, ast.Tuple) and isinstance(node.value, ast.Tuple):
                pairs = list(zip(target.elts, node.value.elts, strict=True))
            for name, value in pairs:
                first = value.values[0] if isinstance(value, ast.BoolOp) else value
                if isinstance(name, ast.Name) and on_cuda(first) and (asks(first) or isinstance(first, ast.Call)):
                    names.add(name.id)
    return names


def questions(top: ast.AST) -> Iterator[tuple[ast.AST, bool | None]]:
    """The expressions of a place that have to be reached, and what each has to be answered at least once."""
    known = answers(top)
    for node in ast.walk(top):
        if isinstance(node, ast.IfExp) and (chosen := side(node, known)) is not None:
            yield chosen, None
        if asks(node) and not isinstance(node, ast.match_case):
            yield node, on_cuda(node)
        elif isinstance(node, ast.Call) and on_cuda(node):
            yield node, True


def numbered(source: str) -> ast.Module:
    """The tree of a file, its nodes numbered: the same for whoever asks."""
    tree = ast.parse(source)
    for number, node in enumerate(ast.walk(tree)):
        node.number = number  # type: ignore[attr-defined]
    return tree


class Watched(ast.NodeTransformer):
    """A file's tree in which expressions of these numbers are noted, with their truth, whenever they are reached."""

    def __init__(self, file: str, numbers: set[int]):
        self.file, self.numbers = file, numbers

    def visit(self, node: ast.AST) -> Any:
        number = getattr(node, "number", None)
        node = self.generic_visit(node)
        if number not in self.numbers or not isinstance(node, ast.expr):
            return node
        arguments = [ast.Constant(self.file), ast.Constant(number), node]
        noted = ast.Call(ast.Name("_noted", ast.Load()), arguments, [])
        return ast.fix_missing_locations(ast.copy_location(noted, node))


def compiled(path: str, numbers: Iterable[int]) -> CodeType:
    """A file as it runs under watch."""
    tree = numbered(Path(path).read_text(encoding="utf-8"))
    return compile(Watched(path, set(numbers)).visit(tree), path, "exec", dont_inherit=True)


def functions(tree: ast.Module) -> Iterator[tuple[str, ast.AST]]:
    """Every function by its qualified name, the outermost that are in no other; what is in none, by ''."""

    def visit(node: ast.AST, name: str) -> Iterator[tuple[str, ast.AST]]:
        for child in ast.iter_child_nodes(node):
            if isinstance(child, ast.FunctionDef):
                yield f"{name}{child.name}", child
            elif isinstance(child, ast.ClassDef):
                yield from visit(child, f"{name}{child.name}.")
            elif not isinstance(child, ast.Import | ast.ImportFrom):
                yield name.rstrip("."), child

    yield from visit(tree, "")


def found() -> dict[str, list[ast.AST]]:
    """By place, `file:function` or `09:first line of the statement`, the nodes that ask."""
    places: dict[str, list[ast.AST]] = {}
    for folder in FOLDERS:
        for path in sorted((ROOT / folder).rglob("*.py")):
            file = path.relative_to(ROOT).as_posix()
            if file.startswith(LEFT_OUT):
                continue
            for name, node in functions(numbered(path.read_text(encoding="utf-8"))):
                if any(map(asks, ast.walk(node))):
                    places.setdefault(f"{file}:{name}", []).append(node)
    for path in files.paths():
        for cell in files.read(path).cells:
            if cell.cell_type != "code":
                continue
            if "timing" in cell.metadata.get("tags", []):
                continue
            for statement in ast.parse(cell.source).body:
                if any(map(asks, ast.walk(statement))):
                    line = ast.unparse(statement).splitlines()[0]
                    places.setdefault(f"{path.stem[:2]}:{line[:60]}", []).append(statement)
    return places


def those_that_reach(place: str) -> tuple[str, ...]:
    """The tests that reach a place together."""
    named = REACHED[place]
    return (named,) if isinstance(named, str) else named


def in_a_notebook(place: str) -> bool:
    """Whether a place, or the line for it, is a notebook's: `09:device = `."""
    return place[:2].isdigit()


def test_every_place_has_its_line_and_every_line_its_place():
    places, lines = found(), [*REACHED, *NOT_REACHED]
    assert len(places) > 30
    of = {
        place: [line for line in lines if place == line or (in_a_notebook(line) and place.startswith(line))]
        for place in places
    }
    assert not [place for place, matching in of.items() if len(matching) != 1]
    assert not set(lines) - {line for matching in of.values() for line in matching}


def for_cuda(nodes: list[ast.AST]) -> list[int]:
    """The first lines of what an `if` that asks does on CUDA: its body, or where it asks for the CPU what is else; and
    of a `match` its case for CUDA."""
    lines = []
    for top in nodes:
        known = answers(top)
        for node in ast.walk(top):
            if isinstance(node, ast.If | ast.While) and (chosen := side(node, known)):
                lines.append(chosen[0].lineno)
            if isinstance(node, ast.match_case) and "cuda" in words([node.pattern]):
                lines.append(node.body[0].lineno)
    return lines


WATCH = """
import builtins, json, sys
from importlib.machinery import SourceFileLoader
import pytest
from tests.project.test_branches_on_cuda import compiled

out, files, *tests = sys.argv[1:]
files, seen, truths = json.loads(files), {}, {}
assert not {getattr(module, "__file__", None) for module in list(sys.modules.values())} & set(files)

def lines(frame, event, argument):
    if event == "line":
        seen.setdefault(frame.f_code.co_filename, set()).add(frame.f_lineno)
    return lines

def noted(file, number, value):
    truths.setdefault(file, {}).setdefault(number, set()).add(bool(value))
    return value

def code_of(loader, name, get_code=SourceFileLoader.get_code):
    return compiled(loader.path, files[loader.path]) if loader.path in files else get_code(loader, name)

builtins._noted, SourceFileLoader.get_code = noted, code_of
sys.settrace(lambda frame, event, argument: lines if frame.f_code.co_filename in files else None)
code = pytest.main(["-q", "-p", "no:cacheprovider", *tests])
sys.settrace(None)
truths = {file: {number: sorted(of) for number, of in by_number.items()} for file, by_number in truths.items()}
json.dump({"lines": {file: sorted(of) for file, of in seen.items()}, "truths": truths}, open(out, "w"))
sys.exit(code)
"""


def test_the_tests_that_are_named_run_the_sides_for_cuda(tmp_path):
    places = {place: nodes for place, nodes in found().items() if place in REACHED and not in_a_notebook(place)}
    tests = sorted({test for place in places for test in those_that_reach(place)})
    watched: dict[str, list[int]] = {}
    for place, nodes in places.items():
        numbers = [node.number for top in nodes for node, _ in questions(top)]  # type: ignore[attr-defined]
        watched.setdefault(str(ROOT / place.partition(":")[0]), []).extend(numbers)
    environment = {name: value for name, value in os.environ.items() if not name.startswith("PYTEST_")}
    done = subprocess.run(
        [sys.executable, "-c", WATCH, str(tmp_path / "seen"), json.dumps(watched), *tests],
        cwd=ROOT, capture_output=True, text=True, env=environment,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout[-3000:] + done.stderr[-3000:]
    seen = json.loads((tmp_path / "seen").read_text())
    missing = []
    for place, nodes in places.items():
        file = str(ROOT / place.partition(":")[0])
        ran, truths = set(seen["lines"].get(file, [])), seen["truths"].get(file, {})
        assert any(node.lineno <= line <= node.end_lineno for node in nodes for line in ran), f"{place} did not run"
        missing += [f"{place}: line {line} did not run" for line in sorted(set(for_cuda(nodes)) - ran)]
        for top in nodes:
            for node, wanted in questions(top):
                was = truths.get(str(node.number), [])  # type: ignore[attr-defined]
                if not was or wanted not in (None, *was):
                    missing.append(f"{place}: {ast.unparse(node)} was {was}, wanted {wanted}")
    assert not missing, "\n".join(missing)


FRAGMENT = """
def work(torch, kind, others):
    on_gpu, size = kind == "cuda", 4
    size = 8 if on_gpu else 2
    near = [other for other in others if other != "cpu"]
    match kind:
        case "cuda":
            size += 1
        case _:
            size -= 1
    while not on_gpu:
        break
    else:
        size += 1
    return sorted(near, reverse=kind in ("cpu",)) and torch.cuda.count(size)
"""


def test_questions_of_every_form_are_seen_and_noted(tmp_path, monkeypatch):
    (path := tmp_path / "fragment.py").write_text(FRAGMENT)
    (top,) = numbered(FRAGMENT).body
    wanted = {ast.unparse(node): answer for node, answer in questions(top)}
    assert wanted == {
        "kind == 'cuda'": True, "8": None, "other != 'cpu'": True, "kind in ('cpu',)": False, "torch.cuda": None
    }  # fmt: skip
    assert sorted(for_cuda([top])) == [8, 14]

    noted: dict[int, set[bool]] = {}
    monkeypatch.setattr(
        builtins, "_noted", lambda file, number, value: (noted.setdefault(number, set()).add(bool(value)), value)[1],
        raising=False,
    )  # fmt: skip
    numbers = {node.number: node for node, _ in questions(top)}  # type: ignore[attr-defined]
    names: dict[str, Any] = {}
    exec(compiled(str(path), numbers), names)

    class Torch:
        class cuda:
            count = staticmethod(lambda size: size)

    def seen(kind: str, others: list[str]) -> dict[str, set[bool]]:
        noted.clear()
        names["work"](Torch, kind, others)
        return {ast.unparse(numbers[number]): truths for number, truths in noted.items()}

    assert seen("cpu", ["cpu"]) == {"kind == 'cuda'": {False}, "other != 'cpu'": {False}, "kind in ('cpu',)": {True}}
    assert seen("cuda", ["cuda"]) == {
        "kind == 'cuda'": {True}, "8": {True}, "other != 'cpu'": {True}, "kind in ('cpu',)": {False},
        "torch.cuda": {True},
    }  # fmt: skip
