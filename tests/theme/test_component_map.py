"""The map of components: no two lines on each other, a dot wherever one is used, and links that lead there."""

import re
from html import unescape
from itertools import pairwise
from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

from theme import component_map, notebooks

SPANS = st.lists(st.tuples(st.integers(1, 9), st.integers(1, 9))).map(
    lambda found: sorted((start, start + length) for start, length in found)
)


@given(SPANS)
def test_no_two_lines_of_a_lane_meet(spans: list[tuple[int, int]]) -> None:
    chosen = component_map.lanes(spans)
    for lane in set(chosen):
        there = [span for span, its in zip(spans, chosen, strict=True) if its == lane]
        assert all(before[1] < after[0] for before, after in pairwise(there))


def test_the_picture_says_what_the_imports_say() -> None:
    used = notebooks.used_again()
    drawn = component_map.picture(used, notebooks.titles(), lambda page, place: f"{page}#{place}" if place else page)
    assert drawn == component_map.picture(
        used, notebooks.titles(), lambda page, place: f"{page}#{place}" if place else page
    )
    rows = {stem: row for row, (stem, index) in enumerate(component_map.rows(used)) if index is None}
    heights = {y: stem for stem, y in zip(rows, re.findall(r'<rect x="0" y="(\d+)"', drawn), strict=True)}
    for name, exercise, later in used:
        (part,) = re.findall(rf'<a href="([^"]+)" aria-label="{name}, (.*?)"(.*?)</a>', drawn)
        assert part[0] == f"notebooks/{exercise.notebook}#exercise-{exercise.name.replace('_', '-')}"
        begin, lane = map(int, re.search(r'd="M(\d+) \d+H(\d+)V', part[2]).groups())
        assert begin < lane < component_map.WIDTH, name  # the line begins behind the name
        dots = [int(y) for y in re.findall(r'<circle cx="\d+" cy="(\d+)"', part[2])]
        middle = component_map.ROW // 2 - 1
        assert [heights[str(y - middle)] for y in dots] == later
        assert part[1].endswith("is used in " + ", ".join(stem[:2] for stem in later))


def test_the_page_shows_it_with_a_table_of_the_same(built: Path) -> None:
    page = (built / "book" / "start" / "ways.html").read_text("utf-8")
    drawn = page[page.index('<svg class="component-picture"') : page.index("<table class='table component-map'")]
    for name, exercise, _ in notebooks.used_again():
        target = f"../../notebooks/{exercise.notebook}.html#exercise-{exercise.name.replace('_', '-')}"
        assert f'href="{target}"' in drawn and f"<code>{name}</code>" in page
    assert "<summary>The same as a table</summary>" in drawn and "Bahdanau’s attention" in unescape(drawn)
