"""Numbers in words, by one vector and by attention: the living figure of chapters 01 and 02 and of the home page.

`{living-translation} vector attention` names the models that it shows. All numbers of the still picture were written
with the weights, by `python -m benchmarks.living translation`.
"""

from __future__ import annotations

from typing import Any

from course import committed
from course.figures.drawn import Figure
from course.figures.still import Still

STILL = Still("translation", "bahdanau_living")
WIDTH, TOP, BOTTOM = 380, 30, 150  # of the still picture, in its own units: the two lines of words


def spread(words: list[str]) -> list[tuple[str, float]]:
    """Return each word with the middle of its place on a line: a longer word has more room."""
    room = [len(word) + 2 for word in words]
    ends = [sum(room[: i + 1]) for i in range(len(room))]
    return [(word, WIDTH * (end - size / 2) / ends[-1]) for word, size, end in zip(words, room, ends, strict=True)]


def marked(words: list[str], right: list[str]) -> list[tuple[str, bool]]:
    """Return each word, and whether it is the one that belongs at its place."""
    return [(word, right[i : i + 1] == [word]) for i, word in enumerate(words)]


def verdict(words: list[str], right: list[str]) -> str:
    """Return what is said of a translation, as the script says it."""
    wrong, missing = sum(not fits for _, fits in marked(words, right)), max(0, len(right) - len(words))
    parts = [f"{wrong} of {len(words)} words wrong"] * bool(wrong) + [f"{missing} missing at the end"] * bool(missing)
    return ", ".join(parts) or "all right"


def sentence(example: dict[str, Any], models: tuple[str, ...]) -> dict[str, Any]:
    """Return what the template shows of one sentence: words and their places, lines and their weights, verdicts."""
    source = spread([*example["source"], "end"])
    made: dict[str, Any] = {"numbers": example["numbers"], "source": source, "target": example["target"], "models": {}}
    for name in models:
        words = marked(example[name]["words"], example["target"])
        target = spread([word for word, _ in words])
        weights = example[name].get("weights", [])
        made["models"][name] = {
            "words": words,
            "target": target,
            "weights": weights,
            "lines": [
                (x, source[s][1], weight)
                for (_, x), row in zip(target, weights, strict=False)
                for s, weight in enumerate(row)
                if weight >= 0.02
            ],
            "looks": [
                (word, source[max(range(len(row)), key=row.__getitem__)][0], max(row))
                for (word, _), row in zip(words, weights, strict=False)
            ],
            "verdict": verdict(example[name]["words"], example["target"]),
        }
    return made


def measured(models: tuple[str, ...]) -> dict[str, dict[int, float]]:
    """Return the share of whole sentences right by the count of numbers in them, with the page's rounded weights."""
    records = [record for record in committed.read(STILL.record)["records"] if record["measure"] == "accuracy"]
    return {name: {r["k"]: r["exact"] for r in records if r["model"] == name} for name in models}


def figure(models: tuple[str, ...], *, small: bool = False) -> Figure:
    """Return the figure with these models: `vector`, `attention` or both; a small one has no tables."""
    still, record = STILL.read()
    short, long = (sentence(example, models) for example in still["sentences"])
    scripts = ("layers", "translation", *(f"translation-{name}" for name in models))
    return STILL.drawn(
        scripts,
        models=models,
        names={"vector": "One vector", "attention": "Attention"},
        short=short,
        long=long,
        measured=measured(models),
        trained=still["trained_k"][1],
        steps={name: f"{record['settings'][name]['steps']:,}" for name in models},
        tested=record["settings"]["tested_each"],
        width=WIDTH,
        top=TOP,
        bottom=BOTTOM,
        small=small,
    )
