"""Whether anybody listens at a Dask scheduler's address: asked before Dask and PyTorch are imported, which takes longer
than to hear that nobody does. Imports nothing of ours."""

from __future__ import annotations

import socket
from urllib.parse import urlsplit

ANSWER_SECONDS = 5.0  # for a scheduler to answer at the start


def no_answer(address: str, why: object = "") -> str:
    """What an instructor is told."""
    return (
        f"no scheduler answers at {address}: {why or 'nobody answered'}. Start `dask scheduler` there, or grade on this"
        " machine, with --jobs"
    )


def unreachable(address: str) -> str:
    """Why nothing can be sent to an address, as `no_answer` says it; "" where somebody listens, or where Dask alone
    knows how to ask (`ucx://`)."""
    try:
        parts = urlsplit(address)
        if parts.scheme not in ("tcp", "tls") or not parts.hostname or parts.port is None:
            return ""
        socket.create_connection((parts.hostname, parts.port), timeout=ANSWER_SECONDS).close()
    except (OSError, ValueError) as error:
        return no_answer(address, error)
    return ""
