"""What all tests share: one thread, and the notebooks' seconds and memory at the end of the report."""

import json
from pathlib import Path

import torch

torch.set_num_threads(1)

RECORDS = Path(__file__).resolve().parent.parent / "_build" / "notebooks"


def pytest_terminal_summary(terminalreporter) -> None:
    """Seconds and peak memory of each solved notebook, as nbval's own run measured them."""
    records = [json.loads(file.read_text()) for file in sorted(RECORDS.glob("*.json"))]
    if records:
        terminalreporter.section("solved notebooks, as nbval ran them last")
    for record in records:
        terminalreporter.line(f"{record['notebook']:15} {record['seconds']:6.1f} s  {record['peak_bytes'] / 2**20:6.0f} MiB")
