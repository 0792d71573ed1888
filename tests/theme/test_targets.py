"""What the course promises is judged by the result files, and by nothing where there are none."""

from pathlib import Path

from tests.theme.test_result_files import result
from theme import targets

ROOT = Path(__file__).resolve().parents[2]


def test_without_results_nothing_is_reached(tmp_path):
    assert [reach(tmp_path) for *_, reach in targets.TARGETS] == [None] * len(targets.TARGETS)


def test_targets_are_judged_by_the_results(tmp_path):
    result(tmp_path, "models", [{"peer": "x", "ratio": 1.5}, {"peer": "y", "ratio": 1.1, "cpu_ratio": 0.9}, {}])
    assert targets.as_fast(tmp_path) == ("slower in 1 of 2 comparisons; ratios 0.9 to 1.5", False)
    result(tmp_path, "models", [{"peer": "x", "ratio": 1.5}])
    assert targets.as_fast(tmp_path) == ("slower in 0 of 1 comparisons; ratios 1.5", True)
    result(tmp_path, "models_cuda", [{"peer": "x", "ratio": 0.8}])  # what a GPU shows counts as well
    assert targets.as_fast(tmp_path) == ("slower in 1 of 2 comparisons; ratios 0.8 to 1.5", False)

    vit = {"measure": "vit training", "peer": "course"}
    result(tmp_path, "models_cuda", [{**vit, "utilization": 0.3}, {**vit, "utilization": 0.52}, {**vit, "note": "no"}])
    assert targets.utilized(tmp_path) == ("52% on its best rung", True)

    both = (("00-a", 20.0), ("01-b", 91.5))
    took = [{"notebook": n, "seconds": s, "cpu_seconds": 80.5, "target_seconds": 90} for n, s in both]
    result(tmp_path, "notebooks", took)
    assert targets.notebook_seconds(tmp_path) == (
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
    assert targets.build_seconds(tmp_path) == (
        "cold 9 s (4.5 s of them CPU time), warm 9 s (4.5 s of them CPU time)",
        False,
    )
    assert targets.page_bytes(tmp_path) == ("home 10 KB, the heaviest, b, 20 KB", True)
    assert targets.requests_leaving(tmp_path) == ("0 of 10", True)


def test_the_answer_banks_and_the_corpora_are_judged_by_one_run(tmp_path):
    def figures(*counts: tuple[str, int, int]) -> None:
        result(tmp_path, "trust", [{"measure": "figures", "what": w, "came_out_so": a, "of": b} for w, a, b in counts])

    reach = {what: reached for what, _, reached in targets.TARGETS}
    figures(("right answers accepted", 9, 9), ("wrong answers caught", 20, 20), ("attacks contained", 4, 5))
    assert targets.answer_banks(tmp_path) is None  # one of its figures is missing
    assert reach["attacks contained"](tmp_path) == ("4 of 5", False)
    assert reach["submissions handled"](tmp_path) is None
    for named, well in ((18, True), (17, False)):
        both = ("right answers accepted", 9, 9), ("wrong answers caught", 20, 20)
        figures(*both, ("wrong answers told by name", named, 20), ("submissions handled", 7, 7))
        assert targets.answer_banks(tmp_path) == (f"9 of 9; 20 of 20; {named} of 20", well)
    assert reach["submissions handled"](tmp_path) == ("7 of 7", True)
    figures(*both[:1], ("wrong answers caught", 19, 20), ("wrong answers told by name", 19, 20))
    assert targets.answer_banks(tmp_path) == ("9 of 9; 19 of 20; 19 of 20", False)


def test_the_targets_name_the_figures_that_are_measured():
    from benchmarks import trust

    measured = {record["what"] for record in trust.figures([])}
    assert measured >= {"machine-made wrong answers caught", "attacks contained", "submissions handled"}
    assert measured >= {"right answers accepted", "wrong answers caught", "wrong answers told by name"}


def test_every_target_has_a_file_that_a_test_or_a_benchmark_is():
    assert all((ROOT / path).exists() for _, _, path in targets.HELD_BY_TESTS)
