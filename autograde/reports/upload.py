"""A file that an instructor uploads to a platform."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Mapping, Sequence
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


def zipped(files: Mapping[str, bytes], runs: Sequence[str] = ()) -> bytes:
    """A zip of name -> content, the same bytes for the same files; those that `runs` names can be run."""
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in files.items():
            info = zipfile.ZipInfo(name)
            info.external_attr = (0o100755 if name in runs else 0o100644) << 16
            archive.writestr(info, content, zipfile.ZIP_DEFLATED)
    return made.getvalue()
