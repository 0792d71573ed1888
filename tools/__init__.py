"""Developers' tools: the environment, what `make course` makes, and the notebooks. Not installed.

Safe to change: the steps and what they print. Not safe: how a notebook is written, since a second refresh must
change no byte, and `setup.py`'s imports: it runs before anything is installed.
"""

import autograde  # noqa: F401  first of all: what it leaves out takes a start seconds
