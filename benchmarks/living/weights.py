"""A model's weights as a script that any page can load, from a server or from a folder: one call with three arguments.

    living.weights("translation-vector", {"format": 1, ...}, "AAAA...");

The first is the file's name without `.js`. The second is the header:

    format    1
    dtype     "float16": little-endian IEEE 754 halves
    tensors   [[name, shape], ...] in the order of the block; a name is the state dict's, a shape a list of sizes
    ...       what else the model needs, such as its vocabularies

The third is the block in base64: all tensors one after the other, each row by row. It is a script, not a file of bytes,
because a page that is opened from a folder may load scripts and may not fetch files; what base64 costs once a server
has compressed it stands in each record (`sizes`).
"""

import base64
import gzip
import json
import math
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn


def block(model: nn.Module) -> bytes:
    """All tensors of the state dict as float16, in its order."""
    return b"".join(tensor.numpy().astype("<f2").tobytes() for tensor in model.state_dict().values())


def write(path: Path, model: nn.Module, about: dict[str, Any]) -> None:
    """Write a model's weights, rounded to float16; `about` joins the header."""
    tensors = [[name, list(tensor.shape)] for name, tensor in model.state_dict().items()]
    header = json.dumps({"format": 1, "dtype": "float16", "tensors": tensors, **about}, ensure_ascii=False)
    text = f'living.weights("{path.stem}", {header},\n"{base64.b64encode(block(model)).decode()}");\n'
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")


def header(path: Path) -> dict[str, Any]:
    """The header of a file."""
    return json.loads(path.read_text("utf-8").rsplit(",\n", 1)[0].split(", ", 1)[1])


def read(path: Path) -> dict[str, Tensor]:
    """The state dict that a file holds, as float32: what the page computes with.

    Raises ValueError where the block is not as long as the header says.
    """
    tensors, base64_of = header(path)["tensors"], path.read_text("utf-8").rsplit(",\n", 1)[1].split('"')[1]
    halves = np.frombuffer(base64.b64decode(base64_of), "<f2").astype(np.float32)
    wanted = sum(math.prod(shape) for _, shape in tensors)
    if wanted != len(halves):
        raise ValueError(f"{path.name}: its header asks for {wanted} numbers, its block has {len(halves)}")
    state, start = {}, 0
    for name, shape in tensors:
        end = start + math.prod(shape)
        state[name] = torch.tensor(halves[start:end]).reshape(shape)
        start = end
    return state


def sizes(path: Path, model: nn.Module) -> dict[str, int]:
    """Bytes of the file, of the file compressed, and of the bare block compressed: what being a script costs."""
    return {
        "bytes": path.stat().st_size,
        "bytes_gzipped": len(gzip.compress(path.read_bytes(), 6)),
        "bare_bytes_gzipped": len(gzip.compress(block(model), 6)),
    }
