"""The language model and its peers."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from benchmarks.peers.contestants import CAUSAL, EPS, PLAIN, Contestant, Model, Size, State, call, kernel_of
from benchmarks.peers.libraries import load
from benchmarks.peers.towers import TorchEncoder, tower_from_x_transformers, x_sizes
from benchmarks.peers.transformer import TRANSFORMER
from course.weights import encoder_from_torch, language_model_from_gpt2
from solutions.cuda import fuse_attention
from solutions.language_model import CausalLanguageModel

LENGTHS = (128, 512, 1024)


def course_language_model(size: Size, attention: str) -> CausalLanguageModel:
    """The course's language model: GPT-2's form, with the exact GELU."""
    model = CausalLanguageModel(
        size.outputs, size.context, size.d_model, size.num_heads, size.d_ff, size.num_layers, layer_norm_eps=EPS
    )
    if attention != PLAIN:
        fuse_attention(model, lambda name: attention == CAUSAL)
    return model


class TorchCausal(nn.Module):
    """nn.Transformer's encoder, told that its mask is causal, and the norm behind it; called as the course's layers."""

    def __init__(self, size: Size):
        super().__init__()
        self.tower = TorchEncoder(size, F.gelu).tower

    def forward(self, x: Tensor, mask: Tensor) -> Tensor:
        return self.tower(x, ~mask, is_causal=True)


class XCausal(nn.Module):
    """x-transformers' decoder without a source, and the norm behind it; called as the course's layers are."""

    def __init__(self, size: Size, fused: bool):
        super().__init__()
        self.tower = load("x_transformers").Decoder(**x_sizes(size, nn.GELU(), fused))

    def forward(self, x: Tensor, mask: Tensor) -> Tensor:
        return self.tower(x)


def with_layers(size: Size, layers: nn.Module) -> CausalLanguageModel:
    """The course's language model with a peer's tower in the place of its layers and its last norm."""
    model = course_language_model(size, PLAIN)
    model.set_submodule("layers", nn.ModuleList([layers]))
    model.set_submodule("norm", nn.Identity())
    return model


def language_model_state(model: nn.Module, translate: Callable[[State], State]) -> State:
    """A state dict of the course's language model, from one of `with_layers`."""
    own = {name: tensor for name, tensor in model.state_dict().items() if not name.startswith("layers.")}
    return own | translate(model.get_submodule("layers.0.tower").state_dict())


def gpt2(size: Size, attention: str) -> nn.Module:
    """transformers' GPT2LMHeadModel, with the GELU of the others: published GPT-2 has an approximation of it."""
    transformers = load("transformers")
    config = transformers.GPT2Config(
        vocab_size=size.outputs,
        n_positions=size.context,
        n_embd=size.d_model,
        n_layer=size.num_layers,
        n_head=size.num_heads,
        n_inner=size.d_ff,
        activation_function="gelu",
        resid_pdrop=0.0,
        embd_pdrop=0.0,
        attn_pdrop=0.0,
        layer_norm_epsilon=EPS,
        bos_token_id=None,
        eos_token_id=None,
    )
    return transformers.AutoModelForCausalLM.from_config(config, attn_implementation=kernel_of(attention))


def some_text(size: Size) -> tuple[tuple[Tensor, ...], Tensor]:
    """Random tokens, and for each the one after it."""
    tokens = torch.randint(size.outputs, (size.batch, size.length + 1), generator=torch.Generator().manual_seed(0))
    return (tokens[:, :-1],), tokens[:, 1:]


def language_model(length: int) -> Model:
    """The language model at one length of its windows. At any, a step has as many tokens."""
    small = Size(192, 3, 768, 2, 1000, batch=1024 // length, length=length, context=1024)
    gpt2_124m = Size(768, 12, 3072, 12, 50_257, batch=1024 // length, length=length, context=1024)
    return Model(
        contestants={
            "course": Contestant("solutions", course_language_model, call, nn.Module.state_dict),
            "transformers": Contestant(
                "transformers",
                gpt2,
                lambda model, inputs: model(*inputs, use_cache=False).logits,
                lambda model: language_model_from_gpt2(model.state_dict()),
            ),
            "torch.nn": Contestant(
                "torch",
                lambda size, attention: with_layers(size, TorchCausal(size)),
                call,
                partial(language_model_state, translate=encoder_from_torch),
            ),
            "x-transformers": Contestant(
                "x_transformers",
                lambda size, attention: with_layers(size, XCausal(size, attention != PLAIN)),
                call,
                partial(language_model_state, translate=tower_from_x_transformers),
            ),
        },
        sizes={
            "tiny": Size(24, 2, 48, 1, 11, batch=2, length=6, context=32),
            "small": small,
            "base": gpt2_124m,  # Radford et al. (2019), table 2, their smallest
        },
        inputs=some_text,
        loss=TRANSFORMER.loss,
        unit="tokens",
        attentions_per_layer=1,
        causal_per_layer=1,
        tied=True,
        works=("training",),
    )
