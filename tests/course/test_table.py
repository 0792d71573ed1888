"""Tables of results, as text and as HTML."""

import pytest
import torch

from course.table import Table


def results() -> Table:
    table = Table({"model": "", "loss": ".3f", "weights": ".1f", "steps": ",d"})
    table.row("a GRU", 1.92345, [0.25, 0.75], 12_000)
    table.row("<b>", torch.tensor(11.0), (1.0, 0.0), None)
    return table


def test_text_stands_in_columns() -> None:
    assert repr(results()).splitlines() == [
        "model    loss   weights   steps",
        "a GRU   1.923  0.2  0.8  12,000",
        "<b>    11.000  1.0  0.0       –",
    ]


def test_html_has_headings_and_escapes_what_is_written() -> None:
    html = results()._repr_html_()
    assert html.count('<th scope="col"') == 4 and html.count("<tr>") == 3 and html.count("</th>") == 4
    assert "&lt;b&gt;" in html and "<b>" not in html
    assert '<td style="text-align: left">a GRU</td>' in html and '<td style="text-align: right">1.923</td>' in html


def test_a_title_is_a_caption() -> None:
    table = Table({"k": "d"}, title="Three seeds & more")
    table.row(1)
    assert repr(table).splitlines()[0] == "Three seeds & more"
    assert "<caption>Three seeds &amp; more</caption>" in table._repr_html_()


def test_what_does_not_fit_is_named() -> None:
    table = Table({"k": "d", "loss": ".3f"})
    with pytest.raises(ValueError, match=r"2 values.*'k', 'loss'"):
        table.row(1)
    with pytest.raises(ValueError, match=r"column 'k'.*0\.5"):
        table.row(0.5, 1.0)
    with pytest.raises(ValueError, match="at least one column"):
        Table({})
    assert not table.rows
