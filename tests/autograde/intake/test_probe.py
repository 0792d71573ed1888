"""The doctor's probe of the jail: well where the jail is, and a finding with a remedy where it is broken for real."""

from __future__ import annotations

import json
import shutil
import sys

import pytest

from autograde.intake import jail, probe
from autograde.intake.probe import probe_jail
from autograde.sandbox import doctor
from autograde.sandbox.doctor import Finding, NotReady
from tests.autograde.command import run
from tests.autograde.intake.test_jail import copied

pytestmark = [
    pytest.mark.sandbox,
    pytest.mark.xdist_group("intake"),
    pytest.mark.skipif(sys.platform != "linux" or shutil.which("bwrap") is None, reason="needs Linux and bubblewrap"),
]


def test_a_jail_that_works_is_well():
    finding = probe_jail()
    assert finding.ok and finding.name == "intake" and "reads a notebook" in finding.detail


def _no_start(monkeypatch, here):
    monkeypatch.setattr(jail, "_PROGRAM", ("-c", "raise SystemExit('no jail today')"))


def _no_file(monkeypatch, here):
    (copied(here) / "intake" / "merge.py").unlink()
    monkeypatch.setattr(jail, "_HERE", here)


def _with(monkeypatch, here, contents: str):
    with (copied(here) / "intake" / "parse.py").open("a") as file:
        file.write(f"\n\ndef contents(data):\n    {contents}\n")
    monkeypatch.setattr(jail, "_HERE", here)


def _dies(monkeypatch, here):
    _with(monkeypatch, here, "import os; os._exit(1)")


def _reads_another(monkeypatch, here):
    another = json.dumps(probe._NOTEBOOK).replace("x = 1", "x = 2")
    _with(monkeypatch, here, f"return Contents({another})")


@pytest.mark.parametrize(
    ("breaks", "detail"),
    [
        (_no_start, "no jail today"),
        (_no_file, "merge.py"),
        (_dies, "could not be read"),
        (_reads_another, "read as another"),
    ],
)
def test_a_jail_that_is_broken_is_named(monkeypatch, tmp_path, breaks, detail):
    breaks(monkeypatch, tmp_path / "copy")
    finding = probe_jail()
    assert not finding.ok and finding.name == "intake" and detail in finding.detail and finding.remedy


def test_where_it_alone_is_broken_grading_is_refused_and_the_doctor_names_it(monkeypatch, tmp_path):
    """With a sandbox that starts; whether that one does is tried elsewhere."""
    from autograde.grading import executor

    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    monkeypatch.setattr(doctor, "_sandbox", lambda: [Finding("sandbox", True, "starts")])
    _no_start(monkeypatch, tmp_path)
    with pytest.raises(NotReady, match=r"intake: .*no jail today.*To do: ") as refused, executor.engine():
        pass
    assert [finding.name for finding in refused.value.findings] == ["intake"]
    report = run("doctor")
    assert report.exit_code == 1 and "NO  intake" in report.output and "no jail today" in report.output
    monkeypatch.undo()
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    monkeypatch.setattr(doctor, "_sandbox", lambda: [Finding("sandbox", True, "starts")])
    with executor.engine():  # it is remembered, with all that was looked at
        pass
    (remembered,) = (tmp_path / "attention-from-scratch").glob("examined-*.json")
    assert "reads a notebook" in json.loads(remembered.read_text())[-1]
