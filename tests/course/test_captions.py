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
        (False, "Figure 4.1 shows a, Figure\n4.2 shows c."),
        (True, "# Figure: b\nfig = 1"),
        (True, "# Figure 4.1: a\nfig = 1"),
        (True, "# no figure\n"),
        (True, "# Figure 4.2: c\nfig = 1"),
    ]
    assert captions.numbered(cells, 4) == [
        "Figure 4.2 shows a, Figure\n4.3 shows c.",
        "# Figure 4.1: b\nfig = 1",
        "# Figure 4.2: a\nfig = 1",
        "# no figure\n",
        "# Figure 4.3: c\nfig = 1",
    ]
    again = list(zip((is_code for is_code, _ in cells), captions.numbered(cells, 4), strict=True))
    assert captions.numbered(again, 4) == [source for _, source in again]


def test_a_link_to_a_figure_to_move_is_numbered_with_the_others():
    cells = [
        (True, "# Figure 4.1: a\n"),
        (
            False,
            "As in Figure 4.2.\n\n[Figure: New, and\nlong.](../book/new.md) Try it.\n\n[Figure: More.](../book/m.md)",
        ),
        (True, "# Figure 4.2: b\n"),
        (False, "[Figure: no page](https://example.org), [Figure 4.2: in a line](../book/new.md)"),
    ]
    one = captions.numbered(cells, 4)
    links = ["[Figure 4.2: New, and\nlong.](../book/new.md) Try it.", "[Figure 4.3: More.](../book/m.md)"]
    assert one[1].split("\n\n") == ["As in Figure 4.4.", *links]
    assert one[2:] == ["# Figure 4.4: b\n", cells[3][1].replace("4.2", "4.4")]
    again = [(is_code, source) for (is_code, _), source in zip(cells, one, strict=True)]
    assert captions.numbered(again, 4) == one
    assert captions.numbers(one[1], False) == [(4, 2), (4, 3)] and captions.numbers(one[2], True) == [(4, 4)]
    with pytest.raises(ValueError, match=r"two captions say Figure 4\.1"):
        captions.numbered([(True, "# Figure 4.1: a\n"), (False, "[Figure 4.1: b](../book/b.md)")], 4)


def test_a_reference_to_nothing_and_a_number_given_twice_are_refused():
    with pytest.raises(ValueError, match=r"Figure 4\.7, which this chapter has not"):
        captions.numbered([(False, "See Figure 4.7."), (True, "# Figure 4.1: a\n")], 4)
    with pytest.raises(ValueError, match=r"two captions say Figure 4\.1"):
        captions.numbered([(True, "# Figure 4.1: a\n"), (True, "# Figure 4.1: b\n")], 4)
