"""Answers that are alike: groups, pairs and their page, on a made-up class in which it is known who wrote what."""

import json
import re
import sys
import time

import pytest

from autograde.intake.marks import grade_id
from autograde.reports import similar
from autograde.reports.similar import Line, Pair, Shared, Similar
from tests.autograde import toy
from tests.autograde.command import run

pytestmark = [
    pytest.mark.sandbox,
    pytest.mark.xdist_group("grader"),
    pytest.mark.skipif(sys.platform != "linux", reason="needs Linux"),
]

LONG_WAY = """\
def standardise(x: Tensor) -> Tensor:
    columns = []
    for index in range(x.shape[1]):
        column = x[:, index] - x[:, index].sum() / len(x)
        size = (column * column).sum() / len(x)
        columns.append(column / size ** 0.5)
    return torch.stack(columns, dim=1)
"""
RENAMED = """\
def standardise(x: Tensor) -> Tensor:
    # every column by itself
    result = []
    for i in range(x.shape[1]):
        part = x[:, i] - x[:, i].sum() / len(x)
        root = (part * part).sum() / len(x)
        result.append(part / root ** 0.5)
    return torch.stack(result, dim=1)
"""
OTHER = """\
def standardise(x: Tensor) -> Tensor:
    lowered = x - torch.einsum("bd->d", x) / x.size(0)
    return torch.where(lowered == 0, lowered, lowered / lowered.norm(dim=0) * x.size(0) ** 0.5)
"""
TWICE = "def scale(x: Tensor, factor: float) -> Tensor:\n    return torch.add(x * (factor - 1), x)\n"


def filled(**answers):
    notebook = json.loads(toy.notebook())
    for cell in notebook["cells"]:
        name = grade_id(cell).removesuffix("-answer")
        if name in answers:
            cell["source"] = answers[name]
    return json.dumps(notebook).encode()


@pytest.fixture
def a_class(toy_released, submission):
    """Ada and Ben wrote one program under other names, Cleo and Dan one to the letter; Eve another; two wrote none."""
    handed_in = {
        "Ada": {"standardise": LONG_WAY},
        "Ben <b>": {"standardise": RENAMED},
        "Cleo": {"scale": TWICE},
        "Dan": {"scale": TWICE.replace("    return", "    # twice\n\n    return")},
        "Eve": {"standardise": OTHER},
        "untouched": {},
        "empty": dict.fromkeys(("scale", "centre", "standardise"), ""),
    }
    for student, answers in handed_in.items():
        submission(toy_released, student, filled(**answers))
    submission(toy_released, "broken", b"{")
    return toy_released


def test_equal_answers_are_one_group_and_renamed_ones_a_pair(a_class):
    found = similar.similar(a_class, toy.NAME)
    assert [(group.number, group.students) for group in found.groups] == [("0.1", ("Cleo", "Dan"))]
    (pair,) = [pair for pair in found.pairs if pair.shared[0].name == "standardise"]
    assert pair.students == ("Ada", "Ben <b>") and [each.number for each in pair.shared] == ["0.3"]
    assert pair.shared[0].share > 0.95
    assert pair.shared[0].texts == (LONG_WAY, RENAMED)


def test_other_quotes_make_no_other_answer():
    assert similar._tokens("x = float('-inf')  # none\n") == similar._tokens('x = float("-inf")\n')
    assert similar._tokens("x = 'a'\n") != similar._tokens("x = 'b'\n")


def test_blank_answers_and_stubs_never_count(a_class):
    found = similar.similar(a_class, toy.NAME)
    assert (found.submissions, found.answers) == (8, 5)
    named = {student for group in found.groups for student in group.students}
    named |= {student for pair in found.pairs for student in pair.students}
    assert not named & {"untouched", "empty", "broken"}
    assert [student for student, _ in found.aside] == ["broken"]


def test_no_copy_hides_behind_a_first_line_or_in_a_cell_of_its_own(toy_released, submission):
    elsewhere = json.loads(filled(standardise="standardise = lambda x: mine(x)"))
    at = next(i for i, cell in enumerate(elsewhere["cells"]) if grade_id(cell) == "standardise-answer")
    own = LONG_WAY.replace("def standardise", "def mine")
    added = [("one", own), ("two", "def of_no_use(x):\n    return [x, x, x, x, x, x, x, x, x, x, x, x, x, x, x, x]\n")]
    for name, source in added:
        cell = {
            "cell_type": "code",
            "metadata": {},
            "id": name,
            "source": source,
            "outputs": [],
            "execution_count": None,
        }
        elsewhere["cells"].insert(at, cell)
    submission(toy_released, "Ada", filled(standardise=LONG_WAY))
    submission(toy_released, "Ben", filled(standardise=f"# answered together with nobody\n{LONG_WAY}"))
    submission(toy_released, "Eve", json.dumps(elsewhere).encode())
    found = similar.similar(toy_released, toy.NAME)
    assert [group.students for group in found.groups] == [("Ada", "Ben")]
    assert {pair.students for pair in found.pairs} == {("Ada", "Ben"), ("Ada", "Eve"), ("Ben", "Eve")}


@pytest.mark.parametrize(
    "much", [" \n" * 9_600, "match " + " " * 19_000, "a\n" * 9_600], ids=["blanks", "match", "lines"]
)
def test_no_text_takes_long_to_compare(toy_released, submission, much):
    """Of minutes: a lexer looked through a run of white space from each of its places, and each line through all."""
    for student, text in (("Ada", LONG_WAY), ("Eve", RENAMED)):
        submission(toy_released, student, filled(standardise=text + much))
    started = time.process_time()
    similar.page(similar.similar(toy_released, toy.NAME))
    assert time.process_time() - started < 15


def test_what_every_right_answer_shares_makes_no_pair(toy_released, submission):
    from autograde import reference
    from autograde.bank import reader
    from course.exercises import exercises

    standardise = next(exercise for exercise in exercises() if exercise.name == "standardise")
    right = [reference.source("toy", ("standardise",)), *(each.source for each in reader.find(standardise).correct)]
    for place, source in enumerate([*right, *right]):
        submission(toy_released, f"student {place}", filled(standardise=source.replace(" x)", " x )")))
    found = similar.similar(toy_released, toy.NAME)
    assert found.answers == 2 * len(right) and not found.pairs
    assert sum(len(group.students) for group in found.groups) == 2 * len(right)
    assert all(group.known for group in found.groups)


def test_what_many_wrote_is_nobodys_own(toy_released, submission):
    for place in range(similar.COMMON + 1):
        submission(toy_released, f"student {place}", filled(standardise=LONG_WAY))
    found = similar.similar(toy_released, toy.NAME)
    assert not found.pairs and [len(group.students) for group in found.groups] == [similar.COMMON + 1]
    submission(toy_released, "student 0", filled())
    assert len(similar.similar(toy_released, toy.NAME).pairs) == similar.COMMON * (similar.COMMON - 1) // 2


def test_both_texts_stand_side_by_side_with_what_they_share_marked(a_class):
    result = run("similar", "00", "--class", a_class.root)
    assert result.exit_code == 0, result.output
    said = " ".join(result.output.split())
    assert "Equal answers to 0.1 scale: Cleo; Dan" in said and "Alike: Ada and Ben <b>, in 0.3" in said
    assert "Not compared: broken" in said
    html = a_class.similar(toy.NAME).read_text()
    assert "Ben &lt;b&gt;" in html and "<b>" not in html
    assert "<mark>        size = (column * column).sum() / len(x)</mark>" in html
    assert "<mark>        root = (part * part).sum() / len(x)</mark>" in html
    assert html.index('href="#pair-1"') < html.index('id="pair-1"') and "<script" not in html


def test_a_dry_run_writes_nothing_and_the_same_class_gives_the_same_page(a_class):
    before = {path: path.stat().st_mtime_ns for path in a_class.root.rglob("*")}
    result = run("similar", "00", "--dry-run", "--class", a_class.root)
    assert "nothing was written" in " ".join(result.output.split())
    assert {path: path.stat().st_mtime_ns for path in a_class.root.rglob("*")} == before
    pages = [similar.page(similar.similar(a_class, toy.NAME)) for _ in range(2)]
    assert pages[0] == pages[1]


def test_nobody_handed_in_and_no_such_assignment_are_one_line_each(toy_released):
    assert "no submissions in" in " ".join(run("similar", "--class", toy_released.root).output.split())
    unknown = run("similar", "77", "--class", toy_released.root)
    assert unknown.exit_code == 1 and "no assignment '77'" in unknown.output


def test_an_answer_without_end_is_named_and_not_compared(toy_released, submission):
    submission(toy_released, "Ada", filled(scale=TWICE + "#" * similar.MOST_TEXT))
    found = similar.similar(toy_released, toy.NAME)
    assert found.answers == 0 and found.aside == [("Ada", "scale: more than 20,000 characters")]


def test_a_machine_that_reads_nothing_is_told_from_a_class_without_answers(a_class, monkeypatch):
    from autograde.intake.intake import Intake
    from autograde.sandbox.pool import SandboxError

    def lost(*args):
        raise SandboxError("no user namespaces")

    monkeypatch.setattr(Intake, "contents", lost)
    result = run("similar", "--class", a_class.root)
    assert result.exit_code == 1 and not a_class.similar(toy.NAME).exists()
    assert "no submission can be read on this machine: no user namespaces. To do: `autograde doctor`" in " ".join(
        result.output.split()
    )


def test_lines_below_the_name_of_a_class_are_marked_where_they_are():
    source = (
        "class AttentionDecoder(nn.Module):\n    def forward(self, x):\n        return self.out(x + self.bias) * 2\n"
    )
    other = (
        "class B(nn.Module):\n    pass\n\n\n"
        + "    def forward(self, x):\n        return self.out(x + self.bias) * 2\n"
    )
    (left, right) = Shared("1", "a", 1, 1.0, (source, other)).sides
    assert left[2] == Line("        return self.out(x + self.bias) * 2", True)
    assert [line.text.strip() for line in right if line.shared] == [
        "def forward(self, x):", "return self.out(x + self.bias) * 2"
    ]  # fmt: skip


def test_nothing_that_a_student_is_called_or_wrote_is_markup_or_turns_the_page_round():
    names = ("<img src=x onerror=alert(1)>", "a\u202eb", "x\ny", "=cmd|' /C calc'!A0", "\u2066&lt;b&gt;")
    text = "def f(x):\n    return '</pre><script>alert(3)</script>'  # \u202e\n"
    shared = Shared("0.1", "scale", 200, 0.9, (text, text))
    pairs = [Pair((name, "</bdi></a>ben"), [shared]) for name in names]
    groups = [similar.Group("0.1", "scale", names, text)]
    html = similar.page(Similar("00-toy", 5, 5, groups, pairs, [(name, f"{name} <b>") for name in names]))
    assert not re.search(r"<(script|img|b)\b|[\u202a-\u202e\u2066-\u2069]", html)
    assert "</bdi></a>ben" not in html and "&amp;lt;b&amp;gt;" in html


def test_a_page_shows_the_first_pairs_and_says_how_many_there_are():
    shared = Shared("0.1", "scale", 30, 1.0, (TWICE, TWICE))
    many = Similar("00-toy", 9, 9, pairs=[Pair((f"a{n}", f"b{n}"), [shared]) for n in range(similar.MOST_PAIRS + 1)])
    html = similar.page(many)
    assert f"The first {similar.MOST_PAIRS} of {similar.MOST_PAIRS + 1} pairs are shown" in re.sub(r"\s+", " ", html)
    assert html.count("<section") == similar.MOST_PAIRS
