"""Every place in the code that asks for CUDA, and which test reaches it without a GPU, or why none can.

Each function or statement that mentions `torch.cuda`, `is_cuda` or compares with "cuda" or "cpu" stands in one of two
tables. The tests that are named there are run once more, and watched: in each `if`, the side for CUDA must have run.
Cells that are tagged `timing` need no line: `tests/notebooks/test_on_a_card.py` runs all of them.
"""

import ast
import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

from tools.notebooks import files

ROOT = Path(__file__).resolve().parents[2]
FOLDERS = ("solutions", "training", "benchmarks", "course", "theme")
LEFT_OUT = ("benchmarks/first_look/",)  # answers from outside, kept as they came


ROLE = "tests/training/test_processes_in_name.py::"
RUNG = "tests/benchmarks/test_on_a_card.py::"
GPU = "tests/benchmarks/test_gpu.py::"
MODELS = "tests/benchmarks/test_models.py::"
MEASURED = f"{RUNG}test_every_rung_is_measured_on_a_card[tf32, fused attention-inference]"
CELLS = "tests/notebooks/test_on_a_card.py::test_what_the_chapter_asserts_of_times_holds_on_a_card"
# By place, the test that reaches it. A notebook's place is its number and how the statement begins.
REACHED = {
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
    "benchmarks/gpu.py:look": f"{GPU}test_what_is_seen_and_what_will_be_in_the_way",
    "benchmarks/gpu_parts.py:run_notebook": f"{GPU}test_a_notebook_runs_to_its_end_and_says_which_cell_failed",
    "benchmarks/gpu_parts.py:main": f"{GPU}test_every_part_is_a_command_that_its_module_takes",
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
        of = [node.left, *node.comparators]
        words = {x.value for side in of for x in ast.walk(side) if isinstance(x, ast.Constant)}
        return bool(words & {"cuda", "cpu"})
    return False


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
            for name, node in functions(ast.parse(path.read_text(encoding="utf-8"))):
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
    """The first lines of what an `if` that asks does on CUDA: its body, or where it asks for the CPU what is else."""
    lines = []
    for node in (
        x for top in nodes for x in ast.walk(top) if isinstance(x, ast.If) and any(map(asks, ast.walk(x.test)))
    ):
        test = ast.unparse(node.test)
        on_cpu = "!= 'cuda'" in test or "== 'cpu'" in test or "not torch.cuda" in test
        lines += [side[0].lineno for side in [node.orelse if on_cpu else node.body] if side]
    return lines


WATCH = """
import json, sys
import pytest

out, files, *tests = sys.argv[1:]
files, seen = set(json.loads(files)), {}

def lines(frame, event, argument):
    if event == "line":
        seen.setdefault(frame.f_code.co_filename, set()).add(frame.f_lineno)
    return lines

sys.settrace(lambda frame, event, argument: lines if frame.f_code.co_filename in files else None)
code = pytest.main(["-q", "-p", "no:cacheprovider", *tests])
sys.settrace(None)
json.dump({file: sorted(of) for file, of in seen.items()}, open(out, "w"))
sys.exit(code)
"""


def test_the_tests_that_are_named_run_the_sides_for_cuda(tmp_path):
    places = {place: nodes for place, nodes in found().items() if place in REACHED and not in_a_notebook(place)}
    tests = sorted({REACHED[place] for place in places})
    watched = sorted({str(ROOT / place.partition(":")[0]) for place in places})
    environment = {name: value for name, value in os.environ.items() if not name.startswith("PYTEST_")}
    done = subprocess.run(
        [sys.executable, "-c", WATCH, str(tmp_path / "lines"), json.dumps(watched), *tests],
        cwd=ROOT, capture_output=True, text=True, env=environment,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout[-3000:]
    seen = json.loads((tmp_path / "lines").read_text())
    for place, nodes in places.items():
        ran = set(seen.get(str(ROOT / place.partition(":")[0]), []))
        assert any(node.lineno <= line <= node.end_lineno for node in nodes for line in ran), f"{place} did not run"
        assert not set(for_cuda(nodes)) - ran, (
            f"{place}: lines {set(for_cuda(nodes)) - ran} are for CUDA, and did not run"
        )
