"""The glossary and the chapters lead to each other."""

import re
from pathlib import Path

from theme import terms


def test_inflections_are_one_word_and_abbreviations_another() -> None:
    assert terms.stem("gradients") == terms.stem("Gradient's") == "gradient"
    assert terms.stem("saturates") == terms.stem("saturated")
    assert terms.stem("axes") == terms.stem("Axis")
    assert terms.stem("initialization") == terms.stem("Initialization")
    assert terms.stem("GRUs") == "GRU" and terms.stem("BLEU") == "BLEU"
    assert terms.stems("key-value caches") == terms.stems("Key value cache")


def test_names_of_an_entry_stand_on_lines_of_their_own() -> None:
    page = "# Glossary\n\n:::{glossary}\nGRU\ngated unit\n  A cell.\n  More of it.\n\ntensor\n  A table.\n:::\n\nx\n"
    assert terms.entries(page) == [["GRU", "gated unit"], ["tensor"]]


def test_the_glossary_is_in_order() -> None:
    names = [names[0].casefold() for names in terms.entries(terms.GLOSSARY.read_text("utf-8"))]
    assert names == sorted(names)


def test_a_chapter_leads_to_the_glossary_where_it_introduces_a_term_and_back(built: Path) -> None:
    chapter = (built / "notebooks" / "00-warm-up.html").read_text("utf-8")
    target = re.escape("../book/glossary.html#term-tensor")
    assert len(re.findall(rf'<a class="reference internal" href="{target}"><strong>tensor</strong></a>', chapter)) == 1
    glossary = (built / "book" / "glossary.html").read_text("utf-8")
    entry = glossary.split('id="term-tensor"')[1].split("<dt")[0]
    place = re.search(
        r'Introduced in <a class="reference internal" href="\.\./notebooks/00-warm-up\.html#([\w-]+)">', entry
    )
    assert place and f'id="{place[1]}"' in chapter


def test_every_term_of_the_glossary_leads_back(built: Path) -> None:
    glossary = (built / "book" / "glossary.html").read_text("utf-8")
    field = glossary.split('id="words-of-the-exercises')[0]
    assert field.count("Introduced in <a") == len(terms.entries(terms.GLOSSARY.read_text("utf-8")))


def test_an_entry_of_two_names_leads_to_whichever_comes_first_in_the_text(built: Path) -> None:
    glossary = (built / "book" / "glossary.html").read_text("utf-8")
    entry = glossary.split('id="term-pooling"')[1].split("</dd>")[0]  # average pooling: 3.1; pooling: exercise 3.3
    assert "notebooks/03-captioning.html#the-failure-this-chapter-starts-from" in entry
