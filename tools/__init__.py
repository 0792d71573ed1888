"""Developers' tools: making and checking the notebooks. Not installed."""

import autograde  # noqa: F401  first of all: what it leaves out takes a start seconds
