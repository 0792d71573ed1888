"""The grader's command line, in this process."""

from click.testing import Result
from typer.testing import CliRunner

from autograde.cli import app


def run(*words: object) -> Result:
    return CliRunner().invoke(app, [str(word) for word in words])


def said(result: Result) -> str:
    """What it printed, with no line's end in it: a terminal's width breaks sentences anywhere."""
    return " ".join(result.output.split())
