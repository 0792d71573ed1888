"""CONTRIBUTING.md leads through a new exercise, question and chapter: here it is followed to the letter, in a copy.

Every block of code in its three sections goes where the words before it say, every command is run, and what looks at
exercises must then pass: no step may be missing, and none may be a trap.
"""

import os
import re
import shlex
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
GUIDE = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
MADE = ("_build", "work", "class", "__pycache__", ".*")
BLOCK = re.compile(r"^(?P<indent> *)```(?P<language>\w+)\n(?P<body>.*?)^(?P=indent)```$", re.MULTILINE | re.DOTALL)
PLACE = re.compile(r"`([\w./-]+\.(?:py|toml|md|yml))`")
AFTER = {"[hints]": "\n[hints]\n"}
BEFORE = {"Chapters": "  - caption: Solutions\n", "Solutions": "  - caption: For instructors\n"}


def section(title: str) -> str:
    """A section of the guide, without its heading."""
    return re.split(r"^## ", GUIDE.split(f"\n## {title}\n")[1], flags=re.MULTILINE)[0]


def blocks(text: str) -> Iterator[tuple[str, str, str]]:
    """(words before it, language, code without its indentation) of each block."""
    end = 0
    for block in BLOCK.finditer(text):
        body = re.sub(rf"^{block['indent']}", "", block["body"], flags=re.MULTILINE)
        yield text[end : block.start()], block["language"], body
        end = block.end()


def run(tree: Path, *command: str | Path) -> str:
    """What a command printed, run in the copy on the copy's own packages; it must end well."""
    environment = {**os.environ, "PYTHONPATH": str(tree), "OMP_NUM_THREADS": "1", "MKL_NUM_THREADS": "1"}
    environment = {k: v for k, v in environment.items() if not k.startswith("PYTEST_")}
    done = subprocess.run(command, cwd=tree, env=environment, stdin=subprocess.DEVNULL, capture_output=True, text=True)
    assert done.returncode == 0, f"{shlex.join(map(str, command))}:\n{done.stdout[-6000:]}\n{done.stderr[-3000:]}"
    return done.stdout


def as_here(line: str) -> list[str]:
    """A command of the guide in this environment: for `.venv/bin/python` its own, and make's recipe without make."""
    words = shlex.split(line)
    if words[:2] == ["make", "refresh"]:
        return [sys.executable, "-m", "tools.notebooks", "refresh", *(w.removeprefix("ARGS=") for w in words[2:])]
    assert words[0] == ".venv/bin/python", line
    return [sys.executable, *words[1:]]


def put(tree: Path, words: str, code: str) -> None:
    """Lay a block where the words before it say: at the end of the file named last or of a part, or behind a line."""
    named = PLACE.findall(words)
    after, before = (
        next((line for name, line in lines.items() if re.search(rf"{said} [`*]{re.escape(name)}", words)), "")
        for said, lines in (("after the line", AFTER), ("at the end of", BEFORE))
    )
    where = after or before
    path = tree / (named[-1] if named else "_toc.yml")
    old = path.read_text(encoding="utf-8") if path.exists() else ""
    assert where in old, f"{path.name} has no {where.strip()}"
    if old and path.suffix == ".py":
        code = f"\n\n{code}"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(old.replace(where, after + code + before, 1) if where else old + code, encoding="utf-8")


def follow(tree: Path, title: str) -> list[str]:
    """Do what a section of the guide says; what its commands printed."""
    said = []
    for words, language, code in blocks(section(title)):
        if language != "sh":
            put(tree, words, code)
            continue
        for line in code.splitlines():
            said.append(run(tree, *as_here(line)))
    return said


@pytest.fixture(scope="module")
def tree(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of the course in which the guide was followed, for an exercise, two questions and a chapter."""
    tree = tmp_path_factory.mktemp("copy") / "course"
    shutil.copytree(ROOT, tree, ignore=shutil.ignore_patterns(*MADE))
    for title, exercises in (("Add an exercise", 1), ("Add a question", 0), ("Add a chapter", 1)):
        said = "".join(follow(tree, title))
        assert said.count("caught 4/4  named 4/4  accepted 3/3") == exercises and "TOO FEW" not in said
    return tree


def passes(tree: Path, *arguments: str) -> None:
    """These tests of the copy pass, and there are some."""
    output = run(tree, sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", *arguments)
    assert "passed" in output and "failed" not in output


def test_what_looks_at_exercises_passes(tree):
    """Notebooks and solutions, banks as recorded and from a fresh seed, what messages disclose, imports."""
    files = ("tests/notebooks/test_one_source.py", "tests/autograde/bank/test_bank.py",
             "tests/course/checks/test_disclosure.py", "tests/project/test_imports.py")  # fmt: skip
    passes(tree, *files, "-k", "row_entropy or running_mean or 98-running-means or 00-warm-up or registry or imports")


@pytest.mark.sandbox
def test_a_chapter_with_one_exercise_can_be_graded(tree):
    """In the sandbox, answer by answer and as a whole sample class, which is the least that a chapter may be."""
    files = ("bank/test_bank_in_sandbox.py", "bank/test_sample.py", "grading/test_judge_blanks.py")
    passes(tree, *(f"tests/autograde/{file}" for file in files), "-k", "98-running-means")


def test_the_questions_tell_right_from_wrong(tree):
    """As a learner's check judges them: the right answer, each wrong one that is named, and any other."""
    judged = """
from course.checks.questions import judge
from course.exercises import by_number
for number, answer in (("0.q98", 448), ("0.q98", 28), ("0.q98", 1), ("0.q99", {"a", "c"}), ("0.q99", {"b"})):
    verdict = judge(by_number(number), answer)
    print(number, verdict.passed, "|".join([verdict.message, *(case.message for case in verdict.cases)]))
"""
    printed = run(tree, sys.executable, "-c", judged).splitlines()
    assert [line.split()[1] for line in printed] == ["True", "False", "False", "True", "False"]
    for line, words in zip(
        printed, ("multiplied", "how many words", "Each of the 4", "sure of", "its largest"), strict=True
    ):
        assert words in line


def test_what_the_guide_leaves_to_do_is_told(tree):
    """The pages that name the chapters: the guide says that `make check` says which."""
    passes(tree, "tests/project/test_chapters.py", "-k", "contents")
    asked = (sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "tests/project/test_chapters.py", "--fast")
    finished = subprocess.run(
        asked, cwd=tree, env={**os.environ, "PYTHONPATH": str(tree)}, capture_output=True, text=True
    )
    assert finished.returncode == 1 and finished.stdout.count("mend it") >= 3
    for page in ("README.md", "book/index.md", "book/start/ways.md"):
        assert page in finished.stdout


def test_it_is_in_style(tree):
    """The guide's own blocks too, as they stand in CONTRIBUTING.md."""
    ruff = Path(sys.executable).parent / "ruff"
    run(tree, ruff, "check", "--no-cache", ".")
    run(tree, ruff, "format", "--no-cache", "--check", ".")


def test_the_book_shows_the_answers(tree):
    """On the pages of both chapters, also where nobody wrote a section; and the new chapter is in the contents."""
    from course.exercises import Exercise
    from theme.solutions import completed

    one = {"points": 1, "difficulty": 1, "importance": 3, "minutes": 4, "stretch": False, "question": False}
    new = Exercise("98.1", "running_mean", "running_means", "98-running-means", ("running_mean",), **one)
    page = (tree / "book" / "solutions" / "98-running-means.md").read_text(encoding="utf-8")
    assert ":pyobject: running_mean\n" in completed(page, (new,)) and "## 98.1 Running mean\n" in completed(
        page, (new,)
    )
    assert completed(completed(page, (new,)), (new,)) == completed(page, (new,))
    contents = (tree / "_toc.yml").read_text(encoding="utf-8")
    assert contents.index("notebooks/98-") < contents.index("caption: Solutions") < contents.index("solutions/98-")
