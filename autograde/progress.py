"""How far a command is, as whoever does the work tells it; `terminal.Steps` is who shows it."""

from collections.abc import Callable

Progress = Callable[[str, int, int], None]  # (what is being done, how many are done, of how many)


def silent(what: str, done: int, of: int) -> None:
    """A `Progress` that says nothing."""
