"""What an author of an exercise left out or mistook is told in one sentence, which names the file."""

import json
from dataclasses import replace

import pytest

from autograde import bank, reference
from autograde.bank import __main__ as command
from autograde.bank.reader import Answer
from course.chapters import Unfinished, chapter, question
from course.exercises import by_number, exercises
from tools.notebooks import __main__ as making
from tools.notebooks import as_text, files, listing, recording

SOFTMAX = next(e for e in exercises() if e.name == "safe_softmax")
TEXT = """\
# %% [markdown]
# # A chapter

# %% course={"answer": "safe_softmax"}
STUB

# %% course={META}
check("0.1", safe_softmax)
"""
META = {"exercise": "0.1", "name": "safe_softmax", "components": ["safe_softmax"], "points": 1,
        "difficulty": 1, "importance": 3, "minutes": 4, "stretch": False}  # fmt: skip
(STUB,) = (c.source for c in files.read(files.paths(["00"])[0]).cells if c.id == "safe_softmax-answer")
FIRST = STUB.splitlines()[0]


# ---------------------------------------------------------------- what is not there


def test_a_chapter_without_its_modules():
    new = replace(SOFTMAX, chapter="running_means")
    with pytest.raises(Unfinished, match=r"^course/checks/running_means\.py is missing: .* exercise 0\.\d"):
        bank.check_of(new)
    with pytest.raises(Unfinished, match=r"^solutions/running_means\.py is missing: "):
        reference.module("running_means")
    with pytest.raises(Unfinished, match=r"^course/chapters/running_means\.toml is missing: "):
        chapter("running_means")


def test_an_exercise_without_its_check_and_a_question_without_its_key():
    with pytest.raises(Unfinished, match=r'^course/checks/warm_up\.py has no Check\("running_mean"\)'):
        bank.check_of(replace(SOFTMAX, name="running_mean"))
    with pytest.raises(Unfinished, match=r"^course/chapters/warm_up\.toml has no \[questions\.question_x\]"):
        question("question_x", "warm_up")


def test_an_import_that_fails_inside_a_module_is_not_taken_for_the_module(monkeypatch):
    def fails(name):
        raise ModuleNotFoundError("No module named 'nowhere'", name="nowhere")

    monkeypatch.setattr(reference.importlib, "import_module", fails)
    with pytest.raises(ModuleNotFoundError, match="nowhere"):
        reference.module("warm_up")
    with pytest.raises(ModuleNotFoundError, match="nowhere"):
        bank.check_of(SOFTMAX)


@pytest.mark.parametrize(
    ("held", "message"),
    [
        ({"hints": {"safe_softmax": ["one", "two"]}}, "warm_up.toml has 2 hints for safe_softmax"),
        ({"hints": {}}, "warm_up.toml has 0 hints for safe_softmax"),
    ],
)
def test_recording_asks_for_three_hints_and_ends_with_a_sentence(held, message, monkeypatch):
    monkeypatch.setattr(recording, "texts", lambda module: held)
    monkeypatch.setattr(recording, "exercises", lambda: (SOFTMAX,))
    monkeypatch.setattr(listing, "write_listed", lambda listed: None)
    recording.exercises.cache_clear = lambda: None
    with pytest.raises(SystemExit) as refused:
        making.main(["record", "00"])
    assert message in refused.value.code and "\n" not in refused.value.code


# ---------------------------------------------------------------- from-text


@pytest.fixture
def laid(tmp_path, monkeypatch):
    """Lays a text with this stub and metadata into a notebook of chapter 00, elsewhere."""
    monkeypatch.setattr(listing, "write_listed", lambda listed: None)

    def from_text(stub=STUB, left_out=(), **changed):
        text, path = tmp_path / "text.py", tmp_path / "00-warm-up.ipynb"
        kept = {name: value for name, value in (META | changed).items() if name not in left_out}
        written = json.dumps(kept)
        text.write_text(TEXT.replace("STUB", stub).replace("{META}", written), "utf-8")
        try:
            as_text.from_text(text, path)
        except SystemExit as refused:
            assert not path.exists(), "refused, and written all the same"
            return refused.code
        return [e["name"] for e in listing.declared(path)]

    return from_text


def test_a_text_with_all_it_needs_is_taken(laid):
    assert laid() == ["safe_softmax"]


@pytest.mark.parametrize("name", ["name", "points", "difficulty", "importance", "minutes"])
def test_metadata_that_are_missing(laid, name):
    message = laid(left_out=(name,))
    assert message == f"the check cell of exercise 0.1 in 00-warm-up.ipynb has no {name} in its metadata"


@pytest.mark.parametrize(("name", "value"), [("importance", 7), ("difficulty", 0), ("importance", "3")])
def test_metadata_out_of_range(laid, name, value):
    assert f"exercise 0.1 in 00-warm-up.ipynb says {name} {value}: it is one of 1, 2, 3, 4, 5" in laid(**{name: value})


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("# YOUR CODE HERE", "# here", "the answer cell of safe_softmax in 00-warm-up.ipynb has no line `# YOUR CODE"),
        (FIRST, "def safe_softmax(scores):", "the stub says `def safe_softmax(scores):` where solutions/warm_up.py"),
        (FIRST, FIRST.replace(" -> Tensor", ""), "where solutions/warm_up.py says `def safe_softmax("),
        ('"""', '"""Really: ', "the docstring of safe_softmax is another in the stub than in solutions/warm_up.py"),
        (FIRST, FIRST.replace("safe_softmax", "soft_max"), "solutions/warm_up.py has no soft_max"),
    ],
)
def test_a_stub_that_is_not_the_solutions(laid, old, new, message):
    changed = STUB.replace(old, new, 1)
    assert changed != STUB
    try:
        assert message in laid(changed)
    except Unfinished as refused:
        assert message in str(refused)


def test_a_check_cell_that_is_not_of_its_own_exercise(laid):
    assert laid(exercise="0.2") == 'the check cell of exercise 0.2 in 00-warm-up.ipynb checks another number: check("0.1", safe_softmax)'  # fmt: skip  # noqa: E501
    with pytest.raises(Unfinished, match=r"^solutions/warm_up\.py has no safe_sofmax"):
        laid(components=["safe_sofmax"])


def test_a_name_that_another_chapter_has_changes_nothing(laid):
    message = laid(name="self_attention")
    assert message == "exercises with the same name: self_attention in 00-warm-up and 04-dot-product"


def test_two_exercises_with_one_number_are_told_with_their_notebooks(monkeypatch):
    one = {"name": "a", "number": "9.1"}
    monkeypatch.setattr(listing, "declared", lambda path: [one | {"name": path.stem, "notebook": path.stem}])
    monkeypatch.setattr(listing, "paths", lambda: notebooks_named("09-cuda", "98-running-means"))
    with pytest.raises(SystemExit, match=r"same number: 9\.1 in 09-cuda and 98-running-means$"):
        listing.write_exercises()


def notebooks_named(*stems):
    return [files.NOTEBOOKS / f"{stem}.ipynb" for stem in stems]


# ---------------------------------------------------------------- the answer bank


@pytest.fixture
def with_answers(monkeypatch):
    """Changes the bank of `safe_softmax`, wherever it is looked up."""
    held = bank.find(SOFTMAX)

    def changed(**answers):
        for module in (bank, command):
            monkeypatch.setattr(module, "find", lambda exercise: replace(held, **answers))
        return held

    return changed


def test_the_command_fails_where_there_are_too_few_answers(with_answers, capsys):
    held = with_answers()
    wrong, correct = bank.least(SOFTMAX)
    assert command.main(["safe_softmax"]) == 0 and "TOO FEW" not in capsys.readouterr().out
    with_answers(wrong=held.wrong[: wrong - 1])
    assert command.main(["safe_softmax"]) == 1
    assert f"TOO FEW   {wrong - 1} wrong and {len(held.correct)} correct answers: at least {wrong} and {correct}" in (
        capsys.readouterr().out
    )
    with_answers(correct=held.correct[: correct - 1])
    assert command.main(["safe_softmax"]) == 1


def test_the_command_says_what_is_missing(monkeypatch, capsys):
    def no_check(exercise):
        raise Unfinished("course/checks/warm_up.py is missing")

    monkeypatch.setattr(bank, "check_of", no_check)
    assert command.main([by_number(SOFTMAX.number).name]) == 1
    assert capsys.readouterr().err.rstrip().endswith("course/checks/warm_up.py is missing")


def test_an_unbound_name_in_an_answer_is_told_with_where_the_names_come_from(with_answers, capsys):
    held = with_answers()
    with_answers(correct=(*held.correct, Answer("unbound", f"{FIRST}\n    return nowhere.softmax(scores)")))
    assert command.main(["safe_softmax"]) == 1
    message = capsys.readouterr().out
    assert "REFUSED   unbound" in message and "name 'nowhere' is not defined" in message
    assert "run with the names of solutions/warm_up.py" in message
    with pytest.raises(NameError) as stopped:
        bank.namespace(SOFTMAX, "x = nowhere")
    assert "solutions/warm_up.py" in stopped.value.__notes__[0]
