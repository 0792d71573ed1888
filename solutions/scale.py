"""Chapter 10: training at scale: exact resume, utilization of a device, several
processes.

The reference answers of notebook 10. Names, parameter names, shapes and docstrings are
the course's public contract and stand in the notebook's stubs as they stand here; what
is inside the functions may be rewritten freely. Nothing here needs a GPU: the device is
where the model's parameters or the given tensors are.

`python -m training` is the program made of these components and chapter 09's: see
`training/loop.py`.
"""

import os
from collections.abc import Callable
from pathlib import Path

import torch
from torch import Tensor, nn


def save_checkpoint(path, step, model, optimizer, scheduler, scaler, data) -> None:
    """Write everything that the next steps of a training depend on into one file.

    path: a str or a Path, here and in load_checkpoint. step: how many steps have been
    taken. model, optimizer, scheduler, scaler and data (where the stream of batches
    stands) each have state_dict() and load_state_dict(state). The state of torch's
    random numbers, on the CPU and on every CUDA device, is saved too. The training goes
    on as if it had not been saved: its five objects and the random numbers stay as they
    are.
    The file is written beside `path`, in the same folder, and takes the place of what
    stands at `path` at once, when it is whole. Where anything fails, what stands there
    is not touched, and the error is raised.
    """
    state = {
        "step": step,
        "model": model.state_dict(),
        "optimizer": optimizer.state_dict(),
        "scheduler": scheduler.state_dict(),
        "scaler": scaler.state_dict(),
        "data": data.state_dict(),
        "random": torch.get_rng_state(),
        "random_cuda": torch.cuda.get_rng_state_all(),  # an empty list without a GPU
    }
    unfinished = Path(f"{path}.part")
    try:
        with unfinished.open("wb") as file:
            torch.save(state, file)
            file.flush()
            os.fsync(file.fileno())  # on the disk before the old one goes
        unfinished.replace(path)
    finally:
        unfinished.unlink(missing_ok=True)


def load_checkpoint(path, model, optimizer, scheduler, scaler, data) -> int:
    """Go on from a file that save_checkpoint wrote: the next steps are equal to the
    last bit.

    The five objects, made as they were for the training that was saved, take on their
    states; so do torch's random numbers. Tensors go to the device of the model's
    parameters, whatever device they were saved from. No code that the file may hold is
    run. Returns the number of steps taken. Raises FileNotFoundError where nothing
    stands at `path`, and ValueError with the path in its message where what stands
    there cannot be read or is not a checkpoint.
    """
    try:
        # Into the CPU's memory, from which each object takes its own; tensors and
        # numbers, never code.
        state = torch.load(path, map_location="cpu", weights_only=True)
        states = [
            state[name]
            for name in ("model", "optimizer", "scheduler", "scaler", "data")
        ]
        step, random, random_cuda = state["step"], state["random"], state["random_cuda"]
    except FileNotFoundError:
        raise
    except Exception as error:
        # Cut short, another kind of file, another program's: zipfile, pickle and torch
        # differ.
        raise ValueError(f"{path} is not a whole checkpoint: {error}") from error
    for part, of_part in zip(
        (model, optimizer, scheduler, scaler, data), states, strict=True
    ):
        part.load_state_dict(of_part)
    torch.set_rng_state(random)
    if len(random_cuda) == torch.cuda.device_count():
        torch.cuda.set_rng_state_all(random_cuda)
    return step


def model_flops_utilisation(
    num_parameters: int,
    num_layers: int,
    d_model: int,
    num_tokens: int,
    sequences_per_second: float,
    peak_flops: float,
) -> float:
    """The share of a device's peak that a Transformer's training uses
    (Chowdhery et al., 2022).

    Counted is what training needs and no more (appendix B): for a sequence of
    T = num_tokens tokens 6 * T operations per parameter (a multiplication and an
    addition forward, twice that backward), and 12 * T^2 * d_model in each of num_layers
    layers for the attention's scores and weighted sums. What is computed twice to save
    memory counts once.
    peak_flops: operations per second that the device can do. Returns a share, 0.5 for
    half; one above 1 comes back as it is, since it says that the peak is wrong.
    Raises ValueError where peak_flops is not above 0.
    """
    if peak_flops <= 0:
        raise ValueError(f"a device's peak is above 0, got {peak_flops}")
    flops = 6 * num_parameters * num_tokens + 12 * num_layers * d_model * num_tokens**2
    return flops * sequences_per_second / peak_flops


def shard(
    num_samples: int, rank: int, world_size: int, epoch: int, seed: int = 0
) -> list[int]:
    """Which samples process `rank` of world_size trains on in an epoch, and in which
    order.

    The order of all samples is torch.randperm(num_samples) with a generator of its own,
    seeded with seed + epoch: the same in every process, another one in each epoch.
    Where world_size does not divide num_samples it is continued with its own beginning
    (over again, if need be) until it does. Process r takes the places r,
    r + world_size, r + 2 * world_size, ...
    Returns sample numbers, as many in every process. Raises ValueError unless
    num_samples is at least 1 and 0 <= rank < world_size.
    """
    if num_samples < 1 or not 0 <= rank < world_size:
        raise ValueError(
            "need samples and 0 <= rank < world_size, "
            f"got {num_samples=}, {rank=}, {world_size=}"
        )
    order = torch.randperm(
        num_samples, generator=torch.Generator().manual_seed(seed + epoch)
    ).tolist()
    whole = -(-num_samples // world_size) * world_size  # rounded up
    return [order[place % num_samples] for place in range(rank, whole, world_size)]


def average_gradients(
    model: nn.Module, all_reduce: Callable[[Tensor], Tensor], world_size: int
) -> None:
    """Give every process the mean of all processes' gradients, as DDP does.

    all_reduce: a function, tensor -> the sum of the tensors that all world_size
    processes gave to their calls, as a tensor of its own; the n-th calls of all
    processes belong together. So every process calls it once for each parameter, in the
    order of model.parameters(), and gives zeros for a parameter that has no gradient
    there, in its shape and dtype. Afterwards each parameter's .grad is the mean.
    """
    for parameter in model.parameters():
        gradient = (
            torch.zeros_like(parameter) if parameter.grad is None else parameter.grad
        )
        parameter.grad = all_reduce(gradient) / world_size
