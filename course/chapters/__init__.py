"""Hints and question keys, one TOML file a chapter. They are public, like everything here."""

import tomllib
from functools import cache
from pathlib import Path
from typing import Any


@cache
def chapter(name: str) -> dict[str, Any]:
    """What `<name>.toml` holds: {"hints": {exercise: [three texts]}, "questions": {question: {...}}}.

    A chapter may have none of either.
    """
    return {"hints": {}, "questions": {}, **tomllib.loads((Path(__file__).parent / f"{name}.toml").read_text("utf-8"))}
