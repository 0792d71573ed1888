"""The Vision Transformer and its peers."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import partial

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from benchmarks.peers.contestants import EPS, PLAIN, Contestant, Model, Size, State, call, kernel_of
from benchmarks.peers.libraries import load
from benchmarks.peers.towers import TorchEncoder, XEncoder, tower_from_x_transformers, with_towers
from course.weights import encoder_from_torch, vit_from_transformers
from solutions.cuda import fuse_attention
from solutions.vit import VisionTransformer


def course_vit(size: Size, attention: str) -> VisionTransformer:
    """The course's ViT with a class token."""
    model = VisionTransformer(
        size.image_size,
        size.patch_size,
        size.d_model,
        size.num_heads,
        size.num_layers,
        size.d_ff,
        size.outputs,
        layer_norm_eps=EPS,
    )
    if attention != PLAIN:
        fuse_attention(model)
    return model


def torch_vit(size: Size, attention: str) -> VisionTransformer:
    """The course's with torch.nn's tower; `attention_kernels` says whether that fuses."""
    model = course_vit(size, PLAIN)
    model.set_submodule("encoder", TorchEncoder(size, F.gelu))
    return model


def x_vit(size: Size, attention: str) -> VisionTransformer:
    """The course's with x-transformers' tower: its own ViT norms the patches twice, as the published ones do not."""
    model = course_vit(size, PLAIN)
    model.set_submodule("encoder", XEncoder(size, nn.GELU(), attention != PLAIN))
    return model


def transformers_vit(size: Size, attention: str) -> nn.Module:
    """transformers' ViTForImageClassification."""
    transformers = load("transformers")
    config = transformers.ViTConfig(
        hidden_size=size.d_model,
        num_hidden_layers=size.num_layers,
        num_attention_heads=size.num_heads,
        intermediate_size=size.d_ff,
        hidden_act="gelu",
        hidden_dropout_prob=0.0,
        attention_probs_dropout_prob=0.0,
        layer_norm_eps=EPS,
        image_size=size.image_size,
        patch_size=size.patch_size,
        num_labels=size.outputs,
    )
    return transformers.AutoModelForImageClassification.from_config(config, attn_implementation=kernel_of(attention))


def timm_vit(size: Size, attention: str) -> nn.Module:
    """timm's VisionTransformer."""
    timm = load("timm.models.vision_transformer")
    model = timm.VisionTransformer(
        img_size=size.image_size,
        patch_size=size.patch_size,
        num_classes=size.outputs,
        embed_dim=size.d_model,
        depth=size.num_layers,
        num_heads=size.num_heads,
        mlp_ratio=size.d_ff / size.d_model,
        norm_layer=partial(nn.LayerNorm, eps=EPS),
    )
    for block in model.blocks:
        block.attn.fused_attn = attention != PLAIN
    return model


TIMM_NAMES = (
    (r"^cls_token", "class_token"),
    (r"^pos_embed", "positions.weight"),
    (r"^patch_embed\.proj\.", "patches.projection."),
    (r"^blocks\.", "encoder.layers."),
    (r"\.attn\.proj\.", ".self_attention.W_O."),
    (r"\.mlp\.fc([12])\.", r".feed_forward.linear\1."),
    (r"^norm\.", "encoder.norm."),
)


def vit_from_timm(state: Mapping[str, Tensor]) -> State:
    """timm's ViT with a class token as the course's: query, key and value are one matrix there."""
    ours: State = {}
    for name, tensor in state.items():
        for pattern, replacement in TIMM_NAMES:
            name = re.sub(pattern, replacement, name)
        if ".attn.qkv." in name:
            for which, piece in zip("QKV", tensor.chunk(3), strict=True):
                ours[name.replace("attn.qkv", f"self_attention.W_{which}")] = piece
        else:
            ours[name] = tensor
    ours["patches.projection.weight"] = ours["patches.projection.weight"].flatten(1)
    ours["positions.weight"] = ours["positions.weight"].squeeze(0)
    return ours


def some_images(size: Size) -> tuple[tuple[Tensor, ...], Tensor]:
    """Random images, and a random class for each: what is in them changes nothing that is measured."""
    generator = torch.Generator().manual_seed(0)
    images = torch.randn(size.batch, 3, size.image_size, size.image_size, generator=generator)
    return (images,), torch.randint(size.outputs, (size.batch,), generator=generator)


VIT = Model(
    contestants={
        "course": Contestant("solutions", course_vit, call, nn.Module.state_dict),
        "transformers": Contestant(
            "transformers",
            transformers_vit,
            lambda model, inputs: model(*inputs).logits,
            lambda model: vit_from_transformers(model.state_dict()),
        ),
        "torch.nn": Contestant("torch", torch_vit, call, partial(with_towers, encoder=encoder_from_torch)),
        "x-transformers": Contestant(
            "x_transformers", x_vit, call, partial(with_towers, encoder=tower_from_x_transformers)
        ),
        "timm": Contestant("timm", timm_vit, call, lambda model: vit_from_timm(model.state_dict())),
    },
    sizes={
        "tiny": Size(24, 2, 48, 1, 5, batch=2, image_size=16, patch_size=8),
        "small": Size(192, 3, 768, 4, 10, batch=8, image_size=64, patch_size=8),
        "base": Size(768, 12, 3072, 12, 1000, batch=4, image_size=224, patch_size=16),  # ViT-B/16
    },
    inputs=some_images,
    loss=F.cross_entropy,
    unit="images",
    attentions_per_layer=1,
)
