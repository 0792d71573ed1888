"""What a class rests on, and a made-up one that tries the grader."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from autograde.terminal import console, say

if TYPE_CHECKING:
    from autograde.folders import ClassFolder
    from autograde.reports.trial import Trial
    from autograde.sandbox.causes import Finding


def show_findings(folder: ClassFolder, findings: Sequence[Finding]) -> None:
    """What is well in a class, and what to do where something is not."""
    say(f"\nThe class in {folder.root}:")
    for finding in findings:
        say(f"{'ok' if finding.ok else 'NO'}  {finding.name:8}  {finding.detail}")
        if not finding.ok:
            say(f"    {'':8}  to do: {finding.remedy}")


def show_tried(tried: Trial) -> None:
    """How many submissions of each kind came out as they must, and which did not."""
    for kind, count in tried.of.items():
        console.print(f"{kind}: {tried.right.get(kind, 0)} of {count} as they must", highlight=False)
    for sentence in tried.amiss:
        say(f"NO  {sentence}", "bold red")
    console.print(f"{tried.seconds / max(1, sum(tried.of.values())):.2f} s for each submission", highlight=False)


def show_how_much_was_tried(tried: Trial, corpora: int | None) -> None:
    """What ran of the full examination and how it ended, and what did not run. `corpora`: how the tests' attacks and
    broken files ended, None where they did not run."""
    made_up = f"The made-up class ran: {sum(tried.right.values())} of {sum(tried.of.values())} as they must."
    beside = {
        None: "The attacks and the broken files of the tests did not run, so nothing is known of them here: they need"
        " the tests' packages. To do: make test-set-up, and give the command again.",
        0: "The attacks and the broken files of the tests ran: all as they must.",
    }.get(corpora, "The attacks and the broken files of the tests ran: not all as they must, see above.")
    say(f"\n{made_up}\n{beside}")
    if tried.amiss or corpora:
        say("Do not grade with this installation before each of these is explained.")
