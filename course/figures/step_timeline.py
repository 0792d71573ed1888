"""One training step of several processes as a timeline: micro-batches, gradient buckets, waiting.

Nothing here is measured. `step` is the whole model of time; its page says it in words, and
`static/explorables/step-timeline.js` has it again. Times are in backward passes of one micro-batch.
"""

from __future__ import annotations

from dataclasses import dataclass

from course.figures.drawn import Figure, explorable
from course.wording import counted

BACKWARD = 1.0  # of one micro-batch: the unit of time
FORWARD = 0.5  # half as many operations
DELAY = 0.02  # of each all-reduce, however few bytes it moves
MICRO_BATCHES = (1, 2, 4, 8)
BUCKETS = 16  # at most
NETWORK = (0.1, 2.0)  # the time of a whole gradient's bytes
EXCHANGES = ("after every micro-batch", "after the last only")
START = (2, 4, 1.0, True)  # of the still picture
# The drawing, in its own units: where the lanes begin, how long they are; the top of each, and how high it is.
BOX = {"left": 4.0, "across": 332.0, "computing": 20.0, "network": 82.0, "high": 30.0, "axis": 128.0}


@dataclass(frozen=True)
class Step:
    """A step's timeline: each span is where it begins and how long it lasts.

    forward, backward: one span for each micro-batch. waits: where the processors stand still. exchanges: the
    all-reduce of each bucket.
    """

    forward: list[tuple[float, float]]
    backward: list[tuple[float, float]]
    waits: list[tuple[float, float]]
    exchanges: list[tuple[float, float]]

    @property
    def length(self) -> float:
        return sum(self.waits[-1] if self.waits else self.backward[-1])

    @property
    def waited(self) -> float:
        """The share of the step for which the processors wait."""
        return sum(span for _, span in self.waits) / self.length

    @property
    def rate(self) -> float:
        """Samples a second, as a share of those without a network."""
        return len(self.forward) * (FORWARD + BACKWARD) / self.length

    @property
    def hidden(self) -> float:
        """The share of the network's time in which the processors compute: while they wait, it is never idle."""
        waits, busy = (sum(span for _, span in spans) for spans in (self.waits, self.exchanges))
        return 1 - waits / busy


def step(micro_batches: int, buckets: int, network: float, every: bool) -> Step:
    """Return the timeline of one step.

    A backward pass fills bucket after bucket, each in the same time. A bucket's all-reduce begins when it is full and
    the network is free. A backward pass that exchanges has ended when its last all-reduce has, as in DDP.

    Args:
        micro_batches: how many forward and backward passes make the step.
        buckets: equal parts of the gradient.
        network: the time that the whole gradient's bytes take; each all-reduce takes DELAY besides.
        every: whether the gradient is exchanged after every micro-batch, or after the last one only (`no_sync`).
    """
    made = Step([], [], [], [])
    now = free = 0.0
    for micro_batch in range(micro_batches):
        made.forward.append((now, FORWARD))
        made.backward.append((now + FORWARD, BACKWARD))
        end = now + FORWARD + BACKWARD
        if every or micro_batch == micro_batches - 1:
            for bucket in range(buckets):
                begins = max(free, now + FORWARD + BACKWARD * ((bucket + 1) / buckets))
                made.exchanges.append((begins, network / buckets + DELAY))
                free = sum(made.exchanges[-1])
            made.waits.append((end, free - end))
            end = free
        now = end
    return made


def longest(micro_batches: int, network: float) -> float:
    """Return the end of the axis: no number of buckets and no exchange makes a longer step."""
    return micro_batches * (FORWARD + BACKWARD + network + DELAY)


def percent(share: float) -> str:
    return f"{int(100 * share + 0.5)}%"  # halves up, as the script rounds


def sentence(micro_batches: int, buckets: int, network: float, every: bool) -> str:
    """Say what the settings are, and what comes of them, as the script says it."""
    made = step(micro_batches, buckets, network, every)
    return (
        f"{micro_batches} micro-batch{'' if micro_batches == 1 else 'es'}, {counted(buckets, 'bucket')}. The network"
        f" takes {network:.1f} backward passes for a gradient, {EXCHANGES[not every]}. The step is {made.length:.2f}"
        f" backward passes long. The processors wait for {percent(made.waited)} of it, and {percent(made.hidden)} of"
        " the network’s time is hidden."
    )


def facts(made: Step) -> list[tuple[str, str]]:
    """Return the rows of the table."""
    return [
        ("the step", f"{made.length:.2f} backward passes"),
        ("the processors wait", f"{percent(made.waited)} of the step"),
        ("samples a second", f"{percent(made.rate)} of those without a network"),
        ("the network’s time, hidden behind computing", percent(made.hidden)),
    ]


def path(spans: list[tuple[float, float]], end: float, lane: str) -> str:
    """Return a lane's spans as a path of boxes, as the script draws them."""
    scale = BOX["across"] / end
    boxes = [(f"{BOX['left'] + begin * scale:.2f}", f"{span * scale:.2f}") for begin, span in spans]
    return "".join(f"M{x} {BOX[lane]:g}h{width}v{BOX['high']:g}h-{width}z" for x, width in boxes)


def ticks(end: float) -> list[tuple[int, float]]:
    """Return the axis's marks: a whole number of backward passes, and where it stands."""
    apart = 1 if end < 8 else 2 if end < 16 else 4
    return [(t, BOX["left"] + BOX["across"] * t / end) for t in range(0, int(end) + 1, apart)]


def figure() -> Figure:
    """Return the figure with its still picture."""
    micro_batches, _, network, _ = START
    made, end = step(*START), longest(micro_batches, network)
    data = {
        "start": START,
        "model": [FORWARD, BACKWARD, DELAY],
        "microBatches": MICRO_BATCHES,
        "buckets": BUCKETS,
        "network": NETWORK,
        "exchanges": EXCHANGES,
        "box": BOX,
    }
    lanes = [
        ("forward", path(made.forward, end, "computing")),
        ("backward", path(made.backward, end, "computing")),
        ("waits", path(made.waits, end, "computing")),
        ("exchange", path(made.exchanges, end, "network")),
    ]
    alone = BOX["left"] + BOX["across"] * micro_batches * (FORWARD + BACKWARD) / end
    return explorable(
        "step-timeline",
        data=data,
        box=BOX,
        lanes=lanes,
        ticks=ticks(end),
        alone=alone,
        facts=facts(made),
        says=sentence(*START),
    )
