"""The page of measurements: numbers come from the result files, losses come first, nothing is invented."""

import html
import importlib.util
import re
from pathlib import Path
from types import SimpleNamespace

import pytest
from docutils import nodes

from theme import measurements, result_files

ROOT = Path(__file__).resolve().parents[2]
PAGE = ROOT / "book" / "measurements.md"
NAMES = re.findall(r"```\{measurements\} (\w+)", PAGE.read_text("utf-8"))


def test_rounds_stand_side_by_side():
    one = {"what": "caught", "round": "round-1", "came_out_so": 1, "of": 2, "percent": 50.0, "date": "2026-01-01"}
    other = {**one, "what": "refused", "round": "round-2", "percent_low": 9.45, "percent_high": 90.55}
    made = measurements.by_round("Rounds", [other, one], "name")
    cells = [[entry.astext() for entry in row.findall(nodes.entry)] for row in made.findall(nodes.row)]
    assert cells[0] == ["what", "round-1 2026-01-01", "round-2 2026-01-01"]
    assert cells[1:] == [["refused", "–", "1 of 2 50 % (9.4 to 90.5)"], ["caught", "1 of 2 50 % ", "–"]]
    newest = measurements.by_round("Rounds", [other, one], "name", 1)
    assert [entry.astext() for entry in next(newest.findall(nodes.row)).findall(nodes.entry)] == [
        "what",
        "round-2 2026-01-01",
    ]


# ---- the page -------------------------------------------------------------------------------------------------------


def test_every_result_stands_on_the_page():
    chapters = [path.stem for path in (ROOT / "notebooks").glob("[0-9][0-9]-*.ipynb")]
    lost = [n for n in result_files.measured() if n not in NAMES and result_files.chapter_of(n, chapters) is None]
    assert chapters and result_files.measured()
    assert not lost, f"{lost} stand nowhere: name them in book/measurements.md"


def test_the_commands_that_measure_are_there():
    modules = re.findall(r":command: python -m ([\w.]+)", PAGE.read_text("utf-8"))
    assert modules
    for module in modules:
        assert importlib.util.find_spec(module) is not None


def test_no_page_says_another_command_than_the_record():
    """What was measured says by which command; a page's own is for what was not, and has no numbers to run out of
    date."""
    pages = [path.read_text("utf-8") for path in (ROOT / "book").rglob("*.md")]
    said = [command for page in pages for command in re.findall(r"^:command: (.*)", page, re.MULTILINE)]
    assert said and not [command for command in said if re.search(r"--\w+ \d", command)]


def test_a_page_is_made_again_when_a_result_was_added():
    now = " ".join(result_files.measured())
    pages = {"a": {}, "b": {"measured": now}, "c": {"measured": "fewer"}}
    assert measurements.outdated(None, SimpleNamespace(metadata=pages), set(), set(), set()) == ["c"]


@pytest.fixture(scope="module")
def text(built: Path) -> str:
    return (built / "book" / "measurements.html").read_text("utf-8")


def test_the_page_says_what_the_files_say(text: str) -> None:
    words = " ".join(html.unescape(re.sub(r"<[^>]+>", "", text)).split()).replace("’", "'")  # the page sets it so
    for name in result_files.measured():
        if name not in NAMES:
            assert result_files.results(name)["command"] in words, name
            continue
        result = result_files.results(name)
        assert result["command"] in words and result["date"] in words and result["machine"]["cpu"] in words, name
        for loss in result_files.losses(result["records"]):
            assert loss in words
    with_ratio = [each for each in result_files.rows("grading", result_files.RESULTS) if each.get("ratio") is not None]
    assert with_ratio
    for record in with_ratio:
        assert f"<p>{result_files.value_of(record, 'ratio')}" in text
    missing = [name for name in NAMES if name not in ("targets", "experiments") and not result_files.results(name)]
    assert words.count("Not yet measured.") == len(missing)
    assert "models_cuda" not in missing or "make gpu measures it" in words


def test_tables_have_captions_and_headings(text: str) -> None:
    tables = re.findall(r"<table\b.*?</table>", text, re.DOTALL)
    assert tables
    for table in tables:
        body = table.partition("<tbody>")[2]
        assert "<caption>" in table and "<thead>" in table
        assert body.count('<th class="stub') == body.count("<tr"), "a row without its heading"


def test_every_chapter_with_experiments_is_linked(built: Path, text: str) -> None:
    stems = [path.stem for path in (ROOT / "notebooks").glob("[0-9][0-9]-*.ipynb")]
    named = [stem for stem in stems if any(result_files.chapter_of(name, [stem]) for name in result_files.measured())]
    linked = [stem for stem in named if (built / "notebooks" / f"{stem}.html").is_file()]
    assert linked, "a book of some chapters has one of these at least"
    for stem in linked:
        assert f'href="../notebooks/{stem}.html"' in text.partition("experiments-of")[2]


# ---- the pages on trust ---------------------------------------------------------------------------------------------


def test_the_page_on_trust_is_short_and_says_what_the_files_say(built: Path) -> None:
    article = (built / "book" / "instructors" / "trust.html").read_text("utf-8").partition("<article")[2]
    unfolded = re.sub(r"<details.*?</details>", "", article.partition("</article>")[0], flags=re.DOTALL)
    words = html.unescape(re.sub(r"<[^>]+>", " ", unfolded)).split()
    assert len(words) <= 750  # two screens; the long tables are folded, or have a page of their own
    source = (ROOT / "book" / "instructors" / "trust.md").read_text("utf-8")
    named = re.findall(r"{measured}`(\w+) ([^`]+)`", source)
    assert len(named) > 5
    for name, what in named:
        assert result_files.so_many(result_files.latest(name, what)) in " ".join(words), what


def test_every_record_of_the_run_stands_in_a_table(built: Path) -> None:
    text = (built / "book" / "instructors" / "trust-tables.html").read_text("utf-8")
    measures = {record["measure"] for record in result_files.rows("trust", result_files.RESULTS)} - {"figures"}
    assert measures
    for measure in measures:
        table = text.partition(f'id="measured-{nodes.make_id(f"trust {measure}")}"')[2].partition("</table>")[0]
        assert table.count("<tr") == 1 + len(result_files.rows("trust", result_files.RESULTS, measure=measure)), measure
