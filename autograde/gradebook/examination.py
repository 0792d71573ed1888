"""`autograde doctor --class`: whether nbgrader's own commands in a class lead through the sandbox, and who may read
it."""

from __future__ import annotations

from autograde import access, layout
from autograde.folders import ClassFolder
from autograde.gradebook import by_nbgrader, configuration
from autograde.sandbox.causes import Finding
from course.wording import listed

_NAMED = 5  # open things that are named; the command closes them all


def examine(folder: ClassFolder) -> list[Finding]:
    """What a class rests on: that nbgrader leads through the sandbox, that nobody else may read it, and that this
    version can work in it."""
    return [_configuration(folder), _place(folder), _access(folder), _layout(folder)]


def require(folder: ClassFolder) -> None:
    """Raises ValueError, with what to do, where nbgrader's own commands in this class would not lead through the
    sandbox: nothing is graded beside them."""
    finding = _configuration(folder)
    if not finding.ok:
        raise ValueError(f"nothing was graded: {finding.detail}. To do: {finding.remedy}")


def _layout(folder: ClassFolder) -> Finding:
    try:
        layout.require(folder)
    except layout.OtherLayout as error:
        detail, _, remedy = str(error).partition(" To do: ")
        return Finding("layout", False, detail.rstrip("."), remedy)
    return Finding("layout", True, f"{layout.LAYOUT}, which this version of the course works in")


def _configuration(folder: ClassFolder) -> Finding:
    name = "nbgrader"
    if not folder.config.exists():
        remedy = f"run `autograde release --class {folder.root}`, which writes it"
        return Finding(name, False, f"there is no {folder.config.name}: `nbgrader autograde` would not be ours", remedy)
    try:
        held = by_nbgrader.holds(configuration.read(folder))
    except ValueError as error:
        return Finding(name, False, str(error), f"mend {folder.config}, or move it away and run `autograde release`")
    if not held:
        remedy = (
            f"let {folder.config} begin as `autograde release` writes it (move it away and run that to see), "
            "and set neither Autograde.exporter_class nor Execute.kernel_name after `configure`"
        )
        return Finding(name, False, "its own autograde runs submissions on this machine, unprotected", remedy)
    return Finding(name, True, "its own autograde goes through the sandbox")


def _place(folder: ClassFolder) -> Finding:
    if any(folder.unprotected.glob("*/*")):
        detail = f"there is something in {folder.unprotected}: nbgrader's defaults would run it on this machine"
        return Finding("place", False, detail, f"move what is in it to {folder.submitted}")
    return Finding("place", True, f"submissions lie in {folder.submitted.name}/, where nbgrader's defaults do not look")


def _access(folder: ClassFolder) -> Finding:
    opened = list(access.opened(folder))
    if not opened:
        return Finding("access", True, f"for {access.whose(folder)}")
    named = [f"{each.path.relative_to(folder.root.parent)} ({each.to})" for each in opened]
    remedy = f"autograde access --class {folder.root}"
    return Finding("access", False, f"open to others: {listed(named, _NAMED)}", remedy)
