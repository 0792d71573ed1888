"""Seconds of every cell of the notebooks that is guessed first and then trains or measures.

python -m tools.notebooks solve      # writes the solved notebooks to _build/solved/
python -m benchmarks.cells           # runs them, and writes benchmarks/results/cells.json

To be run on a machine that does nothing else. The card of an experiment in the book says what its cells take. A cell is
known by a digest of its source, so that one that has changed since has no time.
"""

from __future__ import annotations

import argparse
import json
import os
import time
from pathlib import Path

import nbformat

from benchmarks.record import Record, write
from benchmarks.solved import SOLVED, run
from course.committed import digest
from course.handed_out import GUESS

TRAINS = "skip-execution"
ABOUT = """Every cell of a solved notebook that is guessed first and then trains or measures: seconds of CPU in a run of
the whole notebook, with the processes that it starts."""
# Runs before a notebook's first cell, in its process, and notes what each cell has used; TOLD runs after the last.
METER = """
class _Meter:
    def __init__(self):
        self.seconds, self.start = [], self.used()
    def used(self):
        import resource
        both = map(resource.getrusage, (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
        return sum(each.ru_utime + each.ru_stime for each in both)
    def before(self, info):
        self.start = self.used()
    def after(self, result):
        self.seconds.append(self.used() - self.start)
_meter = _Meter()
get_ipython().events.register("pre_run_cell", _meter.before)
get_ipython().events.register("post_run_cell", _meter.after)
"""
TOLD = "import json; print(json.dumps(_meter.seconds))"
ENVIRONMENT = {"OMP_NUM_THREADS": "1", "MKL_NUM_THREADS": "1", "PYTHONHASHSEED": "0"}


def measured(path: Path) -> list[Record]:
    """A record for each cell of a solved notebook that is guessed and trains. Raises CellExecutionError."""
    notebook = nbformat.read(path, 4)
    code = [cell for cell in notebook.cells if cell.cell_type == "code"]
    meter, report = (nbformat.v4.new_code_cell(source) for source in (METER, TOLD))
    notebook.cells = [meter, *code, report]
    run(notebook, 3600, ENVIRONMENT)
    used = json.loads(report.outputs[0].text)[-len(code) :]  # less the meter's own cell
    return [
        {"notebook": path.stem, "cell": digest(cell.source), "cpu_seconds": seconds}
        for cell, seconds in zip(code, used, strict=True)
        if {GUESS, TRAINS} <= set(cell.metadata.get("tags", ()))
    ]


def main(arguments: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(
        "python -m benchmarks.cells", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--solved", type=Path, default=SOLVED, help="the folder of solved notebooks")
    parser.add_argument("--folder", type=Path, help="where the result goes; otherwise benchmarks/results/")
    options = parser.parse_args(arguments)
    paths = sorted(options.solved.glob("[0-9][0-9]-*.ipynb"))
    if not paths:
        raise SystemExit(f"no solved notebook in {options.solved}: run `python -m tools.notebooks solve` first")
    start = time.perf_counter()
    records: list[Record] = []
    for path in paths:
        of_notebook = measured(path)
        records += of_notebook
        seconds = sum(float(record["cpu_seconds"]) for record in of_notebook)
        print(f"{path.stem:20} {len(of_notebook):3} cells, {seconds:6.1f} s")
    write(
        "cells",
        ABOUT,
        records,
        command="python -m benchmarks.cells",
        settings={"threads": 1, "load_at_the_end": round(os.getloadavg()[0], 1)},
        seconds=time.perf_counter() - start,
        libraries=("nbclient",),
        folder=options.folder,
    )


if __name__ == "__main__":
    main()
