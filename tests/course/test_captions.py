"""A figure's caption is the comment at the head of its cell, and its number follows from its place."""

import pytest

from course import captions


def test_the_caption_goes_on_over_the_comments_lines():
    found = captions.caption("# Figure 4.2: Weights, and what\n# they weigh.\nfig = 1")
    assert found == ((4, 2), "Weights, and what they weigh.")
    assert captions.caption("# Figure: New.\n\n# from the top\nfig = 1") == (None, "New.")
    for source in ("fig = 1\n# Figure 4.2: late", "# Figured out", "# a comment", ""):
        assert captions.caption(source) is None


def test_what_is_run_has_no_caption():
    assert captions.without_caption("# Figure 4.2: A.\n# B.\nfig = 1\n") == "fig = 1\n"
    assert captions.without_caption("# Figure: A.\n\n# from the top\nfig = 1") == "\n# from the top\nfig = 1"
    assert captions.without_caption("# a comment\nfig = 1") == "# a comment\nfig = 1"


def test_numbers_follow_the_order_of_the_cells_and_references_follow_the_numbers():
    cells = [
        (False, "Figure 4.1 shows a, Figure 4.2 shows c."),
        (True, "# Figure: b\nfig = 1"),
        (True, "# Figure 4.1: a\nfig = 1"),
        (True, "# no figure\n"),
        (True, "# Figure 4.2: c\nfig = 1"),
    ]
    assert captions.numbered(cells, 4) == [
        "Figure 4.2 shows a, Figure 4.3 shows c.",
        "# Figure 4.1: b\nfig = 1",
        "# Figure 4.2: a\nfig = 1",
        "# no figure\n",
        "# Figure 4.3: c\nfig = 1",
    ]
    again = list(zip((is_code for is_code, _ in cells), captions.numbered(cells, 4), strict=True))
    assert captions.numbered(again, 4) == [source for _, source in again]


def test_a_reference_to_nothing_and_a_number_given_twice_are_refused():
    with pytest.raises(ValueError, match=r"Figure 4\.7, which this chapter has not"):
        captions.numbered([(False, "See Figure 4.7."), (True, "# Figure 4.1: a\n")], 4)
    with pytest.raises(ValueError, match=r"two captions say Figure 4\.1"):
        captions.numbered([(True, "# Figure 4.1: a\n"), (True, "# Figure 4.1: b\n")], 4)
