"""`make course`: the book, the assignments, a sample class and its grades, each made again when its sources changed.

    python -m tools.course            # everything (on Linux; elsewhere the book alone: grading needs Linux)
    python -m tools.course book       # the book alone, what `make book` and `make serve` need

A step's stamp in `_build/made/` holds a digest of the contents of all that it was made from, not their times, which
lie after a checkout. It is removed before the step starts and written after it has ended, so an interrupted step is
always made again. (doit, tried in its place, takes an interrupted step for made once its sources are back at what they
were; and it knows files as sources and targets, where most of these are folders.)
"""

import argparse
import hashlib
import os
import shutil
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from autograde import layout
from autograde.folders import ClassFolder
from course.files import replace

ROOT = Path(__file__).resolve().parent.parent
BUILD = ROOT / "_build"
STAMPS = BUILD / "made"
HTML = BUILD / "html"
CLASS = ROOT / "class"
BIN = Path(sys.executable).parent  # not resolved: the environment's own programs stand beside its own python

BOOK_SOURCES = (
    "_config.yml",
    "_toc.yml",
    "requirements.txt",
    "book",
    "locale",
    "notebooks",
    "theme",
    "solutions",
    "course",
    "benchmarks",
    "training",
    "autograde",
    "tools",
)
# What the site's extension asks the environment (theme/address.py, theme/contents.py): another answer, another book.
BOOK_ENVIRONMENT = ("COURSE_REPOSITORY", "GITHUB_REPOSITORY", "COURSE_BRANCH", "GITHUB_REF_NAME", "COURSE_SITE",
                    "COURSE_SOLUTIONS", "COURSE_LANGUAGE", "COURSE_PACKAGE", "COURSE_NOTEBOOKS",
                    "COURSE_VOLUME")  # fmt: skip
GRADE_SOURCES = ("requirements.txt", "notebooks", "course", "solutions", "autograde", "tools/course.py")
NOT_SOURCES = {"__pycache__", ".ipynb_checkpoints"}


class StepFailed(Exception):
    """A step ended badly; its own message stands above."""


@dataclass(frozen=True)
class Step:
    """Something that is made: what it says, what it is made from, what it leaves, and how."""

    name: str
    title: str
    sources: tuple[str, ...]
    target: Path
    make: Callable[[], None]
    after: tuple["Step", ...] = field(default=())
    environment: tuple[str, ...] = ()

    def digest(self) -> str:
        """Of the contents of the sources, of the variables that matter, and of the steps before."""
        total = hashlib.sha256(self.name.encode())
        for variable in self.environment:
            total.update(f"\0{variable}={os.environ.get(variable, '')}".encode())
        for step in self.after:
            total.update(step.digest().encode())
        for source in self.sources:
            path = ROOT / source
            files = [path] if path.is_file() else sorted(file for file in path.rglob("*") if file.is_file())
            for file in files:
                relative = file.relative_to(ROOT)
                if not NOT_SOURCES.intersection(relative.parts):
                    total.update(f"\0{relative.as_posix()}\0".encode() + hashlib.sha256(file.read_bytes()).digest())
        return total.hexdigest()

    def stands(self) -> bool:
        """Whether it was made, whole, from what the sources now hold."""
        stamp = STAMPS / self.name
        return self.target.exists() and stamp.exists() and stamp.read_text(encoding="utf-8") == self.digest()

    def bring_up_to_date(self, position: str) -> None:
        """Makes it, unless it stands."""
        if self.stands():
            print(f"[{position}] {self.title}: unchanged", flush=True)
            return
        stamp, digest = STAMPS / self.name, self.digest()
        print(f"[{position}] {self.title} ...", flush=True)
        started = time.perf_counter()
        stamp.unlink(missing_ok=True)
        self.make()
        if not self.target.exists():
            raise StepFailed(f"{self.title} ended without leaving {self.target.relative_to(ROOT)}")
        STAMPS.mkdir(parents=True, exist_ok=True)
        replace(stamp, digest)
        print(f"[{position}] {self.title}: done in {time.perf_counter() - started:.1f} s", flush=True)


def run(*command: str | Path) -> None:
    """Runs a program of the environment from the root, its output shown as it comes."""
    environment = {**os.environ, "PATH": f"{BIN}{os.pathsep}{os.environ.get('PATH', '')}", "OMP_NUM_THREADS": "1"}
    words = [str(word) for word in command]
    done = subprocess.run(words, cwd=ROOT, env=environment, stdin=subprocess.DEVNULL)
    if done.returncode:
        raise StepFailed(
            f"`{' '.join([Path(words[0]).name, *words[1:]])}` ended with {done.returncode}: see its messages above"
        )


def build_book() -> None:
    """Builds beside, with warnings as errors, then puts the finished book in the old one's place.

    Sphinx keeps what it has read between builds, so that a change of one page costs one page. A build that did not end
    well leaves pages that look finished: then everything is read again.
    """
    beside, unfinished = BUILD / "book", BUILD / "book-unfinished"
    if unfinished.exists():
        shutil.rmtree(beside, ignore_errors=True)
    beside.mkdir(parents=True, exist_ok=True)
    unfinished.touch()
    run(BIN / "jupyter-book", "build", ".", "--path-output", beside, "-W", "-n", "--keep-going")
    unfinished.unlink()
    fresh, old = BUILD / "html-fresh", BUILD / "html-old"
    for folder in (fresh, old):
        shutil.rmtree(folder, ignore_errors=True)
    shutil.copytree(beside / "_build" / "html", fresh)
    if HTML.exists():
        HTML.rename(old)
    fresh.rename(HTML)
    shutil.rmtree(old, ignore_errors=True)


def autograde(*words: str) -> Callable[[], None]:
    """A step that is one of the grader's own commands."""
    return lambda: run(BIN / "autograde", *words)


def grade_the_class() -> None:
    """Their grades. On a busy machine nobody can tell who never ends from who had to wait: what has no verdict for that
    reason is tried once more, when the rest is done."""
    grade = autograde("grade", "--outdated")
    try:
        grade()
    except StepFailed:
        print("What could not be graded is tried once more.", flush=True)
        grade()


def upgrade_an_older_class() -> None:
    """Gives a class that an earlier version made this version's layout, after an archive of it: whoever pulls an update
    and makes the course again has nothing else to type."""
    folder = ClassFolder.at(CLASS)
    try:
        if not layout.there(folder) or layout.of(folder).layout >= layout.LAYOUT:
            return  # of a newer one, `autograde release` says what to do
    except layout.OtherLayout as error:
        raise StepFailed(str(error)) from None
    print(f"{CLASS.name}/ was made by an earlier version of the course: it is archived, then upgraded.", flush=True)
    run(BIN / "autograde", "upgrade", "--class", CLASS)


BOOK = Step("book", "the book", BOOK_SOURCES, HTML / "index.html", build_book, environment=BOOK_ENVIRONMENT)
RELEASE = Step("release", "the assignments", GRADE_SOURCES, CLASS / "release", autograde("release"))
SAMPLE = Step("sample", "a sample class's submissions", (), CLASS / "submissions", autograde("sample"), (RELEASE,))
GRADES = Step("grade", "their grades", (), CLASS / "gradebook.db", grade_the_class, (SAMPLE,))
FEEDBACK = Step("feedback", "their feedback", (), CLASS / "feedback", autograde("feedback"), (GRADES,))
EXPORT = Step("export", "the list of grades", (), CLASS / "grades.csv", autograde("export"), (FEEDBACK,))

BOOK_MADE = """
The book          _build/html/index.html
"""
CLASS_MADE = """\
The assignments   class/release/      what students get
The submissions   class/submissions/  a sample class: right, partly right, wrong, broken and hostile
The feedback      class/feedback/     a page for each student
The summaries     class/summary/      how each assignment went, a page for you
The grades        class/grades.csv, and class/gradebook.db for nbgrader
"""
NEXT = """
Next:
  make serve      read the book in a browser
  make lab        work on the notebooks in JupyterLab
"""
NEXT_GRADER = """\
  make formgrader look at the gradebook with nbgrader's own page
  make test       run every test
  .venv/bin/autograde --help    the grader's commands
"""


def main() -> None:
    parser = argparse.ArgumentParser(description="Make the book and a graded sample class.")
    parser.add_argument("what", nargs="?", choices=("all", "book"), default="all")
    what = parser.parse_args().what
    can_grade = sys.platform == "linux"
    steps = [BOOK, RELEASE, SAMPLE, GRADES, FEEDBACK, EXPORT] if what == "all" and can_grade else [BOOK]
    try:
        for number, step in enumerate(steps, start=1):
            if step is RELEASE and not all(later.stands() for later in steps[number - 1 :]):
                run(BIN / "autograde", "doctor")  # stops here where nothing could be graded safely
                upgrade_an_older_class()
            step.bring_up_to_date(f"{number}/{len(steps)}")
    except StepFailed as failure:
        raise SystemExit(
            f"make course stopped: {failure}. What was made before stands; run it again to go on."
        ) from None
    except KeyboardInterrupt:
        raise SystemExit("\ninterrupted: run it again, it goes on from here.") from None
    if what == "all":
        print(
            BOOK_MADE
            + (CLASS_MADE if can_grade else "Grading needs Linux, or a Linux container or virtual machine.\n")
            + NEXT
            + (NEXT_GRADER if can_grade else ""),
            end="",
            flush=True,
        )


if __name__ == "__main__":
    main()
