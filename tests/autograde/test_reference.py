"""The reference as source: what stands in a solved notebook's cell, and what a part rests on."""

import pytest

from autograde import reference


def test_a_component_comes_with_the_private_helpers_it_reaches_and_no_other_component(monkeypatch, tmp_path):
    text = '''
"""A module."""
import torch
_SCALE = 2.0
def _twice(x):
    return _SCALE * x
def first(x):
    return _twice(x)
def second(x):
    return first(x) + 1
def _unused(x):
    return x
'''
    (tmp_path / "made.py").write_text(text)

    class Made:
        __file__ = str(tmp_path / "made.py")

    monkeypatch.setattr(reference, "module", lambda chapter: Made)
    reference._definitions.cache_clear()
    assert reference.source("made", ("first",)) == (
        "_SCALE = 2.0\n\n\ndef _twice(x):\n    return _SCALE * x\n\n\ndef first(x):\n    return _twice(x)"
    )
    assert "_twice" not in reference.source("made", ("second",))
    assert reference.reached("made", ("second",)) == {"second", "first", "_twice", "_SCALE"}
    with pytest.raises(ValueError, match=r"solutions/made\.py has no third"):
        reference.source("made", ("third",))
    reference._definitions.cache_clear()
