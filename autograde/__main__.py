"""`python -m autograde`, the same as `autograde`."""

from autograde.cli import app

app()
