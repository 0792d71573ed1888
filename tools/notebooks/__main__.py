"""Making the notebooks: `python -m tools.notebooks COMMAND [NOTEBOOK ...]`.

    to-text [NOTEBOOK ...]      write notebooks as percent text to `_build/text/`, to be edited there
    from-text [NOTEBOOK ...]    lay that text into the notebooks; unchanged cells keep their outputs
    solve [NOTEBOOK ...]        write `_build/solved/`: the solutions in their stubs' places
    record [NOTEBOOK ...]       record the numbers that the checks of a chapter compare with
    refresh [NOTEBOOK ...]      record, then run the solved notebooks and store their outputs
    translated FOLDER [NOTEBOOK ...]  hold a translation's notebooks against the original's, which lie in FOLDER

NOTEBOOK is a number such as 02, a stem or a path. The committed notebook is the one source of prose, stubs and check
cells; what is derived from it (metadata that nbgrader wants, ids, checksums, `course/checks/recorded/`) is completed
here.
"""

import argparse
import sys
from pathlib import Path

from autograde.bank.reader import BankError
from course.chapters import Unfinished
from course.exercises import exercises
from course.files import replace
from tools.notebooks.as_text import TEXTS, from_text, to_text
from tools.notebooks.files import NOTEBOOKS, ROOT, chapter, paths, read
from tools.notebooks.listing import write_exercises
from tools.notebooks.recording import RECORDED, record
from tools.notebooks.refreshing import refresh
from tools.notebooks.solving import write_solved
from tools.notebooks.translated import differences


def main(arguments: list[str]) -> None:
    """The command line; what an author forgot is told in a sentence."""
    try:
        _run(arguments)
    except (Unfinished, BankError) as error:
        raise SystemExit(str(error)) from None


def _run(arguments: list[str]) -> None:
    parser = argparse.ArgumentParser(prog="python -m tools.notebooks", description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)  # fmt: skip
    commands = parser.add_subparsers(dest="command", required=True)
    for name in ("solve", "refresh", "record", "to-text", "from-text"):
        commands.add_parser(name).add_argument("notebook", nargs="*")
    translation = commands.add_parser("translated")
    translation.add_argument("original", type=Path)
    translation.add_argument("notebook", nargs="*")
    options = parser.parse_args(arguments)
    if options.command == "from-text":
        for text in paths(options.notebook, TEXTS, ".py"):
            notebook = NOTEBOOKS / f"{text.stem}.ipynb"
            from_text(text, notebook)
            print(
                f"{notebook.relative_to(ROOT)}: {len(read(notebook).cells)} cells; {len(exercises())} exercises listed"
            )
        return
    if options.command == "translated":
        differing = [line for path in paths(options.notebook) for line in _translated(path, options.original)]
        if differing:
            raise SystemExit("\n".join(differing))
        print("faithful: cells, metadata, code, numbers and links are the original's")
        return
    for path in paths(options.notebook):
        if options.command == "to-text":
            TEXTS.mkdir(parents=True, exist_ok=True)
            text = TEXTS / f"{path.stem}.py"
            replace(text, to_text(path))
            print(text.relative_to(ROOT))
        elif options.command == "solve":
            print(write_solved(path).relative_to(ROOT))
        elif options.command == "record":
            write_exercises()
            written = record(chapter(path))
            print(f"{RECORDED.relative_to(ROOT)}: {written} tables of {path.stem} are new, the others as they were")
        else:
            refresh(path)
            print(f"{path.relative_to(ROOT)} is fresh")


def _translated(path: Path, folder: Path) -> list[str]:
    """What a notebook has otherwise than its namesake in the original's folder. Raises SystemExit without one."""
    original = folder / path.name
    if not original.is_file():
        raise SystemExit(f"{original} is not there: name the folder `notebooks` of a copy of the original")
    return [f"{path.name}, {line}" for line in differences(read(original), read(path))]


if __name__ == "__main__":
    main(sys.argv[1:])
