"""What a chapter asks, its hints and question keys, one TOML file a chapter. They are public, like everything here.

Safe to change: the question, hints and explanations. Not safe by hand: `exercises.json`, which
`python -m tools.notebooks` makes of the notebooks.
"""

import tomllib
from functools import cache
from pathlib import Path
from typing import Any


class Unfinished(ValueError):
    """Something that an exercise needs is not there; says in which file it belongs."""


@cache
def chapter(name: str) -> dict[str, Any]:
    """What `<name>.toml` holds: {"asks": question, "hints": {exercise: [three texts]}, "questions": {question: {...}}}.

    `asks` is the question that the chapter sets out from. A chapter may lack any of the three. Raises Unfinished where
    it has no file.
    """
    path = Path(__file__).parent / f"{name}.toml"
    if not path.exists():
        raise Unfinished(f"course/chapters/{name}.toml is missing: the chapter's hints and question keys stand there")
    return {"asks": "", "hints": {}, "questions": {}, **tomllib.loads(path.read_text("utf-8"))}


def question(name: str, of: str) -> dict[str, Any]:
    """A question's kind, key and options. Raises Unfinished where its chapter's file has none of that name."""
    held = chapter(of)["questions"]
    if name not in held:
        raise Unfinished(f"course/chapters/{of}.toml has no [questions.{name}]: a question's kind and key stand there")
    return held[name]
