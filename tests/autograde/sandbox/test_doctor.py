"""The examination: well where all is well, and a refusal with a remedy where anything is not."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from autograde.sandbox import causes, doctor, launch, pool, seccomp
from autograde.sandbox.doctor import Finding, NotReady

needs_sandbox = pytest.mark.skipif(
    sys.platform != "linux" or shutil.which("bwrap") is None, reason="needs Linux and bubblewrap"
)


@pytest.fixture(autouse=True)
def nothing_remembered(monkeypatch, tmp_path):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))


def well() -> Finding:
    """In the place of a jail that works."""
    return Finding("intake", True, "starts")


def named(findings: list[Finding]) -> dict[str, Finding]:
    return {finding.name: finding for finding in findings}


@pytest.mark.sandbox
@needs_sandbox
@pytest.mark.xdist_group("sandbox")
def test_this_machine_is_examined_from_inside_the_sandbox_once(monkeypatch):
    doctor.require(well)
    monkeypatch.setattr(doctor, "_sandbox", lambda: pytest.fail("examined again"))
    doctor.require(well)
    monkeypatch.setattr(doctor.platform, "release", lambda: "another kernel")
    with pytest.raises(pytest.fail.Exception, match="examined again"):
        doctor.require(well)


def test_without_bubblewrap_grading_is_refused(monkeypatch):
    which = shutil.which
    monkeypatch.setattr(doctor.shutil, "which", lambda name, **more: None if name == "bwrap" else which(name, **more))
    with pytest.raises(NotReady, match="apt-get install -y bubblewrap") as refused:
        doctor.require(well)
    assert isinstance(refused.value, SystemExit) and not isinstance(refused.value, Exception)
    assert "sandbox" not in named(doctor.examine(well)), "what cannot be tried is not claimed"


@pytest.mark.parametrize("system", ["darwin", "win32"])
def test_elsewhere_than_on_linux_a_machine_and_a_container_are_named_and_nothing_is_run(monkeypatch, system):
    monkeypatch.setattr(doctor.sys, "platform", system)
    monkeypatch.setattr(pool.Sandbox, "launch", lambda self: pytest.fail("a sandbox was tried"))
    with pytest.raises(NotReady, match=r"(?s)Linux machine.*virtual machine.*deploy/Dockerfile.*docker run"):
        doctor.require(well)


def test_without_a_system_call_filter_grading_is_refused(monkeypatch):
    monkeypatch.setitem(sys.modules, "pyseccomp", None)  # as where libseccomp.so.2 or the package is missing
    seccomp.program.cache_clear()
    monkeypatch.setattr(doctor, "_sandbox", list)
    try:
        finding = doctor._filter()
        assert not finding.ok and "libseccomp2" in finding.remedy
        with pytest.raises(pool.SandboxError, match="filter cannot be made"), pool.Sandbox():
            pass
    finally:
        seccomp.program.cache_clear()


def test_an_old_python_and_a_missing_program_are_named(monkeypatch):
    monkeypatch.setattr(doctor, "_sandbox", list)
    monkeypatch.setattr(doctor.sys, "version_info", (3, 9, 2))
    monkeypatch.setattr(doctor.sys, "executable", "/nowhere/python")
    monkeypatch.setenv("PATH", "/nowhere")
    findings = named(doctor.examine(well))
    assert [name for name in ("Python", "bubblewrap", "alembic") if findings[name].ok] == []
    assert all(findings[name].remedy for name in ("Python", "bubblewrap", "alembic"))


def test_a_sandbox_that_does_not_start_is_a_finding(monkeypatch):
    def refuse(*_):
        raise pool.SandboxError("setting up uid map: Permission denied")

    monkeypatch.setattr(pool.Sandbox, "launch", refuse)
    (finding,) = doctor._sandbox()
    assert not finding.ok and "Permission denied" in finding.detail and "sysctl" in finding.remedy


def test_a_jail_that_fails_alone_is_a_refusal_and_is_not_tried_where_the_sandbox_fails(monkeypatch):
    def ill():
        return Finding("intake", False, "no jail today", "install the grader again")

    sandbox = Finding("sandbox", True, "starts")
    monkeypatch.setattr(doctor, "_sandbox", lambda: [sandbox])
    assert [finding.name for finding in doctor.examine(ill) if not finding.ok] == ["intake"]
    with pytest.raises(NotReady, match=r"intake: no jail today\. To do: install the grader again"):
        doctor.require(ill)
    assert [finding.name for finding in doctor.anew(ill)] == ["intake"]
    sandbox = Finding("sandbox", False, "does not start")
    assert "intake" not in named(doctor.examine(ill))


def test_without_torch_the_examination_goes_on_and_says_so(monkeypatch):
    """In a process that has not imported it yet, where no module of the sandbox's can be imported either."""
    code = "import sys; sys.modules['torch'] = None; " + PRINT.format("doctor.examine(lambda: None)")
    environment = os.environ | {"PYTHONPATH": str(ROOT)}
    done = subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, text=True, cwd="/")
    assert done.returncode == 0, done.stderr
    findings = {finding["name"]: finding for finding in json.loads(done.stdout.splitlines()[-1])}
    assert not findings["torch"]["ok"] and findings["torch"]["remedy"]
    assert "sandbox" not in findings and "intake" not in findings


class Reported:
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
    finding = judge(Reported(text))
    assert not finding.ok and finding.remedy


def test_the_report_says_all_and_its_status_tells(monkeypatch, capsys):
    monkeypatch.setattr(
        doctor, "examine", lambda jail: [Finding("a", True, "well"), Finding("b", False, "ill", "mend it")]
    )
    assert doctor.report(well) == 1
    report = capsys.readouterr().out
    assert "ok  a" in report and "NO  b" in report and "mend it" in report and "refused" in report
    monkeypatch.setattr(doctor, "examine", lambda jail: [Finding("a", True, "well")])
    assert doctor.report(well) == 0


# --- why a sandbox does not start: machines broken for real, in namespaces of their own -------------------------------

ROOT = Path(__file__).resolve().parents[3]
PRINT = "import json; from autograde.sandbox import doctor; print(json.dumps([vars(finding) for finding in {}]))"
CHROOT = """
mkdir /mnt/x || true; mount -t tmpfs none /mnt; mkdir /mnt/root; cd /mnt/root
for name in $(ls -A /); do
    if [ -L /$name ]; then cp -a /$name $name
    elif [ -d /$name ] && [ $name != mnt ] && [ $name != lost+found ]; then mkdir $name; mount --rbind /$name $name; fi
done
exec chroot /mnt/root """
broken_for_real = pytest.mark.skipif(
    sys.platform != "linux" or shutil.which("bwrap") is None or os.getuid() != 0, reason="needs root, to break it"
)


def broken(script: str, ask: str = "doctor._sandbox()", *more: str) -> list[dict]:
    """What the doctor finds where a shell script has broken the machine, for itself alone."""
    command = ["unshare", "-m", *more, "sh", "-c", f'{script} "$0" -c "$1"', sys.executable, PRINT.format(ask)]
    environment = os.environ | {"PYTHONPATH": str(ROOT)}
    done = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=300, cwd="/")
    assert done.returncode == 0, done.stderr
    return [finding for finding in json.loads(done.stdout.splitlines()[-1]) if not finding["ok"]]


@pytest.mark.sandbox
@broken_for_real
@pytest.mark.parametrize(
    ("script", "more", "name", "detail", "remedy"),
    [
        (CHROOT, (), "chroot", "a chroot", "systemd-nspawn"),
        ("umount -l /proc; exec", (), "/proc", "not mounted", "mount -t proc"),
        ("mount -t tmpfs -o size=64k none /mnt; export TMPDIR=/mnt; exec", (), "room", "No space left", "TMPDIR="),
        ("echo 0 > /proc/sys/user/max_user_namespaces; exec", ("-U", "--map-root-user"), "namespace limit",
         "max_user_namespaces is 0", "sysctl -w user.max_user_namespaces"),
        ("exec setpriv --bounding-set=-sys_admin", (), "capabilities", "CAP_SYS_ADMIN", "ordinary user"),
    ],
)  # fmt: skip
def test_a_cause_is_named_with_its_own_remedy(script, more, name, detail, remedy):
    cause, whole = broken(script, "doctor._sandbox()", *more)
    assert cause["name"] == name and detail in cause["detail"] and remedy in cause["remedy"]
    assert whole["name"] == "sandbox" and whole["remedy"] == "", "what the sandbox says has no other remedy"


@broken_for_real
@pytest.mark.parametrize(
    ("script", "detail"),
    [
        ("touch /mnt/null; chmod 666 /mnt/null", "another file, and not the device"),
        ("mknod -m 600 /mnt/null c 1 3", "cannot be written by everybody"),
        ("mknod -m 666 /mnt/null c 1 5", "another file, and not the device"),
    ],
)
def test_a_null_device_that_is_none_is_refused_though_a_sandbox_would_start(script, detail):
    script = f"mount -t tmpfs none /mnt; {script}; mount --bind /mnt/null /dev/null; exec"
    (finding,) = broken(script, "doctor.anew(lambda: None)")
    assert finding["name"] == "/dev/null" and detail in finding["detail"]
    assert "mknod -m 666 /dev/null c 1 3" in finding["remedy"]


def test_no_sandbox_is_lent_a_device_that_is_none(monkeypatch):
    monkeypatch.setattr(launch, "device_fault", lambda name: "it is a file" if name == "random" else "")
    with pytest.raises(pool.SandboxError, match="it is a file"), pool.Sandbox():
        pass


@pytest.mark.skipif(sys.platform != "linux", reason="Linux's settings")
@pytest.mark.parametrize(
    ("settings", "remedy"),
    [
        ({"/proc/sys/kernel/unprivileged_userns_clone": "0\n"}, "sudo sysctl -w kernel.unprivileged_userns_clone=1"),
        ({"/proc/sys/kernel/apparmor_restrict_unprivileged_userns": "1\n"}, "restrict_unprivileged_userns=0"),
        ({"/proc/self/status": "Seccomp:\t2\n"}, "--security-opt seccomp=.devcontainer/seccomp.json"),
        ({}, None),
    ],
)
def test_what_forbids_namespaces_is_named(monkeypatch, settings, remedy):
    monkeypatch.setattr(causes, "_read", lambda path: settings.get(path, ""))
    finding = causes._forbidden(1)
    assert (finding and remedy in finding.remedy) if remedy else finding is None
    assert causes._forbidden(0) is None
    monkeypatch.setattr(causes, "_read", lambda path: "1 1 0:1 / / rw\n2 1 0:2 / /proc/kcore rw\n")
    monkeypatch.setattr(causes.os, "geteuid", lambda: 1000)
    assert "systempaths=unconfined" in causes._covered(0).remedy and causes._covered(1) is None


@pytest.mark.parametrize(
    ("mode", "detail", "remedy"),
    [(0o644, "may not be executed", "sudo chmod 755"), (0o755, "does not run", "install it again")],
)
def test_a_bubblewrap_that_does_not_run_is_named(monkeypatch, tmp_path, mode, detail, remedy):
    (tmp_path / "bwrap").write_text("#!/bin/sh\nexit 1\n")
    (tmp_path / "bwrap").chmod(mode)
    monkeypatch.setenv("PATH", str(tmp_path))
    finding = doctor._programs()[0]
    assert not finding.ok and detail in finding.detail and remedy in finding.remedy


def test_an_examination_that_is_not_true_any_more_is_forgotten(monkeypatch, tmp_path):
    stamp = tmp_path / "examined"
    stamp.touch()
    monkeypatch.setattr(doctor, "_stamp", lambda: stamp)
    monkeypatch.setattr(doctor, "examine", lambda jail: [Finding("a", True, "well")])
    assert doctor.anew(well) == [] and stamp.exists()
    monkeypatch.setattr(
        doctor, "examine", lambda jail: [Finding("a", True, "well"), Finding("b", False, "ill", "mend it")]
    )
    assert [finding.name for finding in doctor.anew(well)] == ["b"] and not stamp.exists()
