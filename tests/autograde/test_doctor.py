"""The examination: well where all is well, and a refusal with a remedy where anything is not."""

from __future__ import annotations

import shutil
import sys

import pytest

from autograde import doctor, filter, sandbox
from autograde.doctor import Finding, NotReady

needs_sandbox = pytest.mark.skipif(
    sys.platform != "linux" or shutil.which("bwrap") is None, reason="needs Linux and bubblewrap"
)


@pytest.fixture(autouse=True)
def nothing_remembered(monkeypatch, tmp_path):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))


def named(findings: list[Finding]) -> dict[str, Finding]:
    return {finding.name: finding for finding in findings}


@pytest.mark.sandbox
@needs_sandbox
@pytest.mark.xdist_group("sandbox")
def test_this_machine_is_examined_from_inside_the_sandbox_once(monkeypatch):
    doctor.require()
    monkeypatch.setattr(doctor, "_sandbox", lambda: pytest.fail("examined again"))
    doctor.require()
    monkeypatch.setattr(doctor.platform, "release", lambda: "another kernel")
    with pytest.raises(pytest.fail.Exception, match="examined again"):
        doctor.require()


def test_without_bubblewrap_grading_is_refused(monkeypatch):
    which = shutil.which
    monkeypatch.setattr(doctor.shutil, "which", lambda name, **more: None if name == "bwrap" else which(name, **more))
    with pytest.raises(NotReady, match="apt-get install -y bubblewrap") as refused:
        doctor.require()
    assert isinstance(refused.value, SystemExit) and not isinstance(refused.value, Exception)
    assert "sandbox" not in named(doctor.examine()), "what cannot be tried is not claimed"


@pytest.mark.parametrize("system", ["darwin", "win32"])
def test_elsewhere_than_on_linux_a_machine_and_a_container_are_named_and_nothing_is_run(monkeypatch, system):
    monkeypatch.setattr(doctor.sys, "platform", system)
    monkeypatch.setattr(sandbox.Sandbox, "_launch", lambda self: pytest.fail("a sandbox was tried"))
    with pytest.raises(NotReady, match=r"(?s)Linux machine.*virtual machine.*\.devcontainer/Dockerfile.*docker run"):
        doctor.require()


def test_without_a_system_call_filter_grading_is_refused(monkeypatch):
    monkeypatch.setitem(sys.modules, "pyseccomp", None)  # as where libseccomp.so.2 or the package is missing
    filter.program.cache_clear()
    monkeypatch.setattr(doctor, "_sandbox", list)
    try:
        finding = doctor._filter()
        assert not finding.ok and "libseccomp2" in finding.remedy
        with pytest.raises(sandbox.SandboxError, match="filter cannot be made"), sandbox.Sandbox():
            pass
    finally:
        filter.program.cache_clear()


def test_an_old_python_and_a_missing_program_are_named(monkeypatch):
    monkeypatch.setattr(doctor, "_sandbox", list)
    monkeypatch.setattr(doctor.sys, "version_info", (3, 9, 2))
    monkeypatch.setattr(doctor.sys, "executable", "/nowhere/python")
    monkeypatch.setenv("PATH", "/nowhere")
    found = named(doctor.examine())
    assert [name for name in ("Python", "bubblewrap", "alembic") if found[name].ok] == []
    assert all(found[name].remedy for name in ("Python", "bubblewrap", "alembic"))


def test_a_sandbox_that_does_not_start_is_a_finding(monkeypatch):
    def refuse(*_):
        raise sandbox.SandboxError("setting up uid map: Permission denied")

    monkeypatch.setattr(sandbox.Sandbox, "_launch", refuse)
    (finding,) = doctor._sandbox()
    assert not finding.ok and "Permission denied" in finding.detail and "sysctl" in finding.remedy


class Said:
    """What a probe reported."""

    def __init__(self, text: str, error=None):
        self.outputs, self.error = [{"text": text}], error


@pytest.mark.parametrize(
    ("judge", "text"),
    [
        (doctor._no_network, '{"reached": ["127.0.0.1"], "interfaces": []}'),
        (doctor._no_network, '{"reached": [], "interfaces": ["eth0"]}'),
        (doctor._files_absent, '{"seen": ["/home/me/.ssh"], "written": [], "sandbox": [], "modules": []}'),
        (doctor._forks_held, '{"made": 400}'),
        (doctor._memory_holds, ""),
        (
            doctor._unprivileged,
            '{"user": [0, 0, 0], "process": [1, 0], "capabilities": [0], "bounding": 0, "no_new_privileges": 1, '
            '"filter": 2, "new_namespaces": [], "descriptors": [0, 1, 2, 3], "processes": []}',
        ),
        (
            doctor._unprivileged,
            '{"user": [65533, 65533, 65533], "process": [1, 0], "capabilities": [0], "bounding": 0, '
            '"no_new_privileges": 1, "filter": 0, "new_namespaces": [], "descriptors": [0, 1, 2, 3], "processes": []}',
        ),
    ],
)
def test_a_probe_that_reached_something_is_a_refusal(judge, text):
    finding = judge(Said(text))
    assert not finding.ok and finding.remedy


def test_the_report_says_all_and_its_status_tells(monkeypatch, capsys):
    monkeypatch.setattr(doctor, "examine", lambda: [Finding("a", True, "well"), Finding("b", False, "ill", "mend it")])
    assert doctor.report() == 1
    shown = capsys.readouterr().out
    assert "ok  a" in shown and "NO  b" in shown and "mend it" in shown and "refused" in shown
    monkeypatch.setattr(doctor, "examine", lambda: [Finding("a", True, "well")])
    assert doctor.report() == 0
