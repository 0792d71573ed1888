"""A number stays with its unit and its factor, in running text and nowhere else."""

import re
from pathlib import Path

import pytest

from theme.breaks import kept_together


@pytest.mark.parametrize(
    "written, kept",
    [
        ("patches of 16 × 16 pixels", "patches of 16~×~16 pixels"),
        ("at k = 6, below", "at k~=~6, below"),
        ("a shift of d = -2", "a shift of d~=~-2"),
        ("4 ms, 3.5 GiB and 2,000 bytes (1 min)", "4~ms, 3.5~GiB and 2,000~bytes (1~min)"),
        ("of 64 heads and 3 models", "of 64 heads and 3 models"),
        ("in 2 species, 8 hands", "in 2 species, 8 hands"),
        ("loss = 3 and B × T", "loss = 3 and B × T"),
    ],
)
def test_what_is_kept_on_one_line(written, kept):
    assert kept_together(written) == kept.replace("~", "\N{NO-BREAK SPACE}")


@pytest.mark.xdist_group("site")
def test_pages_break_no_line_inside_a_product_and_leave_code_alone(built: Path):
    page = (built / "notebooks" / "08-vit.html").read_text("utf-8")
    assert "16\N{NO-BREAK SPACE}×\N{NO-BREAK SPACE}16" in page
    assert not [
        p for p in re.findall(r"<p>.*?</p>", page, re.DOTALL) if re.search(r"\d × \d", re.sub("<[^>]+>", "", p))
    ]
    assert not [code for code in re.findall(r"<pre>.*?</pre>", page, re.DOTALL) if "\N{NO-BREAK SPACE}" in code]
