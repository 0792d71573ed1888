"""Solved notebooks, run as a refresh runs them; the benchmarks import nothing of `tools`, and ask its commands."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
SOLVED = ROOT / "_build" / "solved"  # where `python -m tools.notebooks solve` writes them
ENVIRONMENT = {"PYTHONPATH": str(ROOT), "COURSE_STRICT": "1", "TQDM_DISABLE": "1"}


def run(notebook: Any, timeout: int, environment: Mapping[str, str], **options: Any) -> None:
    """Run every cell, experiments too, in a fresh kernel; the options are nbclient's."""
    from nbclient import NotebookClient  # the Jupyter client, which most of the benchmarks do not need

    NotebookClient(
        notebook,
        timeout=timeout,
        kernel_name="python3",
        resources={"metadata": {"path": str(ROOT / "notebooks")}},
        skip_cells_with_tag="never",
        **options,
    ).execute(env={**os.environ, **ENVIRONMENT, **environment})
