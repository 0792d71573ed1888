"""Processes of their own for tests.

They are forked from a server that has imported what they need and has one thread: a new interpreter would import torch
for seconds, and a fork of the test process itself, which has many threads by then, can hang for ever on a lock that
another thread held.
"""

import multiprocessing
from collections.abc import Callable
from multiprocessing.context import ForkServerContext
from multiprocessing.process import BaseProcess
from typing import Any

PRELOAD = ["training.loop", "torch.utils.tensorboard", "course.fixtures.scale", "autograde.ledger"]


def context() -> ForkServerContext:
    servers = multiprocessing.get_context("forkserver")
    servers.set_forkserver_preload(PRELOAD)
    return servers


def start(target: Callable[..., Any], *arguments: Any) -> BaseProcess:
    """A process that has begun with `target(*arguments)`; both must be picklable. It dies with the test process."""
    process = context().Process(target=target, args=arguments, daemon=True)
    process.start()
    return process
