"""The page "How it is built": its picture is the code's, and what it names is there."""

import re
from pathlib import Path

import pytest

from course.wording import marked
from theme import packages

ROOT = Path(__file__).resolve().parents[2]
PAGE = ROOT / "book" / "how-it-is-built.md"


def test_every_path_that_the_page_names_is_there() -> None:
    named = re.findall(r"`([\w.-]+/[\w./-]*|[\w-]+\.md)`", PAGE.read_text("utf-8"))
    made = {"submissions/"}  # in a class's folder
    assert len(named) > 40
    assert not [path for path in named if path not in made and not (ROOT / path).exists()]


def test_a_circle_is_named() -> None:
    with pytest.raises(ValueError, match="a circle of imports: a -> b -> c -> a"):
        packages.levels({"a": {"b"}, "b": {"c"}, "c": {"a"}, "d": set()})


def test_levels_stand_above_all_they_lead_to() -> None:
    assert packages.levels({"a": {"b", "c"}, "b": {"c"}, "c": set()}) == {"a": 3, "b": 2, "c": 1}


def test_an_arrow_that_a_longer_way_says_is_left_out() -> None:
    assert packages.needed({"a": {"b", "c"}, "b": {"c"}, "c": set()}) == {"a": {"b"}, "b": {"c"}, "c": set()}


def test_every_module_belongs_to_a_package_of_the_picture() -> None:
    assert {"solutions.vit", "training.loop", "course.checks.engine.draw"} <= set(packages.modules())
    assert {packages.package_of(module) for module in packages.modules()} == set(packages.PACKAGES)


def test_relative_imports_are_seen_too() -> None:
    arrows = {(each.importer, each.imported) for each in packages.imports()}
    assert ("autograde.sandbox.inside.child", "autograde.sandbox.inside.confinement") in arrows


def test_the_page_shows_each_package_with_its_purpose(built: Path) -> None:
    page = (built / "book" / "how-it-is-built.html").read_text("utf-8")
    for name in packages.PACKAGES:
        assert f">{name}</text>" in page and f"<th scope='row'><code>{name}</code></th>" in page
        assert marked(packages.purpose(name)) in page and packages.purpose(name)
