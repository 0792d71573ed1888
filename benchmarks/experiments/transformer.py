"""Chapter 06: the numbers by a Transformer, what its parts buy, norm and warm-up, "it", and time as length grows."""

import functools
import itertools
import math
import time
from collections.abc import Callable, Iterator
from typing import Any

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from benchmarks.experiments import Record, Settings, experiment, parameter_count
from benchmarks.experiments.bahdanau import ATTENTION_STEPS, ATTENTION_TESTED, AttentionTranslator
from benchmarks.experiments.seq2seq import NUMBERS_TRAINED, TESTED_EACH, greedy_accuracy, loss_of, vector_model
from course import data
from course.data import sentences
from course.training import fit
from solutions.dot_product import causal_mask, padding_mask
from solutions.multi_head import MultiHeadAttention, sinusoidal_encoding
from solutions.seq2seq import greedy_decode
from solutions.transformer import FeedForward, Transformer, TransformerEncoder

# ---- the numbers ----------------------------------------------------------------------------------------------------

NUMBERS: Settings = {
    "d_model": 64,
    "num_heads": 4,
    "d_ff": 128,
    "num_layers": 2,
    "learning_rate": 3e-3,
    "batch_size": 64,
    "sentences": 20_000,
}
LONGER_STEPS = 3 * ATTENTION_STEPS // 2


def numbers_model(source: data.Vocabulary, target: data.Vocabulary) -> Transformer:
    sizes = (NUMBERS[name] for name in ("d_model", "num_heads", "d_ff", "num_layers"))
    return Transformer(len(source), len(target), *sizes, bos_id=data.BOS_ID)


def numbers_records(steps: int, seed: int) -> list[Record]:
    """Train one Transformer on the numbers as `bahdanau_numbers` trains its models; its accuracy by k."""
    source, target = data.numbers_vocabularies()
    torch.manual_seed(seed)
    model = numbers_model(source, target)
    examples = data.numbers_in_words(NUMBERS["sentences"], 1, NUMBERS_TRAINED, seed=1_000 + seed)
    stream = data.batches(examples, source, target, NUMBERS["batch_size"], seed)
    start = time.perf_counter()
    losses = fit(model, loss_of(model), stream, steps, NUMBERS["learning_rate"], label="Transformer")
    seconds = time.perf_counter() - start
    records = []
    for k in range(1, ATTENTION_TESTED + 1):
        test = data.collate(data.numbers_in_words(TESTED_EACH, k, k, seed=9_000 + k), source, target)
        symbols, exact = greedy_accuracy(model, test)
        records.append(
            {
                "model": "Transformer",
                "seed": seed,
                "k": k,
                "symbols": symbols,
                "exact": exact,
                "last_loss": sum(losses[-50:]) / 50,
                "parameters": parameter_count(model),
                "training_seconds": seconds,
            }
        )
    return records


@experiment(
    "transformer_numbers",
    {**NUMBERS, "steps": ATTENTION_STEPS, "trained_k": [1, NUMBERS_TRAINED], "tested_each": TESTED_EACH},
)
def transformer_numbers(seed: int) -> list[Record]:
    """The numbers by a Transformer: the sentences, steps and tests of `bahdanau_numbers`."""
    return numbers_records(ATTENTION_STEPS, seed)


@experiment(
    "transformer_longer",
    {**NUMBERS, "steps": LONGER_STEPS, "trained_k": [1, NUMBERS_TRAINED], "tested_each": TESTED_EACH},
)
def transformer_longer(seed: int) -> list[Record]:
    """The same Transformer with half as many steps again."""
    return numbers_records(LONGER_STEPS, seed)


# ---- what each part buys --------------------------------------------------------------------------------------------

PARTS: Settings = {
    "d_model": 32,
    "num_heads": 4,
    "d_ff": 64,
    "num_layers": 4,
    "length": 12,
    "symbols": 10,
    "steps": 200,
    "looked_at": [100, 200],
    "batch_size": 64,
    "learning_rate": 2e-3,
}
LEFT_OUT = ("nothing", "feed-forward", "norm", "residual", "positions")
TASKS = ("reverse", "sort")


class Block(nn.Module):
    """A pre-norm encoder layer from which one part can be left out."""

    def __init__(self, left_out: str):
        super().__init__()
        d_model = PARTS["d_model"]
        self.attention = MultiHeadAttention(d_model, PARTS["num_heads"])
        self.feed_forward = None if left_out == "feed-forward" else FeedForward(d_model, PARTS["d_ff"])
        self.norm1, self.norm2 = (nn.Identity() if left_out == "norm" else nn.LayerNorm(d_model) for _ in range(2))
        self.residual = 0.0 if left_out == "residual" else 1.0

    def forward(self, x: Tensor) -> Tensor:
        normed = self.norm1(x)
        x = self.residual * x + self.attention(normed, normed, normed)[0]
        return x if self.feed_forward is None else self.residual * x + self.feed_forward(self.norm2(x))


class Tower(nn.Module):
    """Symbols (B, T) to logits (B, T, symbols) through blocks without one part."""

    def __init__(self, left_out: str):
        super().__init__()
        d_model = PARTS["d_model"]
        self.embedding = nn.Embedding(PARTS["symbols"], d_model)
        positions = sinusoidal_encoding(PARTS["length"], d_model)
        self.register_buffer("positions", torch.zeros_like(positions) if left_out == "positions" else positions)
        self.blocks = nn.Sequential(*(Block(left_out) for _ in range(PARTS["num_layers"])))
        self.norm = nn.Identity() if left_out == "norm" else nn.LayerNorm(d_model)
        self.output = nn.Linear(d_model, PARTS["symbols"])

    def forward(self, symbols: Tensor) -> Tensor:
        return self.output(self.norm(self.blocks(self.embedding(symbols) + self.positions)))


def symbols_and_answers(task: str, seed: int) -> Iterator[tuple[Tensor, Tensor]]:
    """Batches without end of random symbols (B, T), and their reverse or their sorted order (B, T)."""
    generator = torch.Generator().manual_seed(seed)
    while True:
        x = torch.randint(PARTS["symbols"], (PARTS["batch_size"], PARTS["length"]), generator=generator)
        yield x, x.flip(1) if task == "reverse" else x.sort(dim=1).values


def parts_records(
    task: str, left_out: str, steps: int, looked_at: list[int], seed: int, rate: float = PARTS["learning_rate"]
) -> list[Record]:
    """Train one tower; the share of symbols right over the 20 batches before each step of looked_at.

    No batch is seen twice, so what is trained on tests first.
    """
    torch.manual_seed(seed)
    model, shares = Tower(left_out), []

    def loss(batch: tuple[Tensor, Tensor]) -> Tensor:
        logits = model(batch[0])
        shares.append((logits.argmax(dim=2) == batch[1]).double().mean().item())
        return F.cross_entropy(logits.flatten(0, 1), batch[1].flatten())

    stream = symbols_and_answers(task, 1_000 + seed)
    fit(model, loss, stream, steps, rate, label=f"{task} without {left_out}, {rate:g}")
    record = {"task": task, "left_out": left_out, "seed": seed, "parameters": parameter_count(model)}
    return [{**record, "step": step, "right": sum(shares[step - 20 : step]) / 20} for step in looked_at]


@experiment("transformer_parts", PARTS)
def transformer_parts(seed: int) -> list[Record]:
    """Encoders of four layers with one part left out, on two tasks: the share of symbols right on fresh batches."""
    runs = itertools.product(TASKS, LEFT_OUT)
    return [
        record
        for task, left_out in runs
        for record in parts_records(task, left_out, PARTS["steps"], PARTS["looked_at"], seed)
    ]


PARTS_RATES: Settings = {**PARTS, "learning_rate": [5e-4, 8e-3], "looked_at": [200]}


@experiment("transformer_parts_rates", PARTS_RATES)
def transformer_parts_rates(seed: int) -> list[Record]:
    """The towers of `transformer_parts` that reverse, at a quarter of its learning rate and at four times as much."""
    return [
        {"rate": rate} | record
        for left_out, rate in itertools.product(LEFT_OUT, PARTS_RATES["learning_rate"])
        for record in parts_records("reverse", left_out, PARTS_RATES["steps"], PARTS_RATES["looked_at"], seed, rate)
    ]


PATIENCE: Settings = {**PARTS, "steps": 500, "looked_at": [200, 500]}


@experiment("transformer_patience", PATIENCE)
def transformer_patience(seed: int) -> list[Record]:
    """Reversing with more steps, whole and without a part: are networks or norms needed, or do they save time?"""
    return [
        record
        for left_out in ("nothing", "feed-forward", "norm")
        for record in parts_records("reverse", left_out, PATIENCE["steps"], PATIENCE["looked_at"], seed)
    ]


# ---- learning rate, placement of the norm, warm-up ------------------------------------------------------------------

NORM: Settings = {
    "d_model": 32,
    "num_heads": 4,
    "d_ff": 64,
    "num_layers": 6,
    "steps": 60,
    "batch_size": 32,
    "sentences": 4_000,
    "k": [1, 2],
    "warm_up": [0, 30],
    "mean_rates": [1e-3, 3e-3, 1e-2, 3e-2],
}


def norm_model(norm_first: bool) -> Transformer:
    """The model of `transformer_norm`, untrained."""
    source, target = data.numbers_vocabularies()
    sizes = (NORM[name] for name in ("d_model", "num_heads", "d_ff", "num_layers"))
    return Transformer(len(source), len(target), *sizes, bos_id=data.BOS_ID, norm_first=norm_first)


def norm_batches(seed: int) -> Iterator[data.Batch]:
    """The batches that every model of a seed is trained on."""
    fewest, most = NORM["k"]
    examples = data.numbers_in_words(NORM["sentences"], fewest, most, seed=1_000 + seed)
    return data.batches(examples, *data.numbers_vocabularies(), NORM["batch_size"], seed)


def warmed_up(warm_up: int, mean_rate: float) -> list[float]:
    """The rate of each step: constant, or rising for the first steps; the mean over all of them is mean_rate."""
    shares = [min(1.0, (step + 1) / warm_up) if warm_up else 1.0 for step in range(NORM["steps"])]
    return [mean_rate * len(shares) / sum(shares) * share for share in shares]


def losses_at(model: Transformer, rates: list[float], seed: int) -> list[float]:
    """Train with these rates, one for each step; the loss of each step."""
    loss_fn, stream = loss_of(model), norm_batches(seed)
    optimizer, losses = torch.optim.Adam(model.parameters()), []
    for rate in rates:
        for group in optimizer.param_groups:
            group["lr"] = rate
        loss = loss_fn(next(stream))
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    return losses


@experiment("transformer_norm", NORM)
def transformer_norm(seed: int) -> list[Record]:
    """Six encoder and six decoder layers, the norm before or after, with and without warm-up, at four rates.

    A rate is the mean over all steps: a warm-up ends higher than the constant rate that it is compared with. The rate
    stays where it is after the warm-up, and gradients are not clipped: either would help.
    """
    records: list[Record] = []
    for norm_first, warm_up, mean_rate in itertools.product((True, False), NORM["warm_up"], NORM["mean_rates"]):
        torch.manual_seed(seed)
        rates = warmed_up(warm_up, mean_rate)
        losses = losses_at(norm_model(norm_first), rates, seed)
        placement = "before" if norm_first else "after"
        last = sum(losses[-20:]) / 20
        setting = {"norm": placement, "warm_up": warm_up, "mean_rate": mean_rate, "rate": rates[-1]}
        records.append({**setting, "seed": seed, "last_loss": last})
    return records


SWITCHES: Settings = {
    **NORM,
    "norm": ["before", "after", "none"],
    "residual": [True, False],
    "steps_a_point": 3,
}


def read_and_add(
    x: Tensor, part: Callable[[Tensor], Tensor], norm: nn.Module, placement: str, residual: bool
) -> Tensor:
    """One part of a layer, its norm before it, after it or nowhere, with or without the residual connection."""
    added = part(norm(x) if placement == "before" else x)
    x = x + added if residual else added
    return norm(x) if placement == "after" else x


def switched(placement: str, residual: bool) -> Transformer:
    """The model of `transformer_norm` with its layers' norms and residual connections as asked for.

    With the same seed its first weights are the same whatever is asked for.
    """
    model = norm_model(norm_first=placement == "before")

    def encoder_layer(layer: Any, x: Tensor, mask: Tensor | None = None) -> Tensor:
        x = read_and_add(x, lambda y: layer.self_attention(y, y, y, mask)[0], layer.norm1, placement, residual)
        return read_and_add(x, layer.feed_forward, layer.norm2, placement, residual)

    def decoder_layer(
        layer: Any, x: Tensor, memory: Tensor, mask: Tensor | None = None, memory_mask: Tensor | None = None
    ) -> Tensor:
        def cross(y: Tensor) -> Tensor:
            return layer.cross_attention(y, memory, memory, memory_mask)[0]

        x = read_and_add(x, lambda y: layer.self_attention(y, y, y, mask)[0], layer.norm1, placement, residual)
        x = read_and_add(x, cross, layer.norm2, placement, residual)
        return read_and_add(x, layer.feed_forward, layer.norm3, placement, residual)

    for tower, forward in ((model.encoder, encoder_layer), (model.decoder, decoder_layer)):
        for layer in tower.layers:
            layer.forward = functools.partial(forward, layer)
    return model


@experiment("transformer_switches", SWITCHES)
def transformer_switches(seed: int) -> list[Record]:
    """The training curves of `transformer_norm`, also without norms and without residual connections.

    Each `loss_<step>` is the mean of the three steps up to this one; None where it is not finite.
    """
    records: list[Record] = []
    chosen = (SWITCHES[name] for name in ("norm", "residual", "warm_up", "mean_rates"))
    for placement, residual, warm_up, mean_rate in itertools.product(*chosen):
        torch.manual_seed(seed)
        losses = losses_at(switched(placement, residual), warmed_up(warm_up, mean_rate), seed)
        setting = {"norm": placement, "residual": residual, "warm_up": warm_up, "mean_rate": mean_rate, "seed": seed}
        width = SWITCHES["steps_a_point"]
        points = {end: sum(losses[end - width : end]) / width for end in range(width, len(losses) + 1, width)}
        curve = {f"loss_{end}": loss if math.isfinite(loss) else None for end, loss in points.items()}
        records.append({**setting, **curve})
    return records


# ---- "it" -----------------------------------------------------------------------------------------------------------

IT: Settings = {
    "d_model": 48,
    "num_heads": 4,
    "d_ff": 96,
    "num_layers": 2,
    "batch_size": 64,
    "reading_steps": 400,
    "writing_steps": 200,
    "learning_rate": 4e-3,
    "tested": 500,
}
IT_SIZES = tuple(IT[name] for name in ("d_model", "num_heads", "d_ff", "num_layers"))


class Reader(nn.Module):
    """Reads a sentence (B, S) with a GRU or a Transformer, in one direction or both, and says what the word asked
    about means, from the state at that word alone: logits (B, number of meanings)."""

    def __init__(self, architecture: str, both_ways: bool, vocab_size: int, num_meanings: int):
        super().__init__()
        d_model = IT["d_model"]
        self.embedding = nn.Embedding(vocab_size, d_model)
        self.both_ways = both_ways
        self.reads: nn.GRU | TransformerEncoder
        if architecture == "GRU":  # as wide in all, whether one direction or two
            self.reads = nn.GRU(d_model, d_model // (1 + both_ways), batch_first=True, bidirectional=both_ways)
        else:
            self.reads = TransformerEncoder(*IT_SIZES)
        self.output = nn.Linear(d_model, num_meanings)

    def states(self, source: Tensor, lengths: Tensor) -> Tensor:
        x = self.embedding(source)
        if isinstance(self.reads, nn.GRU):
            packed = nn.utils.rnn.pack_padded_sequence(x, lengths, batch_first=True, enforce_sorted=False)
            return nn.utils.rnn.pad_packed_sequence(self.reads(packed)[0], batch_first=True)[0]
        mask = padding_mask(lengths, source.shape[1])
        if not self.both_ways:
            mask = mask & causal_mask(source.shape[1])
        return self.reads(x + sinusoidal_encoding(source.shape[1], x.shape[2]), mask)

    def forward(self, source: Tensor, lengths: Tensor, asked: Tensor) -> Tensor:
        return self.output(self.states(source, lengths)[torch.arange(len(source)), asked])


MEANINGS = [*sentences.WALKERS, *sentences.WAYS]


def it_batches(seed: int, batch_size: int) -> Iterator[tuple[tuple[Tensor, Tensor, Tensor], Tensor]]:
    for i in itertools.count():
        drawn = sentences.it_sentences(batch_size, seed=1_000_000 * seed + i)
        yield sentences.reading(drawn), torch.tensor([MEANINGS.index(sentence.meaning) for sentence in drawn])


@experiment("transformer_it", IT)
def transformer_it(seed: int) -> list[Record]:
    """What *it* means, from the state at *it*: two architectures, each in one direction and in both.

    Tested on triples of nouns and adjective that were not trained on; `among_two` is the share of answers that name
    one of the sentence's two nouns.
    """
    records: list[Record] = []
    for architecture, both_ways in itertools.product(("GRU", "Transformer"), (False, True)):
        torch.manual_seed(seed)
        model = Reader(architecture, both_ways, len(sentences.sentence_vocabularies()[0]), len(MEANINGS))

        def loss(batch: tuple, model: nn.Module = model) -> Tensor:
            return F.cross_entropy(model(*batch[0]), batch[1])

        stream = it_batches(seed, IT["batch_size"])
        fit(model, loss, stream, IT["reading_steps"], IT["learning_rate"], label=f"{architecture}, {both_ways=}")
        tested = sentences.it_sentences(IT["tested"], seed=9_000, held_out=True)
        with torch.no_grad():
            said = [MEANINGS[i] for i in model(*sentences.reading(tested)).argmax(dim=1).tolist()]
        pairs = list(zip(said, tested, strict=True))
        records.append(
            {
                "architecture": architecture,
                "directions": 1 + both_ways,
                "seed": seed,
                "right": sum(word == sentence.meaning for word, sentence in pairs) / len(pairs),
                "among_two": sum(word in sentence.words for word, sentence in pairs) / len(pairs),
                "parameters": parameter_count(model),
            }
        )
    return records


class Interpreter(Transformer):
    """A Transformer that writes the clause with *il* or *elle*. Its encoder may be causal, and it may have to write as
    it hears, one word for one, from the moment at which it has heard *it* (after Ma et al., 2019)."""

    def __init__(self, both_ways: bool, hears_all: bool):
        source, target = sentences.sentence_vocabularies()
        super().__init__(len(source), len(target), *IT_SIZES, bos_id=data.BOS_ID)
        self.both_ways, self.hears_all = both_ways, hears_all

    def encode(self, source: Tensor, lengths: Tensor) -> tuple[Tensor, Tensor]:
        mask = memory_mask = padding_mask(lengths, source.shape[1])
        if not self.both_ways:
            mask = mask & causal_mask(source.shape[1])
        return self.encoder(self.embed(self.source_embedding, source), mask), memory_mask

    def decode(self, tokens: Tensor, memory: Tensor, memory_mask: Tensor | None = None) -> Tensor:
        if not self.hears_all and memory_mask is not None:
            written, heard = torch.arange(tokens.shape[1]).unsqueeze(1), torch.arange(memory.shape[1])
            memory_mask = memory_mask & (heard <= sentences.IT + written)  # (B, 1, S) and (T, S) -> (B, T, S)
        return super().decode(tokens, memory, memory_mask)


WRITING: Settings = {**IT, "writing_steps": 300}  # after 200, some seeds of three of the four were still learning


@experiment("transformer_pronoun", WRITING)
def transformer_pronoun(seed: int) -> list[Record]:
    """The clause with *it* into French, where *it* is *il* or *elle*: encoders of one direction and of two, and
    translators that hear the whole sentence first, or write as they hear."""
    source, target = sentences.sentence_vocabularies()
    french = torch.tensor([target.encode([word])[0] for word in ("il", "elle")])
    records: list[Record] = []
    for both_ways, hears_all in itertools.product((True, False), (True, False)):
        torch.manual_seed(seed)
        model = Interpreter(both_ways, hears_all)
        examples = sentences.clauses(sentences.it_sentences(8_000, seed=1_000 + seed))
        stream = data.batches(examples, source, target, IT["batch_size"], seed)
        label = f"{both_ways=}, {hears_all=}"
        fit(model, loss_of(model), stream, WRITING["writing_steps"], WRITING["learning_rate"], label=label)
        tested = sentences.clauses(sentences.it_sentences(IT["tested"], seed=9_000, held_out=True))
        test = data.collate(tested, source, target)
        with torch.no_grad():
            state = model.start(test.source, test.source_lengths)
            written = greedy_decode(model.step, state, data.BOS_ID, data.EOS_ID, test.targets.shape[1])
        here = torch.isin(test.targets, french)  # one place in each sentence
        written = F.pad(written, (0, test.targets.shape[1] - written.shape[1]))
        records.append(
            {
                "directions": 1 + both_ways,
                "hears_all": int(hears_all),
                "seed": seed,
                "pronoun": (written == test.targets)[here].double().mean().item(),
                "whole": data.translation_accuracy(written, test.targets)[1],
            }
        )
    return records


# ---- time -----------------------------------------------------------------------------------------------------------

SPEED: Settings = {"k": [2, 4, 8, 16], "batch_size": 32, "repeats": 3, "d_model": 64, "num_layers": 2}


def seconds_of(work: Callable[[], object], repeats: int) -> float:
    """Processor seconds of the fastest run: what else the machine does is not counted."""
    best = math.inf
    for _ in range(repeats):
        start = time.process_time()
        work()
        best = min(best, time.process_time() - start)
    return best


@experiment("transformer_speed", SPEED)
def transformer_speed(seed: int) -> list[Record]:
    """Processor seconds of a training step and of writing, on one thread, as the sentences grow.

    The vector's decoder is torch's fused GRU; the attention decoder is chapter 02's, a loop in Python over fused steps;
    the Transformer writes without a cache. Models of like width, untrained: what they say does not matter here.
    """
    source, target = data.numbers_vocabularies()
    records: list[Record] = []
    for k in SPEED["k"]:
        batch = data.collate(data.numbers_in_words(SPEED["batch_size"], k, k, seed), source, target)
        torch.manual_seed(seed)
        models = {
            "vector": vector_model(source, target, 32, 64),
            "attention": AttentionTranslator("additive", len(source), len(target), 32, 64),
            "Transformer": numbers_model(source, target),
        }
        for name, model in models.items():
            loss_fn = loss_of(model)

            def train(model: nn.Module = model, loss_fn: Callable = loss_fn, batch: data.Batch = batch) -> None:
                model.zero_grad()
                loss_fn(batch).backward()

            @torch.no_grad()
            def write(model: nn.Module = model, batch: data.Batch = batch) -> None:
                state, token = model.start(batch.source, batch.source_lengths), torch.full((len(batch.source),), 1)
                for _ in range(batch.targets.shape[1]):
                    logits, state = model.step(token, state)
                    token = logits.argmax(dim=1)

            train()  # the first run of a shape also allocates
            records.append(
                {
                    "model": name,
                    "seed": seed,
                    "k": k,
                    "source_length": batch.source.shape[1],
                    "target_length": batch.targets.shape[1],
                    "training_step": seconds_of(train, SPEED["repeats"]),
                    "writing": seconds_of(write, 1),
                }
            )
    return records
