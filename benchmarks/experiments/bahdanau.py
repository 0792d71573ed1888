"""Chapter 02: the numbers by attention, its controls, and where the weights fall."""

import itertools
import time

import torch
from torch import Tensor, nn

from benchmarks.experiments import Record, Settings, experiment, parameter_count
from benchmarks.experiments.seq2seq import (
    NUMBERS_TRAINED,
    TESTED_EACH,
    greedy_accuracy,
    loss_of,
    vector_model,
)
from course import data
from course.training import fit
from solutions.bahdanau import (
    AdditiveAttention,
    AttentionDecoder,
    BilinearAttention,
    DotProductAttention,
    masked_softmax,
)
from solutions.seq2seq import Encoder, GRUCell

ATTENTION: Settings = {
    "embedding_size": 32,
    "hidden_size": 64,
    "learning_rate": 5e-3,
    "batch_size": 64,
    "sentences": 20_000,
}
ATTENTION_STEPS, ATTENTION_TESTED = 400, 8
# What writes: chapter 01's vector and the plain mean of the states are the controls of the three score functions;
# "additive, new state" is Luong's order of a step: it asks with s_t where "additive" asks with s_{t-1}, and its context
# goes past the cell. The two differ in both.
ATTENTION_MODELS = ("vector", "mean", "additive", "dot", "bilinear", "additive, new state")
# Where these put their weights does not depend on the words, so there is no alignment to look at.
WITHOUT_COMPARING = ("mean", "one random mixture", "random mixtures", "location")
LONGEST = 64  # positions, and steps: more than eight numbers have in either language


class MeanAttention(nn.Module):
    """The control: a context that is the plain mean of all values, with no parameters and no choice."""

    def forward(self, query: Tensor, keys: Tensor, values: Tensor, mask: Tensor | None = None):
        weights = masked_softmax(torch.zeros_like(keys[:, :, 0]), mask)
        return torch.einsum("bs,bsd->bd", weights, values), weights


class FixedMixtures(nn.Module):
    """The control that has access and no choice: random mixtures of the positions, drawn once and taken in turn.

    It counts its own steps, from the last call of `begin` on, whatever the sentence, the query and the keys. With one
    mixture every step has the same.
    """

    scores: Tensor

    def __init__(self, mixtures: int, positions: int):
        super().__init__()
        # twice as wide as a standard normal: most of the weight on a few positions, as where one is chosen
        self.register_buffer("scores", 2 * torch.randn(mixtures, positions))
        self.at = 0

    def begin(self) -> None:
        self.at = 0

    def forward(self, query: Tensor, keys: Tensor, values: Tensor, mask: Tensor | None = None):
        weights = masked_softmax(self.scores[self.at, : keys.shape[1]].expand(keys.shape[:2]), mask)
        self.at = (self.at + 1) % len(self.scores)
        return torch.einsum("bs,bsd->bd", weights, values), weights


class LocationAttention(nn.Module):
    """The control that chooses and does not compare: a learned score for each position, from the query alone
    (Luong et al., 2015, "location")."""

    def __init__(self, d_query: int, positions: int):
        super().__init__()
        self.W_a = nn.Linear(d_query, positions, bias=False)

    def forward(self, query: Tensor, keys: Tensor, values: Tensor, mask: Tensor | None = None):
        weights = masked_softmax(self.W_a(query)[:, : keys.shape[1]], mask)
        return torch.einsum("bs,bsd->bd", weights, values), weights


class NewStateDecoder(AttentionDecoder):
    """Luong's order (2015): the cell moves first, then the NEW state asks, and the
    context reaches the output alone.
    """

    def __init__(self, vocab_size, embedding_size, hidden_size, *others):
        super().__init__(vocab_size, embedding_size, hidden_size, *others)
        self.cell = GRUCell(embedding_size, hidden_size)

    def _advance(self, token, hidden, keys, values, mask):
        hidden = self.cell(self.embedding(token), hidden)
        context, weights = self.attention(hidden, keys, values, mask)
        return self.output(torch.cat([hidden, context], dim=1)), hidden, weights


class AttentionTranslator(nn.Module):
    """Chapter 01's encoder with an attention decoder, under the same names as its `Seq2Seq`."""

    def __init__(self, kind: str, source_size: int, target_size: int, embedding_size: int, hidden_size: int):
        super().__init__()
        self.encoder = Encoder(source_size, embedding_size, hidden_size, data.PAD_ID)
        attention = {
            "mean": MeanAttention,
            "dot": DotProductAttention,
            "bilinear": lambda: BilinearAttention(hidden_size, 2 * hidden_size),
            "one random mixture": lambda: FixedMixtures(1, LONGEST),
            "random mixtures": lambda: FixedMixtures(LONGEST, LONGEST),
            "location": lambda: LocationAttention(hidden_size, LONGEST),
        }.get(kind, lambda: AdditiveAttention(hidden_size, 2 * hidden_size, hidden_size))()
        decoder = NewStateDecoder if kind == "additive, new state" else AttentionDecoder
        self.decoder = decoder(target_size, embedding_size, hidden_size, data.PAD_ID, 2 * hidden_size, attention)
        self.sums_directions = kind == "dot"  # the dot product wants keys as wide as the query (Luong et al., 2015)

    def start(self, source: Tensor, lengths: Tensor) -> tuple[Tensor, Tensor, Tensor, Tensor]:
        outputs, hidden = self.encoder(source, lengths)
        if isinstance(self.decoder.attention, FixedMixtures):
            self.decoder.attention.begin()
        keys = sum(outputs.chunk(2, dim=2)) if self.sums_directions else outputs
        return hidden, keys, outputs, source != data.PAD_ID

    def step(self, token: Tensor, state: tuple) -> tuple[Tensor, tuple]:
        return self.decoder.step(token, state)

    def look(self, source: Tensor, lengths: Tensor, targets: Tensor) -> tuple[Tensor, Tensor]:
        begin = torch.full_like(targets[:, :1], data.BOS_ID)
        return self.decoder(torch.cat([begin, targets[:, :-1]], dim=1), *self.start(source, lengths))

    def forward(self, source: Tensor, lengths: Tensor, targets: Tensor) -> Tensor:
        return self.look(source, lengths, targets)[0]


def padded_alignment(examples: list[data.Example], length: int) -> Tensor:
    """The true source position of each target token, (B, length) int64; -1 for the end token and padding too."""
    rows = [[*example.alignment, *[-1] * (length - len(example.alignment))] for example in examples]
    return torch.tensor(rows)


@torch.no_grad()
def without_one_key(decoder: AttentionDecoder, tokens: Tensor, state: tuple, removed: Tensor) -> Tensor:
    """What is written at each step when that step alone may not see one source position: tokens (B, T).

    removed (B, T): the position masked at step t. Each step starts from the undisturbed hidden state.
    """
    hidden, keys, values, mask = state
    written = []
    for t, token in enumerate(tokens.unbind(dim=1)):
        cut = mask.scatter(1, removed[:, t : t + 1], False)
        written.append(decoder.step(token, (hidden, keys, values, cut))[0].argmax(dim=1))
        hidden = decoder.step(token, (hidden, keys, values, mask))[1][0]
    return torch.stack(written, dim=1)


@torch.no_grad()
def alignment_records(model: AttentionTranslator, seed: int, k: int) -> list[Record]:
    """Where the weights fall, by kind of German word, on teacher-forced sentences of k numbers; and what happens to the
    word when the step may not see its most weighted position, or a random other one."""
    source, target = data.numbers_vocabularies()
    examples = data.numbers_in_words(TESTED_EACH, k, k, seed=9_000 + k)
    batch = data.collate(examples, source, target)
    logits, weights = model.look(batch.source, batch.source_lengths, batch.targets)
    written, top = logits.argmax(dim=2), weights.argmax(dim=2)
    state = model.start(batch.source, batch.source_lengths)
    tokens = torch.cat([torch.full_like(batch.targets[:, :1], data.BOS_ID), batch.targets[:, :-1]], dim=1)
    # a random position that is real and is not the top one
    chances = torch.rand(weights.shape, generator=torch.Generator().manual_seed(seed))
    chances = chances.masked_fill(~state[3].unsqueeze(1), -1.0).scatter(2, top.unsqueeze(2), -1.0)
    changed_top = without_one_key(model.decoder, tokens, state, top) != written
    changed_other = without_one_key(model.decoder, tokens, state, chances.argmax(dim=2)) != written
    alignment = padded_alignment(examples, batch.targets.shape[1])
    records = []
    for kind, words in data.german_kinds().items():
        here = torch.isin(batch.targets, torch.tensor(target.encode(words)[:-1]))
        aligned = here & (alignment >= 0)
        record: Record = {"measure": "alignment", "seed": seed, "k": k, "kind": kind, "words": int(here.sum())}
        if aligned.any():
            record["on_its_word"] = (top == alignment)[aligned].double().mean().item()
            record["on_the_word_before"] = (top == alignment - 1)[aligned].double().mean().item()
            record["on_the_word_after"] = (top == alignment + 1)[aligned].double().mean().item()
        record["top_weight"] = weights.amax(dim=2)[here].mean().item()
        record["written_right"] = (written == batch.targets)[here].double().mean().item()
        record["changed_without_top"] = changed_top[here].double().mean().item()
        record["changed_without_other"] = changed_other[here].double().mean().item()
        records.append(record)
    return records


def trained_on_numbers(kind: str, steps: int, rate: float, seed: int) -> tuple[nn.Module, list[float]]:
    """One model trained on the numbers in words, and its losses. kind: "vector", or an attention's."""
    source, target = data.numbers_vocabularies()
    width, hidden_size = ATTENTION["embedding_size"], ATTENTION["hidden_size"]
    examples = data.numbers_in_words(ATTENTION["sentences"], 1, NUMBERS_TRAINED, seed=1_000 + seed)
    torch.manual_seed(seed)
    model: nn.Module
    if kind == "vector":
        model = vector_model(source, target, width, hidden_size)
    else:
        model = AttentionTranslator(kind, len(source), len(target), width, hidden_size)
    stream = data.batches(examples, source, target, ATTENTION["batch_size"], seed)
    losses = fit(model, loss_of(model), stream, steps, rate, label=f"{kind}, {rate:g}")
    return model, losses


def attention_records(kind: str, steps: int, seed: int) -> list[Record]:
    """Train one model on the numbers; its accuracy by k and, where it chooses, where it looks."""
    source, target = data.numbers_vocabularies()
    start = time.perf_counter()
    model, losses = trained_on_numbers(kind, steps, ATTENTION["learning_rate"], seed)
    seconds = time.perf_counter() - start
    records: list[Record] = []
    for k in range(1, ATTENTION_TESTED + 1):
        test = data.collate(data.numbers_in_words(TESTED_EACH, k, k, seed=9_000 + k), source, target)
        symbols, exact = greedy_accuracy(model, test)
        records.append(
            {
                "measure": "accuracy",
                "model": kind,
                "seed": seed,
                "k": k,
                "symbols": symbols,
                "exact": exact,
                "last_loss": sum(losses[-50:]) / 50,
                "parameters": parameter_count(model),
                "training_seconds": seconds,
            }
        )
    if isinstance(model, AttentionTranslator) and kind not in WITHOUT_COMPARING:
        records += [{**record, "model": kind} for record in alignment_records(model, seed, NUMBERS_TRAINED)]
    return records


@experiment(
    "bahdanau_numbers",
    {**ATTENTION, "steps": ATTENTION_STEPS, "trained_k": [1, NUMBERS_TRAINED], "tested_each": TESTED_EACH},
)
def bahdanau_numbers(seed: int) -> list[Record]:
    """The numbers by attention: three score functions, Luong's order of a step, and two controls, all trained alike."""
    return [record for kind in ATTENTION_MODELS for record in attention_records(kind, ATTENTION_STEPS, seed)]


@experiment(
    "bahdanau_neighbors",
    {**ATTENTION, "steps": ATTENTION_STEPS, "trained_k": [1, NUMBERS_TRAINED], "tested_each": TESTED_EACH},
)
def bahdanau_neighbors(seed: int) -> list[Record]:
    """The bilinear models of `bahdanau_numbers` once more: do they look at the word, or at the word beside it?"""
    records = attention_records("bilinear", ATTENTION_STEPS, seed)
    return [record for record in records if record["measure"] == "alignment" and "on_its_word" in record]


@experiment(
    "bahdanau_mean_longer",
    {**ATTENTION, "steps": 6 * ATTENTION_STEPS, "trained_k": [1, NUMBERS_TRAINED], "tested_each": TESTED_EACH},
)
def bahdanau_mean_longer(seed: int) -> list[Record]:
    """The control that sees all states and cannot choose, with six times the training."""
    return attention_records("mean", 6 * ATTENTION_STEPS, seed)


@experiment(
    "bahdanau_controls",
    {**ATTENTION, "steps": ATTENTION_STEPS, "trained_k": [1, NUMBERS_TRAINED], "tested_each": TESTED_EACH},
)
def bahdanau_controls(seed: int) -> list[Record]:
    """Access without choice, and choice without comparing: controls of `bahdanau_numbers`, trained alike.

    The mean becomes a few states in "one random mixture", and those change from step to step in "random mixtures".
    """
    kinds = ("one random mixture", "random mixtures", "location")
    return [record for kind in kinds for record in attention_records(kind, ATTENTION_STEPS, seed)]


RATES: Settings = {
    **ATTENTION,
    "learning_rate": [2.5e-3, 5e-3, 1e-2, 2e-2, 4e-2],
    "steps": ATTENTION_STEPS,
    "trained_k": [1, NUMBERS_TRAINED],
    "tested_each": TESTED_EACH,
}


@experiment("bahdanau_rates", RATES)
def bahdanau_rates(seed: int) -> list[Record]:
    """The two fixed vectors of `bahdanau_numbers`, each at five learning rates.

    The tests are those of `bahdanau_numbers`; `chosen_by` is the share right in other sentences, of one to six numbers,
    by which to choose a rate.
    """
    source, target = data.numbers_vocabularies()
    held_out = data.numbers_in_words(6 * TESTED_EACH, 1, NUMBERS_TRAINED, seed=8_000)
    records: list[Record] = []
    for kind, rate in itertools.product(("vector", "mean"), RATES["learning_rate"]):
        model, losses = trained_on_numbers(kind, ATTENTION_STEPS, rate, seed)
        chosen_by = greedy_accuracy(model, data.collate(held_out, source, target))[1]
        for k in range(1, NUMBERS_TRAINED + 1):
            test = data.collate(data.numbers_in_words(TESTED_EACH, k, k, seed=9_000 + k), source, target)
            symbols, exact = greedy_accuracy(model, test)
            record: Record = {"model": kind, "rate": rate, "seed": seed, "k": k, "symbols": symbols, "exact": exact}
            records.append(record | {"last_loss": sum(losses[-50:]) / 50, "chosen_by": chosen_by})
    return records
