"""What the living figures share: a still picture of committed numbers, which a script makes a live one."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.environment import BuildEnvironment
from sphinx.util.docutils import SphinxDirective

from course import committed
from theme.explorables.figure import Explorable, environment

STATIC = Path(__file__).parents[1] / "static" / "living"
STILLS = Path(__file__).parent / "stills"


def version(*names: str) -> str:
    """Return a digest of scripts that come with the first touch, so that an old copy of one is not taken for a new."""
    total = hashlib.sha256(b"".join((STATIC / f"{name}.js").read_bytes() for name in names))
    return total.hexdigest()[:8]


@dataclass(frozen=True)
class Still:
    """The still picture of `{living-<name>}`: its numbers are in `stills/`, and in the committed result `record`."""

    name: str
    record: str

    def read(self) -> tuple[dict[str, Any], dict[str, Any]]:
        """Return the picture's own numbers and the committed result."""
        return json.loads((STILLS / f"{self.name}.json").read_text("utf-8")), committed.read(self.record)

    def drawn(self, scripts: tuple[str, ...], **values: Any) -> Explorable:
        """Return the picture by its template, with the scripts that come with the first touch."""
        template = environment().get_template(f"living-{self.name}.html")
        files = ["explorables/figure", "living/living", f"living/living-{self.name}"]
        return Explorable("", files=files, markup=template.render(values, version=version(*scripts)))

    def note_dependencies(self, env: BuildEnvironment) -> None:
        """A page that shows it is made anew where its numbers are others."""
        for path in (STILLS / f"{self.name}.json", committed.RESULTS / f"{self.record}.json"):
            env.note_dependency(str(path))

    def add_directive(self, app: Sphinx, figure: Callable[[], Explorable]) -> None:
        """Adds `{living-<name>}`, which takes nothing and shows the figure."""
        still = self

        class Living(SphinxDirective):
            def run(self) -> list[nodes.Node]:
                still.note_dependencies(self.env)
                return [figure()]

        app.add_directive(f"living-{self.name}", Living)
