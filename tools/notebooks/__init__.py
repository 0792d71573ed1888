"""Making the notebooks: what `python -m tools.notebooks` does, one step a module.

The committed notebook is the one source of prose, stubs and check cells. `files` finds, reads and writes it; `metadata`
completes what is derived from it for nbgrader (ids, locks, checksums), `listing` the list of all exercises. `as_text`
lays it out for an editor and back, `solving` puts the solutions in, `recording` makes the tables that checks compare
with, and `refreshing` runs it and stores its outputs. Safe to change: what is printed. Not safe: how a notebook is
written, since a second refresh must change no byte.
"""
