"""Works that are named, their entries, and their labels."""

import pytest
from pybtex.database import parse_string

from theme import works

BIB = r"""
@article{a, author = {van den Berg, Ada and Veli{\v c}kovi{\'c}, Petar and Rue, Jo}, title = {A}, year = {2018}}
@article{b, author = {Veli{\v c}kovi{\'c}, Petar and Rue, Jo}, title = {B}, year = {2019}}
@misc{c, author = {{NVIDIA}}, title = {C}, year = {2020}}
"""


def test_a_label_is_what_a_citation_says_and_a_surname_what_a_text_says() -> None:
    entries = parse_string(BIB, "bibtex").entries
    labels = [works.label(entry) for entry in entries.values()]
    assert labels == ["van den Berg et al., 2018", "Veličković and Rue, 2019", "NVIDIA, 2020"]
    assert [works.surname(entry) for entry in entries.values()] == ["Berg", "Veličković", "NVIDIA"]


@pytest.mark.parametrize(
    ("text", "surname", "year"),
    [
        ("Ashish Vaswani and others (2017), Attention", "Vaswani", "2017"),
        ("(Rabe and Staats, 2021)", "Rabe", "2021"),
        ("Vaswani et al. (2017)", "Vaswani", "2017"),
        ("Kyunghyun Cho, Bart van Merriënboer and Yoshua\nBengio (2014)", "Cho", "2014"),
        ("Jelinek and Mercer's (1980)", "Jelinek", "1980"),
        ("Petar Veličković and\nothers (2018)", "Veličković", "2018"),
    ],
)
def test_works_are_found_in_running_text(text: str, surname: str, year: str) -> None:
    (match,) = works.NAMED.finditer(text)
    assert (works.first_surname(match[1]), match[2]) == (surname, year)


@pytest.mark.parametrize("text", ["In 2020 the", "WMT 2014", "in October 2024,", "(2017)", "the years 2014, 2015"])
def test_a_year_alone_is_no_work(text: str) -> None:
    assert not works.NAMED.search(text)
