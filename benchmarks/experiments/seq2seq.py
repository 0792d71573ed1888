"""Chapter 01: the bottleneck, capacity against length, and how far a recurrent state carries."""

import time
from collections.abc import Callable

import torch
from torch import Tensor, nn

from benchmarks.experiments import Record, Settings, experiment, parameter_count
from course import data
from course.training import fit
from solutions.seq2seq import Decoder, Encoder, Seq2Seq, greedy_decode, masked_cross_entropy

NUMBERS: Settings = {
    "embedding_size": 32,
    "hidden_size": 64,
    "learning_rate": 3e-3,
    "batch_size": 64,
    "sentences": 20_000,
}
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


COPYING: Settings = {
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
        model: nn.Module
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


MEMORY: Settings = {
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


# (cell, hidden width): an LSTM carries two vectors, so one of half a GRU's width carries as many numbers
CELLS = [("GRU", 64), ("LSTM", 32), ("GRU", 128), ("LSTM", 64)]
CELLS_STEPS = 800


class CarriedState(nn.Module):
    """An encoder-decoder whose carried vector is the network's whole last state (Sutskever et al., 2014, one layer).

    Reads and writes with torch's GRU or LSTM, left to right; an LSTM's forget gates get `forget_bias` added to their
    bias.
    """

    def __init__(self, cell: str, vocab_size: int, embedding_size: int, hidden_size: int, forget_bias: float = 0.0):
        super().__init__()
        self.embedding = nn.Embedding(vocab_size, embedding_size, padding_idx=data.PAD_ID)
        self.reader = recurrent_network(cell, embedding_size, hidden_size, forget_bias)
        self.writer = recurrent_network(cell, embedding_size, hidden_size, forget_bias)
        self.output = nn.Linear(hidden_size, vocab_size)

    def start(self, source: Tensor, lengths: Tensor) -> tuple[Tensor, ...]:
        packed = nn.utils.rnn.pack_padded_sequence(
            self.embedding(source), lengths, batch_first=True, enforce_sorted=False
        )
        last = self.reader(packed)[1]
        return tuple(part.squeeze(0) for part in (last if isinstance(last, tuple) else (last,)))  # each (B, H)

    def decode(self, tokens: Tensor, state: tuple[Tensor, ...]) -> tuple[Tensor, tuple[Tensor, ...]]:
        first = tuple(part.unsqueeze(0) for part in state)
        outputs, last = self.writer(self.embedding(tokens), first if len(first) > 1 else first[0])
        return self.output(outputs), tuple(part.squeeze(0) for part in (last if len(first) > 1 else (last,)))

    def forward(self, source: Tensor, lengths: Tensor, targets: Tensor) -> Tensor:
        begin = torch.full_like(targets[:, :1], data.BOS_ID)
        return self.decode(torch.cat([begin, targets[:, :-1]], dim=1), self.start(source, lengths))[0]

    def step(self, token: Tensor, state: tuple[Tensor, ...]) -> tuple[Tensor, tuple[Tensor, ...]]:
        logits, state = self.decode(token.unsqueeze(1), state)
        return logits.squeeze(1), state


def cell_records(cell: str, hidden_size: int, forget_bias: float, seed: int) -> list[Record]:
    """Train one encoder-decoder on copying; how much it copies, by length."""
    vocabulary = data.copying_vocabulary(COPYING["num_symbols"])
    fewest, most = COPYING["trained_k"]
    examples = data.copying(COPYING["sentences"], fewest, most, COPYING["num_symbols"], seed=2_000 + seed)
    torch.manual_seed(seed)
    model = CarriedState(cell, len(vocabulary), COPYING["embedding_size"], hidden_size, forget_bias)
    stream = data.batches(examples, vocabulary, vocabulary, COPYING["batch_size"], seed)
    label = f"{cell} {hidden_size}, forget bias +{forget_bias:g}"
    losses = fit(model, loss_of(model), stream, CELLS_STEPS, COPYING["learning_rate"], label=label)
    records: list[Record] = []
    for k in COPYING["tested_k"]:
        test = data.copying(TESTED_EACH, k, k, COPYING["num_symbols"], seed=9_000 + k)
        symbols, exact = greedy_accuracy(model, data.collate(test, vocabulary, vocabulary))
        records.append(
            {
                "model": cell,
                "hidden": hidden_size,
                "carried": hidden_size * (2 if cell == "LSTM" else 1),
                "seed": seed,
                "k": k,
                "symbols": symbols,
                "exact": exact,
                "last_loss": sum(losses[-50:]) / 50,
                "parameters": parameter_count(model),
            }
        )
    return records


@experiment(
    "seq2seq_cells",
    {**COPYING, "models": [list(c) for c in CELLS], "steps": CELLS_STEPS, "tested_each": TESTED_EACH},
)
def seq2seq_cells(seed: int) -> list[Record]:
    """GRU and LSTM as encoder-decoders on copying, compared at equal width and at equally many carried numbers."""
    return [
        record for cell, hidden_size in CELLS for record in cell_records(cell, hidden_size, float(cell == "LSTM"), seed)
    ]


LSTMS = [model for model in CELLS if model[0] == "LSTM"]


@experiment(
    "seq2seq_cells_unraised",
    {**COPYING, "models": [list(c) for c in LSTMS], "steps": CELLS_STEPS, "tested_each": TESTED_EACH},
)
def seq2seq_cells_unraised(seed: int) -> list[Record]:
    """The LSTMs of `seq2seq_cells` with their forget bias as PyTorch starts it, not raised by 1."""
    return [record for cell, hidden_size in LSTMS for record in cell_records(cell, hidden_size, 0.0, seed)]
