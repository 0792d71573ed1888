"""What Python runs in the sandbox: the fork server, from its start to its last job."""

import json
import os
import time

from .child import run_child
from .fork_server import begin, serve
from .preload import forget, make_ready, warm


def main() -> None:
    started = time.monotonic()
    control, allowed = begin()
    forget("inside")  # what a cell imports under this name is a copy, and not what runs it
    shell, runner = warm()
    wanted = json.loads(control.recv(1 << 16) or "null")
    if wanted is None:  # it was started ahead, and is not needed
        os._exit(0)
    make_ready(wanted["warm"], wanted["blocked"], runner)
    serve(control, started, lambda data, limits: run_child(data, limits, allowed, shell, runner))


if __name__ == "__main__":
    main()
