"""The container file: its steps are the README's, and in its long form it is built and a submission is graded in it.

The long form needs no registry: the image below it is made of Debian's packages by mmdebstrap, and Podman, which needs
no service, builds and runs the rest in a store of its own.
"""

import json
import os
import re
import shlex
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from fnmatch import fnmatch
from pathlib import Path

import pytest

from tests.deploy.dockerfile import commands, steps

ROOT = Path(__file__).resolve().parents[2]
FILE = ROOT / "deploy" / "Dockerfile"
STEPS = steps(FILE)
PROGRAMS = ("mmdebstrap", "podman")
IMAGE = "attention-from-scratch"


def said(instruction: str) -> str:
    """What the one step of this instruction says."""
    (rest,) = [rest for word, rest in STEPS if word == instruction]
    return rest


def test_its_set_up_is_the_one_of_the_readme_and_of_make():
    assert ("RUN", "python3 tools/setup.py course") in STEPS
    makefile, readme = (ROOT / "Makefile").read_text("utf-8"), (ROOT / "README.md").read_text("utf-8")
    assert "tools/setup.py course" in makefile and "`make course`" in readme and "python3-venv" in readme
    assert re.search(r"apt-get install .*\bpython3-venv bubblewrap libseccomp2\b", " ".join(rest for _, rest in STEPS))


def test_it_runs_as_a_user_without_rights_and_the_class_is_a_volume():
    words = [word for word, _ in STEPS]
    assert said("USER") == "grader" and "useradd" in STEPS[words.index("USER") - 2][1]
    assert words.index("USER") < words.index("ENTRYPOINT") and "RUN" not in words[words.index("USER") :]
    assert said("VOLUME") == "/class" and json.loads(said("ENTRYPOINT")) == ["autograde"]


def test_every_command_that_starts_it_names_the_profile_and_builds_this_file():
    texts = [FILE.read_text("utf-8"), (ROOT / "book" / "instructors" / "growing.md").read_text("utf-8")]
    for text in texts:
        lines = commands(text)
        assert any(line.startswith(f"docker build -f {FILE.relative_to(ROOT)} ") for line in lines)
        runs = [line for line in lines if line.startswith("docker run ")]
        assert runs
        for line in runs:
            (profile,) = re.findall(r"seccomp=(\S+)", line)
            assert profile != "unconfined" and (ROOT / profile).is_file()
            assert "apparmor=unconfined" in line and "systempaths=unconfined" in line and ":/class" in line


def comes_in(name: str, rules: list[str]) -> bool:
    """Whether what has this name in the repository's folder gets into an image: the last rule that fits decides."""
    fitting = [rule for rule in rules if fnmatch(name, rule.removeprefix("!").removeprefix("**/"))]
    return not fitting or fitting[-1].startswith("!")


def test_no_class_and_nothing_that_was_made_gets_into_it():
    """A class lies in the repository's folder, under any name, and so does an archive of it."""
    rules = [line for line in FILE.with_name("Dockerfile.dockerignore").read_text("utf-8").splitlines() if line]
    rules = [line for line in rules if not line.startswith("#")]
    made = [
        line.strip("/") for line in (ROOT / ".gitignore").read_text("utf-8").splitlines() if not line.startswith("#")
    ]
    names = ["spring", "spring-2026-11-27.tar.gz", "class", "grades.csv", ".env", ".git", *filter(None, made)]
    assert [name for name in names if comes_in(name, rules)] == []
    listed = subprocess.run(["git", "ls-files"], cwd=ROOT, capture_output=True, text=True, check=True).stdout
    tracked = {line.partition("/")[0] for line in listed.splitlines() if not line.startswith(".")}
    assert [name for name in sorted(tracked) if not comes_in(name, rules)] == []


# ---------------------------------------------------------------- built and run


class Podman:
    """Podman with a store of its own in `root`, which is removed at the end."""

    def __init__(self, root: Path):
        self.root = root
        self.words = ["podman", "--root", f"{root}/store", "--runroot", f"{root}/state"]
        self.words += ["--cgroup-manager=cgroupfs", "--events-backend=file"]
        if shutil.which("runc"):  # which also takes machines with both generations of control groups
            self.words += ["--runtime", "runc"]
        # No more than a process may have here anyway: to raise a limit takes a right that root may lack in a container.
        self.limits = ["--network=host", "--ulimit", "nofile=1024:1024", "--ulimit", "nproc=4000:4000"]

    def __call__(self, *words: str) -> str:
        done = subprocess.run(
            [*self.words, *words], cwd=ROOT, capture_output=True, text=True, stdin=subprocess.DEVNULL, timeout=3000
        )
        assert done.returncode == 0, f"podman {shlex.join(words)}:\n{done.stdout[-3000:]}\n{done.stderr[-3000:]}"
        return done.stdout

    def take(self, line: str, folder: Path, *command: str) -> str:
        """Runs a line that begins with `docker run`, as it stands but for what Podman calls otherwise, on this class;
        another command of the image's where one is given."""
        line = line.replace("systempaths=unconfined", "unmask=ALL").replace("$PWD/spring", str(folder))
        words = [word for word in shlex.split(line)[2:] if word != "-it"]
        until = words.index(IMAGE) + 1
        return self("run", *self.limits, *words[:until], *(command or words[until:]))


def pip_as_here(folder: Path) -> list[str]:
    """Words for a build that let pip look where it looks here: its settings, and the folders that they name."""
    listed = subprocess.run(["pip", "config", "list"], capture_output=True, text=True).stdout
    settings = dict(re.findall(r"^(?:global|install|:env:)\.\.?([\w-]+)='(.*)'$", listed, re.MULTILINE))
    mounts: dict[str, str] = {}

    def inside(match: re.Match[str]) -> str:
        place = match[2]
        if not Path(place).exists():
            return match[0]
        if place.startswith("/etc/"):  # the image's own packages write there
            return match[1] + mounts.setdefault(place, f"/run/pip/{len(mounts)}")
        beside = str(Path(place).parent) if place.endswith("/simple") else place  # an index, and the files beside it
        mounts[beside] = beside
        return match[0]

    lines = [f"{name} = {re.sub(r'(file://|^|(?<= ))(/[^ ]+)', inside, value)}" for name, value in settings.items()]
    (folder / "pip.conf").write_text("\n".join(["[global]", *lines, ""]))
    mounts[str(folder / "pip.conf")] = "/etc/pip.conf"
    return [word for place, there in mounts.items() for word in ("--volume", f"{place}:{there}:ro")]


@pytest.fixture
def podman(request) -> Iterator[Podman]:
    """With the image that the file builds. Minutes: only in the long form."""
    if not request.config.getoption("--full"):
        pytest.skip("takes minutes: only in the long form, make test ARGS=--full")
    if missing := [name for name in PROGRAMS if not shutil.which(name)]:
        pytest.skip(f"needs {' and '.join(missing)} (Debian, Ubuntu: apt-get install mmdebstrap podman runc)")
    if os.geteuid():
        pytest.skip("needs root, to run containers in a store of their own")
    (release,) = re.findall(r"debian:(\w+)-slim", said("FROM"))
    root = Path(tempfile.mkdtemp(prefix="podman-", dir="/var/tmp"))  # its store lies in no memory
    engine = Podman(root)
    try:
        below = str(root / "debian.tar")
        subprocess.run(["mmdebstrap", "--quiet", "--variant=apt", release, below], check=True, timeout=1800)
        engine("import", below, f"docker.io/library/{said('FROM')}")
        (build,) = [line for line in commands(FILE.read_text("utf-8")) if line.startswith("docker build ")]
        ignored = ["--ignorefile", str(FILE.parent / "Dockerfile.dockerignore")]
        engine("build", "--pull=never", *engine.limits, *ignored, *pip_as_here(root), *shlex.split(build)[2:])
        yield engine
    finally:
        subprocess.run([*engine.words, "system", "reset", "--force"], capture_output=True)
        shutil.rmtree(root, ignore_errors=True)


def test_it_is_built_and_grades(podman, tmp_path):
    (run,) = [line for line in commands(FILE.read_text("utf-8")) if line.startswith("docker run ")]
    folder = tmp_path / "spring"
    folder.mkdir(mode=0o700)
    os.chown(folder, 1000, 1000)  # the file's user

    for command in ("release 00", "sample 00", "grade 00", "export 00"):
        podman.take(run, folder, *command.split(), "--class", "/class")
    assert "This machine can grade safely." in podman.take(run, folder)
    table = (folder / "grades.csv").read_text("utf-8-sig").splitlines()
    assert len(table) > 5 and (folder / "gradebook.db").stat().st_uid == 1000
    with pytest.raises(AssertionError, match="cannot grade safely"):  # the engine's own filter forbids the sandbox
        podman.take(re.sub(r"--security-opt seccomp=\S+ ", "", run), folder, "check", "notebooks/00-warm-up.ipynb")
