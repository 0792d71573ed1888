"""Which device a process of the training program computes on, and how several processes act as one."""

import contextlib
import os
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import timedelta

import torch
import torch.distributed as dist
from torch import Tensor, nn
from torch.nn.parallel import DistributedDataParallel

from training.configuration import Configuration, TrainingError, explained


@dataclass(frozen=True)
class Process:
    """Which of how many processes this is, and the device that it computes on."""

    rank: int
    world_size: int
    device: torch.device


def device_of(config: Configuration, world_size: int, local_rank: int) -> torch.device:
    """The device of one of `world_size` processes, the local_rank-th on its machine. Raises TrainingError where there
    is no such device, or where it would be slow or shared without anybody having asked for that."""
    name = config.device if config.device != "auto" else "cuda" if torch.cuda.is_available() else "cpu"
    with explained(f"device {config.device}"):
        device = torch.device(name)
    if device.type not in ("cpu", "cuda"):
        raise TrainingError(f"device is auto, cpu, cuda or cuda:NUMBER, got {config.device!r}")
    if device.type == "cpu":
        return device
    if not torch.cuda.is_available():
        raise TrainingError(f"device {config.device}: torch sees no GPU here; use --device cpu")
    if device.index is None:
        device = torch.device("cuda", local_rank)
    elif world_size > 1:
        raise TrainingError(
            f"device {config.device} is one GPU, and {world_size} processes want one each: use --device cuda "
            "(the variable CUDA_VISIBLE_DEVICES chooses among several)"
        )
    if device.index >= torch.cuda.device_count():
        raise TrainingError(f"device {device}: torch sees {torch.cuda.device_count()} GPUs here, numbered from 0")
    _require_units(config, device)
    return device


def _require_units(config: Configuration, device: torch.device) -> None:
    """Raises TrainingError where this GPU would imitate bfloat16. torch.cuda.is_bf16_supported asks the current one."""
    if config.dtype == "bfloat16" and not torch.version.hip and torch.cuda.get_device_capability(device) < (8, 0):
        raise TrainingError(
            f"{torch.cuda.get_device_name(device)} has no units for bfloat16 and would imitate it slowly: use "
            "--dtype float16"
        )


@contextlib.contextmanager
def this_process(config: Configuration) -> Iterator[Process]:
    """This process among those that torchrun started, or the only one."""
    world_size = int(os.environ.get("WORLD_SIZE", "1"))
    device = device_of(config, world_size, int(os.environ.get("LOCAL_RANK", "0")))
    with explained(f"device {config.device}"):
        if device.type == "cuda":
            torch.cuda.set_device(device)
        torch.empty(0, device=device)
    if config.batch_size % (world_size * config.accumulate):
        raise TrainingError(
            f"batch_size must be a multiple of processes times accumulate, "
            f"got {config.batch_size} and {world_size} x {config.accumulate}"
        )
    precision = torch.get_float32_matmul_precision()
    torch.set_float32_matmul_precision("high" if config.tf32 else "highest")
    try:
        if world_size == 1:
            yield Process(0, 1, device)
            return
        # Where process 0 has text to encode or images to look through first, the others wait for it.
        dist.init_process_group("nccl" if device.type == "cuda" else "gloo", timeout=timedelta(hours=2))
        try:
            yield Process(dist.get_rank(), world_size, device)
        finally:
            dist.destroy_process_group()
    finally:
        torch.set_float32_matmul_precision(precision)


def summed(x: Tensor, process: Process) -> Tensor:
    """The sum over all processes, in every process: x itself, written over."""
    if process.world_size > 1:
        dist.all_reduce(x)
    return x


def distributed(model: nn.Module, process: Process) -> nn.Module:
    """The model whose backward exchanges gradients with the other processes, if there are any."""
    if process.world_size == 1:
        return model
    devices = [process.device] if process.device.type == "cuda" else None
    # Gradients lie in the very memory that travels, and not there once more; the model's buffers are masks, which stay.
    return DistributedDataParallel(model, devices, gradient_as_bucket_view=True, forward_sync_buffers=False)
