"""Developers' tools: making and checking the notebooks. Not installed."""
