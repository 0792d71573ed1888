"""Which pages are in the book: solution pages where there are solutions and they are wanted."""

from pathlib import Path

import yaml

from theme import contents

ROOT = Path(__file__).resolve().parents[2]

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


def test_the_menu_calls_a_solution_page_by_its_heading_without_the_captions_word() -> None:
    parts = yaml.safe_load((ROOT / "_toc.yml").read_text("utf-8"))["parts"]
    (solutions,) = (part["chapters"] for part in parts if part["caption"] == "Solutions")
    titled = {page["file"]: page["title"] for page in solutions if "title" in page}
    assert len(titled) >= len(solutions) - 2
    for file, title in titled.items():
        heading = (ROOT / f"{file}.md").read_text("utf-8").splitlines()[0]
        assert heading.replace("'", "’") == f"# Solutions: {title}", file
