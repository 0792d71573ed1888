"""How fast a training is, beside what the device could do: model FLOPs utilisation (Chowdhery et al., 2022).

Two peaks: the data sheet's, which no program reaches, and that of a large matrix product, measured once at the start.
"""

import re
import statistics

import torch

from solutions.cuda import measure_throughput
from training.configuration import Configuration
from training.devices import Process


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


def data_sheet_peak(name: str, config: Configuration) -> float | None:
    """Operations a second of a card that torch calls `name`, in the configured type; None where the table has none.

    A format without units of its own is computed in float32.
    """
    peaks = data_sheet(name)
    kind = "tf32" if config.tf32 and config.dtype == "float32" else config.dtype
    return None if peaks is None else peaks.get(kind, peaks["float32"])


def measured_peak(config: Configuration, process: Process) -> float:
    """Operations a second of a product of two large square matrices in the configured type: the median of three."""
    device, on_gpu = process.device, process.device.type == "cuda"
    size = 8192 if on_gpu else 512
    a = torch.randn(size, size, device=device).to(getattr(torch, config.dtype))
    synchronize = torch.cuda.synchronize if on_gpu else lambda: None
    num_steps, warm_up = (5, 1) if on_gpu else (1, 0)
    return statistics.median(
        measure_throughput(lambda: a @ a, 2 * size**3, num_steps, warm_up, synchronize) for _ in range(3)
    )


def peaks(config: Configuration, process: Process) -> dict[str, float]:
    """The peaks of all processes' devices together, by name: the measured one, and the data sheet's if it is known."""
    of_one = {"measured_peak": measured_peak(config, process)}
    if process.device.type == "cuda":
        sheet = data_sheet_peak(torch.cuda.get_device_name(process.device), config)
        of_one |= {"data_sheet": sheet} if sheet is not None else {}
    return {of: value * process.world_size for of, value in of_one.items()}
