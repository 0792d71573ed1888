"""The container's seccomp profile: the sandbox works under it, and what it names does not.

Tried without a container: the same rules, made by libseccomp, are laid on a process, which is what a container's
runtime does with them.
"""

import json
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[3]
PROFILE = ROOT / ".devcontainer" / "seccomp.json"
TRY = """
import ctypes, errno, json, os, sys
import pyseccomp as seccomp

profile = json.loads(open(sys.argv[1]).read())
assert profile["defaultAction"] == "SCMP_ACT_ALLOW"
filter = seccomp.SyscallFilter(seccomp.ALLOW)
for rule in profile["syscalls"]:
    assert rule["action"] == "SCMP_ACT_ERRNO"
    for name in rule["names"]:
        try:
            filter.add_rule(seccomp.ERRNO(rule["errnoRet"]), name)
        except (OSError, ValueError):
            print("unknown here:", name)  # a runtime passes over it too

own = ctypes.create_string_buffer(b"own")
class Piece(ctypes.Structure):
    _fields_ = [("base", ctypes.c_void_p), ("length", ctypes.c_size_t)]
here, there = Piece(ctypes.addressof(own), 3), Piece(ctypes.addressof(own), 3)
libc = ctypes.CDLL(None, use_errno=True)

def reads_itself():
    done = libc.process_vm_readv(os.getpid(), ctypes.byref(here), 1, ctypes.byref(there), 1, 0)
    return errno.errorcode.get(ctypes.get_errno()) if done < 0 else done

print("before:", reads_itself())
filter.load()
print("under it:", reads_itself(), flush=True)
os.execvp(sys.argv[2], sys.argv[2:])
"""
INSIDE = """
from autograde.sandbox.pool import Sandbox

with Sandbox() as sandbox:
    print("a sandbox")
"""


@pytest.mark.sandbox
@pytest.mark.skipif(sys.platform != "linux" or shutil.which("bwrap") is None, reason="needs Linux and bubblewrap")
def test_the_sandbox_works_under_it_and_what_it_names_does_not():
    words = [sys.executable, "-c", TRY, PROFILE, sys.executable, "-c", INSIDE]
    done = subprocess.run([str(word) for word in words], cwd=ROOT, capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr[-2000:]
    said = done.stdout.splitlines()
    assert said[-3:] == ["before: 3", "under it: EPERM", "a sandbox"]
    unknown = [line.removeprefix("unknown here: ") for line in said[:-3]]
    assert len(unknown) < 5, unknown


def test_the_container_is_started_with_it():
    assert "seccomp=${localWorkspaceFolder}/.devcontainer/seccomp.json" in (
        PROFILE.with_name("devcontainer.json").read_text("utf-8")
    )
    named = [name for rule in json.loads(PROFILE.read_text("utf-8"))["syscalls"] for name in rule["names"]]
    assert named == sorted(set(named)) and not {"clone", "mount", "pivot_root", "unshare", "umount2"} & set(named)
