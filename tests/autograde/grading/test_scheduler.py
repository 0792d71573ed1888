"""A scheduler that nobody answers for is said at once, before anything heavy is imported."""

import socket
import subprocess
import sys

import pytest

from autograde.cli.errors import STOPPED
from autograde.grading import scheduler
from tests.autograde.command import run, said


@pytest.fixture
def port():
    """One that nobody listens on."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        yield free.getsockname()[1]


@pytest.mark.parametrize("command", [("grade",), ("regrade", "--diff")])
def test_a_command_stops_where_nobody_listens(command, port, toy_released):
    result = run(*command, "--scheduler", f"tcp://127.0.0.1:{port}", "--class", toy_released.root)
    assert result.exit_code == STOPPED
    assert f"no scheduler answers at tcp://127.0.0.1:{port}" in said(result) and "--jobs" in said(result)


def test_who_listens_is_left_to_dask_and_so_is_what_dask_alone_can_ask():
    with socket.create_server(("127.0.0.1", 0)) as listening:
        assert scheduler.unreachable(f"tcp://127.0.0.1:{listening.getsockname()[1]}") == ""
    for address in ("ucx://10.0.0.5:8786", "inproc://10.0.0.5/1/1", "tcp://10.0.0.5"):
        assert scheduler.unreachable(address) == ""
    assert "no scheduler answers at tcp://10.0.0.5:x" in scheduler.unreachable("tcp://10.0.0.5:x")


def test_it_is_asked_before_pytorch_and_dask_are_imported():
    program = "import sys, autograde.cli.grading; print({'torch', 'distributed'} & set(sys.modules))"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "set()"
