"""What Python runs in the sandbox: the warm process, which forks a fork server for each assignment."""

import json
import os
import socket
import time

from .child import run_child
from .fork_server import begin, each_forked, lasting, serve
from .preload import forget, make_ready, warm


def main() -> None:
    started = time.monotonic()
    control, allowed = begin()
    forget("inside")  # what a cell imports under this name is a copy, and not what runs it
    shell, runner = warm()
    if (threads := len(os.listdir("/proc/self/task"))) != 1:
        raise SystemExit(f"the warm process has {threads} threads, and a fork of it may hang")

    def assignment(message: bytes, lines: list[int]) -> None:
        """Runs in the fork server of one assignment. Never returns."""
        control.close()
        wanted = json.loads(message)
        make_ready(wanted["warm"], wanted["blocked"], runner)
        (line,) = lines
        serve(socket.socket(fileno=line), started, lambda data, limits: run_child(data, limits, allowed, shell, runner))

    lasting()
    each_forked(control, 1, assignment)


if __name__ == "__main__":
    main()
