"""nbval runs each solved notebook against its stored outputs, once: the only full run of the notebooks in the tests.

Seconds and peak memory of each run go to `_build/notebooks/` and are reported at the end of the test run;
`python -m benchmarks.notebooks` keeps them.
"""

import json
import os
import re
import subprocess
import sys
import time
from pathlib import Path

import nbformat
import pytest
from nbformat.v4 import new_code_cell, new_notebook, new_output

from tools.notebooks import files, refreshing, solving

# Runs a command and prints the peak memory of its largest process, in KiB, and the seconds of CPU of all. A process of
# its own, because a child's peak begins at the memory of the process that started it, and a test worker's is large.
METER = """
import resource, subprocess, sys
done = subprocess.run(sys.argv[2:], stdout=int(sys.argv[1]), stderr=subprocess.STDOUT)
used = resource.getrusage(resource.RUSAGE_CHILDREN)
print(used.ru_maxrss, used.ru_utime + used.ru_stime)
sys.exit(done.returncode)
"""
ROOT = Path(__file__).resolve().parents[2]
PATHS = files.paths()


def nbval(path: Path, *options: str) -> tuple[int, str, dict[str, float]]:
    """Exit code and output of one nbval run, and its record: seconds, those of CPU, peak bytes of the largest process
    (the kernel)."""
    command = [sys.executable, "-m", "pytest", "-q", "-p", "tools.nbval_trained",  # before nbval: see tools/__init__.py
               "-p", "nbval", "--nbval", str(path), "--nbval-sanitize-with", str(ROOT / "tools" / "nbval.ini"),
               "--nbval-kernel-name", "python3", "-p", "no:cacheprovider",
               "-p", "no:xdist", "-p", "no:randomly", "--rootdir", str(path.parent), *options]  # fmt: skip
    environment = {k: v for k, v in os.environ.items() if not k.startswith("PYTEST_")} | refreshing.ENVIRONMENT
    log = path.with_suffix(".log")
    start = time.perf_counter()
    with log.open("w") as sink:
        done = subprocess.run([sys.executable, "-c", METER, str(sink.fileno()), *command], cwd=ROOT, env=environment,
                              pass_fds=[sink.fileno()], stdout=subprocess.PIPE, text=True)  # fmt: skip
    seconds, (peak, cpu) = time.perf_counter() - start, done.stdout.split()
    used = {"seconds": round(seconds, 1), "cpu_seconds": round(float(cpu), 1), "peak_bytes": int(peak) * 1024}
    return done.returncode, log.read_text(), used


@pytest.mark.parametrize("path", PATHS, ids=lambda path: path.stem)
def test_stored_outputs_still_come_out(path):
    """The solved notebook passes its own checks and prints what is stored."""
    code, output, used = nbval(solving.write_solved(path))
    assert code == 0, output[-6000:]
    record = ROOT / "_build" / "notebooks" / f"{path.stem}.json"
    record.parent.mkdir(parents=True, exist_ok=True)
    record.write_text(json.dumps({"notebook": path.stem, **used}) + "\n")


def test_a_broken_solution_is_seen(tmp_path):
    """nbval fails where a check does not pass, and where a printed number changes."""
    broken = solving.solved(PATHS[0])
    answer = next(c for c in broken.cells if "safe_softmax" in c.get("id", "") and "def safe_softmax" in c.source)
    answer.source = "def safe_softmax(scores, dim):\n    return scores.exp() / scores.exp().sum(dim, keepdim=True)"
    _cheap(broken)
    nbformat.write(broken, tmp_path / "broken.ipynb")
    code, output, *_ = nbval(tmp_path / "broken.ipynb")
    assert code != 0 and "safe_softmax" in output and "of 2 points" in output


def test_a_changed_output_is_seen(tmp_path):
    """To the letter in a plain cell; in one that trains, beyond the tolerance or in a word."""

    def cell(stored, source, *tags):
        output = new_output("stream", name="stdout", text=stored)
        return new_code_cell(source, outputs=[output], execution_count=1, metadata={"tags": list(tags)})

    same = [
        cell("0.30 right\n", "print('0.30 right')"),
        cell("  0.3   0.95 right\n", "print('  0.5   1.00 right')", "skip-execution"),
        cell("loss 12.1 after 1,500\n", "print('loss 12.9 after 1,500')", "skip-execution"),
    ]
    other = [
        cell("0.30 right\n", "print('0.31 right')"),
        cell("0.3 right\n", "print('0.6 right')", "skip-execution"),
        cell("0.3 right\n", "print('0.3 wrong')", "skip-execution"),
        cell("0.3 right\n", "print('0.3 0.3 right')", "skip-execution"),
        cell("loss 12.1\n", "print('loss 14.1')", "skip-execution"),
    ]
    nbformat.write(new_notebook(cells=[*same, *other]), tmp_path / "toy.ipynb")
    code, output, *_ = nbval(tmp_path / "toy.ipynb")
    failed = [int(number) for number in re.findall(r"^FAILED .*::Cell (\d+)", output, flags=re.MULTILINE)]
    assert code != 0 and failed == [3, 4, 5, 6, 7], output


def _cheap(notebook: nbformat.NotebookNode) -> None:
    """Leave the experiments out: only what leads to the check matters here."""
    notebook.cells = [c for c in notebook.cells if "skip-execution" not in c.metadata.get("tags", [])]
