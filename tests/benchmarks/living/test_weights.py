"""The format of weights: what is written is read, rounded to float16; a block that was cut is refused."""

import pytest
import torch
from torch import nn

from benchmarks.living import weights


def test_what_is_written_is_read_rounded_to_half(tmp_path):
    torch.manual_seed(0)
    model, path = nn.GRU(3, 4, bidirectional=True), tmp_path / "toy.js"
    weights.write(path, model, {"source": ["ä", '"']})
    read = weights.read(path)
    assert list(read) == list(model.state_dict())
    assert all(torch.equal(read[name], tensor.half().float()) for name, tensor in model.state_dict().items())
    assert path.read_text("utf-8").startswith('living.weights("toy", {"format": 1, "dtype": "float16", "tensors": [[')
    sizes = weights.sizes(path, model)
    assert sizes["bytes"] == path.stat().st_size > sizes["bytes_gzipped"] > sizes["bare_bytes_gzipped"] > 0


def test_a_block_that_was_cut_is_refused(tmp_path):
    model, path = nn.Linear(3, 4), tmp_path / "toy.js"
    weights.write(path, model, {})
    text = path.read_text("utf-8")
    path.write_text(text[:-8] + text[-4:], "utf-8")
    with pytest.raises(ValueError, match=r"toy\.js: its header asks for 16 numbers, its block has 15"):
        weights.read(path)
