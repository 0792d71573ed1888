"""What nbgrader and its formgrader are told of handing out, in a class that needs no exchange folder.

nbgrader calls an assignment "released" where its exchange lists it, and "draft" for ever where there is no exchange.
Ours is handed out by its archive, so what has one is listed too. Where a class does have an exchange (`c.Exchange.root`
names a folder that is there), that works as ever; where it has none, nbgrader's release and collect say which commands
to use instead.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from nbgrader.exchange import default
from traitlets.config import Config

from autograde.folders import ClassFolder

NO_EXCHANGE = (
    "this class has no exchange folder. `autograde release` makes the archives to hand out, and `autograde collect`"
    " brings in what comes back"
)


def configure(c: Config) -> None:
    """Has nbgrader's exchange know a class's archives."""
    here = __name__
    c.ExchangeFactory.list = f"{here}.Listed"
    c.ExchangeFactory.release_assignment = f"{here}.Release"
    c.ExchangeFactory.collect = f"{here}.Collect"


class _WithArchives:
    """Of an exchange whose folder may be missing: it is never made."""

    @property
    def there(self: Any) -> bool:
        return Path(self.root).is_dir()

    def ensure_root(self: Any) -> None:
        if not self.there:
            self.fail(NO_EXCHANGE)
        super().ensure_root()  # type: ignore[misc]


class Listed(_WithArchives, default.ExchangeList):
    """nbgrader's own, with the assignments that have an archive among what is released."""

    def start(self) -> list[dict[str, Any]]:
        released = not (self.inbound or self.cached or self.remove)
        if not released or self.there:
            listed = super().start()
            return listed + self._archived({each["assignment_id"] for each in listed}) if released else listed
        return self._archived(set())

    def _archived(self, listed: set[str]) -> list[dict[str, Any]]:
        """What is in an archive and not listed yet, in the form of nbgrader's list."""
        folder = ClassFolder.at(self.coursedir.root)
        wanted = self.coursedir.assignment_id
        names = [path.stem for path in sorted(folder.archives.glob("*.zip"))]
        return [
            {
                "course_id": self.coursedir.course_id,
                "assignment_id": name,
                "status": "released",
                "path": str(folder.release / name),
                "notebooks": [{"notebook_id": name, "path": str(folder.released(name))}],
            }
            for name in names
            if name not in listed and folder.released(name).is_file() and wanted in ("", "*", name)
        ]


class Release(_WithArchives, default.ExchangeReleaseAssignment):
    """nbgrader's own, where there is an exchange."""


class Collect(_WithArchives, default.ExchangeCollect):
    """nbgrader's own, where there is an exchange."""
