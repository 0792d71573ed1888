"""Tensors in nests of lists, tuples and dicts, as arguments and results are."""

from collections.abc import Callable
from typing import Any

from torch import Tensor


def tensors(value: Any) -> list[Tensor]:
    """The tensors in a nest, in order."""
    if isinstance(value, Tensor):
        return [value]
    items = value.values() if isinstance(value, dict) else value if isinstance(value, (list, tuple)) else ()
    return [tensor for item in items for tensor in tensors(item)]


def changed(value: Any, change: Callable[[Tensor], Any]) -> Any:
    """The nest again, with each of its tensors changed."""
    if isinstance(value, Tensor):
        return change(value)
    if isinstance(value, dict):
        return {key: changed(item, change) for key, item in value.items()}
    return type(value)(changed(item, change) for item in value) if type(value) in (list, tuple) else value
