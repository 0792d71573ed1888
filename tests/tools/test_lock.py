"""The lock agrees with what pyproject.toml asks for, and can be installed anywhere."""

import re
import tomllib
from collections import defaultdict
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from tools import setup

ROOT = Path(__file__).resolve().parents[2]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
LINES = (ROOT / "requirements.txt").read_text(encoding="utf-8").splitlines()

WANTED = [
    Requirement(text)
    for group in (PROJECT["dependencies"], *PROJECT["optional-dependencies"].values())
    for text in group
]
PINS: dict[str, list[Requirement]] = defaultdict(list)
for line in LINES:
    if line and not line.startswith("#"):
        PINS[canonicalize_name(Requirement(line).name)].append(Requirement(line))

PYTHONS = [words.rpartition(" ")[2] for words in PROJECT["classifiers"] if "Python :: 3." in words]
MACHINES = [
    {"python_full_version": f"{version}.4", "python_version": version, "sys_platform": system, "os_name": name}
    for version in PYTHONS
    for system, name in (("linux", "posix"), ("darwin", "posix"), ("win32", "nt"))
]


@pytest.mark.parametrize("wanted", WANTED, ids=str)
def test_every_direct_dependency_is_pinned_once_on_every_machine(wanted):
    for machine in MACHINES:
        pins = [
            pin for pin in PINS[canonicalize_name(wanted.name)] if pin.marker is None or pin.marker.evaluate(machine)
        ]
        assert len(pins) == 1, f"{wanted.name} has {len(pins)} pins on {machine}: make lock"
        (specifier,) = pins[0].specifier
        assert specifier.operator == "=="
        assert wanted.specifier.contains(specifier.version, prereleases=True), (
            f"{pins[0]} does not fit {wanted}: make lock"
        )


def test_every_line_is_one_exact_version():
    for line in LINES:
        assert line.startswith("#") or re.fullmatch(r"[A-Za-z0-9._-]+==[A-Za-z0-9._+!-]+( ; .+)?", line), line


def test_the_lock_the_set_up_make_and_the_workflows_name_the_same_pythons():
    oldest, newest = PYTHONS[0], PYTHONS[-1]
    assert PROJECT["requires-python"] == f">={oldest}"
    assert [".".join(map(str, version)) for version in setup.PYTHONS] == [oldest, newest]
    for path in ("requirements.txt", "tools/lock.py"):
        assert f"Python {oldest} to {newest}" in " ".join((ROOT / path).read_text(encoding="utf-8").split())
    assert all(f" python{version} " in (ROOT / "Makefile").read_text(encoding="utf-8") for version in PYTHONS)
    matrix = {name: re.findall(r"python: \[(.+)\]", (ROOT / ".github" / "workflows" / name).read_text(encoding="utf-8"))
              for name in ("tests.yml", "newest.yml")}  # fmt: skip
    assert matrix["tests.yml"] == [f'"{oldest}", "{newest}"']
    assert matrix["newest.yml"] == [", ".join(f'"{version}"' for version in PYTHONS)]


def test_torch_is_exact_and_its_cuda_packages_are_left_to_pip():
    assert [str(pin.specifier) for pin in PINS["torch"]] == ["==2.13.0"]
    assert not [name for name in PINS if name.startswith(("nvidia-", "cuda-", "triton"))]


def test_each_direct_dependency_says_why():
    text = (ROOT / "pyproject.toml").read_text(encoding="utf-8")
    dependencies = text[text.index("dependencies = [") : text.index("[project.scripts]")]
    silent = [line.strip() for line in dependencies.splitlines() if line.strip().startswith('"') and "#" not in line]
    assert not silent
