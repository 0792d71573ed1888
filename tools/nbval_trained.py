"""nbval's comparison for cells that train: their numbers may differ a little from one processor to another.

Processors add in different orders, and some hundred steps of training turn the last digit of a sum into a sentence
more or less that is written right. So in cells tagged `skip-execution`, which train or draw from training, a number
counts as the stored one within TOLERANCE; all words must be the same, and what the text claims the cell asserts. Every
other cell is compared to the letter. Used by `tests/notebooks/test_solved.py` (`-p tools.nbval_trained`).
"""

import re

from nbval.plugin import IPyNbCell

TRAINED = "skip-execution"
TOLERANCE = {"of one": 0.25, "of the number": 0.1}  # the larger of the two: shares move by steps, losses by parts
NUMBER = re.compile(r"-?\d+(?:,\d{3})*(?:\.\d+)?(?:e[+-]?\d+)?")

_to_the_letter = IPyNbCell.compare_outputs


def close(stored: str, new: str) -> bool:
    """Whether two outputs say the same in the same words, with numbers that lie within the tolerance."""
    if _words(stored) != _words(new):
        return False
    pairs = zip(NUMBER.findall(stored), NUMBER.findall(new), strict=True)
    return all(_near(float(a.replace(",", "")), float(b.replace(",", ""))) for a, b in pairs)


def _words(text: str) -> list[str]:
    return NUMBER.sub(" # ", text).split()  # a column may be a character wider


def _near(stored: float, new: float) -> bool:
    return abs(stored - new) <= max(TOLERANCE["of one"], TOLERANCE["of the number"] * abs(stored)) + 1e-9


def _compare(cell: IPyNbCell, test: list, ref: list, skip_compare: tuple[str, ...] | None = None) -> bool:
    """nbval's own comparison, in a trained cell with each output that is close taken for the stored one."""
    if TRAINED in cell.cell.metadata.get("tags", []):
        for new, stored in zip(test, ref, strict=False):
            for ours, theirs in ((new, stored), (new.get("data", {}), stored.get("data", {}))):  # a stream, or a value
                for key in ours.keys() & theirs.keys():
                    if isinstance(ours[key], str) and isinstance(theirs[key], str) and close(theirs[key], ours[key]):
                        ours[key] = theirs[key]
    return _to_the_letter(cell, test, ref, skip_compare)


def pytest_configure() -> None:
    """Called by pytest: from here on nbval compares so."""
    IPyNbCell.compare_outputs = _compare
