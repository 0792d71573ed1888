"""Runs the solved notebooks and stores their outputs in the committed ones."""

import hashlib
import os
import sys
from pathlib import Path

from nbformat import NotebookNode
from tqdm import tqdm

from course.captions import without_caption
from tools.notebooks.files import NOTEBOOKS, ROOT, chapter, read, write
from tools.notebooks.listing import write_exercises
from tools.notebooks.metadata import normalize
from tools.notebooks.recording import record
from tools.notebooks.solving import solved

# The settings under which stored outputs are made and compared: one thread, no progress bars, checks that raise.
ENVIRONMENT = {
    "PYTHONPATH": str(ROOT),  # this tree's `course`, whichever tree the environment was made for
    "COURSE_STRICT": "1",
    "TQDM_DISABLE": "1",
    "OMP_NUM_THREADS": "1",
    "MKL_NUM_THREADS": "1",
    "PYTHONHASHSEED": "0",
}


def refresh(path: Path) -> None:
    """Record tables, run the solved notebook, store its outputs. A second refresh changes no byte."""
    notebook = normalize(read(path))
    write(notebook, path)
    write_exercises()
    record(chapter(path))
    ran = execute(solved(path), NOTEBOOKS, path.stem)
    count = 0
    for cell, run in zip(notebook.cells, ran.cells, strict=True):
        if cell.cell_type != "code":
            continue
        if graded(cell):
            cell.outputs, cell.execution_count = [], None
            continue
        count += 1
        digest = hashlib.sha1(without_caption(cell.source).encode()).hexdigest()[:12]
        timed = "timing" in cell.metadata.get("tags", [])
        if timed and cell.metadata.get("course", {}).get("timed") == digest and cell.outputs:
            cell.execution_count = count
            continue
        if timed:
            cell.metadata.setdefault("course", NotebookNode())["timed"] = digest
        cell.outputs, cell.execution_count = _same_each_run(run.outputs, count), count
    write(normalize(notebook), path)


def execute(notebook: NotebookNode, folder: Path, label: str) -> NotebookNode:
    """Run every cell, experiments too, in a fresh kernel; progress by cell on stderr."""
    from nbclient import NotebookClient  # the Jupyter client, which nothing else here needs

    bar = tqdm(total=len(notebook.cells), desc=label, unit="cell", disable=not sys.stderr.isatty())
    client = NotebookClient(
        notebook,
        timeout=600,
        kernel_name="python3",
        resources={"metadata": {"path": str(folder)}},
        skip_cells_with_tag="never",  # `skip-execution` is for graders; a refresh runs the experiments
        on_cell_complete=lambda **_: bar.update(),
    )
    try:
        client.execute(env=os.environ | ENVIRONMENT)
    finally:
        bar.close()
    return notebook


def graded(cell: NotebookNode) -> bool:
    """Whether a cell is an answer or a check: these store neither output nor count."""
    return bool(cell.metadata.get("nbgrader"))


def _same_each_run(outputs: list[NotebookNode], count: int) -> list[NotebookNode]:
    """Outputs without what differs from run to run: counts, transient data, and where a stream was cut in two."""
    kept: list[NotebookNode] = []
    for output in outputs:
        if "execution_count" in output:
            output.execution_count = count
        output.pop("transient", None)
        if output.output_type == "stream" and kept and kept[-1].get("name") == output.name:
            kept[-1].text += output.text
        else:
            kept.append(output)
    return kept
