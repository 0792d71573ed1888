"""Making and checking: nothing here is installed, everything runs as `python -m tools.NAME` from the root."""
