"""How fast a training is, beside what the device could do: model FLOPs utilisation (Chowdhery et al., 2022).

Two peaks: the data sheet's, which no program reaches, and that of a large matrix product, measured once at the start.
"""

import re
import statistics

import torch

from solutions.cuda import measure_throughput
from training.configuration import Configuration
from training.devices import Process

TERA = 1e12
# Operations a second without sparsity, by the names that torch gives the cards; "tf32" is float32 with --tf32. The
# 16-bit numbers are those of the tensor units, with sums kept in float32.
DATA_SHEETS: dict[str, dict[str, float]] = {
    # NVIDIA, "A100 Tensor Core GPU" (data sheet, 2021)
    r"NVIDIA A100[- ](?!.*MIG).*": {"16 bits": 312 * TERA, "tf32": 156 * TERA, "float32": 19.5 * TERA},
    # NVIDIA, "H100 Tensor Core GPU Architecture" (white paper, 2022), table 2; a part of the card (MIG) is not the card
    r"NVIDIA H100 80GB HBM3": {"16 bits": 989.4 * TERA, "tf32": 494.7 * TERA, "float32": 66.9 * TERA},
    r"NVIDIA H100 PCIe": {"16 bits": 756 * TERA, "tf32": 378 * TERA, "float32": 51.2 * TERA},
    # NVIDIA, "L4 Tensor Core GPU" (data sheet, 2023), its numbers with sparsity halved
    r"NVIDIA L4": {"16 bits": 121 * TERA, "tf32": 60 * TERA, "float32": 30.3 * TERA},
    # NVIDIA, "T4 Tensor Core GPU" (data sheet, 2019); no bfloat16
    r"Tesla T4|NVIDIA T4": {"16 bits": 65 * TERA, "float32": 8.1 * TERA},
    # NVIDIA, "Ada GPU Architecture" (white paper, 2022), appendix A
    r"NVIDIA GeForce RTX 4090": {"16 bits": 165.2 * TERA, "tf32": 82.6 * TERA, "float32": 82.6 * TERA},
}


def data_sheet_peak(name: str, config: Configuration) -> float | None:
    """Operations a second of a card that torch calls `name`, in the configured type; None where the table has none."""
    kind = "16 bits" if config.dtype != "float32" else "tf32" if config.tf32 else "float32"
    for pattern, peaks in DATA_SHEETS.items():
        if re.fullmatch(pattern, name):
            return peaks.get(kind, peaks["float32"])
    return None


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
    found = {"measured_peak": measured_peak(config, process)}
    if process.device.type == "cuda":
        sheet = data_sheet_peak(torch.cuda.get_device_name(process.device), config)
        found |= {"data_sheet": sheet} if sheet is not None else {}
    return {of: value * process.world_size for of, value in found.items()}
