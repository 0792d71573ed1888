"""Experiments too long for a notebook: several seeds each, results committed beside this file.

    python -m benchmarks.experiments                     list them
    python -m benchmarks.experiments seq2seq_numbers     run one and write benchmarks/results/seq2seq_numbers.json
    python -m benchmarks.experiments NAME --seeds 0 1 2 3

To add one: a function (seed) -> list of flat records, registered with `@experiment("<chapter>_<what>", settings)`.
Each result file holds the machine, versions, date, command, seeds and settings with the records, one thread, so that a
figure can say where its numbers come from. Changing an experiment means running it again and committing its file.
"""

import argparse
import datetime
import json
import os
import platform
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy
import torch
from torch import Tensor, nn

from course import data
from course.training import fit
from solutions.bahdanau import (
    AdditiveAttention,
    AttentionDecoder,
    BilinearAttention,
    DotProductAttention,
    masked_softmax,
)
from solutions.seq2seq import Decoder, Encoder, GRUCell, Seq2Seq, greedy_decode, masked_cross_entropy

RESULTS = Path(__file__).parent / "results"
Record = dict[str, str | int | float]


@dataclass(frozen=True)
class Experiment:
    name: str
    run: Callable[[int], list[Record]]
    settings: dict[str, object]


EXPERIMENTS: dict[str, Experiment] = {}


def experiment(name: str, settings: dict[str, object]):
    """Register a function from a seed to records under `name`; `settings` are written into its results."""

    def register(run: Callable[[int], list[Record]]) -> Callable[[int], list[Record]]:
        EXPERIMENTS[name] = Experiment(name, run, settings)
        return run

    return register


def parameter_count(model: nn.Module) -> int:
    return sum(parameter.numel() for parameter in model.parameters())


# ---- chapter 01 -----------------------------------------------------------------------------------------------------

NUMBERS = {"embedding_size": 32, "hidden_size": 64, "learning_rate": 3e-3, "batch_size": 64, "sentences": 20_000}
NUMBERS_STEPS, NUMBERS_TRAINED, NUMBERS_TESTED, TESTED_EACH = 2_400, 6, 8, 300


def vector_model(source: data.Vocabulary, target: data.Vocabulary, embedding_size: int, hidden_size: int) -> Seq2Seq:
    encoder = Encoder(len(source), embedding_size, hidden_size, data.PAD_ID)
    decoder = Decoder(len(target), embedding_size, hidden_size, data.PAD_ID)
    return Seq2Seq(encoder, decoder, data.BOS_ID)


@torch.no_grad()
def greedy_accuracy(model: nn.Module, batch: data.Batch) -> tuple[float, float]:
    """(symbol accuracy, exact match) of greedy decoding, where errors feed back."""
    state = model.start(batch.source, batch.source_lengths)
    written = greedy_decode(model.step, state, data.BOS_ID, data.EOS_ID, batch.targets.shape[1])
    return data.translation_accuracy(written, batch.targets)


def loss_of(model: nn.Module) -> Callable[[data.Batch], Tensor]:
    return lambda batch: masked_cross_entropy(
        model(batch.source, batch.source_lengths, batch.targets), batch.targets, data.PAD_ID
    )


@experiment(
    "seq2seq_numbers",
    {**NUMBERS, "steps": NUMBERS_STEPS, "trained_k": [1, NUMBERS_TRAINED], "tested_each": TESTED_EACH},
)
def seq2seq_numbers(seed: int) -> list[Record]:
    """The bottleneck on the numbers: one vector of 64, sentences of 1 to 6 numbers, tested by how many there are."""
    source, target = data.numbers_vocabularies()
    torch.manual_seed(seed)
    model = vector_model(source, target, NUMBERS["embedding_size"], NUMBERS["hidden_size"])
    examples = data.numbers_in_words(NUMBERS["sentences"], 1, NUMBERS_TRAINED, seed=1_000 + seed)
    stream = data.batches(examples, source, target, NUMBERS["batch_size"], seed)
    start = time.perf_counter()
    losses = fit(model, loss_of(model), stream, NUMBERS_STEPS, NUMBERS["learning_rate"])
    seconds = time.perf_counter() - start
    records = []
    for k in range(1, NUMBERS_TESTED + 1):
        test = data.collate(data.numbers_in_words(TESTED_EACH, k, k, seed=9_000 + k), source, target)
        symbols, exact = greedy_accuracy(model, test)
        records.append(
            {
                "model": "vector",
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


COPYING = {
    "num_symbols": 10,
    "embedding_size": 16,
    "learning_rate": 5e-3,
    "batch_size": 64,
    "sentences": 20_000,
    "trained_k": [1, 20],
    "tested_k": [2, 4, 6, 8, 10, 12, 16, 20],
}
# (model, hidden width, steps): the widths, more training for one of them, and attention with that same width
COPYING_MODELS = [
    ("vector", 16, 800),
    ("vector", 32, 800),
    ("vector", 64, 800),
    ("vector", 128, 800),
    ("vector", 32, 3_200),
    ("attention", 32, 800),
]


class AttentionControl(nn.Module):
    """The same encoder and decoder, but the context is a fresh weighted mean of all encoder outputs at every step.

    A control only (dot product of a projected state with each output, after Luong et al., 2015); chapter 02 builds
    attention properly.
    """

    def __init__(self, encoder: Encoder, vocab_size: int, embedding_size: int, hidden_size: int):
        super().__init__()
        self.encoder = encoder
        self.embedding = nn.Embedding(vocab_size, embedding_size, padding_idx=data.PAD_ID)
        self.gru = nn.GRU(embedding_size, hidden_size, batch_first=True)
        self.query = nn.Linear(hidden_size, 2 * hidden_size, bias=False)
        self.output = nn.Linear(3 * hidden_size, vocab_size)

    def start(self, source: Tensor, lengths: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        outputs, hidden = self.encoder(source, lengths)
        return hidden, outputs, source != data.PAD_ID

    def decode(self, tokens: Tensor, state: tuple[Tensor, Tensor, Tensor]):
        hidden, outputs, mask = state
        states, last = self.gru(self.embedding(tokens), hidden.unsqueeze(0))  # (B, T, H)
        scores = self.query(states) @ outputs.transpose(1, 2) / outputs.shape[2] ** 0.5  # (B, T, S)
        weights = scores.masked_fill(~mask.unsqueeze(1), float("-inf")).softmax(dim=2)
        logits = self.output(torch.cat([states, weights @ outputs], dim=2))
        return logits, (last.squeeze(0), outputs, mask)

    def forward(self, source: Tensor, lengths: Tensor, targets: Tensor) -> Tensor:
        begin = torch.full_like(targets[:, :1], data.BOS_ID)
        return self.decode(torch.cat([begin, targets[:, :-1]], dim=1), self.start(source, lengths))[0]

    def step(self, token: Tensor, state: tuple[Tensor, Tensor, Tensor]):
        logits, state = self.decode(token.unsqueeze(1), state)
        return logits.squeeze(1), state


@experiment("seq2seq_copying", {**COPYING, "models": [list(m) for m in COPYING_MODELS], "tested_each": TESTED_EACH})
def seq2seq_copying(seed: int) -> list[Record]:
    """Capacity against length: copying with a vector of 16 to 128, with more training, and with attention."""
    vocabulary = data.copying_vocabulary(COPYING["num_symbols"])
    fewest, most = COPYING["trained_k"]
    examples = data.copying(COPYING["sentences"], fewest, most, COPYING["num_symbols"], seed=2_000 + seed)
    records: list[Record] = []
    for name, hidden_size, steps in COPYING_MODELS:
        torch.manual_seed(seed)
        width = COPYING["embedding_size"]
        if name == "vector":
            model = vector_model(vocabulary, vocabulary, width, hidden_size)
        else:
            encoder = Encoder(len(vocabulary), width, hidden_size, data.PAD_ID)
            model = AttentionControl(encoder, len(vocabulary), width, hidden_size)
        stream = data.batches(examples, vocabulary, vocabulary, COPYING["batch_size"], seed)
        start = time.perf_counter()
        losses = fit(model, loss_of(model), stream, steps, COPYING["learning_rate"], label=f"{name} {hidden_size}")
        seconds = time.perf_counter() - start
        for k in COPYING["tested_k"]:
            test = data.copying(TESTED_EACH, k, k, COPYING["num_symbols"], seed=9_000 + k)
            symbols, exact = greedy_accuracy(model, data.collate(test, vocabulary, vocabulary))
            records.append(
                {
                    "model": name,
                    "hidden": hidden_size,
                    "steps": steps,
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


MEMORY = {
    "num_symbols": 8,
    "embedding_size": 16,
    "hidden_size": 32,
    "learning_rate": 3e-3,
    "batch_size": 64,
    "steps": 300,
    "lengths": [10, 20, 50, 100],
}


# (kind, what is added to the bias of the LSTM's forget gate)
MEMORY_NETWORKS = [("RNN", 0.0), ("GRU", 0.0), ("LSTM", 0.0), ("LSTM", 1.0), ("LSTM", 5.0)]


def recurrent_network(kind: str, input_size: int, hidden_size: int, forget_bias: float = 0.0) -> nn.Module:
    """torch's RNN, GRU or LSTM, batch first; an LSTM's forget gates get `forget_bias` added to their bias."""
    network = {"RNN": nn.RNN, "GRU": nn.GRU, "LSTM": nn.LSTM}[kind](input_size, hidden_size, batch_first=True)
    if forget_bias:
        with torch.no_grad():
            network.bias_hh_l0[hidden_size : 2 * hidden_size] += forget_bias  # torch stacks input, forget, cell, output
    return network


@experiment("seq2seq_first_symbol", MEMORY)
def seq2seq_first_symbol(seed: int) -> list[Record]:
    """Can a recurrent state carry the first symbol to the end? Trained to name it after 10 to 100 random symbols."""
    records: list[Record] = []
    for length in MEMORY["lengths"]:
        for kind, forget_bias in MEMORY_NETWORKS:
            torch.manual_seed(seed)
            generator = torch.Generator().manual_seed(seed)
            embedding = nn.Embedding(MEMORY["num_symbols"], MEMORY["embedding_size"])
            network = recurrent_network(kind, MEMORY["embedding_size"], MEMORY["hidden_size"], forget_bias)
            output = nn.Linear(MEMORY["hidden_size"], MEMORY["num_symbols"])
            parts = nn.ModuleList([embedding, network, output])
            optimizer = torch.optim.Adam(parts.parameters(), lr=MEMORY["learning_rate"])

            def answer(symbols, embedding=embedding, network=network, output=output):
                return output(network(embedding(symbols))[0][:, -1])

            for _ in range(MEMORY["steps"]):
                shape = (MEMORY["batch_size"], length)
                symbols = torch.randint(MEMORY["num_symbols"], shape, generator=generator)
                loss = nn.functional.cross_entropy(answer(symbols), symbols[:, 0])
                optimizer.zero_grad()
                loss.backward()
                nn.utils.clip_grad_norm_(parts.parameters(), 1.0)
                optimizer.step()
            with torch.no_grad():
                symbols = torch.randint(MEMORY["num_symbols"], (1_000, length), generator=generator)
                right = (answer(symbols).argmax(dim=1) == symbols[:, 0]).double().mean().item()
            records.append(
                {"model": kind, "forget_bias": forget_bias, "length": length, "seed": seed, "accuracy": right}
            )
    return records


# ---- chapter 02 -----------------------------------------------------------------------------------------------------

ATTENTION = {"embedding_size": 32, "hidden_size": 64, "learning_rate": 5e-3, "batch_size": 64, "sentences": 20_000}
ATTENTION_STEPS, ATTENTION_TESTED = 400, 8
# What writes: chapter 01's vector and the plain mean of the states are the controls of the three score functions;
# "additive, new state" asks with s_t (Luong's order) where "additive" asks with s_{t-1} (Bahdanau's).
ATTENTION_MODELS = ("vector", "mean", "additive", "dot", "bilinear", "additive, new state")


class MeanAttention(nn.Module):
    """The control: a context that is the plain mean of all values, with no parameters and no choice."""

    def forward(self, query: Tensor, keys: Tensor, values: Tensor, mask: Tensor | None = None):
        weights = masked_softmax(torch.zeros_like(keys[:, :, 0]), mask)
        return torch.einsum("bs,bsd->bd", weights, values), weights


class NewStateDecoder(AttentionDecoder):
    """Luong's order (2015): the cell moves first, then the NEW state asks, and the context reaches the output alone."""

    def __init__(self, vocab_size, embedding_size, hidden_size, pad_id, d_value, attention):
        super().__init__(vocab_size, embedding_size, hidden_size, pad_id, d_value, attention)
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
        }.get(kind, lambda: AdditiveAttention(hidden_size, 2 * hidden_size, hidden_size))()
        decoder = NewStateDecoder if kind == "additive, new state" else AttentionDecoder
        self.decoder = decoder(target_size, embedding_size, hidden_size, data.PAD_ID, 2 * hidden_size, attention)
        self.sums_directions = kind == "dot"  # the dot product wants keys as wide as the query (Luong et al., 2015)

    def start(self, source: Tensor, lengths: Tensor) -> tuple[Tensor, Tensor, Tensor, Tensor]:
        outputs, hidden = self.encoder(source, lengths)
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


def attention_records(kind: str, steps: int, seed: int) -> list[Record]:
    """Train one model on the numbers; its accuracy by k and, where it chooses, where it looks."""
    source, target = data.numbers_vocabularies()
    width, hidden_size = ATTENTION["embedding_size"], ATTENTION["hidden_size"]
    examples = data.numbers_in_words(ATTENTION["sentences"], 1, NUMBERS_TRAINED, seed=1_000 + seed)
    torch.manual_seed(seed)
    if kind == "vector":
        model = vector_model(source, target, width, hidden_size)
    else:
        model = AttentionTranslator(kind, len(source), len(target), width, hidden_size)
    stream = data.batches(examples, source, target, ATTENTION["batch_size"], seed)
    start = time.perf_counter()
    losses = fit(model, loss_of(model), stream, steps, ATTENTION["learning_rate"], label=kind)
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
    if isinstance(model, AttentionTranslator) and kind != "mean":
        records += [{**record, "model": kind} for record in alignment_records(model, seed, NUMBERS_TRAINED)]
    return records


@experiment(
    "bahdanau_numbers",
    {**ATTENTION, "steps": ATTENTION_STEPS, "trained_k": [1, NUMBERS_TRAINED], "tested_each": TESTED_EACH},
)
def bahdanau_numbers(seed: int) -> list[Record]:
    """The numbers by attention: three score functions, the new state as query, and two controls, all trained alike."""
    return [record for kind in ATTENTION_MODELS for record in attention_records(kind, ATTENTION_STEPS, seed)]


@experiment(
    "bahdanau_neighbours",
    {**ATTENTION, "steps": ATTENTION_STEPS, "trained_k": [1, NUMBERS_TRAINED], "tested_each": TESTED_EACH},
)
def bahdanau_neighbours(seed: int) -> list[Record]:
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


# ---- running --------------------------------------------------------------------------------------------------------


def cpu_model() -> str:
    """The processor's name, as Linux or the platform module tells it."""
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
    except OSError:
        return platform.processor() or "unknown"
    return next((line.split(":", 1)[1].strip() for line in lines if line.startswith("model name")), "unknown")


def rounded(value: object) -> object:
    return float(f"{value:.4g}") if isinstance(value, float) else value


def run(name: str, seeds: list[int]) -> Path:
    """Run an experiment over the seeds on one thread and write its result file; returns where."""
    torch.set_num_threads(1)
    torch.set_flush_denormal(True)
    chosen = EXPERIMENTS[name]
    start = time.perf_counter()
    records = [record for seed in seeds for record in chosen.run(seed)]
    result = {
        "experiment": name,
        "about": (chosen.run.__doc__ or "").strip(),
        "machine": {"cpu": cpu_model(), "cores": os.cpu_count(), "threads_used": torch.get_num_threads()},
        "versions": {"python": platform.python_version(), "torch": torch.__version__, "numpy": numpy.__version__},
        "date": datetime.date.today().isoformat(),
        "command": f"python -m benchmarks.experiments {name} --seeds {' '.join(map(str, seeds))}",
        "seeds": seeds,
        "settings": chosen.settings,
        "seconds": round(time.perf_counter() - start, 1),
        "records": [{key: rounded(value) for key, value in record.items()} for record in records],
    }
    RESULTS.mkdir(exist_ok=True)
    path = RESULTS / f"{name}.json"
    unfinished = path.with_suffix(".part")
    # one record a line: small files, readable diffs
    head = {key: value for key, value in result.items() if key != "records"}
    lines = ",\n".join("    " + json.dumps(record, ensure_ascii=False) for record in result["records"])
    text = json.dumps(head, indent=2, ensure_ascii=False)[:-2] + ',\n  "records": [\n' + lines + "\n  ]\n}\n"
    unfinished.write_text(text, encoding="utf-8")
    unfinished.replace(path)
    return path


def main() -> None:
    parser = argparse.ArgumentParser(description="Run experiments and keep their results.")
    parser.add_argument("names", nargs="*", choices=[[], *EXPERIMENTS], help="which; none lists them")
    parser.add_argument("--seeds", nargs="+", type=int, default=[0, 1, 2])
    arguments = parser.parse_args()
    for name in arguments.names:
        print(run(name, arguments.seeds))
    if not arguments.names:
        for chosen in EXPERIMENTS.values():
            print(f"{chosen.name:24} {(chosen.run.__doc__ or '').strip()}")


if __name__ == "__main__":
    main()
