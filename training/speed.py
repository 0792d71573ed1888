"""How fast a training is, beside what the device could do: model FLOPs utilization (Chowdhery et al., 2022).

Two peaks: the data sheet's, which no program reaches, and that of a large matrix product, measured once at the start.
"""

import statistics

import torch

from course.data_sheets import data_sheet
from solutions.cuda import measure_throughput
from training.configuration import Configuration
from training.devices import Process


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
