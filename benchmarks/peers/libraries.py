"""The peers' libraries, imported where they are there.

timm wants torchvision, and PyPI has that for Linux beside CUDA's torch alone. `python -m benchmarks.models --with-timm`
puts both into a folder of their own, which is looked into last.
"""

from __future__ import annotations

import importlib
import subprocess
import sys
from pathlib import Path
from typing import Any

import torch

TIMM = ("timm==1.0.31", "torchvision==0.28.0")  # the torchvision of torch 2.13
TIMM_FOLDER = Path(__file__).resolve().parents[2] / "_build" / "timm"


def install_timm() -> None:
    """timm and torchvision into TIMM_FOLDER, unless they are there; what else they need comes with transformers.

    Raises subprocess.CalledProcessError where pip fails.
    """
    if not TIMM_FOLDER.is_dir():
        words = ["-m", "pip", "install", "--quiet", "--no-deps", "--target", str(TIMM_FOLDER), *TIMM]
        subprocess.run([sys.executable, *words], check=True)


def load(library: str) -> Any:
    """A library, imported; timm from TIMM_FOLDER where it is nowhere else."""
    if library.partition(".")[0] == "timm" and library not in sys.modules and TIMM_FOLDER.is_dir():
        if str(TIMM_FOLDER) not in sys.path:  # a process that measures memory has it from the one that started it
            sys.path.append(str(TIMM_FOLDER))
        try:
            importlib.import_module("torchvision")
        except RuntimeError:  # built for CUDA's torch, it finds no operators of its own beside the CPU's
            for name in ("nms", "qnms"):  # these it asks for while it is imported; a ViT uses none
                torch.library.define(f"torchvision::{name}", "(Tensor dets, Tensor scores, float threshold) -> Tensor")
    return importlib.import_module(library)
