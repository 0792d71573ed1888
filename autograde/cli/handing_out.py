"""From the committed notebooks to what students get."""

from __future__ import annotations

from collections.abc import Collection
from pathlib import Path
from typing import Annotated

import typer

from autograde.cli import chosen
from autograde.cli.options import CLASS, Class
from autograde.folders import ClassFolder
from autograde.terminal import say, stop
from autograde.terminal.handing_out import show_handed_out
from autograde.terminal.progress import Steps
from course.exercises import SPINE

NOTEBOOKS = Path(__file__).resolve().parents[2] / "notebooks"


def release(
    notebooks: Annotated[
        list[str] | None,
        typer.Argument(help="numbers or names such as 02-bahdanau; spine for the short way; all where none is named"),
    ] = None,
    due: Annotated[
        list[str] | None,
        typer.Option(help="an assignment whose solutions may be handed out: they go into the archives"),
    ] = None,
    earlier: Annotated[
        str,
        typer.Option(
            help="of what an assignment takes from earlier ones: references, they come along; due, only those of"
            " assignments that are due, and without them nothing is released; own, students bring what they wrote"
        ),
    ] = "references",
    to: Annotated[
        Path | None, typer.Option(help="also write the assignments as folders into this one, to be published")
    ] = None,
    repository: Annotated[
        str, typer.Option(help="where that folder will be published (https://github.com/OWNER/NAME): links are printed")
    ] = "",
    branch: Annotated[str, typer.Option(help="the branch of the repository")] = "main",
    hub: Annotated[
        str, typer.Option(help="a JupyterHub with nbgitpuller (https://hub.example.org): its links too")
    ] = "",
    dry_run: Annotated[bool, typer.Option("--dry-run", help="say what would be handed out, and write nothing")] = False,
    where: Class = CLASS,
) -> None:
    """Make nbgrader's assignments and the archives to hand out from the committed notebooks."""
    from autograde.gradebook import earlier as owed
    from autograde.gradebook import hand_out
    from autograde.gradebook import release as releasing
    from autograde.wheel import wheel

    folder = ClassFolder.at(where)
    chosen.require_layout(folder)
    stems = {path.stem: path for path in sorted(NOTEBOOKS.glob("[0-9][0-9]-*.ipynb"))}
    if earlier not in owed.POLICIES:
        raise stop(f"--earlier is one of {', '.join(owed.POLICIES)}, and not {earlier!r}")
    if (repository or hub) and to is None:
        raise stop("--repository and --hub go with --to: say which folder will be published")
    if hub and not repository:
        raise stop("--hub goes with --repository: say where the hub gets the folder from")
    paths, over = [stems[stem] for stem in _stems(notebooks, stems) or list(stems)], _stems(due, stems)
    try:
        published = hand_out.Repository.at(repository, branch) if repository else None
        built = wheel()
        given: list[hand_out.HandedOut] = []
        put: list[tuple[str, bool]] = []
        with Steps() as steps:
            for count, path in enumerate(paths):
                steps.update("assignments", count, len(paths))
                given.append(hand_out.hand_out(path, over, earlier, built, published))

            def publish() -> None:
                if to is not None:
                    put.extend(hand_out.put(to, given))

            done = [] if dry_run else releasing.release(folder, paths, over, earlier, publish)
    except (RuntimeError, ValueError) as error:
        raise stop(error) from None
    show_handed_out(given, done, put, dry_run)
    if published:
        for each in given:
            for what, address in published.links(each.name, hub).items():
                say(f"{each.name}, {what}: {address}")
    if not dry_run:
        say(f"To hand out: {folder.archives}/{f' and {to}/' if to else ''}")


def _stems(words: list[str] | None, stems: Collection[str]) -> list[str]:
    """The notebooks meant by numbers, names or "spine", each once."""
    each = [name for word in words or [] for name in (SPINE if word == "spine" else [word])]
    return chosen.all_meant(each, stems, "notebook")
