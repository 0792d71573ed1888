"""The reading of the imports that the picture and the rules rest on."""

import pytest

from theme import imports


def test_a_circle_is_named() -> None:
    with pytest.raises(ValueError, match="a circle of imports: a -> b -> c -> a"):
        imports.levels({"a": {"b"}, "b": {"c"}, "c": {"a"}, "d": set()})


def test_levels_stand_above_all_they_lead_to() -> None:
    assert imports.levels({"a": {"b", "c"}, "b": {"c"}, "c": set()}) == {"a": 3, "b": 2, "c": 1}


def test_an_arrow_that_a_longer_way_says_is_left_out() -> None:
    assert imports.needed({"a": {"b", "c"}, "b": {"c"}, "c": set()}) == {"a": {"b"}, "b": {"c"}, "c": set()}


def test_every_module_belongs_to_a_package_of_the_picture() -> None:
    assert {"solutions.vit", "training.loop", "course.checks.engine.draw"} <= set(imports.modules())
    assert {imports.package_of(module) for module in imports.modules()} == set(imports.PACKAGES)


def test_relative_imports_are_seen_too() -> None:
    arrows = {(each.importer, each.imported) for each in imports.imports()}
    assert ("autograde.sandbox.inside.child", "autograde.sandbox.inside.confinement") in arrows
