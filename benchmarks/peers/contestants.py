"""What a model, its sizes and its contestants are."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass

import torch
from torch import Tensor, nn
from torch.nn.attention import SDPBackend, sdpa_kernel

from benchmarks.peers.libraries import load

EPS = 1e-5  # of all layer norms: x-transformers' cannot be chosen
PLAIN, FUSED, CAUSAL = "plain", "fused", "causal flag"  # attention; the last is fused, and told what is causal
State = dict[str, Tensor]
WORKS = ("training", "inference")


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


def call(model: nn.Module, inputs: tuple[Tensor, ...]) -> Tensor:
    return model(*inputs)


def kernel_of(attention: str) -> str:
    """transformers' name for a kind of attention."""
    return "eager" if attention == PLAIN else "sdpa"
