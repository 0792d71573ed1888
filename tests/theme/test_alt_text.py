"""What counts as a description of an image."""

from theme import alt_text


def test_a_file_name_is_no_description() -> None:
    assert not alt_text.describes("", "figures/loss.svg")
    assert not alt_text.describes("figures/loss.svg", "figures/loss.svg")
    assert not alt_text.describes("../loss.svg", "figures/loss.svg")
    assert alt_text.describes("The loss falls for fifty steps.", "figures/loss.svg")
