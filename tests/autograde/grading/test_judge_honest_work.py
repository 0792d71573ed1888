"""What an honest student leaves lying about costs no points: answers in several cells, names used again, settings."""

import ast

import nbformat
import pytest

from autograde import bank
from autograde.bank.sample import Sheet
from autograde.intake.marks import grade_id
from autograde.intake.merge import merged_notebook
from tools.notebooks import files

pytestmark = [pytest.mark.usefixtures("observed_once"), pytest.mark.sandbox]

ODD = """
class Odd:
    @property
    def __class__(self):
        raise RuntimeError("nobody need ask")
"""
LEFT_ON = """
torch.autocast("cpu", dtype=torch.bfloat16).__enter__()
torch.inference_mode().__enter__()
torch.set_default_dtype(torch.float64)
torch.manual_seed(4)
"""


@pytest.fixture
def points_lost(chapter_worker):
    """(the assignment's sheet, what these answers lose, with an edit of the list of cells)."""
    (path,) = files.paths([chapter_worker.name])
    sheet = Sheet(path.read_bytes(), chapter_worker.name)

    def lost(answers, edit):
        content = nbformat.reads(sheet.filled(sheet.right | answers, edit).decode(), 4)
        verdicts = chapter_worker._judge(merged_notebook(chapter_worker.notebook, content)).verdicts
        return {e.name: verdicts[e.name].message for e in sheet.exercises if verdicts[e.name].fraction < 1}

    return sheet, lost


def cell(source: str, number: int) -> dict:
    return {"cell_type": "code", "execution_count": None, "id": f"own-{number}", "metadata": {}, "outputs": [],
            "source": source.splitlines(keepends=True)}  # fmt: skip


def test_an_answer_may_be_shared_out_over_cells(points_lost):
    """Every top-level statement of it in a cell of its own, the last where the answer belongs."""
    sheet, lost = points_lost
    whole = {e.name: max((a.source for a in bank.find(e).correct), key=lambda s: len(ast.parse(s).body), default="")
             for e in sheet.tasks}  # fmt: skip
    statements = {
        name: [ast.unparse(statement) for statement in ast.parse(source).body] for name, source in whole.items()
    }
    statements = {name: some for name, some in statements.items() if len(some) > 1}

    def edit(cells):
        shared_out = []
        for each in cells:
            before = statements.get(grade_id(each).removesuffix("-answer"), [""])[:-1]
            shared_out += [cell(source, len(shared_out) + n) for n, source in enumerate(before)]
            shared_out.append(each)
        return shared_out

    assert lost({name: some[-1] for name, some in statements.items()}, edit) == {}


def test_an_answer_may_stand_in_a_cell_of_its_own_below_the_one_handed_out(points_lost):
    sheet, lost = points_lost
    stubs = {grade_id(c).removesuffix("-answer"): "".join(c["source"]) for c in sheet.notebook["cells"]}
    moved = {e.name: stubs[e.name] for e in sheet.tasks}

    def edit(cells):
        below = []
        for each in cells:
            below.append(each)
            name = grade_id(each).removesuffix("-answer")
            if name in moved and grade_id(each).endswith("-answer"):
                below.append(cell(sheet.right[name], len(below)))
        return below

    assert lost(moved, edit) == {}


def test_a_name_may_be_used_again_and_settings_left_on(points_lost):
    """As in experiments at the end: `encoder_layer = ...` is one letter from `EncoderLayer = EncoderLayer(...)`."""
    sheet, lost = points_lost
    names = [name for exercise in sheet.tasks for name in exercise.components]
    others = ("torch.nn.Linear(2, 2)", "torch.zeros(3)", "[1, 2]", "None", "Odd()")
    again = [f"{name} = {others[at % len(others)]}" for at, name in enumerate(names[:-1])]
    ending = "\n".join([ODD, *again, f"del {names[-1]}", LEFT_ON])
    assert lost({}, lambda cells: [*cells, cell(ending, 0)]) == {}
