"""Towers of torch.nn and x-transformers that stand in the course's models, and their weights by the course's names."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Any

import torch
from torch import Tensor, nn

from benchmarks.peers.contestants import EPS, Size, State
from benchmarks.peers.libraries import load


class TorchEncoder(nn.Module):
    """nn.Transformer's encoder, called as the course's TransformerEncoder is."""

    def __init__(self, size: Size, activation: Callable[[Tensor], Tensor]):
        super().__init__()
        layer = nn.TransformerEncoderLayer(**torch_sizes(size, activation))
        norm = nn.LayerNorm(size.d_model, eps=EPS)
        # its nested tensors are for post-norm alone: asked for here, they would only bring a warning
        self.tower = nn.TransformerEncoder(layer, size.num_layers, norm, enable_nested_tensor=False)

    def forward(self, x: Tensor, mask: Tensor | None = None) -> Tensor:
        return self.tower(x, src_key_padding_mask=None if mask is None else ~mask[:, 0])  # True = may not attend


class TorchDecoder(nn.Module):
    """nn.Transformer's decoder, called as the course's TransformerDecoder is, and told that its mask is causal."""

    def __init__(self, size: Size, activation: Callable[[Tensor], Tensor]):
        super().__init__()
        layer = nn.TransformerDecoderLayer(**torch_sizes(size, activation))
        self.tower = nn.TransformerDecoder(layer, size.num_layers, nn.LayerNorm(size.d_model, eps=EPS))

    def forward(self, x: Tensor, memory: Tensor, mask: Tensor, memory_mask: Tensor) -> Tensor:
        return self.tower(x, memory, tgt_mask=~mask, memory_key_padding_mask=~memory_mask[:, 0], tgt_is_causal=True)


def torch_sizes(size: Size, activation: Callable[[Tensor], Tensor]) -> dict[str, Any]:
    """The options of torch.nn's layers, encoder's and decoder's alike."""
    return {
        "d_model": size.d_model,
        "nhead": size.num_heads,
        "dim_feedforward": size.d_ff,
        "dropout": 0.0,
        "activation": activation,
        "layer_norm_eps": EPS,
        "batch_first": True,
        "norm_first": True,
    }


class XEncoder(nn.Module):
    """x-transformers' encoder, called as the course's TransformerEncoder is."""

    def __init__(self, size: Size, activation: nn.Module, fused: bool):
        super().__init__()
        self.tower = load("x_transformers").Encoder(**x_sizes(size, activation, fused))

    def forward(self, x: Tensor, mask: Tensor | None = None) -> Tensor:
        return self.tower(x, mask=None if mask is None else mask[:, 0])  # True = may attend, as here


class XDecoder(nn.Module):
    """x-transformers' decoder, called as the course's TransformerDecoder is; it is causal by itself."""

    def __init__(self, size: Size, activation: nn.Module, fused: bool):
        super().__init__()
        self.tower = load("x_transformers").Decoder(**x_sizes(size, activation, fused), cross_attend=True)

    def forward(self, x: Tensor, memory: Tensor, mask: Tensor, memory_mask: Tensor) -> Tensor:
        return self.tower(x, context=memory, context_mask=memory_mask[:, 0])


def x_sizes(size: Size, activation: nn.Module, fused: bool) -> dict[str, Any]:
    """The options of x-transformers' towers, encoder's and decoder's alike."""
    return {
        "dim": size.d_model,
        "depth": size.num_layers,
        "heads": size.num_heads,
        "attn_dim_head": size.d_model // size.num_heads,
        "attn_flash": fused,
        "ff_mult": size.d_ff / size.d_model,
        "ff_custom_activation": activation,
    }


X_PARTS = {
    "to_q.weight": "W_Q.weight",
    "to_k.weight": "W_K.weight",
    "to_v.weight": "W_V.weight",
    "to_out.weight": "W_O.weight",
    "ff.0.0.weight": "linear1.weight",
    "ff.0.0.bias": "linear1.bias",
    "ff.2.weight": "linear2.weight",
    "ff.2.bias": "linear2.bias",
}


def tower_from_x_transformers(state: Mapping[str, Tensor]) -> State:
    """x-transformers' `Encoder` or cross-attending `Decoder`, both pre-norm, as the course's tower.

    It counts each part as a layer: two of them (or three, in a decoder) are one of ours. Its norms store how far
    their factors are from one. Biases that it does not have are zero.
    """
    decoder = any(name.startswith("layers.2.1.ff") for name in state)
    parts = ["self_attention", *(["cross_attention"] if decoder else []), "feed_forward"]
    ours: State = {}
    for name, tensor in state.items():
        if name == "final_norm.gamma":
            ours |= {"norm.weight": tensor + 1, "norm.bias": torch.zeros_like(tensor)}
            continue
        match = re.fullmatch(r"layers\.(\d+)\.(?:0\.0\.(gamma)|1\.(.*))", name)
        if match is None:
            raise ValueError(f"this is not the state dict of a pre-norm tower of x-transformers: left over {name}")
        layer, part = divmod(int(match[1]), len(parts))
        if match[2]:
            norm = f"layers.{layer}.norm{part + 1}"
            ours |= {f"{norm}.weight": tensor + 1, f"{norm}.bias": torch.zeros_like(tensor)}
            continue
        place = f"layers.{layer}.{parts[part]}.{X_PARTS[match[3]]}"
        ours[place] = tensor
        if match[3].startswith("to_"):
            ours[place.replace("weight", "bias")] = torch.zeros_like(tensor[:, 0])
    return ours


def with_towers(model: nn.Module, **from_peer: Callable[[State], State]) -> State:
    """A state dict of the course's model, from one in which the towers named are a peer's."""
    towers = {f"{tower}.tower." for tower in from_peer}
    state = {name: tensor for name, tensor in model.state_dict().items() if not name.startswith(tuple(towers))}
    for tower, translate in from_peer.items():
        translated = translate(model.get_submodule(f"{tower}.tower").state_dict())
        state |= {f"{tower}.{name}": tensor for name, tensor in translated.items()}
    return state
