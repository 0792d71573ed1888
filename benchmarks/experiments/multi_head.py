"""Chapter 05: one head against two, positions at unseen lengths, and what heads look at and are used for."""

import copy
import math
import time
from functools import partial

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from benchmarks.experiments import Record, Settings, experiment, parameter_count
from course.data.counting import CountingBatch, counting_batch, counting_vocabulary, kinds_of_place
from course.training import fit
from course.watch import watch_attention
from solutions.multi_head import (
    LearnedPositionalEncoding,
    MultiHeadAttention,
    ablate_heads,
    previous_token_head,
    sinusoidal_encoding,
    split_heads,
)
from solutions.transformer import TransformerEncoder

# ---- the neighbors on a ring ---------------------------------------------------------------------------------------

PAIR: Settings = {
    "symbols": 10,
    "ring": 16,
    "d_model": 32,
    "steps": 400,
    "batch_size": 64,
    "learning_rate": 4e-3,
    "tested": 1_000,
}
# name -> heads, layers, positions, MLP behind the attention, which neighbors are asked for
PAIR_MODELS: dict[str, tuple[int, int, bool, bool, tuple[int, int]]] = {
    "one head": (1, 1, True, False, (-1, 1)),
    "two heads": (2, 1, True, False, (-1, 1)),
    "four heads": (4, 1, True, False, (-1, 1)),
    "two heads, no positions": (2, 1, False, False, (-1, 1)),
    "one head and an MLP": (1, 1, True, True, (-1, 1)),
    "one head, two layers": (1, 2, True, False, (-1, 1)),
    "one head, asked for the left one twice": (1, 1, True, False, (-1, -1)),
}


class Ring(nn.Module):
    """Symbols (B, L) to logits (B, L, 2, V) for two neighbors, read off the attention's output by a linear map.

    One layer has nothing beside the attention: no residual, no feed-forward, unless `mlp`. Two layers need a residual.
    """

    def __init__(self, num_heads: int, num_layers: int, positions: bool, mlp: bool):
        super().__init__()
        symbols, d_model = PAIR["symbols"], PAIR["d_model"]
        self.embedding = nn.Embedding(symbols, d_model)
        self.positions: LearnedPositionalEncoding | nn.Identity = nn.Identity()
        if positions:
            self.positions = LearnedPositionalEncoding(PAIR["ring"], d_model)
            nn.init.normal_(self.positions.weight, std=0.5)  # of the embeddings' order, so that 400 steps are enough
        self.layers = nn.ModuleList(MultiHeadAttention(d_model, num_heads) for _ in range(num_layers))
        self.mlp = (
            nn.Sequential(nn.Linear(d_model, 2 * d_model), nn.ReLU(), nn.Linear(2 * d_model, d_model))
            if mlp
            else nn.Identity()
        )
        self.output = nn.Linear(d_model, 2 * symbols)

    def forward(self, x: Tensor) -> Tensor:
        stream = self.positions(self.embedding(x))
        for attention in self.layers:
            read, _ = attention(stream, stream, stream)
            stream = read if len(self.layers) == 1 else stream + read
        return self.output(self.mlp(stream)).unflatten(2, (2, -1))


def ring_batch(count: int, asked: tuple[int, int], generator: torch.Generator) -> tuple[Tensor, Tensor]:
    """Random symbols on a ring (B, L), and the two that are asked for at every place (B, L, 2)."""
    x = torch.randint(PAIR["symbols"], (count, PAIR["ring"]), generator=generator)
    return x, torch.stack([x.roll(-offset, dims=1) for offset in asked], dim=2)


@experiment("multi_head_pair", PAIR)
def multi_head_pair(seed: int) -> list[Record]:
    """Name both neighbors of every symbol on a ring: one head, two, four, and the controls."""
    records: list[Record] = []
    for name, (num_heads, num_layers, positions, mlp, asked) in PAIR_MODELS.items():
        torch.manual_seed(seed)
        model, generator = Ring(num_heads, num_layers, positions, mlp), torch.Generator().manual_seed(seed)

        def loss_of(batch, model=model):
            x, neighbors = batch
            return F.cross_entropy(model(x).flatten(0, 2), neighbors.flatten())

        stream = iter(partial(ring_batch, PAIR["batch_size"], asked, generator), None)
        start = time.perf_counter()
        fit(model, loss_of, stream, PAIR["steps"], PAIR["learning_rate"], label=name)
        seconds = time.perf_counter() - start
        x, neighbors = ring_batch(PAIR["tested"], asked, torch.Generator().manual_seed(9_000))
        with torch.no_grad(), watch_attention(model) as seen:
            right = model(x).argmax(dim=3) == neighbors  # (B, L, 2)
        record: Record = {
            "model": name,
            "seed": seed,
            "pair": right.all(dim=2).double().mean().item(),
            "left": right[:, :, 0].double().mean().item(),
            "right": right[:, :, 1].double().mean().item(),
            "parameters": parameter_count(model),
            "training_seconds": seconds,
        }
        place = torch.arange(PAIR["ring"])
        for layer in range(num_layers):
            for head, weights in enumerate(seen[f"layers.{layer}"].mean(dim=0)):  # (L, L), the mean over rings
                for side, offset in (("left", -1), ("right", 1)):
                    looked = weights[place, (place + offset) % PAIR["ring"]].mean().item()
                    record[f"layer {layer} head {head} on the {side}"] = looked
        records.append(record)
    return records


# ---- the symbol before, at lengths never seen -----------------------------------------------------------------------

LONGER: Settings = {
    "symbols": 10,
    "d_model": 32,
    "trained_length": 16,
    "furthest_start": 500,
    "steps": 400,
    "batch_size": 64,
    "learning_rate": 4e-3,
    "gain": 50.0,
    "lengths": [16, 32, 64, 128, 256],
    "tested_symbols": 12_800,
}
LONGER_MODELS = ("set by hand", "trained from position 0", "trained from anywhere")


class Before(nn.Module):
    """Symbols (B, T) and their positions' encoding (T, D) to logits (B, T, V) and one head's weights (B, 1, T, T)."""

    def __init__(self):
        super().__init__()
        self.embedding = nn.Embedding(LONGER["symbols"], LONGER["d_model"])
        self.attention = MultiHeadAttention(LONGER["d_model"], 1)
        self.output = nn.Linear(LONGER["d_model"], LONGER["symbols"])

    def forward(self, x: Tensor, encoding: Tensor) -> tuple[Tensor, Tensor]:
        stream = self.embedding(x) + encoding
        read, weights = self.attention(stream, stream, stream)
        return self.output(read), weights


class BeforeByHand(Before):
    """The same, with `previous_token_head` on the positions alone and the symbols alone as values.

    Nothing in it is trained: the embedding is one-hot and the output reads it back.
    """

    def __init__(self):
        super().__init__()
        self.W_Q, self.W_K = previous_token_head(LONGER["d_model"], LONGER["gain"])

    def forward(self, x: Tensor, encoding: Tensor) -> tuple[Tensor, Tensor]:
        scores = (encoding @ self.W_Q.T) @ (encoding @ self.W_K.T).T / math.sqrt(LONGER["d_model"])
        weights = torch.softmax(scores, dim=1)  # (T, T), for every sentence
        return weights @ F.one_hot(x, LONGER["symbols"]).float(), weights.expand(len(x), 1, -1, -1)


@experiment("multi_head_longer", LONGER)
def multi_head_longer(seed: int) -> list[Record]:
    """Name the symbol before: a head set by hand and heads trained on sixteen positions, tested on up to 256."""
    records: list[Record] = []
    table = sinusoidal_encoding(LONGER["furthest_start"] + max(LONGER["lengths"]), LONGER["d_model"])
    T = LONGER["trained_length"]
    for name in LONGER_MODELS:
        torch.manual_seed(seed)
        generator = torch.Generator().manual_seed(seed)
        model = BeforeByHand() if name == "set by hand" else Before()
        furthest = LONGER["furthest_start"] if name == "trained from anywhere" else 0

        def draw(generator=generator, furthest=furthest):
            x = torch.randint(LONGER["symbols"], (LONGER["batch_size"], T), generator=generator)
            start = int(torch.randint(furthest + 1, (1,), generator=generator))
            return x, table[start : start + T]

        def loss_of(batch, model=model):
            logits, _ = model(*batch)
            return F.cross_entropy(logits[:, 1:].flatten(0, 1), batch[0][:, :-1].flatten())

        if name != "set by hand":
            fit(model, loss_of, iter(draw, None), LONGER["steps"], LONGER["learning_rate"], label=name)
        for length in LONGER["lengths"]:
            test = torch.Generator().manual_seed(9_000)
            x = torch.randint(LONGER["symbols"], (LONGER["tested_symbols"] // length, length), generator=test)
            with torch.no_grad():
                logits, weights = model(x, table[:length])
            before = weights[:, 0].diagonal(-1, 1, 2)  # (B, T - 1)
            records.append(
                {
                    "model": name,
                    "seed": seed,
                    "length": length,
                    "right": (logits[:, 1:].argmax(dim=2) == x[:, :-1]).double().mean().item(),
                    "weight_on_it": before.mean().item(),
                    "least_weight_on_it": before.min().item(),
                }
            )
    return records


# ---- counting: what heads look at, and what is lost without them ----------------------------------------------------

LOOK: Settings = {
    "d_model": 64,
    "num_heads": 4,
    "num_layers": 2,
    "d_ff": 128,
    "hidden_share": 0.15,
    "steps": 600,
    "batch_size": 64,
    "learning_rate": 3e-3,
    "tested": 500,
}


class Counter(nn.Module):
    """Shown words (B, T) to logits (B, T, V), by a small pre-norm encoder over sinusoidal positions."""

    def __init__(self):
        super().__init__()
        d_model = LOOK["d_model"]
        self.embedding = nn.Embedding(len(counting_vocabulary()), d_model)
        nn.init.normal_(self.embedding.weight, std=0.5)  # of the size of the positions' sines and cosines
        self.encoder = TransformerEncoder(d_model, LOOK["num_heads"], LOOK["d_ff"], LOOK["num_layers"])
        self.output = nn.Linear(d_model, len(counting_vocabulary()))

    def forward(self, batch: CountingBatch) -> Tensor:
        encoding = sinusoidal_encoding(batch.shown.shape[1], LOOK["d_model"])
        return self.output(self.encoder(self.embedding(batch.shown) + encoding, batch.mask))


def counting_loss(model: nn.Module, batch: CountingBatch) -> Tensor:
    """The mean cross-entropy over the hidden words."""
    return F.cross_entropy(model(batch)[batch.hidden], batch.ids[batch.hidden])


@torch.no_grad()
def counting_quality(model: nn.Module, batch: CountingBatch) -> dict[str, float]:
    right = model(batch).argmax(dim=2) == batch.ids
    return {"loss": counting_loss(model, batch).item(), "accuracy": right[batch.hidden].double().mean().item()}


def mean_in_place_of(attention: MultiHeadAttention, head: int, mean: Tensor) -> MultiHeadAttention:
    """A copy in which one head adds, at every position, what it adds in the mean: `mean` (d_head,) through W_O."""
    d_head = len(mean)
    changed = ablate_heads(attention, [head])
    with torch.no_grad():
        changed.W_O.bias.add_(attention.W_O.weight[:, head * d_head : (head + 1) * d_head] @ mean)
    return changed


def trained_counter(seed: int, steps: int = LOOK["steps"]) -> tuple[Counter, list[float], float]:
    """A counter that has learned to name hidden words, each step's loss, and the seconds that it took."""
    torch.manual_seed(seed)
    model, generator = Counter(), torch.Generator().manual_seed(seed)
    stream = iter(lambda: counting_batch(LOOK["batch_size"], generator, LOOK["hidden_share"]), None)
    start = time.perf_counter()
    losses = fit(model, lambda batch: counting_loss(model, batch), stream, steps, LOOK["learning_rate"], label="look")
    return model, losses, time.perf_counter() - start


def attentions(model: Counter) -> list[MultiHeadAttention]:
    """Each layer's attention, in their order."""
    return [module for module in model.modules() if isinstance(module, MultiHeadAttention)]


def attention_of(model: Counter, batch: CountingBatch) -> list[tuple[Tensor, Tensor]]:
    """What enters each layer's attention, (B, T, D), and its weights, (B, H, T, T)."""
    inputs: dict[int, Tensor] = {}
    hooks = [
        attention.register_forward_hook(lambda _, given, out, i=i: inputs.__setitem__(i, given[0]))
        for i, attention in enumerate(attentions(model))
    ]
    with torch.no_grad(), watch_attention(model) as seen:
        model(batch)
    for hook in hooks:
        hook.remove()
    return [(inputs[i], seen[f"encoder.layers.{i}.self_attention"]) for i in range(len(model.encoder.layers))]


def look_of(weights: Tensor, test: CountingBatch) -> Record:
    """Where a head's weights (B, T, T) lie, and the mean largest one; looks are counted from hidden number words."""
    asked = test.hidden & (test.ids != counting_vocabulary().encode([","])[0])
    shares = {f"on {kind}": (weights * here).sum(dim=2) for kind, here in kinds_of_place(test).items()}
    shares["largest_weight"] = weights.amax(dim=2)
    return {name: share[asked].mean().item() for name, share in shares.items()}


def look_at_heads(
    model: Counter, seed: int, test: CountingBatch, other: CountingBatch
) -> tuple[list[Record], dict[tuple[int, int], float]]:
    """A record of each head: where it looks in `test`, and what is lost there without it. Also, by layer and head, the
    loss in `other` with it switched off."""
    records: list[Record] = []
    missed: dict[tuple[int, int], float] = {}
    for i, (layer, (entered, weights)) in enumerate(zip(model.encoder.layers, attention_of(model, test), strict=True)):
        whole_attention = attentions(model)[i]
        with torch.no_grad():
            values = split_heads(whole_attention.W_V(entered), LOOK["num_heads"])
            mixed = (weights @ values).transpose(1, 2)[test.mask[:, 0]].mean(dim=0)  # (H, d): over real positions
        for head in range(LOOK["num_heads"]):
            record: Record = {"measure": "head", "seed": seed, "layer": i, "head": head}
            record |= look_of(weights[:, head], test)
            for name, changed in (
                ("off", ablate_heads(whole_attention, [head])),
                ("mean", mean_in_place_of(whole_attention, head, mixed[head])),
            ):
                layer.self_attention = changed
                quality = counting_quality(model, test)
                record[f"{name}_loss"], record[f"{name}_accuracy"] = quality["loss"], quality["accuracy"]
                if name == "off":
                    missed[i, head] = counting_quality(model, other)["loss"]
                layer.self_attention = whole_attention
            records.append(record)
    return records, missed


@experiment("multi_head_look", LOOK)
def multi_head_look(seed: int) -> list[Record]:
    """Name hidden words in counting sentences; then where each head looks, and what is lost without it.

    Each head is switched off ("off"), or adds its mean in place of what it found ("mean"). Then heads are switched off
    one after the other, the least missed first, in the order measured on other sentences.
    """
    model, _, seconds = trained_counter(seed)
    test = counting_batch(LOOK["tested"], torch.Generator().manual_seed(9_000), LOOK["hidden_share"])
    other = counting_batch(LOOK["tested"], torch.Generator().manual_seed(9_001), LOOK["hidden_share"])
    whole = counting_quality(model, test)
    records: list[Record] = [
        {"measure": "whole", "seed": seed, **whole, "parameters": parameter_count(model), "training_seconds": seconds}
    ]
    of_heads, missed = look_at_heads(model, seed, test, other)
    records += of_heads

    thinned = copy.deepcopy(model)
    records.append({"measure": "thinned", "seed": seed, "heads_left": len(missed), **whole})
    for left, (i, head) in zip(range(len(missed) - 1, -1, -1), sorted(missed, key=missed.__getitem__), strict=True):
        layer = thinned.encoder.layers[i]
        layer.self_attention = ablate_heads(attentions(thinned)[i], [head])
        records.append({"measure": "thinned", "seed": seed, "heads_left": left, **counting_quality(thinned, test)})
    return records


UNTRAINED: Settings = {
    key: LOOK[key] for key in ("d_model", "num_heads", "num_layers", "d_ff", "hidden_share", "tested")
}


@experiment("multi_head_untrained", UNTRAINED)
def multi_head_untrained(seed: int) -> list[Record]:
    """The control of `multi_head_look`: where each head of the same model looks before training."""
    torch.manual_seed(seed)
    model = Counter()
    test = counting_batch(LOOK["tested"], torch.Generator().manual_seed(9_000), LOOK["hidden_share"])
    return [
        {"seed": seed, "layer": layer, "head": head, **look_of(weights[:, head], test)}
        for layer, (_, weights) in enumerate(attention_of(model, test))
        for head in range(LOOK["num_heads"])
    ]
