"""Measurements with their committed results; run from a clone, never installed.

Each module measures one thing and writes one file by `record`. Safe to change: what is measured, followed by a new run.
Not safe: a file in `results/`, and an answer in `first_look/` once its round was scored: both stay as they came out.
"""
