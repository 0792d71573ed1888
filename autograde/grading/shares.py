"""The seconds of one submission: what each exercise took of them, and how long the next look at one may be."""

from __future__ import annotations

import time


class Shares:
    """`seconds` from now on, for all children of the submission together: each look that is to come has the same share
    of what is left. Moments are those of the monotonic clock.
    """

    def __init__(self, seconds: float):
        self.seconds, self.end = seconds, time.monotonic() + seconds
        self.took: dict[str, float] = {}  # exercise -> seconds, over all looks at it; "" for the cells
        self.looks = 1  # still to come, as far as is known, with the one that is next

    @property
    def used_up(self) -> bool:
        return time.monotonic() >= self.end

    def add(self, name: str, seconds: float) -> None:
        """What a look at this exercise took, or "", the cells."""
        self.took[name] = self.took.get(name, 0.0) + seconds

    def until(self, least: float) -> float:
        """The moment until which the next look may go on: it has its share, and `least` seconds where that is less."""
        now = time.monotonic()
        return min(self.end, now + max((self.end - now) / self.looks, least))
