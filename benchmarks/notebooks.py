"""Seconds and peak memory of every solved notebook, as nbval ran it last, against the 90 seconds that are promised.

make test ARGS=tests/notebooks/test_solved.py      # runs them; its record stays in _build/notebooks/
python -m benchmarks.notebooks                     # writes benchmarks/results/notebooks.json from that record
"""

from __future__ import annotations

import argparse
import datetime
import json
from pathlib import Path

from benchmarks.record import Record, write

ROOT = Path(__file__).resolve().parent.parent
RUN = ROOT / "_build" / "notebooks"
TARGET_SECONDS = 90
ABOUT = """Every solved notebook, run whole by nbval against its stored outputs, kernel start included: seconds by the
clock on the wall, those of CPU (which other programs on the machine disturb less), and the peak memory of its largest
process."""


def measured(notebooks: list[str], run: Path) -> list[Record]:
    """A record of each notebook from what nbval's run left in a folder.

    Raises FileNotFoundError with the command that makes it where a notebook's record is missing.
    """
    missing = [name for name in notebooks if not (run / f"{name}.json").is_file()]
    if missing:
        raise FileNotFoundError(
            f"no record of {', '.join(missing)} in {run}: run `make test ARGS=tests/notebooks/test_solved.py`"
        )
    records: list[Record] = []
    for name in notebooks:
        path = run / f"{name}.json"
        seen = json.loads(path.read_text("utf-8"))
        records.append(
            {
                "notebook": name,
                "seconds": seen["seconds"],
                "cpu_seconds": seen["cpu_seconds"],
                "target_seconds": TARGET_SECONDS,
                "peak_mebibytes": round(seen["peak_bytes"] / 2**20),
                "run_on": datetime.date.fromtimestamp(path.stat().st_mtime).isoformat(),
            }
        )
    return records


def main(arguments: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(
        "python -m benchmarks.notebooks", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--run", type=Path, default=RUN, help="the folder of nbval's record")
    parser.add_argument("--folder", type=Path, help="where the result goes; otherwise benchmarks/results/")
    options = parser.parse_args(arguments)
    notebooks = sorted(path.stem for path in (ROOT / "notebooks").glob("[0-9][0-9]-*.ipynb"))
    try:
        records = measured(notebooks, options.run)
    except FileNotFoundError as error:
        raise SystemExit(str(error)) from None
    path = write(
        "notebooks",
        ABOUT,
        records,
        command="make test ARGS=tests/notebooks/test_solved.py && python -m benchmarks.notebooks",
        settings={"threads": 1},
        seconds=sum(float(record["seconds"] or 0) for record in records),
        libraries=("nbval",),
        folder=options.folder,
    )
    for record in records:
        seconds = f"{record['seconds']:6.1f} s, {record['cpu_seconds']:6.1f} s of CPU"
        print(f"{record['notebook']:20} {seconds}, {record['peak_mebibytes']:6} MiB")
    print(f"written: {path}")


if __name__ == "__main__":
    main()
