"""What students do to notebooks, and what of it is taken: the answers, whatever became of the rest."""

from __future__ import annotations

import ast
import copy
import time

import nbformat
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from nbformat import NotebookNode

from autograde.intake import flags
from autograde.intake.environment import adapted
from autograde.intake.magics import without_magics
from autograde.intake.merge import MergedNotebook, merged_notebook
from autograde.intake.notes import Notes

STUB = {
    name: f'def {name}(x):\n    """Double x."""\n    # YOUR CODE HERE\n    raise NotImplementedError' for name in "fgh"
}
RIGHT = {name: f'def {name}(x):\n    """Double x."""\n    return 2 * x' for name in "fgh"}


def cell(source: str, kind: str = "code", **marks) -> NotebookNode:
    """A cell; marks: grade_id, tags, id."""
    metadata: dict = {"tags": marks["tags"]} if "tags" in marks else {}
    grade_id = marks.get("grade_id", "")
    if grade_id:
        solution = grade_id.endswith("-answer")
        metadata["nbgrader"] = {
            "grade_id": grade_id,
            "solution": solution,
            "grade": not solution,
            "locked": not solution,
        }
        metadata["nbgrader"] |= {"schema_version": 3, "task": False, "cell_type": kind}
        metadata["nbgrader"] |= {} if solution else {"points": 1}
    made = {"cell_type": kind, "id": marks.get("id") or grade_id or f"id-{abs(hash(source)) % 10**8}", "source": source}
    made |= {"metadata": metadata} | ({"outputs": [], "execution_count": None} if kind == "code" else {})
    return nbformat.from_dict(made)


def assignment() -> NotebookNode:
    cells = [
        cell("# Title", "markdown"),
        cell("%matplotlib inline\nimport math", id="set-up"),
        cell(STUB["f"], grade_id="f-answer"),
        cell('check("1.1", f)', grade_id="f-check"),
        cell("shared = [1, 2, 3]\nprint(len(shared), 'things in the shared list')", id="given"),
        cell(STUB["g"], grade_id="g-answer"),
        cell('check("1.2", g)', grade_id="g-check"),
        cell("for step in range(1000):\n    train(step)", id="experiment", tags=["skip-execution"]),
        cell("answer_1_q1 = ...", grade_id="question-answer"),
        cell('check("1.q1", answer_1_q1)', grade_id="question-check"),
    ]
    kernel = {"kernelspec": {"name": "python3", "display_name": "Python 3", "language": "python"}}
    return nbformat.from_dict({"nbformat": 4, "nbformat_minor": 5, "metadata": kernel, "cells": cells})


def answered(**answers: str) -> NotebookNode:
    """The assignment with these answers (f and g are right where nothing is said)."""
    notebook = assignment()
    for each in notebook.cells:
        grade_id = each.metadata.get("nbgrader", {}).get("grade_id", "")
        if grade_id.endswith("-answer"):
            name = grade_id.removesuffix("-answer")
            each.source = answers.get(name, RIGHT.get(name, "answer_1_q1 = 'a'"))
    return notebook


def at(notebook: NotebookNode, grade_id: str) -> int:
    return next(i for i, c in enumerate(notebook.cells) if c.metadata.get("nbgrader", {}).get("grade_id") == grade_id)


def merged(submission: NotebookNode) -> MergedNotebook:
    """Merge, and hold what is true of every submission."""
    ours = assignment()
    before = copy.deepcopy(ours)
    result = merged_notebook(ours, submission)
    assert ours == before, "the assignment was changed"
    nbformat.validate(result.notebook)
    assert result.notebook.metadata == ours.metadata
    kept = [c for c in result.notebook.cells if not c.metadata.get("course", {}).get("added")]
    assert [(c.id, c.cell_type, c.metadata) for c in kept] == [(c.id, c.cell_type, c.metadata) for c in ours.cells]
    assert [c.index for c in result.cells] == sorted({c.index for c in result.cells})
    for ran in result.cells:
        there = result.notebook.cells[ran.index]
        assert there.id == ran.id and there.cell_type == "code"
        assert there.metadata.get("tags") != ["skip-execution"] and not ran.grade_id.endswith("-check")
    assert [c.exercise for c in result.cells if c.kind == "answer"] == ["f", "g", "question"]
    assert len(result.notes) == len(result.details) and all(note.endswith(".") for note in result.notes)
    return result


def answers(result: MergedNotebook) -> dict[str | None, str]:
    return {c.exercise: c.source for c in result.cells if c.kind == "answer"}


def run_order(result: MergedNotebook) -> list[str]:
    return [c.exercise or c.kind for c in result.cells]


# ---------------------------------------------------------------- as it should be


def test_an_honest_submission_comes_through_without_a_word():
    result = merged(answered())
    assert answers(result) == {"f": RIGHT["f"], "g": RIGHT["g"], "question": "answer_1_q1 = 'a'"}
    assert run_order(result) == ["given", "f", "given", "g", "question"]
    assert (result.notes, result.unanswered, result.untouched) == ((), frozenset(), False)
    assert result.cells[0].source.startswith("%matplotlib inline"), "given cells run as they are"


def test_an_untouched_notebook_is_known():
    result = merged(assignment())
    assert result.untouched and result.unanswered == {"f", "g", "question"}
    result = merged(answered(f=STUB["f"] + "\n\n  # I did not get to this\n", g="", question="# ?"))
    assert result.untouched and result.unanswered == {"f", "g", "question"}
    result = merged(answered(g=STUB["g"]))
    assert not result.untouched and result.unanswered == {"g"}


def test_added_cells_run_before_the_answer_they_precede():
    submission = answered()
    for grade_id, source in [("f-answer", "one = 1"), ("g-check", "three = 3"), ("g-answer", "two = 2")]:
        submission.cells.insert(at(submission, grade_id), cell(source))
    submission.cells.append(cell("four = 4"))
    result = merged(submission)
    order = [c.source if c.kind == "added" else c.exercise or "given" for c in result.cells]
    assert order == ["given", "one = 1", "f", "given", "two = 2", "g", "three = 3", "question", "four = 4"]
    assert [c.source for c in result.notebook.cells if c.metadata.get("course")] == [
        "one = 1",
        "two = 2",
        "three = 3",
        "four = 4",
    ]


# ---------------------------------------------------------------- what happens to cells


def test_a_deleted_answer_is_said_and_the_stub_stands_in_its_place():
    submission = answered()
    del submission.cells[at(submission, "f-answer")]
    result = merged(submission)
    assert answers(result)["f"] == STUB["f"] and result.unanswered == {"f"} and answers(result)["g"] == RIGHT["g"]
    assert "f is not in your notebook" in result.notes[0]


def test_everything_deleted():
    submission = answered()
    submission.cells = [cell("hello", "markdown")]
    assert merged(submission).untouched


def test_of_doubled_cells_the_last_one_above_the_check_counts():
    first, second, late = (RIGHT["f"].replace("2 *", f"{n} *") for n in (1, 2, 3))
    submission = answered(f=first)
    place = at(submission, "f-answer")
    submission.cells.insert(place + 1, cell(second, grade_id="f-answer"))
    submission.cells.append(cell(late, grade_id="f-answer"))
    result = merged(submission)
    assert answers(result)["f"] == second and "3 cells for f" in result.notes[0]
    assert all(c.kind != "added" for c in result.cells)


@pytest.mark.parametrize("place", [0, -1])
def test_the_untouched_one_of_doubled_cells_never_counts(place):
    submission = answered()
    where = at(submission, "f-answer") + 1 if place else 0
    submission.cells.insert(where, cell(STUB["f"], grade_id="f-answer"))
    result = merged(submission)
    assert answers(result)["f"] == RIGHT["f"] and "one answer between them" in result.notes[0]


def test_where_no_copy_stands_above_the_check_the_first_counts():
    submission = answered(f=STUB["f"])
    submission.cells += [cell(RIGHT["f"], grade_id="f-answer"), cell("def f(x): return 0", grade_id="f-answer")]
    assert answers(merged(submission))["f"] == RIGHT["f"]


@pytest.mark.parametrize("text", [RIGHT["f"], f"```python\n{RIGHT['f']}\n```"])
@pytest.mark.parametrize("kind", ["markdown", "raw"])
def test_a_retyped_answer_is_taken_as_code(kind, text):
    submission = answered()
    submission.cells[at(submission, "f-answer")] = cell(text, kind, grade_id="f-answer")
    result = merged(submission)
    assert answers(result)["f"] == RIGHT["f"] and "no code cell" in result.notes[0]


@pytest.mark.parametrize("ids", [True, False])
def test_stripped_metadata(ids):
    submission = answered()
    for each in submission.cells:
        each.metadata = NotebookNode()
        if not ids:
            del each["id"]
    submission.cells.insert(2, cell("helper = 1"))
    result = merged(submission)
    assert answers(result) == answers(merged(answered()))
    assert run_order(result) == ["given", "added", "f", "given", "g", "question"]
    assert len(result.notes) == 1 and "lost the marks" in result.notes[0]


def test_marks_of_another_assignment_are_no_marks():
    submission = answered()
    for each in submission.cells:
        each.metadata = NotebookNode({"nbgrader": {"grade_id": "another-answer"}})
    assert answers(merged(submission)) == answers(merged(answered()))


def test_edited_checks_and_given_cells_are_left_behind():
    submission = answered()
    submission.cells[at(submission, "f-check")].source = "check = lambda *a: 100"
    edited = next(c for c in submission.cells if c.id == "given")
    edited.source = "shared = [1, 2, 3, 4]\nprint(len(shared), 'things in the shared list')"
    next(c for c in submission.cells if c.id == "experiment").source = "for step in range(5):\n    train(step)"
    result = merged(submission)
    everything = "\n".join(c.source for c in result.notebook.cells)
    assert "lambda *a" not in everything and "4]" not in everything and "range(5)" not in everything
    assert list(result.notes) == [
        "You changed a given cell; grading uses the original. Put code of your own into a new cell."
    ]


@pytest.mark.parametrize(
    ("source", "marks", "flag"),
    [
        ("100.0", {}, flags.CHECKS),
        ("def check(*_): return 5", {}, flags.CHECKS),
        ('check("1.1", f)', {"points": 99}, flags.MARKS),
        ('check("1.1", f)', {"grade": False}, flags.MARKS),
        # slips, tools and other ways to work
        ("", {}, ""),
        ('# check("1.1", f)', {}, ""),
        ('print(f(3))\ncheck("1.1", f)  # why?', {}, ""),
        ('check("1.1", f', {}, ""),
        ('check("1.1", f)', {"locked": False, "points": 1.0}, ""),
        ('check("1.1", f)', {"grade_id": "masked_softmax-check", "points": 3}, ""),
    ],
)
def test_edited_marks_and_checks_are_flagged_and_slips_are_not(source, marks, flag):
    submission = answered()
    check = submission.cells[at(submission, "f-check")]
    check.source = source
    check.metadata.nbgrader |= marks
    assert merged(submission).edited == ((flag,) if flag else ())


def test_a_given_cell_replaced_by_something_else_is_an_added_one():
    submission = answered()
    next(c for c in submission.cells if c.id == "given").source = "def helper(a, b):\n    return a @ b"
    result = merged(submission)
    assert run_order(result) == ["given", "f", "given", "added", "g", "question"]


def test_cells_out_of_order():
    submission = answered()
    submission.cells.reverse()
    assert answers(merged(submission)) == answers(merged(answered()))


def test_an_answer_in_a_new_cell_counts_where_the_stub_was_left():
    submission = answered(f=STUB["f"])
    submission.cells.insert(0, cell(RIGHT["f"]))
    result = merged(submission)
    assert answers(result)["f"] == RIGHT["f"] and not result.unanswered and "a cell of its own" in result.notes[0]


def test_one_new_cell_may_answer_several():
    submission = answered(f=STUB["f"], g=STUB["g"])
    submission.cells.append(cell(RIGHT["f"] + "\n\n" + RIGHT["g"]))
    result = merged(submission)
    assert not result.unanswered and RIGHT["g"] in answers(result)["f"]
    namespace: dict = {}
    for each in result.cells:
        if each.kind == "answer":
            exec(each.source, namespace)
    assert namespace["f"](1) == namespace["g"](1) == 2


def test_tags_and_metadata_of_the_submission_change_nothing():
    submission = answered()
    for each in submission.cells:
        each.metadata["tags"] = ["skip-execution"]
        if "nbgrader" in each.metadata:
            each.metadata.nbgrader |= {"points": 1000, "locked": False, "solution": False}
    assert run_order(merged(submission)) == run_order(merged(answered()))


# ---------------------------------------------------------------- IPython's and Colab's own lines


@pytest.mark.parametrize(
    "line",
    [
        "!pip install torch",
        "%matplotlib inline",
        "%timeit f(1)",
        "%load_ext autoreload",
        "?f",
        "f??",
        "!!ls",
        "%pip install x",
    ],
)
def test_lines_of_ipython_are_left_out_line_for_line(line):
    source = f"import math\n{line}\nif True:\n    {line}\n" + RIGHT["f"]
    result = merged(answered(f=source))
    run = answers(result)["f"]
    assert len(run.splitlines()) == len(source.splitlines())
    assert run.splitlines()[3].startswith("    pass  # ")
    ast.parse(run)
    assert len(result.notes) == 1
    assert next(c for c in result.notebook.cells if c.id == "f-answer").source == source, "people see what was written"


@pytest.mark.parametrize(
    ("source", "wanted"),
    [
        ("%%time\nx = 1", "# %%time\nx = 1"),
        ("\n%%capture out\nx = 1", "\n# %%capture out\nx = 1"),
        ("%%bash\nrm -rf /", "# %%bash\n# rm -rf /"),
        ("%time x = f(1)", "x = f(1)"),
        ("files = !ls", "files = None  # ls"),
        ("from google.colab import drive\ndrive.mount('/content/drive')\nx = 1",
         "pass  # from google.colab import drive\npass  # drive.mount('/content/drive')\nx = 1"),
        ('text = """\n%d of\n!important\ndrive.mount(x)\n"""', 'text = """\n%d of\n!important\ndrive.mount(x)\n"""'),
        ("x = (7\n% 4)", "x = (7\n% 4)"),
        ("!pip install x\ntext = '''\n!kept\n'''", "pass  # !pip install x\ntext = '''\n!kept\n'''"),
        ("def broken(:\n    return", "def broken(:\n    return"),
    ],
)  # fmt: skip
def test_what_becomes_of_such_lines(source, wanted):
    submission = answered()
    submission.cells.insert(0, cell(source))
    assert next(c.source for c in merged(submission).cells if c.kind == "added") == wanted


# ---------------------------------------------------------------- anything at all


@settings(max_examples=150, deadline=None)
@given(
    st.lists(
        st.tuples(
            st.sampled_from(["code", "markdown", "raw"]),
            st.sampled_from(["", "f-answer", "g-answer", "f-check", "question-answer", "other-answer"]),
            st.sampled_from(
                [*RIGHT.values(), *STUB.values(), "", "%", "!", "%%", "check(1)", "def f(:", "answer_1_q1 = 3"]
            )
            | st.text(max_size=30),
        ),
        max_size=12,
    )
)
def test_nothing_breaks_it(listed):
    submission = assignment()
    submission.cells = [cell(source, kind, grade_id=grade_id) for kind, grade_id, source in listed]
    merged(submission)


@pytest.mark.parametrize(
    "source",
    [
        "-" * 30_000 + "1",
        "(" * 30_000,
        "1" + "+1" * 30_000,
        "a" + ".b" * 30_000,
        "[" * 90 + "]" * 90,
        "\n" * 200_000,
        " " * 300_000,
        "x" * 300_000,
        "<<<<<<<\n" * 30_000,
        "9" * 30_000,
        "\\\n" * 30_000,
        "f'" + "{" * 30_000,
        "drive" + ".a" * 1_500 + "()",  # as deep as still parses
        "drive" + "()" * 1_500,
    ],
    ids=lambda source: repr(source[:5]),
)
def test_text_made_to_break_a_parser_is_only_text(source):
    began = time.monotonic()
    submission = answered(f=source)
    submission.cells += [cell(source, id="x"), cell(f"%\n{source}", id="y")]
    merged(submission)
    assert time.monotonic() - began < 20


def test_very_many_cells():
    submission = answered()
    submission.cells += [cell(f"x{i} = {i}", id=f"x{i}") for i in range(3000)]
    began = time.monotonic()
    result = merged(submission)
    assert sum(c.kind == "added" for c in result.cells) == 500 and "first 500" in result.notes[0]
    assert time.monotonic() - began < 20


@pytest.mark.parametrize(
    ("source", "wanted"),
    [
        ("x = y.cuda()", "x = y"),
        ("é = (a.cuda() @ b.cuda(0)).cuda(non_blocking=True)", "é = (a @ b)"),
        ("m = (M()\n     .cuda())", "m = (M()\n     )"),
        ("x.to('cuda')\nx.to(\"cuda:1\", non_blocking=True)", "x.to('cpu')\nx.to(\"cpu\", non_blocking=True)"),
        ("DEVICE = 'cuda'\nd = torch.device('cuda')", "DEVICE = 'cpu'\nd = torch.device('cpu')"),
        ("def f(x, device='cuda', *, n=1):\n    pass", "def f(x, device='cpu', *, n=1):\n    pass"),
        ("torch.load(p, map_location='cuda:0')", "torch.load(p, map_location='cpu')"),
        ("torch.add(e.cuda(device='cuda'), 0)", "torch.add(e, 0)"),
        ("x = a.cuda(b.cuda(c.to('cuda')))", "x = a"),
        ("x.to(u'cuda', device=\"""cuda:0\""")", "x.to('cpu', device=\"""cpu\""")"),
        ("print(f\"{e.to('cuda').sum()} {e.cuda(device='cuda')}\")", "print(f\"{e.to('cpu').sum()} {e}\")"),
        *((kept, kept) for kept in (
            "device = 'cuda' if torch.cuda.is_available() else 'cpu'",
            "if x.device.type == 'cuda':\n    torch.cuda.synchronize()",
            "x.device == torch.device('cuda')",
            "torch.autocast('cuda')",
            "kind = 'cuda'",
            "print('x.cuda()')",
            "torch.cuda.empty_cache()",
        )),
        ("name = input('?')\nx = 1", "pass  # name = input('?')\nx = 1"),
        ("n = int(input(\n  '?'\n))\nx = 1", "pass  # n = int(input(\n#   '?'\n# ))\nx = 1"),
        ("x = 1; y = input()", "x = 1; y = input()"),
        ("def ask():\n    return input()", "def ask():\n    return input()"),
        ("drive.mount(\n    '/x',\n)\nx = 1", "pass  # drive.mount(\n#     '/x',\n# )\nx = 1"),
        ("get_ipython().system('pip install x')", "pass  # get_ipython().system('pip install x')"),
        ("subprocess.run(['ls'])", "subprocess.run(['ls'])"),
    ],
)  # fmt: skip
def test_what_needs_a_gpu_a_person_or_a_network_is_left_out(source, wanted):
    submission = answered()
    submission.cells.insert(0, cell(source))
    result = merged(submission)
    assert next(c.source for c in result.cells if c.kind == "added") == wanted
    assert bool(result.notes) == (source != wanted)


_RUNS = [  # Python, or what IPython makes Python of: also when it was rewritten
    "print(f\"{e.to('cuda').sum()}\")",
    "print(f'{e.to(\"cuda\"):>{n.cuda()}}' f'{e.cuda()}' '.cuda()')",
    'print(f"""\n{e.to(\'cuda\').sum()}\n  {e.cuda(\n0)}""")',
    "print(rf'\\d{{}}{f\"{e.cuda()}\"}')",
    "torch.add(e.cuda(device='cuda'), 0)",
    "f(é.cuda(device=g('ü'.cuda(device='cuda'), device='cuda')), device='cuda')",
    "x.to('cu' 'da')",
    "x.to('cu\\x64a', device='''cuda''')",
    "x . cuda ( )\nx.cuda ()\nx.cuda((0))",
    "x.cuda(')')",
    "x = 1; y = x.cuda(); device = 'cuda'",
    "async def f():\n    return (await g()).cuda()",
    "x = (10\n%3)",
    "x = 10 \\\n%3",
    "%matplotlib inline\nx = (10\n%3)",
    "%matplotlib inline\nx = (1\n!=2)",
    "%matplotlib inline\nx = 10 \\\n%3",
    "!echo (\n%time x = 1",
    "    x = input('?')\n    y = x.cuda()",
    ">>> x = 1\n>>> def f():\n...     return x.cuda()\n",
    "In [3]: x = 1\n   ...: y = 2",
    "  %matplotlib inline\n  x = 1",
    "try:\n    !pip install x\nexcept Exception:\n    n = input('?')",
    "if True: pass\ninput(); x = 1",
    "class A:\n    x = input()\n    from google.colab import drive",
    "drive.mount(\n    '/x', **{\n  'a': 1})\nx = 1",
    "x = '''\nfrom google.colab import drive\n'''",
    "x = (\nfiles.upload()\n)",
    "f(a,\n  drive.mount('/x')\n)",
    "%%time\nx = 1",
]


@pytest.mark.parametrize("source", _RUNS)
def test_no_rewriting_makes_an_error_that_is_not_the_students(source):
    submission = answered()
    submission.cells.insert(0, cell(source))
    run = next(c.source for c in merged(submission).cells if c.kind == "added")
    ast.parse(run)
    assert run.count("\n") == source.count("\n")


_PARTS = [
    *("x", ".cuda(", ".to(", ")", "'cuda'", '"cuda:0"', "device=", ", ", "\n", " ", "f'", "'", "{", "}", "(", "é"),
    *(" = ", "\n%time ", "\n%3", "input()", "; ", "if x:\n    ", '"""', "\\\n", "drive.mount(", "!ls", ".cuda()"),
    *("def f(device='cuda'): pass\n", " if y else ", "torch.device('cuda')", 'f"{x.cuda()}"', "f'{x.to(\"cuda\")}'"),
]


def test_what_was_python_stays_python():
    adapted_ones = []

    @given(st.lists(st.sampled_from(_PARTS), max_size=14).map("".join))
    @settings(max_examples=300, deadline=None)
    def stays_python(source):
        try:
            ast.parse(source)
        except (SyntaxError, ValueError):
            return
        adapted_ones.append(adapted(without_magics(source, Notes()), Notes()))
        ast.parse(adapted_ones[-1])

    stays_python()
    assert any(adapted_ones)


def test_the_student_reads_the_same_sentence_once_and_the_instructor_every_line():
    submission = answered()
    submission.cells.insert(0, cell("%matplotlib inline\n!pip install a\n!pip install b"))
    result = merged(submission)
    assert len(result.notes) == 1 and all(
        word in result.details[0] for word in ("matplotlib", "install a", "install b")
    )
