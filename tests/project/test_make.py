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
    assert set(re.findall(r"make (\w+)", listed)) >= targets()


def test_the_readme_names_only_targets_that_there_are():
    assert set(re.findall(r"make ([a-z]+)\b", README)) <= targets()


def test_ci_runs_the_readmes_own_test_command():
    script = (ROOT / ".ci" / "run").read_text(encoding="utf-8")
    (command,) = [line for line in script.splitlines() if line and not line.startswith("#")]
    assert command == "exec make test"
    assert "make test" in README
    assert os.access(ROOT / ".ci" / "run", os.X_OK)
