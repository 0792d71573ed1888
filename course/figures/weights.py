"""Attention weights as the figures compute and read them: softmax, entropy, and where most of a row lies."""

from __future__ import annotations

import heapq
from collections.abc import Sequence

import numpy as np


def softmax(scores: np.ndarray) -> np.ndarray:
    """Return the softmax over the last axis. A score of minus infinity has no weight; a row of nothing else is zero."""
    largest = scores.max(axis=-1, keepdims=True)
    exponentials = np.exp(scores - np.where(np.isfinite(largest), largest, 0.0))
    sums = exponentials.sum(axis=-1, keepdims=True)
    return exponentials / np.where(sums > 0, sums, 1.0)


def entropy(weights: np.ndarray) -> np.ndarray:
    """Return the entropy over the last axis, in bits."""
    return -(weights * np.log2(np.where(weights > 0, weights, 1.0))).sum(axis=-1)


def largest(weights: Sequence[float], count: int) -> list[int]:
    """Return the places of the largest weights, the largest first; of equal ones the earlier."""
    return heapq.nlargest(count, range(len(weights)), key=weights.__getitem__)
