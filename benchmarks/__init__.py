"""Measurements with their committed results; run from a clone, never installed."""
