"""The models that are measured side by side: the course's, and the same ones as others wrote them.

A contestant is one library's form of one model. All of a model's contestants have the same sizes, take the same batch
and give the same logits; `disagreement` puts a peer's weights into the course's model and says how far apart the two
are, so that nothing is timed which does other work. Where a library has the whole model (transformers and timm have
ViT) it is taken whole. Where it has the layers only (torch.nn, x-transformers) its towers stand in the course's model
in the place of the course's, between the same embeddings and the same output.

x-transformers has no biases in its attention and its norms: the course's are zero then, and still computed.

timm wants torchvision, and PyPI has that for Linux beside CUDA's torch alone. `python -m benchmarks.models --with-timm`
puts both into a folder of their own, which is looked into last.
"""

from __future__ import annotations

import importlib
import re
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import torch
import torch.nn.functional as F
from torch import Tensor, nn
from torch.nn.attention import SDPBackend, sdpa_kernel

from course.weights import decoder_from_torch, encoder_from_torch, language_model_from_gpt2, vit_from_transformers
from solutions.cuda import fuse_attention
from solutions.language_model import CausalLanguageModel
from solutions.transformer import Transformer
from solutions.vit import VisionTransformer

EPS = 1e-5  # of all layer norms: x-transformers' cannot be chosen
BOS_ID, PAD_ID = 1, 0
PLAIN, FUSED, CAUSAL = "plain", "fused", "causal flag"  # attention; the last is fused, and told what is causal
State = dict[str, Tensor]
WORKS = ("training", "inference")

TIMM = ("timm==1.0.31", "torchvision==0.28.0")  # the torchvision of torch 2.13
TIMM_FOLDER = Path(__file__).resolve().parents[1] / "_build" / "timm"


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


@dataclass(frozen=True)
class Size:
    """How large a model is, and its batch. A ViT has image_size and patch_size, the others have length tokens."""

    d_model: int
    num_heads: int
    d_ff: int
    num_layers: int  # of the Transformer: of its encoder, and as many of its decoder
    outputs: int  # classes, or the size of both vocabularies
    batch: int
    image_size: int = 0
    patch_size: int = 0
    length: int = 0
    context: int = 0  # positions that a language model has, length or more

    @property
    def num_tokens(self) -> int:
        """Tokens of one sequence: the patches and the class token, or the words of either sentence."""
        return self.length or (self.image_size // self.patch_size) ** 2 + 1


@dataclass(frozen=True)
class Contestant:
    """One library's form of a model.

    build: (size, attention) -> the model, its attention PLAIN, FUSED (by one kernel) or CAUSAL (the same; where it is
    causal, the kernel is told by a flag). To a peer the last two are the same: it has a way of its own.
    logits: (model, inputs) -> logits. course_state: the model -> a state dict of the course's model, equal to it.
    """

    library: str
    build: Callable[[Size, str], nn.Module]
    logits: Callable[[nn.Module, tuple[Tensor, ...]], Tensor]
    course_state: Callable[[nn.Module], State]

    def missing(self) -> str | None:
        """Why it cannot take part here, or None where it can."""
        try:
            load(self.library)
        except ModuleNotFoundError as error:
            return "not installed" if error.name == self.library else f"does not import: {error}"
        except Exception as error:  # timm beside a torchvision of another build fails with whatever torch raises
            return f"does not import: {error}"
        return None


@dataclass(frozen=True)
class Model:
    """A model, its contestants (the course's first), its sizes and its data.

    inputs: size -> what goes in, and the targets. unit: what is counted of them.
    attentions_per_layer: how many matrices (T, T) one of num_layers has, the decoder's counted in; causal_per_layer:
    how many of these are causal. tied: whether the token embedding is the output's matrix too. works: what is timed of
    it.
    """

    contestants: dict[str, Contestant]
    sizes: dict[str, Size]
    inputs: Callable[[Size], tuple[tuple[Tensor, ...], Tensor]]
    loss: Callable[[Tensor, Tensor], Tensor]
    unit: str
    attentions_per_layer: int
    causal_per_layer: int = 0
    tied: bool = False
    works: tuple[str, ...] = WORKS

    def items(self, size: Size) -> int:
        """Images, or target tokens, in a batch."""
        return size.batch * (size.length or 1)


@contextmanager
def attention_kernels(fused: bool, dtype: torch.dtype = torch.float32) -> Iterator[None]:
    """Without `fused` nobody has a fused kernel: not torch.nn, which knows no other switch, and not by chance.

    torch.nn's own way for inference is left to float32: under autocast on a CPU it would go on in float32.
    """
    before = torch.backends.mha.get_fastpath_enabled()
    torch.backends.mha.set_fastpath_enabled(fused and dtype == torch.float32)
    try:
        if fused:
            yield
        else:
            with sdpa_kernel(SDPBackend.MATH):
                yield
    finally:
        torch.backends.mha.set_fastpath_enabled(before)


# ---- towers that stand in the course's models ------------------------------------------------------------------------


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


# ---- ViT -------------------------------------------------------------------------------------------------------------


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


def kernel_of(attention: str) -> str:
    """transformers' name for a kind of attention."""
    return "eager" if attention == PLAIN else "sdpa"


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


def call(model: nn.Module, inputs: tuple[Tensor, ...]) -> Tensor:
    return model(*inputs)


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


# ---- the Transformer -------------------------------------------------------------------------------------------------


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


# ---- the language model ----------------------------------------------------------------------------------------------


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


LENGTHS = (128, 512, 1024)
MODELS = {"vit": VIT, "transformer": TRANSFORMER} | {f"language-model-{n}": language_model(n) for n in LENGTHS}


# ---- the same work ---------------------------------------------------------------------------------------------------


def disagreement(model: Model, name: str, size: Size, attention: str, device: torch.device) -> tuple[float, float]:
    """How far a peer is from the course's model with the same weights: in its logits, and in its gradients.

    Returns the largest difference of a logit as a share of the largest logit, in training or in inference (where some
    have another way), and the norm of the difference of all weights' gradients as a share of the gradients' norm (a
    ReLU that rounding sends to the other side of zero is a difference that is nobody's fault, and a small one there).
    The weights are drawn, the norms' too, so that two parts that have changed places show. Of biases there are no
    gradients here: x-transformers has not all of them.
    """
    inputs, targets = to_device(model.inputs(size), device)
    peer, course = model.contestants[name], model.contestants["course"]
    torch.manual_seed(0)
    theirs, ours = peer.build(size, attention).to(device), course.build(size, attention).to(device)
    with torch.no_grad():
        for parameter in theirs.parameters():
            parameter.add_(0.02 * torch.randn_like(parameter))
    ours.load_state_dict(peer.course_state(theirs))

    def observed(contestant: Contestant, built: nn.Module) -> tuple[Tensor, State]:
        logits = contestant.logits(built.train(), inputs)
        model.loss(logits, targets).backward()
        with torch.inference_mode():
            alone = contestant.logits(built.eval(), inputs)
        states = []
        for share in (0, 1):  # the gradients in the weights' places, less what a mapping adds to nothing
            for parameter in built.parameters():
                assert parameter.grad is not None
                parameter.data = share * parameter.grad.double()
            states.append(contestant.course_state(built))
        named = {key: states[1][key] - states[0][key] for key in states[0] if key.endswith("weight")}
        return torch.stack([logits.detach(), alone]), named

    with attention_kernels(attention != PLAIN):
        (expected, expected_gradients), (outputs, gradients) = observed(peer, theirs), observed(course, ours)
    expected_norm = torch.stack([gradient.norm() for gradient in expected_gradients.values()]).norm()
    differences = [(gradients[key] - gradient).norm() for key, gradient in expected_gradients.items()]
    of_logits = (outputs - expected).abs().max() / expected.abs().max()
    return of_logits.item(), (torch.stack(differences).norm() / expected_norm).item()


def to_device(batch: tuple[tuple[Tensor, ...], Tensor], device: torch.device) -> tuple[tuple[Tensor, ...], Tensor]:
    """A batch, its inputs and its targets, on a device."""
    inputs, targets = batch
    return tuple(tensor.to(device) for tensor in inputs), targets.to(device)
