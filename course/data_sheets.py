"""What GPUs can do at most, from their makers' data sheets: operations a second by format, and memory.

Safe to change: a card more, with the sheet that it is taken from. Not safe: a figure that no sheet has.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import torch


def _peaks(float32: float, tf32: float | None, sixteen: float, bfloat16: bool = True) -> dict[str, float]:
    """From trillions of operations a second; sixteen is of float16, and of bfloat16 where there is any."""
    peaks = {"float32": float32, "tf32": tf32, "float16": sixteen, "bfloat16": sixteen if bfloat16 else None}
    return {name: 1e12 * peak for name, peak in peaks.items() if peak is not None}


# Operations a second without sparsity, by the names that torch gives the cards; "tf32" is float32 with --tf32. The
# 16-bit numbers are those of the tensor units, with sums kept in float32. Where a sheet gives figures with sparsity
# only, they are halved, as its footnote says. A part of a card (MIG) is not the card.
DATA_SHEETS: dict[str, dict[str, float]] = {
    # NVIDIA, "A100 Tensor Core GPU" (data sheet, 2021)
    r"NVIDIA A100[- ](?!.*MIG).*": _peaks(19.5, 156, 312),
    # NVIDIA, "H100 Tensor Core GPU Architecture" (white paper, 2022), table 2
    r"NVIDIA H100 80GB HBM3": _peaks(66.9, 494.7, 989.4),
    r"NVIDIA H100 PCIe": _peaks(51.2, 378, 756),
    # NVIDIA, "H200 Tensor Core GPU" (data sheet, 2023), SXM: the H100's units beside more memory
    r"NVIDIA H200": _peaks(66.9, 494.7, 989.4),
    # NVIDIA, "L4 Tensor Core GPU" (data sheet, 2023)
    r"NVIDIA L4": _peaks(30.3, 60, 121),
    # NVIDIA, "T4 Tensor Core GPU" (data sheet, 2019)
    r"Tesla T4|NVIDIA T4": _peaks(8.1, None, 65, bfloat16=False),
    # NVIDIA, "Ada GPU Architecture" (white paper, 2022), appendix A
    r"NVIDIA GeForce RTX 4090": _peaks(82.6, 82.6, 165.2),
}


def data_sheet(name: str) -> dict[str, float] | None:
    """Peaks by format of a card that torch calls `name`; None where the table does not have it."""
    return next((peaks for pattern, peaks in DATA_SHEETS.items() if re.fullmatch(pattern, name)), None)


@dataclass(frozen=True)
class Card:
    """A GPU's data sheet: GB of memory, bytes a second, compute capability. Its peaks are those of `DATA_SHEETS`."""

    name: str
    memory: float
    bandwidth: float
    capability: tuple[int, int]
    source: str

    @property
    def peaks(self) -> dict[str, float]:
        """Operations a second of products, by format."""
        peaks = data_sheet(self.name)
        assert peaks is not None, f"DATA_SHEETS has no peaks of {self.name}"
        return peaks

    def peak(self, dtype: torch.dtype | str, tf32: bool = False) -> float:
        """Operations a second of products in a format, PyTorch's type or its name.

        A format without units of its own is computed in float32.
        """
        name = str(dtype).removeprefix("torch.")
        name = "tf32" if tf32 and name == "float32" else name
        return self.peaks.get(name, self.peaks["float32"])


CARDS = {
    "t4": Card("Tesla T4", 16, 320e9, (7, 5), "NVIDIA T4 data sheet (2019)"),
    "l4": Card("NVIDIA L4", 24, 300e9, (8, 9), "NVIDIA L4 data sheet (2023)"),
    "rtx-4090": Card("NVIDIA GeForce RTX 4090", 24, 1008e9, (8, 9), "NVIDIA Ada GPU Architecture white paper (2022)"),
    "a100": Card("NVIDIA A100-SXM4-40GB", 40, 1555e9, (8, 0), "NVIDIA A100 white paper (2020)"),
    "a100-80gb": Card("NVIDIA A100-SXM4-80GB", 80, 2039e9, (8, 0), "NVIDIA A100 data sheet (2021)"),
    "a100-pcie": Card("NVIDIA A100-PCIE-40GB", 40, 1555e9, (8, 0), "NVIDIA A100 data sheet (2021)"),
    "a100-80gb-pcie": Card("NVIDIA A100 80GB PCIe", 80, 1935e9, (8, 0), "NVIDIA A100 data sheet (2021)"),
    "h100": Card("NVIDIA H100 80GB HBM3", 80, 3350e9, (9, 0), "NVIDIA H100 data sheet (2023), SXM"),
    "h100-pcie": Card("NVIDIA H100 PCIe", 80, 2000e9, (9, 0), "NVIDIA H100 data sheet (2023)"),
    "h200": Card("NVIDIA H200", 141, 4800e9, (9, 0), "NVIDIA H200 data sheet (2023), SXM"),
}


def card_of(name: str) -> Card | None:
    """The card of which torch gives this name (`torch.cuda.get_device_name`), or None where its sheet is not here."""
    return next((card for card in CARDS.values() if card.name == name), None)
