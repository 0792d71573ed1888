"""Writing with a cache, side by side: the course's caches and those of transformers' GPT-2, with the same weights.

A writer has read a prompt; then it reads its last token, takes the likeliest next one, reads that, and so on. No
library's `generate` is in between, so that nothing is timed but the model, its cache and the choice of the token.
transformers compiles a model with a static cache where it writes on a GPU; so there is one that is compiled, too.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor, nn

from benchmarks.peers import MODELS
from benchmarks.peers.contestants import FUSED, PLAIN, Size
from benchmarks.peers.language_model import course_language_model, gpt2
from benchmarks.peers.libraries import load
from course.weights import language_model_from_gpt2
from solutions.cuda import StaticKeyValueCache
from solutions.language_model import KeyValueCache

SIZES = MODELS["language-model-1024"].sizes  # of the model; its batch and length are below
BATCHES = (1, 8)
READ = (248, 992)  # tokens before the first that is read in its turn: places 256 and 1,000 are among what is written
COUNT = 16


@dataclass(frozen=True)
class Writer:
    """A model that has read a prompt. read: the next tokens (B, T) -> logits (B, T, V); rewind: to the prompt's end."""

    read: Callable[[Tensor], Tensor]
    rewind: Callable[[], None]


@dataclass(frozen=True)
class Pair:
    """The course's model and transformers', with the same weights."""

    course: nn.Module
    gpt2: Any


def pair(size: Size, device: torch.device) -> Pair:
    """Both models, their weights drawn: from those that a training starts with, a model repeats its last token."""
    torch.manual_seed(0)
    theirs, ours = gpt2(size, FUSED), course_language_model(size, PLAIN)
    with torch.no_grad():
        for parameter in theirs.parameters():
            parameter.add_(0.1 * torch.randn_like(parameter))
    ours.load_state_dict(language_model_from_gpt2(theirs.state_dict()))
    return Pair(ours.to(device).eval(), theirs.to(device).eval())


def growing(models: Pair, prompt: Tensor) -> Writer:
    """Chapter 07's cache, which copies what it has at every token."""
    cache = KeyValueCache(models.course)
    cache(prompt)
    keys, values = list(cache.keys), list(cache.values)

    def rewind() -> None:
        cache.length, cache.keys, cache.values = prompt.shape[1], list(keys), list(values)

    return Writer(cache, rewind)


def with_room(models: Pair, prompt: Tensor) -> Writer:
    """Chapter 09's cache, which has its room from the start."""
    cache = StaticKeyValueCache(models.course, len(prompt))
    cache(prompt)

    def rewind() -> None:
        cache.length = prompt.shape[1]  # what stands behind is written over

    return Writer(cache, rewind)


def dynamic(models: Pair, prompt: Tensor) -> Writer:
    """transformers' DynamicCache, its default."""
    cache = load("transformers").DynamicCache(config=models.gpt2.config)
    models.gpt2(prompt, past_key_values=cache, use_cache=True)

    def rewind() -> None:
        cache.crop(prompt.shape[1] - cache.get_seq_length())

    return Writer(lambda tokens: models.gpt2(tokens, past_key_values=cache, use_cache=True).logits, rewind)


def static(models: Pair, prompt: Tensor) -> Writer:
    """transformers' StaticCache."""
    cache = load("transformers").StaticCache(config=models.gpt2.config, max_cache_len=models.gpt2.config.n_positions)
    models.gpt2(prompt, past_key_values=cache, use_cache=True)

    def rewind() -> None:
        for layer in cache.layers:
            layer.cumulative_length.fill_(prompt.shape[1])

    return Writer(lambda tokens: models.gpt2(tokens, past_key_values=cache, use_cache=True).logits, rewind)


def compiled(models: Pair, prompt: Tensor) -> Writer:
    """The same by torch.compile, on a GPU as CUDA graphs."""
    writer = static(models, prompt)
    on_gpu = prompt.device.type == "cuda"
    read = torch.compile(writer.read, mode="reduce-overhead" if on_gpu else "default")
    return Writer(lambda tokens: read(tokens).clone() if on_gpu else read(tokens), writer.rewind)  # a graph's is lent


OURS = {"chapter 07's cache": growing, "with room from the start": with_room}
PEERS = {
    "transformers, DynamicCache": dynamic,
    "transformers, StaticCache": static,
    "transformers, StaticCache compiled": compiled,
}


def write(writer: Writer, last: Tensor, count: int) -> tuple[Tensor, Tensor]:
    """Go back to the prompt's end, read `last` (B, 1) and write: tokens (B, count), and the logits (B, count, V)."""
    writer.rewind()
    tokens, logits = [last], []
    for _ in range(count):
        logits.append(writer.read(tokens[-1]))
        tokens.append(logits[-1].argmax(dim=-1))
    return torch.cat(tokens[1:], dim=1), torch.cat(logits, dim=1)


def difference(models: Pair, writer: Writer, prompt: Tensor, count: int) -> float:
    """How far a writer's logits are from one pass of the course's model over all, as a share of the largest logit.

    prompt (B, T): the writer has read all but the last token. Raises AssertionError where a token is not the likeliest.
    """
    tokens, logits = write(writer, prompt[:, -1:], count)
    expected = models.course(torch.cat([prompt, tokens[:, :-1]], dim=1))[:, -count:]
    if not torch.equal(tokens, expected.argmax(dim=-1)):
        raise AssertionError(f"of {count} tokens after {prompt.shape[1]} some are not those of the model in one pass")
    return ((logits - expected).abs().max() / expected.abs().max()).item()
