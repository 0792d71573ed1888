"""The encoder-decoder Transformer and its peers."""

from __future__ import annotations

import re
from functools import partial

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from benchmarks.peers.contestants import CAUSAL, PLAIN, Contestant, Model, Size, call
from benchmarks.peers.towers import (
    TorchDecoder,
    TorchEncoder,
    XDecoder,
    XEncoder,
    tower_from_x_transformers,
    with_towers,
)
from course.weights import decoder_from_torch, encoder_from_torch
from solutions.cuda import fuse_attention
from solutions.transformer import Transformer

BOS_ID, PAD_ID = 1, 0


def course_transformer(size: Size, attention: str) -> Transformer:
    """The course's Transformer, pre-norm."""
    model = Transformer(
        size.outputs, size.outputs, size.d_model, size.num_heads, size.d_ff, size.num_layers, bos_id=BOS_ID
    )
    if attention != PLAIN:
        fuse_attention(
            model, lambda name: attention == CAUSAL and re.match(r"decoder\..*self_attention", name) is not None
        )
    return model


def torch_transformer(size: Size, attention: str) -> Transformer:
    """The course's with the two halves of nn.Transformer; `attention_kernels` says whether they fuse."""
    model = course_transformer(size, PLAIN)
    model.set_submodule("encoder", TorchEncoder(size, F.relu))
    model.set_submodule("decoder", TorchDecoder(size, F.relu))
    return model


def x_transformer(size: Size, attention: str) -> Transformer:
    """The course's with x-transformers' encoder and decoder."""
    model = course_transformer(size, PLAIN)
    model.set_submodule("encoder", XEncoder(size, nn.ReLU(), attention != PLAIN))
    model.set_submodule("decoder", XDecoder(size, nn.ReLU(), attention != PLAIN))
    return model


def some_sentences(size: Size) -> tuple[tuple[Tensor, ...], Tensor]:
    """Random tokens; the sources are half to quite as long as `length`, and padded, as in a batch of sentences."""
    generator = torch.Generator().manual_seed(0)
    lengths = torch.randint(size.length // 2, size.length + 1, (size.batch,), generator=generator)
    lengths[0] = size.length
    source, targets = torch.randint(2, size.outputs, (2, size.batch, size.length), generator=generator)
    source[torch.arange(size.length) >= lengths.unsqueeze(1)] = PAD_ID
    return (source, lengths, targets), targets


TRANSFORMER = Model(
    contestants={
        "course": Contestant("solutions", course_transformer, call, nn.Module.state_dict),
        "torch.nn": Contestant(
            "torch",
            torch_transformer,
            call,
            partial(with_towers, encoder=encoder_from_torch, decoder=decoder_from_torch),
        ),
        "x-transformers": Contestant(
            "x_transformers",
            x_transformer,
            call,
            partial(with_towers, encoder=tower_from_x_transformers, decoder=tower_from_x_transformers),
        ),
    },
    sizes={
        "tiny": Size(24, 2, 48, 1, 11, batch=2, length=6),
        "small": Size(192, 3, 768, 2, 1000, batch=8, length=64),
        "base": Size(512, 8, 2048, 6, 32_000, batch=4, length=128),  # Vaswani et al. (2017), table 3, base
    },
    inputs=some_sentences,
    loss=lambda logits, targets: F.cross_entropy(logits.flatten(0, 1), targets.flatten()),
    unit="target tokens",
    attentions_per_layer=3,
    causal_per_layer=1,
)
