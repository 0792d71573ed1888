"""The opening figure of each chapter: what it asks, the section that answers, and the drawing.

Every number comes from a kept result or from an output that the chapter's notebook stores. A figure shows what is
given and leaves out what the chapter lets its reader guess.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Callable
from html import unescape
from typing import NamedTuple
from xml.etree import ElementTree

from course import committed
from course.figures.measured_bars import mean
from theme.notebooks import ROOT
from theme.openings.marks import WIDTH, asked, bars, box, columns, in_words, number, picture, text, tiles

CELLS = 8  # a side of the grid that chapter 03's encoder makes of a picture, and of a digit in chapter 08
PATCH = 2  # a side of chapter 08's patches
INK = 16  # the blackest that a pixel of its digits can be
SIDES = ("left", "right")  # of chapter 05's ring
PARTS = {  # what chapter 06 leaves out, as its text calls it
    "feed-forward": "feed-forward networks",
    "norm": "norms",
    "residual": "residual connections",
    "positions": "positions",
}
WHOLE = ("never stopped", "nothing")  # chapter 10's runs in which nothing is missing


class Opening(NamedTuple):
    """A question, its *emphasized* words between stars, the number of the section that answers it, and the drawing."""

    question: str
    section: str
    drawing: str


OPENINGS: dict[str, Callable[[], Opening]] = {}


def opening(stem: str) -> Callable[[Callable[[], Opening]], Callable[[], Opening]]:
    def register(make: Callable[[], Opening]) -> Callable[[], Opening]:
        OPENINGS[stem] = make
        return make

    return register


def still(name: str) -> dict:
    """What a living figure shows before it is touched."""
    return json.loads((ROOT / "course" / "figures" / "stills" / f"{name}.json").read_text("utf-8"))


def stored(stem: str, begins: str, kind: str) -> str:
    """An output of a notebook's cell that has these words. Raises ValueError where no cell has them or such output."""
    for cell in json.loads((ROOT / "notebooks" / f"{stem}.ipynb").read_text("utf-8"))["cells"]:
        for output in cell.get("outputs", ()) if begins in "".join(cell["source"]) else ():
            if kind in output.get("data", {}):
                return "".join(output["data"][kind])
    raise ValueError(f"{stem}: no cell with {begins!r} stores {kind}")


@opening("00-warm-up")
def warm_up() -> Opening:
    """The points of Figure 0.1 and the line that the wrong program fits."""
    root = ElementTree.fromstring(stored("00-warm-up", "# Figure 0.1:", "image/svg+xml"))
    style = re.compile(r"stroke: #0072b2", re.IGNORECASE)
    lines = [e.get("d", "") for e in root.iter() if e.tag.endswith("path") and style.search(e.get("style", ""))]
    ends = [float(value) for value in re.findall(r"[\d.]+", lines[0])]
    marks = [group for group in root.iter() if len(group) > 40]  # the group of the points
    points = [(float(e.get("x", "")), float(e.get("y", ""))) for e in marks[-1].iter() if e.tag.endswith("use")]
    left, low = (min(point[side] for point in points) for side in (0, 1))
    scale = (WIDTH - 12) / (max(x for x, _ in points) - left)

    def put(x: float, y: float) -> tuple[str, str]:
        return number((x - left) * scale + 6), number((y - low) * scale * 0.8 + 6)

    dots = "".join('<circle cx="{}" cy="{}" r="3" class="dot"/>'.format(*put(*point)) for point in points)
    (x1, y1), (x2, y2) = put(*ends[:2]), put(*ends[2:4])
    line = f'<path class="line" d="M{x1} {y1}L{x2} {y2}"/>'
    height = (max(y for _, y in points) - low) * scale * 0.8 + 12
    question = "A program draws the line that lies closest to these points. It runs without an error. What is wrong?"
    shows = f"{len(points)} points that climb from left to right, and a level line through their middle."
    return Opening(question, "0.1", picture(shows, height, dots, line))


@opening("01-seq2seq")
def seq2seq() -> Opening:
    result = committed.read("seq2seq_numbers")
    kept = sorted({record["k"] for record in result["records"]})
    rows = [(str(k), mean(result["records"], "exact", k=k) if k <= 2 else None) for k in kept]
    body, height = columns(rows, "numbers in a sentence, and share right")
    width = result["settings"]["hidden_size"]
    question = (
        f"A vector of {width} numbers holds a sentence of one number in words, and most sentences of two. "
        "From how many on does it fail?"
    )
    shows = f"Columns, numbers in a sentence and share of sentences right: {in_words(rows)}."
    return Opening(question, "1.8", picture(shows, height, body))


@opening("02-bahdanau")
def bahdanau() -> Opening:
    """The weights of one step as a trained model has them, and another step's row, empty."""
    sentence = still("translation")["sentences"][0]
    source, words = [*sentence["source"], "end"], sentence["attention"]["words"]
    left, step, high = 70, 50, 30
    drawn = []
    for row, word in enumerate(words):
        y = 26 + row * high
        drawn.append(text(left - 8, y + 19, word, "end" if row in (0, len(words) - 1) else "end muted"))
        for column, weight in enumerate(sentence["attention"]["weights"][row]):
            x = left + column * step
            if row == 0:
                drawn.append(box(x + 1, y + 1, step - 2, high - 2, "weight", weight) + box(x, y, step, high, "cell"))
            elif row == len(words) - 1:
                drawn.append(asked(x + 1, y + 1, step - 2, high - 2))
            else:
                drawn.append(box(x, y, step, high, "cell"))
    drawn += [text(left + (at + 0.5) * step, 16, word, "middle small") for at, word in enumerate(source)]
    question = (
        f"While it writes *{words[0]}*, a trained model looks at the word *{source[0]}*. "
        f"Where does it look for *{words[-1]}*, and must it look there?"
    )
    shows = (
        f"A table of {len(words)} German words as written, {' '.join(words)}, against the English words, "
        f"{' '.join(source)}. In the first row the cell of {source[0]} is bright. The last row is not shown."
    )
    return Opening(question, "2.8", picture(shows, 26 + len(words) * high + 2, *drawn))


@opening("03-captioning")
def captioning() -> Opening:
    """The regions of a picture in their order and in another, and the share of captions that is right."""
    right = mean(committed.read("captioning_scenes")["records"], "exact", model="attention", measure="accuracy")
    count, side = CELLS * CELLS, 15
    drawn = []
    for right_side, (label, order) in enumerate((("in their order", 1), ("shuffled", 37))):
        x0 = right_side * (WIDTH - CELLS * side)
        drawn.append(text(x0, 12, label))
        lie = [(x0 + at % CELLS * side, 20 + at // CELLS * side, at * order % count) for at in range(count)]
        drawn.append(tiles([(x, y, (region // CELLS + 1) / CELLS) for x, y, region in lie], side - 1, "known"))
    low = 20 + CELLS * side
    drawn.append(text(0, low + 20, f"{right:.2f} of the captions right", "value"))
    drawn.append(asked(WIDTH - CELLS * side, low + 6, CELLS * side, 20))
    question = (
        f"A model attends to {count} regions of a picture. Somebody shuffles them before it looks. "
        "What happens to its captions?"
    )
    shows = (
        f"A grid of {count} regions in their order, with {right:.2f} of the captions right, and the same regions "
        "shuffled, with a share that is not shown."
    )
    return Opening(question, "3.6", picture(shows, low + 30, *drawn))


@opening("04-dot-product")
def dot_product() -> Opening:
    result = committed.read("dot_product_scale")
    step = result["settings"]["tested_after"][0]
    right = mean(result["records"], "accuracy", scale="1/sqrt(d)", step=step)
    rows = [("scores divided by √d", right), ("not divided", None), ("divided by d", None)]
    body, height = bars(rows)
    question = (
        f"After {step} steps of training, attention that divides its scores by √d answers {right:.2f} of the "
        "questions right. And attention that does not, or divides by d?"
    )
    return Opening(question, "4.4", picture(f"Bars of the share right: {in_words(rows)}.", height, body))


@opening("05-multi-head")
def multi_head() -> Opening:
    """A ring of symbols, and what one trained head looks at from one place."""
    result = committed.read("multi_head_pair")
    places, radius, x0, y0 = result["settings"]["ring"], 72, WIDTH / 2, 102
    weights = {side: mean(result["records"], f"layer 0 head 0 on the {side}", model="one head") for side in SIDES}

    def at(place: int, far: float = 1) -> tuple[float, float]:
        angle = 2 * math.pi * place / places - math.pi / 2
        return x0 + far * radius * math.cos(angle), y0 + far * radius * math.sin(angle)

    drawn = []
    for place in range(places):
        x, y = at(place)
        looked = place in (1, places - 1)
        kind = "weight" if looked else "here" if place == 0 else "cell"
        drawn.append(f'<circle cx="{number(x)}" cy="{number(y)}" r="11" class="{kind}"/>')
    for side, place, anchor in (("left", places - 1, "end"), ("right", 1, "")):
        x, y = at(place, 1.28)
        drawn.append(text(x, y + 2, f"{side} {weights[side]:.2f}", f"value {anchor}".strip()))
    drawn.append(asked(x0 - 34, y0 - 17, 68, 34))
    question = (
        f"From each of {places} places, one head gives about half of its weight to the symbol on the left, and half to "
        "the one on the right. Can it name both?"
    )
    shows = (
        f"A ring of {places} places. From the one at the top, a weight of {weights['left']:.2f} goes to its left "
        f"neighbor, one of {weights['right']:.2f} to its right one. What comes out is not shown."
    )
    return Opening(question, "5.1", picture(shows, y0 + radius + 16, *drawn))


@opening("06-transformer")
def transformer() -> Opening:
    result = committed.read("transformer_parts")
    step = max(result["settings"]["looked_at"])
    whole = mean(result["records"], "right", task="reverse", left_out="nothing", step=step)
    left_out = dict.fromkeys(record["left_out"] for record in result["records"])
    rows = [("all of it", whole), *((f"without {PARTS[name]}", None) for name in left_out if name in PARTS)]
    body, height = bars(rows)
    question = (
        f"A stack of {result['settings']['num_layers']} layers learns to reverse strings: after {step} steps, "
        f"{whole:.2f} of the symbols are right. Which part would it miss most?"
    )
    return Opening(question, "6.8", picture(f"Bars of the share right: {in_words(rows)}.", height, body))


@opening("07-language-model")
def language_model() -> Opening:
    """A text, and the five likeliest next characters without their names."""
    model = still("language-model")
    shares = [share for _, share, _ in model["rows"][:5]]
    wide, high = 58, 92
    prompt = model["text"].replace(" ", "\N{OPEN BOX}")
    drawn = [text(0, 18, prompt, "code"), asked(len(prompt) * 9.1 + 4, 1, 24, 24)]
    for place, share in enumerate(shares):
        x, tall = place * (wide + 7), high * share / shares[0]
        drawn.append(box(x, 52 + high - tall, wide, tall, "known"))
        drawn.append(text(x + wide / 2, 47 + high - tall, f"{share:.2f}", "value middle"))
        drawn.append(asked(x + wide / 2 - 13, 60 + high, 26, 24))
    question = (
        f"A small model has read a manual, and finds these {len(shares)} characters likeliest to come next. "
        "Which are they?"
    )
    shows = (
        f"The text {model['text'].strip()}, a space, and a gap. Below it columns of probabilities, "
        f"{', '.join(f'{share:.2f}' for share in shares)}. Their characters are not shown."
    )
    return Opening(question, "7.7", picture(shows, 88 + high, *drawn))


@opening("08-vit")
def vit() -> Opening:
    """A digit's patches in a row, and the share of digits named with their places and without."""
    ink = still("vit")["ink"]
    pixel, across = 8, CELLS // PATCH
    gap = (WIDTH - across * across * PATCH * pixel) / (across * across - 1)
    drawn = [text(0, 12, "a digit, cut into patches, laid in a row")]
    pixels = []
    for place in range(across * across):
        x0 = place * (PATCH * pixel + gap)
        drawn.append(box(x0, 20, PATCH * pixel, PATCH * pixel, "cell"))
        for at in range(PATCH * PATCH):
            row, column = place // across * PATCH + at // PATCH, place % across * PATCH + at % PATCH
            x, y = x0 + at % PATCH * pixel, 20 + at // PATCH * pixel
            pixels.append((x, y, ink[row * CELLS + column] / INK))
    drawn.append(tiles([inked for inked in pixels if inked[2]], pixel, "ink"))
    right = mean(committed.read("vit_tokens")["records"], "accuracy", pool="mean", positions="learned")
    rows = [("named right by a model that knows their places", right), ("by one that does not", None)]
    body, height = bars(rows, top=46)
    question = (
        f"A model reads a digit as a row of {across * across} patches. Where it learns the place of each, it names "
        f"{right:.2f} of the digits. And without any places?"
    )
    shows = f"A digit cut into {across * across} patches that lie in a row. Below it bars: {in_words(rows)}."
    return Opening(question, "8.5", picture(shows, height, *drawn, body))


@opening("09-cuda")
def cuda() -> Opening:
    """The first line of the table under Figure 9.1, and the lengths of the others."""
    table = stored("09-cuda", "µs for one addition", "text/html")
    rows = [re.findall(r"<td[^>]*>([^<]*)</td>", row) for row in re.findall(r"<tr.*?</tr>", table, re.DOTALL)]
    (_, first), *others = [[unescape(cell).strip() for cell in row] for row in rows if row]
    asking = [(f"to {length} numbers", None) for length, _ in others]
    bar_rows = [("microseconds to add one to 1 number", float(first)), *asking]
    body, height = bars(bar_rows, digits=1)
    question = f"To add one to a single number takes {float(first):.0f} millionths of a second. And to {others[0][0]}?"
    return Opening(question, "9.3", picture(f"Bars: {in_words(bar_rows, 1)}.", height, body))


@opening("10-scale")
def scale() -> Opening:
    result = committed.read("scale_resume")
    ends = [record for record in result["records"] if "loss" in record]
    whole = mean(ends, "loss", missing="never stopped")
    missing = dict.fromkeys(record["missing"] for record in ends)
    asking = [(f"stopped, and without the {name}", None) for name in missing if name not in WHOLE]
    rows = [("never stopped: loss at the end", whole), *asking]
    body, height = bars(rows)
    question = (
        f"A training is stopped every {result['settings']['stop_every']} steps, and each time it continues something "
        "is missing. Which omission hurts most, and which would you notice?"
    )
    return Opening(question, "10.4", picture(f"Bars: {in_words(rows)}.", height, body))
