"""What checks say, as the search knows it: diagnoses, explanations without their order, PyTorch's own words."""

from pathlib import Path

from course.exercises import by_number
from theme.search import messages


def test_diagnoses_are_sentences_without_code(tmp_path: Path) -> None:
    exercise = by_number("4.1")
    folder = tmp_path / exercise.chapter
    folder.mkdir()
    text = "# %% wrong: not scaled\n# Divide the scores\n# by the root.\n\n# --- before\n    a / b\n# --- after\n"
    (folder / f"{exercise.name}.py").write_text(text, "utf-8")
    assert messages.diagnoses(exercise, tmp_path) == ["Divide the scores by the root."]
    assert messages.diagnoses(by_number("4.2"), tmp_path) == []


def test_every_exercise_has_its_checks_words() -> None:
    told = messages.of_notebook("04-dot-product")
    assert any("not divided by the root of d_k" in text for text in told["4.1"])


def test_of_an_explanation_only_the_words_are_given() -> None:
    said = messages.explained(by_number("4.q2")).split()
    assert "overflows" in said and said == sorted(set(said))


def test_pytorchs_own_words_lead_to_where_shapes_are_explained() -> None:
    shapes = dict(messages.of_pytorch(messages.SHAPES))
    others = dict(messages.of_pytorch(messages.OTHERS))
    assert any("mat1 and mat2 shapes cannot be multiplied" in words for words in shapes.values())
    assert others and not shapes.keys() & others.keys()
    assert len(shapes) + len(others) == len(messages.meanings()) > 15
