"""What is committed is whole, small, and belongs to no one machine."""

import ast
import json
import re
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
TEXT = set(".py .md .toml .yml .yaml .txt .json .cfg .ini .css .js .html .sh .bib .ipynb".split()) | {""}
UNFINISHED = re.compile(r"\b(" + "|".join(["TO" + "DO", "FIX" + "ME", "X" + "XX"]) + r")\b")
CONFLICT = re.compile(r"^(<{7}|>{7}) ", re.MULTILINE)
# A package comes from wherever pip is configured to look: no file here names a place.
PLACES = re.compile(r"--(extra-)?index-url|--find-links|--trusted-host")
MADE_ELSEWHERE = re.compile(r"\.min\.(js|mjs|css)$|\.(js|css)\.map$|\.(woff2?|ttf|otf|eot)$", re.IGNORECASE)
SETTINGS = {".txt", ".toml", ".yml", ".yaml", ".cfg", ""}


def committed() -> list[Path]:
    """The files that git tracks."""
    done = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, text=True)
    if done.returncode:
        pytest.skip("not a git checkout")
    names = [name for name in done.stdout.split("\0") if name and (ROOT / name).is_file()]
    assert len(names) > 100, "every test here would look at next to nothing"
    return [ROOT / name for name in names]


def texts() -> list[tuple[str, str]]:
    """Tracked text files, by path."""
    return [
        (path.relative_to(ROOT).as_posix(), path.read_text(encoding="utf-8"))
        for path in committed()
        if path.suffix in TEXT
    ]


def test_nothing_is_left_unfinished():
    for name, text in texts():
        if name.startswith("benchmarks/first_look/"):  # as it was handed in
            continue
        assert not UNFINISHED.search(text), f"{name}: {UNFINISHED.search(text)}"
        assert not CONFLICT.search(text), f"{name} has a conflict in it"


def test_optimizers_optimize():
    """One spelling in what a learner reads, PyTorch's."""
    read = re.compile(r"(book|course|notebooks|solutions)/|README\.md")
    other = re.compile("optimi" + r"s(e|ing|ation)", re.IGNORECASE)
    found = [f"{name}: {match[0]}" for name, text in texts() if read.match(name) for match in other.finditer(text)]
    assert not found, found


def test_no_path_of_this_machine():
    own = [str(path) for path in (ROOT, Path.home()) if len(path.parts) > 2]
    for name, text in texts():
        assert not [path for path in own if path in text], name


def test_no_place_to_fetch_packages_from():
    for path in committed():
        if path.suffix in SETTINGS and path.name not in ("LICENSE", "LICENSE-TEXT") and path.suffix in TEXT:
            assert not PLACES.search(path.read_text(encoding="utf-8")), path


def test_what_is_made_is_not_committed():
    names = {path.relative_to(ROOT).parts[0] for path in committed()}
    assert not names & {"_build", "work", "class", ".venv", "node_modules"}


def test_no_code_of_others_is_committed():
    """Nothing that was made elsewhere: a library, its styles and its fonts come by a package that the lock pins."""
    brought = [path.relative_to(ROOT).as_posix() for path in committed() if MADE_ELSEWHERE.search(path.name)]
    assert not brought, f"{brought} belong to a library: ask for its package in pyproject.toml"


def test_files_are_small():
    for path in committed():
        assert path.stat().st_size < 1_500_000, f"{path.relative_to(ROOT)} has {path.stat().st_size} bytes"


def test_stored_drawings_are_small():
    """Nothing above 60 KB in a notebook's outputs, so that a page loads on a phone."""
    drawings = 0
    for path in (ROOT / "notebooks").glob("*.ipynb"):
        for cell in json.loads(path.read_text(encoding="utf-8"))["cells"]:
            for output in cell.get("outputs", []):
                for kind, data in output.get("data", {}).items():
                    size = len("".join(data)) if isinstance(data, list) else len(str(data))
                    assert size <= 60 * 1024 * (4 / 3 if kind == "image/png" else 1), (
                        f"{path.name}: {kind} of {size} characters"
                    )
                    drawings += kind.startswith("image/")
    assert drawings > 10


def test_every_package_says_what_may_be_touched_in_it():
    packages = [path for path in committed() if path.name == "__init__.py"]
    ours = [path for path in packages if path.relative_to(ROOT).parts[0] not in ("tests", "solutions")]
    for path in ours:
        said = ast.get_docstring(ast.parse(path.read_text("utf-8"))) or ""
        assert path.parent.name == "experiments" or "Safe to change:" in " ".join(said.split()), path.relative_to(ROOT)
    assert len(ours) > 15
