"""Chapter 04: weights that are computed, relation and similarity, and what the root of d_k is for."""

import time

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from benchmarks.experiments import Record, Settings, experiment, parameter_count
from course.data.recall import RecallBatch, RecallModel, recall_accuracy, recall_batch
from course.training import fit
from solutions.dot_product import scaled_dot_product_attention

BATCH, TESTED = 64, 2_000
RECALL: Settings = {
    "d_model": 64,
    "learning_rate": 3e-3,
    "steps": 1_000,
    "pairs": 8,
    "symbols": 16,
    "numbers": 10,
}
FLAT_HIDDEN = 256
LONGER = 5  # times the steps, for what did not succeed in RECALL["steps"]
SCALE: Settings = {"d_model": 512, "learning_rate": 1e-3, "tested_after": [20, 40, 60, 80, 100]}


class Mixing(nn.Module):
    """Attention from one query to a memory. Without `projected` query and keys are compared as they are.

    The scores are query . key times `scale`, 1 / sqrt(d_model) where it is None. W_Q and W_K start with normal entries
    of variance gain^2 / d_model, so that at gain 1 they leave the size of what they map as it is.
    """

    def __init__(self, d_model: int, projected: bool = True, scale: float | None = None, gain: float = 1.0):
        super().__init__()
        self.W_Q, self.W_K = (nn.Linear(d_model, d_model, bias=False) if projected else nn.Identity() for _ in range(2))
        self.W_V = nn.Linear(d_model, d_model, bias=False)
        self.relative_scale = 1.0 if scale is None else scale * d_model**0.5
        for linear in (self.W_Q, self.W_K):
            if isinstance(linear, nn.Linear):
                nn.init.normal_(linear.weight, std=gain * d_model**-0.5)

    def forward(self, query: Tensor, memory: Tensor) -> tuple[Tensor, Tensor]:
        asked = self.relative_scale * self.W_Q(query)
        return scaled_dot_product_attention(asked, self.W_K(memory), self.W_V(memory))


class StaticMixing(nn.Module):
    """The control: weights that are parameters, one for each place of the memory, the same for every query."""

    def __init__(self, d_model: int, num_pairs: int):
        super().__init__()
        self.scores = nn.Parameter(torch.zeros(num_pairs))
        self.W_V = nn.Linear(d_model, d_model, bias=False)

    def forward(self, query: Tensor, memory: Tensor) -> tuple[Tensor, Tensor]:
        weights = torch.softmax(self.scores, dim=0).expand(len(query), 1, -1)
        return weights @ self.W_V(memory), weights


class FlatNetwork(nn.Module):
    """The other control: no mixing; the whole memory and the query, side by side, go into a network of three layers."""

    def __init__(self, d_model: int, num_pairs: int, hidden_size: int):
        super().__init__()
        self.symbol = nn.Embedding(RECALL["symbols"], d_model)
        self.number = nn.Embedding(RECALL["numbers"], d_model)
        self.layers = nn.Sequential(
            nn.Linear((num_pairs + 1) * d_model, hidden_size),
            nn.ReLU(),
            nn.Linear(hidden_size, hidden_size),
            nn.ReLU(),
            nn.Linear(hidden_size, RECALL["numbers"]),
        )

    def forward(self, batch: RecallBatch) -> tuple[Tensor, None]:
        memory = self.symbol(batch.symbols) + self.number(batch.numbers)
        return self.layers(torch.cat([memory.flatten(1), self.symbol(batch.asked)], dim=1)), None


def recall_batches(seed: int, offset: int):
    generator = torch.Generator().manual_seed(1_000 + seed)
    while True:
        yield recall_batch(BATCH, generator, offset, RECALL["pairs"], RECALL["symbols"], RECALL["numbers"])


def held_out(offset: int) -> RecallBatch:
    generator = torch.Generator().manual_seed(9_000)
    return recall_batch(TESTED, generator, offset, RECALL["pairs"], RECALL["symbols"], RECALL["numbers"])


def loss_of(model: nn.Module):
    return lambda batch: F.cross_entropy(model(batch)[0], batch.answers)


def recall_model(kind: str) -> nn.Module:
    d_model, num_pairs = RECALL["d_model"], RECALL["pairs"]
    if kind == "flat network":
        return FlatNetwork(d_model, num_pairs, FLAT_HIDDEN)
    if kind == "static mixing":
        return RecallModel(d_model, StaticMixing(d_model, num_pairs))
    return RecallModel(d_model, Mixing(d_model, projected=kind == "attention"))


@torch.no_grad()
def looked_at(model: RecallModel, offset: int) -> Record:
    """Mean weight on the pair that holds the answer, and on those of the asking symbol and the one before it, where
    these two are in the memory and are not the pair that was wanted."""
    batch = held_out(offset)
    weights = model(batch)[1].squeeze(1)  # (B, 1, S) -> (B, S)
    record: Record = {}
    for name, shift in (("on_wanted", offset), ("on_asking", 0), ("on_before", -1)):
        if name == "on_wanted" or shift != offset:
            there = batch.symbols == ((batch.asked + shift) % RECALL["symbols"]).unsqueeze(1)
            record[name] = weights[there].mean().item()
    return record


def recall_record(kind: str, offset: int, seed: int, steps: int) -> Record:
    """Train one model on associative recall; its accuracy on memories it has not seen, and where it looks."""
    torch.manual_seed(seed)
    model = recall_model(kind)
    start = time.perf_counter()
    fit(model, loss_of(model), recall_batches(seed, offset), steps, RECALL["learning_rate"], label=kind)
    seconds = time.perf_counter() - start
    record: Record = {"model": kind, "offset": offset, "steps": steps, "seed": seed}
    record["accuracy"] = recall_accuracy(model, held_out(offset))
    record |= {"parameters": parameter_count(model), "training_seconds": seconds}
    return record | looked_at(model, offset) if isinstance(model, RecallModel) else record


@experiment("dot_product_recall", {**RECALL, "batch": BATCH, "tested": TESTED, "flat_hidden": FLAT_HIDDEN})
def dot_product_recall(seed: int) -> list[Record]:
    """Associative recall: weights that are computed against weights that are learned, and a flat network; then symbol k
    asks for its own pair (offset 0) or for that of k + 1 (offset 1), with and without W_Q and W_K."""
    steps, without = RECALL["steps"], "attention without W_Q, W_K"
    plan = [
        ("static mixing", 0, steps),
        ("flat network", 0, steps),
        ("flat network", 0, LONGER * steps),
        ("attention", 0, steps),
        (without, 0, steps),
        ("attention", 1, steps),
        (without, 1, steps),
        (without, 1, LONGER * steps),
    ]
    return [recall_record(kind, offset, seed, n) for kind, offset, n in plan]


# name -> (scale, gain of the first W_Q and W_K, learning rate of those two relative to the rest)
SCALES = {
    "1": (1.0, 1.0, 1.0),
    "1/sqrt(d)": (SCALE["d_model"] ** -0.5, 1.0, 1.0),
    "1/d": (1 / SCALE["d_model"], 1.0, 1.0),
    "1, smaller start": (1.0, SCALE["d_model"] ** -0.25, 1.0),
    "1, smaller start and steps": (1.0, SCALE["d_model"] ** -0.25, SCALE["d_model"] ** -0.25),
}


@experiment(
    "dot_product_scale",
    {**RECALL, **SCALE, "steps": max(SCALE["tested_after"]), "batch": BATCH, "tested": TESTED},
)
def dot_product_scale(seed: int) -> list[Record]:
    """Associative recall at width 512, with the scores times 1, 1/sqrt(d) and 1/d.

    Two more leave the scores unscaled and start W_Q and W_K smaller by d^(1/4) each, which gives the same first scores
    as 1/sqrt(d): one with the same learning rate for all parameters, one in which that of these two is smaller by
    d^(1/4) as well.
    """
    return [
        {"scale": name} | record
        for name, (scale, gain, slower) in SCALES.items()
        for record in scale_records(seed, SCALE, SCALE["learning_rate"], scale, gain, slower)
    ]


RATES: Settings = {
    **SCALE,
    "learning_rate": [1e-5, 3e-5, 1e-4, 3e-4, 1e-3, 3e-3, 1e-2],
    "tested_after": [100],
    "scales": ["1", "1, smaller start", "1/sqrt(d)", "1/d"],
}


@experiment("dot_product_rates", {**RECALL, **RATES, "steps": 100, "batch": BATCH, "tested": TESTED})
def dot_product_rates(seed: int) -> list[Record]:
    """Associative recall at width 512, each at seven learning rates: the scores times 1, 1/sqrt(d) and 1/d, and times 1
    with W_Q and W_K started smaller.

    One rate for all scales cannot tell what the scale does from what the size of the steps does.
    """
    return [
        {"scale": name, "learning_rate": rate} | record
        for name in RATES["scales"]
        for rate in RATES["learning_rate"]
        for record in scale_records(seed, RATES, rate, *SCALES[name])
    ]


def scale_records(
    seed: int, settings: Settings, rate: float, scale: float, gain: float = 1.0, slower: float = 1.0
) -> list[Record]:
    """Associative recall with the scores times `scale`: accuracy after each of settings["tested_after"] steps.

    gain: of the first W_Q and W_K; slower: their learning rate relative to `rate`, the rest's.
    """
    tested = held_out(0)
    torch.manual_seed(seed)
    mixing = Mixing(settings["d_model"], scale=scale, gain=gain)
    model = RecallModel(settings["d_model"], mixing)
    compared = [mixing.W_Q.weight, mixing.W_K.weight]
    rest = [p for p in model.parameters() if not any(p is other for other in compared)]
    groups: list[Settings] = [{"params": rest}, {"params": compared, "lr": slower * rate}]
    optimizer = torch.optim.Adam(groups, lr=rate)
    with torch.no_grad():
        top_weight = model(tested)[1].amax(dim=-1).mean().item()
    stream = recall_batches(seed, 0)
    records: list[Record] = []
    for step in range(1, max(settings["tested_after"]) + 1):
        loss = loss_of(model)(next(stream))
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        if step in settings["tested_after"]:
            record: Record = {"seed": seed, "step": step, "accuracy": recall_accuracy(model, tested)}
            records.append(record | {"top_weight_at_start": top_weight})
    return records
