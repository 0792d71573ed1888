"""Data sets of the Hugging Face hub, where its library is installed; it reads them from the disk row by row."""

import importlib
from typing import Any

from training.configuration import TrainingError


def hub_data(name: str) -> tuple[Any, Any]:
    """A data set of the hub: its training rows, and its validation or test rows or None."""
    try:
        datasets = importlib.import_module("datasets")  # asked for by nobody else, so no dependency of the course
    except ImportError:
        raise TrainingError(f"data hub:{name} needs the library datasets: pip install datasets") from None
    try:
        splits = datasets.load_dataset(name)
    except Exception as error:  # network, spelling, access: the library's own kinds of errors
        raise TrainingError(f"data: cannot load hub:{name}: {' '.join(str(error).split())}") from error
    if "train" not in splits:
        raise TrainingError(f"data: hub:{name} has no split named train, only {', '.join(splits)}")
    return splits["train"], next((splits[s] for s in ("validation", "valid", "test") if s in splits), None)


def column(rows: Any, names: tuple[str, ...]) -> str:
    """The first of these columns that the rows have. Raises TrainingError where they have none."""
    for name in names:
        if name in rows.column_names:
            return name
    raise TrainingError(f"data: need a column named {' or '.join(names)}, got {', '.join(rows.column_names)}")
