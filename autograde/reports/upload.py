"""A file that an instructor uploads to a platform."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path


@dataclass
class Upload:
    """A file for a platform: where it belongs, what is in it, whose rows, who is left out and why, and what to know."""

    path: Path
    content: bytes
    students: list[str] = field(default_factory=list)
    left_out: list[tuple[str, str]] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
