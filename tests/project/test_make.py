"""The Makefile, the README and .ci/run name the same commands."""

import os
import re
import subprocess
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
MAKEFILE = (ROOT / "Makefile").read_text(encoding="utf-8")
README = (ROOT / "README.md").read_text(encoding="utf-8")
INNER = {"python", "style", "learner-set-up", "course-set-up", "test-set-up", "gpu-set-up"}


def targets():
    """The targets of the Makefile that somebody may call."""
    (phony,) = re.findall(r"^\.PHONY: (.+)$", MAKEFILE, re.MULTILINE)
    return set(phony.split()) - INNER


def test_help_lists_every_target():
    listed = subprocess.run(
        ["make", "--no-print-directory", "help"], cwd=ROOT, capture_output=True, text=True, check=True
    ).stdout
    assert set(re.findall(r"make ([\w-]+)", listed)) >= targets()


def test_the_readme_names_only_targets_that_there_are():
    assert set(re.findall(r"make ([a-z]+)\b", README)) <= targets()


def test_ci_runs_the_readmes_own_test_command():
    script = (ROOT / ".ci" / "run").read_text(encoding="utf-8")
    (command,) = [line for line in script.splitlines() if line and not line.startswith("#")]
    assert command == "exec make test"
    assert "make test" in README
    assert os.access(ROOT / ".ci" / "run", os.X_OK)


def test_the_three_doors_have_one_first_command_each():
    """README, home and set-up name the same one, and the set-up's is the README's own text."""
    doors = dict(re.findall(r"^\| \*\*(\w+)\*\*[^|]*\| `(make \w+)` \|", README, re.MULTILINE))
    assert doors == {"read": "make serve", "learn": "make lab", "teach": "make course"}

    home = (ROOT / "book" / "index.md").read_text(encoding="utf-8")
    cards = re.findall(r"^:::\{grid-item-card\} (\w+)$(.*?)^:::$", home, re.MULTILINE | re.DOTALL)
    assert {title.lower(): " ".join(re.findall(r"make [a-z]+", text)) for title, text in cards} == doors

    set_up = (ROOT / "book" / "start" / "set-up.md").read_text(encoding="utf-8")
    (included, begin, end) = re.findall(r"^(?:```\{include\}|:start-after:|:end-before:) (.+)$", set_up, re.MULTILINE)
    assert (ROOT / "book" / "start" / included).resolve() == ROOT / "README.md"
    assert all(command in README.split(begin)[1].split(end)[0] for command in ["git clone", *doors.values()])
    assert set(re.findall(r"make [a-z]+", set_up)) <= set(doors.values())


def test_the_ways_without_make_are_what_make_does():
    """For macOS and for Windows: the set-up, and the programs behind `make serve` and `make lab`."""
    recipes = [
        block.replace("\\", "/") for block in re.findall(r"^```\w+\n(.+?)^```$", README, re.MULTILINE | re.DOTALL)
    ]
    for python, inside in (("python3", ".venv/bin/python"), ("python", ".venv/Scripts/python")):
        (recipe,) = [block for block in recipes if f"{inside} -m tools.lab" in block]
        assert recipe.startswith(f"{python} tools/setup.py learner ") and f"{inside} -m tools.course book" in recipe
    for words in ("tools/setup.py learner", "-m tools.course book", "-m tools.lab"):
        assert words in MAKEFILE
