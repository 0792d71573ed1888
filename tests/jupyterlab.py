"""JupyterLab as `make lab` opens it, for tests that look at it in a browser."""

import contextlib
import json
import os
import signal
import subprocess
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tools import lab


def of_its_own(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Signatures and settings of one test alone, in a folder that is its home."""
    for name in ("DATA", "RUNTIME", "CONFIG"):
        (home / name.lower()).mkdir()
        monkeypatch.setenv(f"JUPYTER_{name}_DIR", str(home / name.lower()))
    monkeypatch.setenv("HOME", str(home))


@contextlib.contextmanager
def opened(folder: Path, home: Path, *words: str) -> Iterator[Callable[[str], str]]:
    """JupyterLab in a folder; gives what makes an address of a path in it."""
    quietly = ["--no-browser", "--ServerApp.port=0", "--ServerApp.port_retries=0"]
    command, environment = lab.lab_command(folder, [*quietly, *words])
    log = (home / "lab.log").open("w+")
    server = subprocess.Popen(
        command, env=environment, stdin=subprocess.DEVNULL, stdout=log, stderr=subprocess.STDOUT, start_new_session=True
    )
    try:
        started = _wait_for(home / "runtime", server, home / "lab.log")
        yield lambda path: f"{started['url']}{path}{'&' if '?' in path else '?'}token={started['token']}"
    finally:
        server.terminate()
        try:
            server.wait(30)
        except subprocess.TimeoutExpired:
            os.killpg(server.pid, signal.SIGKILL)  # the kernels end themselves when their server is gone
            server.wait(30)
        log.close()


def _wait_for(runtime: Path, server: subprocess.Popen, log: Path) -> dict:
    """The address and token that a starting server writes into its runtime folder."""
    until = time.monotonic() + 120
    while time.monotonic() < until:
        for file in runtime.glob("jpserver-*.json"):
            try:
                return json.loads(file.read_text(encoding="utf-8"))
            except ValueError:
                pass  # still being written
        assert server.poll() is None, f"JupyterLab ended: {log.read_text(encoding='utf-8')}"
        time.sleep(0.2)
    raise AssertionError(f"JupyterLab did not start in 120 s: {log.read_text(encoding='utf-8')}")
