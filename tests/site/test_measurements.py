"""The page of measurements: numbers come from the result files, losses come first, nothing is invented."""

import html
import importlib.util
import json
import re
from pathlib import Path
from types import SimpleNamespace

import pytest
from docutils import nodes

from benchmarks.record import write
from theme import measurements

ROOT = Path(__file__).resolve().parents[2]
PAGE = ROOT / "book" / "measurements.md"
NAMES = re.findall(r"```\{measurements\} (\w+)", PAGE.read_text("utf-8"))


def result(folder: Path, name: str, records: list[dict]) -> dict:
    """A result as benchmarks write it, in a folder of its own."""
    path = write(name, "about", records, command=f"python -m benchmarks.{name}", settings={"rounds": 2}, seconds=3.0,
                 folder=folder)  # fmt: skip
    return json.loads(path.read_text("utf-8"))


# ---- words ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (1.23456, "1.23"),
        (-2.0, "−2"),
        (313554, "313,554"),
        (12345.6, "12,346"),
        (16.0, "16"),
        (3e-08, "3.00 × 10⁻⁸"),
        (0.0, "0"),
    ],
)
def test_numbers(value, expected):
    assert measurements.number(value) == expected


def test_a_value_shows_its_spread_and_a_missing_one_a_dash():
    record = {"ratio": 1.5, "ratio_low": 1.25, "ratio_high": 2.0, "note": None, "same": True}
    assert measurements.as_text(record, "ratio") == "1.5 (1.25 to 2)"
    assert measurements.as_text(record, "note") == measurements.as_text(record, "nothing") == "–"
    assert measurements.as_text(record, "same") == "yes"


def test_what_is_the_same_in_every_row_is_no_column():
    records = [{"model": "a", "peer": "x", "time": 1.0, "time_low": 0.5, "time_high": 2.0}, {"model": "b", "peer": "x"}]
    assert measurements.columns(records) == (["model", "time"], {"peer": "x"})
    ordered = measurements.columns([{"a": 1, "ratio": 2.0, "rung": "x"}, {"a": 2, "ratio": 3.0, "rung": "y"}])[0]
    assert ordered == ["rung", "ratio", "a"]
    assert measurements.words({"measure": "vit", "peer": "timm", "note": "not installed"}) == "timm: not installed"


def test_seeds_become_a_mean_with_its_spread():
    records = [{"model": m, "k": 3, "seed": s, "right": r} for m, s, r in (("a", 0, 0.2), ("a", 1, 0.4), ("b", 0, 0.9))]
    first, second = measurements.over_seeds(records)
    assert first == {"model": "a", "k": 3, "right": pytest.approx(0.3), "right_low": 0.2, "right_high": 0.4, "seeds": 2}
    assert second["seeds"] == 1 and second["right"] == 0.9
    assert measurements.over_seeds([{"a": 0.5}, {"a": 0.7}]) == [{"a": 0.5}, {"a": 0.7}]


def test_losses_are_told_the_worst_first_and_wins_are_not():
    records = [
        {"measure": "vit training", "rung": "plain", "peer": "x", "ratio": 0.9, "ratio_low": 0.8, "ratio_high": 1.1},
        {"measure": "vit training", "rung": "fused", "peer": "y", "ratio": 1.2, "cpu_ratio": 0.5},
        {"measure": "vit training", "rung": "fused", "peer": "x", "ratio": 1.0},
        {"measure": "vit training", "rung": "fused", "peer": "course"},
    ]
    assert measurements.losses(records) == [
        "vit training, fused, against y: ratio 1.2, cpu ratio 0.5.",
        "vit training, plain, against x: ratio 0.9 (0.8 to 1.1).",
    ]
    assert measurements.losses(records[2:]) == [] == measurements.losses([])


def test_circumstances_say_where_and_how(tmp_path):
    made = result(tmp_path, "toy", [{"a": 1}])
    made["settings"] = {"rounds": 2, "vit": {"d_model": 8}}
    facts = dict(measurements.circumstances(made))
    assert facts["Command"] == "`python -m benchmarks.toy`" and facts["Settings"] == "rounds 2, vit (d model 8)"
    assert made["machine"]["cpu"] in facts["Machine"] and f"torch {made['versions']['torch']}" in facts["Versions"]
    made["machine"]["gpu"] = ["A GPU"]
    assert dict(measurements.circumstances(made))["Machine"].startswith("A GPU, ")


def test_an_experiment_belongs_to_the_chapter_of_its_name():
    chapters = ["04-dot-product", "07-language-model", "08-vit"]
    assert measurements.chapter_of("dot_product_scale", chapters) == "04-dot-product"
    assert measurements.chapter_of("vit_fonts_control", chapters) == "08-vit"
    assert measurements.chapter_of("grading", chapters) is measurements.chapter_of("vitality_x", chapters) is None


# ---- rounds ---------------------------------------------------------------------------------------------------------


def test_the_newest_round_is_the_last_whatever_the_order_in_the_file(tmp_path):
    def figure(of: str, date: str, some: int) -> dict:
        return {"measure": "figures", "round": of, "what": "wrong answers caught", "came_out_so": some, "of": 1200,
                "percent": 50.0, "percent_low": 40.0, "percent_high": 60.0, "date": date}  # fmt: skip

    records = [
        figure("round-10", "2026-02-01", 3),
        figure("round-2", "2026-02-01", 2),
        figure("round-1", "2026-01-01", 1),
    ]
    result(tmp_path, "looks", records)
    assert measurements.rounds(records) == ["round-1", "round-2", "round-10"]
    newest = measurements.latest("looks", "wrong answers caught", tmp_path)
    assert newest and measurements.so_many(newest) == "3 of 1,200"
    assert measurements.latest("looks", "another", tmp_path) is measurements.latest("none", "any", tmp_path) is None

    result(tmp_path, "once", [{"measure": "figures", "what": "attacks contained", "came_out_so": 4, "of": 5}])
    assert measurements.so_many(measurements.latest("once", "attacks contained", tmp_path)) == "4 of 5"


def test_rounds_stand_side_by_side():
    one = {"what": "caught", "round": "round-1", "came_out_so": 1, "of": 2, "percent": 50.0, "date": "2026-01-01"}
    other = {**one, "what": "refused", "round": "round-2", "percent_low": 9.45, "percent_high": 90.55}
    made = measurements.by_round("Rounds", [other, one], "name")
    cells = [[entry.astext() for entry in row.findall(nodes.entry)] for row in made.findall(nodes.row)]
    assert cells[0] == ["what", "round-1", "round-2"]
    assert cells[1:] == [["refused", "–", "1 of 2 50 % (9.4 to 90.5)"], ["caught", "1 of 2 50 % ", "–"]]
    newest = measurements.by_round("Rounds", [other, one], "name", 1)
    assert [entry.astext() for entry in next(newest.findall(nodes.row)).findall(nodes.entry)] == ["what", "round-2"]


# ---- targets --------------------------------------------------------------------------------------------------------


def test_without_results_nothing_is_reached(tmp_path):
    assert [reach(tmp_path) for *_, reach in measurements.TARGETS] == [None] * len(measurements.TARGETS)


def test_targets_are_judged_by_the_results(tmp_path):
    result(tmp_path, "models", [{"peer": "x", "ratio": 1.5}, {"peer": "y", "ratio": 1.1, "cpu_ratio": 0.9}, {}])
    assert measurements.as_fast(tmp_path) == ("slower in 1 of 2 comparisons; ratios 0.9 to 1.5", False)
    result(tmp_path, "models", [{"peer": "x", "ratio": 1.5}])
    assert measurements.as_fast(tmp_path) == ("slower in 0 of 1 comparisons; ratios 1.5", True)
    result(tmp_path, "models_cuda", [{"peer": "x", "ratio": 0.8}])  # what a GPU shows counts as well
    assert measurements.as_fast(tmp_path) == ("slower in 1 of 2 comparisons; ratios 0.8 to 1.5", False)

    vit = {"measure": "vit training", "peer": "course"}
    result(tmp_path, "models_cuda", [{**vit, "utilisation": 0.3}, {**vit, "utilisation": 0.52}, {**vit, "note": "no"}])
    assert measurements.utilised(tmp_path) == ("52% on its best rung", True)

    both = (("00-a", 20.0), ("01-b", 91.5))
    took = [{"notebook": n, "seconds": s, "cpu_seconds": 80.5, "target_seconds": 90} for n, s in both]
    result(tmp_path, "notebooks", took)
    assert measurements.notebook_seconds(tmp_path) == (
        "1 of 2; the longest, 01-b, 91.5 s, 80.5 s of them CPU time",
        False,
    )

    both = (("cold", 9, 15), ("warm", 9, 8))
    builds = [
        {"measure": "build", "kind": kind, "seconds": seconds, "cpu_seconds": 4.5, "target_seconds": most}
        for kind, seconds, most in both
    ]
    page = {"measure": "page", "target_bytes": 350_000, "requests": 5, "requests_leaving": 0}
    pages = [{**page, "page": "book/index", "bytes_gzipped": 10_000}, {**page, "page": "b", "bytes_gzipped": 20_000}]
    result(tmp_path, "site", [*builds, *pages])
    assert measurements.build_seconds(tmp_path) == (
        "cold 9 s (4.5 s of them CPU time), warm 9 s (4.5 s of them CPU time)",
        False,
    )
    assert measurements.page_bytes(tmp_path) == ("home 10 KB, the heaviest, b, 20 KB", True)
    assert measurements.requests_leaving(tmp_path) == ("0 of 10", True)


def test_the_banks_and_the_corpora_are_judged_by_one_run(tmp_path):
    def figures(*counts: tuple[str, int, int]) -> None:
        result(tmp_path, "trust", [{"measure": "figures", "what": w, "came_out_so": a, "of": b} for w, a, b in counts])

    reach = {what: reached for what, _, reached in measurements.TARGETS}
    figures(("right answers accepted", 9, 9), ("wrong answers caught", 20, 20), ("attacks contained", 4, 5))
    assert measurements.banks(tmp_path) is None  # one of its figures is missing
    assert reach["attacks contained"](tmp_path) == ("4 of 5", False)
    assert reach["submissions handled"](tmp_path) is None
    for named, well in ((18, True), (17, False)):
        both = ("right answers accepted", 9, 9), ("wrong answers caught", 20, 20)
        figures(*both, ("wrong answers told by name", named, 20), ("submissions handled", 7, 7))
        assert measurements.banks(tmp_path) == (f"9 of 9; 20 of 20; {named} of 20", well)
    assert reach["submissions handled"](tmp_path) == ("7 of 7", True)
    figures(*both[:1], ("wrong answers caught", 19, 20), ("wrong answers told by name", 19, 20))
    assert measurements.banks(tmp_path) == ("9 of 9; 19 of 20; 19 of 20", False)


def test_the_targets_name_the_figures_that_are_measured():
    from benchmarks import trust

    measured = {record["what"] for record in trust.figures([])}
    assert measured >= {"machine-made wrong answers caught", "attacks contained", "submissions handled"}
    assert measured >= {"right answers accepted", "wrong answers caught", "wrong answers told by name"}


def test_every_target_has_a_file_that_a_test_or_a_benchmark_is():
    assert all((ROOT / path).exists() for _, _, path in measurements.HELD_BY_TESTS)


# ---- the page -------------------------------------------------------------------------------------------------------


def test_every_result_stands_on_the_page():
    chapters = [path.stem for path in (ROOT / "notebooks").glob("[0-9][0-9]-*.ipynb")]
    lost = [n for n in measurements.measured() if n not in NAMES and measurements.chapter_of(n, chapters) is None]
    assert not lost, f"{lost} stand nowhere: name them in book/measurements.md"


def test_the_commands_that_measure_are_there():
    for module in re.findall(r":command: python -m ([\w.]+)", PAGE.read_text("utf-8")):
        assert importlib.util.find_spec(module) is not None


def test_a_page_is_made_again_when_a_result_was_added():
    now = " ".join(measurements.measured())
    pages = {"a": {}, "b": {"measured": now}, "c": {"measured": "fewer"}}
    assert measurements.outdated(None, SimpleNamespace(metadata=pages), set(), set(), set()) == ["c"]


@pytest.fixture(scope="module")
def text(built: Path) -> str:
    return (built / "book" / "measurements.html").read_text("utf-8")


def test_the_page_says_what_the_files_say(text: str) -> None:
    plain = " ".join(html.unescape(re.sub(r"<[^>]+>", "", text)).split())
    for name in measurements.measured():
        if name not in NAMES:
            assert measurements.results(name)["command"] in plain, name
            continue
        found = measurements.results(name)
        assert found["command"] in plain and found["date"] in plain and found["machine"]["cpu"] in plain, name
        for loss in measurements.losses(found["records"]):
            assert loss in plain
    for record in measurements.rows("grading", measurements.RESULTS):
        if record.get("ratio") is not None:
            assert f"<p>{measurements.value_of(record, 'ratio')}" in text
    missing = [name for name in NAMES if name not in ("targets", "experiments") and not measurements.results(name)]
    assert plain.count("Not yet measured.") == len(missing)
    assert "models_cuda" not in missing or "python -m benchmarks.models --device cuda measures it" in plain


def test_tables_have_captions_and_headings(text: str) -> None:
    tables = re.findall(r"<table\b.*?</table>", text, re.DOTALL)
    assert tables
    for table in tables:
        body = table.partition("<tbody>")[2]
        assert "<caption>" in table and "<thead>" in table
        assert body.count('<th class="stub') == body.count("<tr"), "a row without its heading"


def test_every_chapter_with_experiments_is_linked(built: Path, text: str) -> None:
    for path in (ROOT / "notebooks").glob("[0-9][0-9]-*.ipynb"):
        chapters = [path.stem]
        shown = any(measurements.chapter_of(name, chapters) for name in measurements.measured())
        if shown and (built / "notebooks" / f"{path.stem}.html").is_file():
            assert f'href="../notebooks/{path.stem}.html"' in text.partition("experiments-of")[2]


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
        assert measurements.so_many(measurements.latest(name, what)) in " ".join(words), what


def test_every_record_of_the_run_stands_in_a_table(built: Path) -> None:
    text = (built / "book" / "instructors" / "trust-tables.html").read_text("utf-8")
    for measure in {record["measure"] for record in measurements.rows("trust", measurements.RESULTS)} - {"figures"}:
        table = text.partition(f'id="measured-{nodes.make_id(f"trust {measure}")}"')[2].partition("</table>")[0]
        assert table.count("<tr") == 1 + len(measurements.rows("trust", measurements.RESULTS, measure=measure)), measure
