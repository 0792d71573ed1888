"""The course's scoreboard: one task, numbers in words, through all the chapters, from the committed results.

Every chapter closes with it. A line appears once the reader has come to its chapter; what is later is to come.
"""

from course.training import committed_results

# how the source is read, chapter, experiment, model (None where the experiment has one)
LINES = [
    ("squeezed into one vector", 1, "seq2seq_numbers", None),
    ("with attention, afresh each step", 2, "bahdanau_numbers", "additive"),
    ("by a Transformer", 6, "transformer_numbers", None),
    ("by a Transformer, more steps", 6, "transformer_longer", None),
    ("by a Transformer, cached", 7, "transformer_numbers", None),  # the same parameters, the same words, sooner
]
COUNTS = range(1, 7)  # how many numbers a sentence holds, as in training


def exact_match(experiment: str, model: str | None) -> tuple[list[float], int, int]:
    """Exact match by count of numbers, the mean over the seeds; training steps; parameters."""
    kept = committed_results(experiment)
    records = [r for r in kept["records"] if "exact" in r and model in (None, r["model"])]
    by_count = [[r["exact"] for r in records if r["k"] == k] for k in COUNTS]
    return [sum(exact) / len(exact) for exact in by_count], kept["settings"]["steps"], records[0]["parameters"]


def scoreboard(chapter: int) -> None:
    """Print the lines reached by a chapter, with "to come" for the others."""
    print(f"{'how the source is read':34} chapter  {'exact match by count of numbers':32} {'steps':>6} parameters")
    print(f"{'':34} {'':8} " + " ".join(f"{k:4d}" for k in COUNTS))
    for how, reached, experiment, model in LINES:
        line = "to come"
        if reached <= chapter:
            exact, steps, parameters = exact_match(experiment, model)
            shares = " ".join(f"{share:4.2f}" for share in exact)
            line = f"{shares:32} {steps:6,} {parameters:10,}"
        print(f"{how:34} {reached:02d}       {line}")
