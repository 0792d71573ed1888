"""What is said of a result: numbers with their spread, losses first, the newest round."""

import json
from pathlib import Path

import pytest

from benchmarks.record import write
from theme import result_files


def result(folder: Path, name: str, records: list[dict]) -> dict:
    """A result as benchmarks write it, in a folder of its own."""
    path = write(name, "about", records, command=f"python -m benchmarks.{name}", settings={"rounds": 2}, seconds=3.0,
                 folder=folder)  # fmt: skip
    return json.loads(path.read_text("utf-8"))


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
    assert result_files.number(value) == expected


def test_a_value_shows_its_spread_and_a_missing_one_a_dash():
    record = {"ratio": 1.5, "ratio_low": 1.25, "ratio_high": 2.0, "note": None, "same": True}
    assert result_files.as_text(record, "ratio") == "1.5 (1.25 to 2)"
    assert result_files.as_text(record, "note") == result_files.as_text(record, "nothing") == "–"
    assert result_files.as_text(record, "same") == "yes"


def test_what_is_the_same_in_every_row_is_no_column():
    records = [{"model": "a", "peer": "x", "time": 1.0, "time_low": 0.5, "time_high": 2.0}, {"model": "b", "peer": "x"}]
    assert result_files.columns(records) == (["model", "time"], {"peer": "x"})
    ordered = result_files.columns([{"a": 1, "ratio": 2.0, "rung": "x"}, {"a": 2, "ratio": 3.0, "rung": "y"}])[0]
    assert ordered == ["rung", "ratio", "a"]
    assert result_files.words({"measure": "vit", "peer": "timm", "note": "not installed"}) == "timm: not installed"


def test_seeds_become_a_mean_with_its_spread():
    records = [{"model": m, "k": 3, "seed": s, "right": r} for m, s, r in (("a", 0, 0.2), ("a", 1, 0.4), ("b", 0, 0.9))]
    first, second = result_files.over_seeds(records)
    assert first == {"model": "a", "k": 3, "right": pytest.approx(0.3), "right_low": 0.2, "right_high": 0.4, "seeds": 2}
    assert second["seeds"] == 1 and second["right"] == 0.9
    assert result_files.over_seeds([{"a": 0.5}, {"a": 0.7}]) == [{"a": 0.5}, {"a": 0.7}]


def test_losses_are_told_the_worst_first_and_wins_are_not():
    records = [
        {"measure": "vit training", "rung": "plain", "peer": "x", "ratio": 0.9, "ratio_low": 0.8, "ratio_high": 1.1},
        {"measure": "vit training", "rung": "fused", "peer": "y", "ratio": 1.2, "cpu_ratio": 0.5},
        {"measure": "vit training", "rung": "fused", "peer": "x", "ratio": 1.0},
        {"measure": "vit training", "rung": "fused", "peer": "course"},
    ]
    assert result_files.losses(records) == [
        "vit training, fused, against y: ratio 1.2, cpu ratio 0.5.",
        "vit training, plain, against x: ratio 0.9 (0.8 to 1.1).",
    ]
    assert result_files.losses(records[2:]) == [] == result_files.losses([])


def test_circumstances_say_where_and_how(tmp_path):
    made = result(tmp_path, "toy", [{"a": 1}])
    made["settings"] = {"rounds": 2, "vit": {"d_model": 8}}
    facts = dict(result_files.circumstances(made))
    assert facts["Command"] == "`python -m benchmarks.toy`" and facts["Settings"] == "rounds 2, vit (d model 8)"
    assert made["machine"]["cpu"] in facts["Machine"] and f"torch {made['versions']['torch']}" in facts["Versions"]
    made["machine"]["gpu"] = ["A GPU"]
    assert dict(result_files.circumstances(made))["Machine"].startswith("A GPU, ")


def test_an_experiment_belongs_to_the_chapter_of_its_name():
    chapters = ["04-dot-product", "07-language-model", "08-vit"]
    assert result_files.chapter_of("dot_product_scale", chapters) == "04-dot-product"
    assert result_files.chapter_of("vit_fonts_control", chapters) == "08-vit"
    assert result_files.chapter_of("grading", chapters) is result_files.chapter_of("vitality_x", chapters) is None


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
    assert result_files.rounds(records) == ["round-1", "round-2", "round-10"]
    newest = result_files.latest("looks", "wrong answers caught", tmp_path)
    assert newest and result_files.so_many(newest) == "3 of 1,200"
    assert result_files.latest("looks", "another", tmp_path) is result_files.latest("none", "any", tmp_path) is None

    result(tmp_path, "once", [{"measure": "figures", "what": "attacks contained", "came_out_so": 4, "of": 5}])
    assert result_files.so_many(result_files.latest("once", "attacks contained", tmp_path)) == "4 of 5"
