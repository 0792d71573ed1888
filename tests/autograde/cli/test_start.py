"""How a command starts, and what it may not import to do so."""

import subprocess
import sys

from tests.autograde.command import run


def test_help_names_every_command():
    result = run("--help")
    assert result.exit_code == 0
    for command in (
        "doctor",
        "release",
        "sample",
        "collect",
        "grade",
        "regrade",
        "check",
        "summary",
        "similar",
        "trace",
        "feedback",
        "export",
    ):
        assert command in result.output


def test_what_judges_nothing_starts_without_pytorch():
    """Which takes each start of a command, and of nbgrader's own, two seconds of a processor."""
    modules = "autograde.gradebook.release, autograde.gradebook.late, autograde.reports.export, autograde.cli"
    program = f"import sys, {modules}; print('torch' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "False"


def test_one_file_is_checked_without_nbgrader():
    """Whose import takes as long as PyTorch's."""
    program = "import sys, autograde.cli, autograde.grading.one; print('nbgrader' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "False"
