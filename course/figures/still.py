"""The still picture of a living figure: a template and committed numbers, which a script makes a live one."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from course import committed
from course.figures.drawn import STATIC, Figure, living

STILLS = Path(__file__).parent / "stills"


@dataclass(frozen=True)
class Still:
    """The still picture of a living figure: its numbers are in `stills/`, and in the committed result `record`."""

    name: str
    record: str

    def read(self) -> tuple[dict[str, Any], dict[str, Any]]:
        """Return the picture's own numbers and the committed result."""
        return json.loads((STILLS / f"{self.name}.json").read_text("utf-8")), committed.read(self.record)

    def drawn(self, scripts: tuple[str, ...], **values: Any) -> Figure:
        """Return the figure by its template, with the scripts that come with the first touch."""
        later = {name: (STATIC / "living" / f"{name}.js").read_text("utf-8") for name in scripts}
        sources = (STILLS / f"{self.name}.json", committed.RESULTS / f"{self.record}.json")
        return living(self.name, later, sources, **values)
