"""Which pages are in the book: solution pages where there are solutions and they are wanted."""

from pathlib import Path

from theme import contents

TABLE = {
    "root": "book/index",
    "parts": [
        {"caption": "Chapters", "chapters": [{"file": "notebooks/02-bahdanau"}]},
        {
            "caption": "Solutions",
            "chapters": [{"file": "book/solutions/index"}, {"file": "book/solutions/02-bahdanau"}],
        },
    ],
}


def test_a_solution_page_needs_its_module(tmp_path: Path) -> None:
    assert contents.module_of("book/solutions/00-warm-up") == "warm_up"
    assert contents.pages(contents.pruned(TABLE, tmp_path, wanted=True))[-1] == "book/solutions/index"
    (tmp_path / "solutions").mkdir()
    (tmp_path / "solutions" / "bahdanau.py").touch()
    assert contents.pruned(TABLE, tmp_path, wanted=True) == TABLE


def test_without_solutions_their_part_is_gone(tmp_path: Path) -> None:
    chosen = contents.pruned(TABLE, tmp_path, wanted=False)
    assert [part["caption"] for part in chosen["parts"]] == ["Chapters"]
    assert contents.pages(chosen) == ["book/index", "notebooks/02-bahdanau"]
