"""The PostgreSQL of tests and measurements: none outlives the process that started it."""

import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from benchmarks import postgresql

HELD = """
import time
from benchmarks import postgresql

with postgresql.server() as running:
    print(running.root, flush=True)
    time.sleep(600)
"""


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux ends a process with its parent")
@pytest.mark.skipif(postgresql.programs() is None, reason="needs PostgreSQL's initdb")
def test_a_server_ends_with_a_process_that_is_killed_and_its_folder_at_the_next_start():
    with subprocess.Popen([sys.executable, "-c", HELD], stdout=subprocess.PIPE, text=True) as holder:
        assert holder.stdout is not None
        root = Path(holder.stdout.readline().strip())
        runs = root / "data" / "postmaster.pid"  # PostgreSQL removes it when it ends
        postgresql.remove_left()
        assert runs.exists(), "what another process uses is left alone"
        holder.send_signal(signal.SIGKILL)
    ended = time.monotonic() + 30
    while runs.exists() and time.monotonic() < ended:
        time.sleep(0.05)
    assert not runs.exists() and root.exists()
    postgresql.remove_left()
    assert not root.exists()
