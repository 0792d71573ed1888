"""A Dockerfile as a list of its steps, and the command lines in its comments."""

import re
from pathlib import Path


def steps(path: Path) -> list[tuple[str, str]]:
    """(instruction, what it says), in order; lines that go on are joined."""
    lines = [line for line in path.read_text("utf-8").splitlines() if line and not line.startswith("#")]
    joined = re.sub(r"\\\n\s*", "", "\n".join(lines))
    return [(word, rest) for word, _, rest in (line.partition(" ") for line in joined.splitlines())]


def commands(text: str) -> list[str]:
    """The command lines that begin with `docker`, of a comment or a page; lines that go on are joined."""
    joined = re.sub(r"\s*\\\n#?\s*", " ", text)
    return [match[1].strip() for match in re.finditer(r"^(?:#\s+)?(docker .+)$", joined, re.MULTILINE)]
