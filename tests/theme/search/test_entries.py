"""What a page holds for the search: its sections, their figures and terms, and what is left out."""

from collections.abc import Iterator

import pytest
from docutils import nodes
from docutils.core import publish_doctree

from theme.search import Entry, add_ideas, add_other_names, rows, weight
from theme.search.entries import entries, names

PAGE = """
4. Attention
============

Everybody **asks** at once.

4.4 Why the root?
-----------------

The scores are divided by the **square root**.

Exercise 4.1: write it
~~~~~~~~~~~~~~~~~~~~~~

Use ``masked_softmax``::

    torch.einsum("btd,bsd->bts", query, key)
"""


@pytest.fixture
def page() -> Iterator[nodes.document]:
    yield publish_doctree(PAGE, settings_overrides={"doctitle_xform": False})


def test_each_section_has_an_entry_with_its_own_text(page: nodes.document) -> None:
    chapter, section, exercise = entries(page, "notebooks/04-dot-product")
    assert [(e.kind, e.title) for e in (chapter, section, exercise)] == [
        ("chapter", "4. Attention"),
        ("section", "4.4 Why the root?"),
        ("exercise", "Exercise 4.1: write it"),
    ]
    assert section.text == "The scores are divided by the square root." and section.also == ["square root"]
    assert exercise.above == "4. Attention › 4.4 Why the root?"
    assert "btd,bsd->bts" in exercise.names.split() and "einsum" not in exercise.text


def test_solutions_are_called_so(page: nodes.document) -> None:
    assert [e.kind for e in entries(page, "book/solutions/04-dot-product")] == ["page", "solution", "solution"]
    assert weight("book/solutions/04-dot-product") < weight("notebooks/04-dot-product") == 1


def test_what_a_reader_does_not_see_is_left_out(page: nodes.document) -> None:
    block = nodes.literal_block("", "assert secret_number == 1")
    hidden = nodes.container("", block, nb_element="cell_code", cell_metadata={"tags": ["remove-cell"]})
    page[0].insert(2, hidden)
    assert not [e for e in entries(page, "notebooks/04-dot-product") if "secret_number" in e.names + e.text]
    assert names([hidden]) == ""


def test_the_page_of_ideas_and_other_names_lend_words() -> None:
    section = Entry("section", "the-cell", "1.3 A cell", also=["gated recurrent units"])
    found = {"notebooks/01-seq2seq": [section], "book/glossary": [Entry("term", "t", "gated recurrent unit, GRU")]}

    class Environment:
        metadata = {
            "book/start/ideas": {"ideas": [("gates", [("notebooks/01-seq2seq", "13-a-cell")])]},
            "notebooks/01-seq2seq": {"myst_slugs": {"13-a-cell": (1, "the-cell", "1.3 A cell")}},
        }

    add_other_names(found)
    add_ideas(Environment(), found)  # type: ignore[arg-type]
    assert section.also == ["gated recurrent units", "gated recurrent unit GRU", "gates"]


def test_rows_say_how_far_above_the_section_stands_that_holds_them(page: nodes.document) -> None:
    made = rows(["notebooks/04-dot-product"], {"notebooks/04-dot-product": entries(page, "notebooks/04-dot-product")})
    assert [(row["kind"], row["up"]) for row in made] == [("c", ""), ("s", 1), ("e", 1)]
