"""Whether the intake's jail works here: the part of `autograde doctor` that the sandbox cannot try by itself.

The jail is the sandbox's machinery with another program in it and narrower limits, so a machine may run cells and still
be unable to read a student's file. `sandbox.doctor` stands below the intake: whoever asks it hands `probe_jail` in.
"""

from __future__ import annotations

import json
import time

from autograde.sandbox.causes import Finding

_SOURCE = "x = 1\ny = x"
_NOTEBOOK = {
    "nbformat": 4,
    "nbformat_minor": 5,
    "metadata": {},
    "cells": [{"cell_type": "code", "metadata": {}, "source": _SOURCE}],
}
_REMEDY = "install the grader again: make course"


def probe_jail() -> Finding:
    """Has a notebook of two lines read in a jail of its own. Takes as long as the jail takes to start."""
    # Here, because it needs torch: where that is missing, the doctor has to live to say so.
    from autograde.intake.intake import Intake
    from autograde.sandbox.pool import SandboxError

    started = time.monotonic()
    try:
        with Intake() as intake:
            contents = intake.contents(json.dumps(_NOTEBOOK).encode())
    except (SandboxError, OSError) as error:
        return Finding("intake", False, str(error), _REMEDY)
    if contents.notebook is None:
        return Finding("intake", False, f"a notebook could not be read: {contents.instructor}", _REMEDY)
    if [cell["source"] for cell in contents.notebook["cells"]] != [_SOURCE]:
        return Finding("intake", False, "a notebook was read as another", _REMEDY)
    return Finding("intake", True, f"starts and reads a notebook in {time.monotonic() - started:.1f} s")
