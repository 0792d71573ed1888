"""Small runs of the training program for its tests: how they are started, and what they leave."""

import os
import time
from pathlib import Path

import numpy as np
import pytest
import torch
from PIL import Image
from tensorboard.backend.event_processing.event_accumulator import EventAccumulator

from tests import processes
from training.loop import main

TINY = "--d-model 8 --num-heads 2 --num-layers 1 --d-ff 16 --batch-size 8 --learning-rate 0.01 --warm-up 5".split()
VIT = [*TINY, "--samples", "100"]
ALONE = ["--num-workers", "0"]  # no processes but this one


def weights(folder: Path) -> dict[str, torch.Tensor]:
    return torch.load(folder / "checkpoint.pt", weights_only=True)["model"]


def step_of(folder: Path) -> int:
    return torch.load(folder / "checkpoint.pt", weights_only=True)["step"]


def assert_equal_weights(one: Path, other: Path, tolerance: float = 0.0, but: str = "nothing") -> None:
    a, b = weights(one), weights(other)
    assert a.keys() == b.keys()
    compared = [name for name in a if not name.endswith(but)]
    assert compared
    for name in compared:
        torch.testing.assert_close(a[name], b[name], rtol=0, atol=tolerance, msg=lambda m, n=name: f"{n}: {m}")


def curves(folder: Path) -> dict[str, list[int]]:
    """The steps of every curve, as TensorBoard itself reads them."""
    events = EventAccumulator(str(folder), size_guidance={"scalars": 0}).Reload()
    return {tag: [event.step for event in events.Scalars(tag)] for tag in events.Tags()["scalars"]}


def refused(arguments: list[str], capsys) -> str:
    """Runs the command, which must end with 2 and one line; returns the line."""
    capsys.readouterr()
    with pytest.raises(SystemExit) as ended:
        main(arguments)
    said = capsys.readouterr().err
    lines = [line for line in said.splitlines() if line.startswith("error")]
    assert "Traceback" not in said
    assert ended.value.code == 2 and len(lines) == 1, (ended.value.code, lines)
    return lines[0]


def start(arguments: list[str], **environment: str):
    """The command in a process of its own."""
    return processes.start(command, arguments, environment)


def command(arguments: list[str], environment: dict[str, str]) -> None:
    os.environ.update(environment, TQDM_DISABLE="1")
    torch.set_num_threads(1)
    main(arguments)


def wait_for(path: Path, process, seconds: float = 120) -> None:
    end = time.monotonic() + seconds
    while not path.exists():
        assert process.is_alive() and time.monotonic() < end, f"{path} did not appear"
        time.sleep(0.005)


def wait_for_another(path: Path, process, times: int) -> None:
    """Until a file has been replaced so many times, or the process has ended."""
    seen = {path.stat().st_mtime_ns if path.exists() else 0}
    while process.is_alive() and len(seen) <= times:
        seen.add(path.stat().st_mtime_ns if path.exists() else 0)
        time.sleep(0.002)


def draw_images(folder: Path, count: int, name: str) -> None:
    """Bright and dark pictures of different sizes and modes."""
    folder.mkdir(parents=True)
    draw = np.random.default_rng(0)
    for i in range(count):
        pixels = draw.integers(0, 100, (20 + i, 30, 3), dtype=np.uint8) + (100 if name == "bright" else 0)
        image = Image.fromarray(pixels.astype(np.uint8))
        (image.convert("L") if i % 2 else image).save(folder / f"{i}.{'jpg' if i % 3 else 'png'}")
