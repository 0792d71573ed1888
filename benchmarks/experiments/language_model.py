"""Chapter 07: a small language model on Python's reference topics, its context, and memory in context."""

import math
import time
from collections.abc import Iterator

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from benchmarks.experiments import Record, Settings, experiment, parameter_count
from course.data.text import Characters, random_windows, reference_text, repeating_strings
from course.training import fit
from course.watch import watch_attention
from solutions.dot_product import causal_mask
from solutions.language_model import CausalLanguageModel, generate, induction_score
from solutions.multi_head import MultiHeadAttention
from solutions.transformer import FeedForward

SMALL: Settings = {"d_model": 64, "num_heads": 4, "d_ff": 256, "num_layers": 2, "learning_rate": 5e-3}
TEXT: Settings = {**SMALL, "window": 32, "batch_size": 64, "steps": 3_000}
# The same number of characters in every step, whatever the window: 512 = batch size times window.
CONTEXT: Settings = {
    **SMALL,
    "characters_a_step": 512,
    "steps": 800,
    "windows": [4, 8, 16, 32, 64],
    "gru_hidden_size": 128,
}
PROMPT = 'The "for" statement '
SAMPLING: Settings = {
    "temperature 0": {"temperature": 0.0},
    "temperature 0.5": {"temperature": 0.5},
    "temperature 1": {},
    "temperature 1.5": {"temperature": 1.5},
    "top_k 5": {"top_k": 5},
    "top_p 0.9": {"top_p": 0.9},
}
RECALL: Settings = {
    "num_symbols": 16,
    "length": 24,
    "periods": [4, 11],
    "fixed_period": 8,
    "d_model": 32,
    "num_heads": 1,
    "gru_hidden_size": 64,
    "batch_size": 32,
    "steps": 800,
    "learning_rate": 1e-2,
    "tested": 1_000,
}


def text_ids() -> tuple[Characters, Tensor, Tensor]:
    """The characters, and the ids of the training and the validation text, without repeated paragraphs."""
    training, validation = reference_text()
    characters = Characters(training)
    return characters, characters.encode(training), characters.encode(validation)


@torch.no_grad()
def bits_by_position(model: nn.Module, ids: Tensor, window: int) -> Tensor:
    """Mean bits of the predictions at each place of a window, (window,) float64.

    The windows begin every half window, so that the second halves hold every character once (but those at the ends).
    """
    total = torch.zeros(window, dtype=torch.float64)
    windows = ids.unfold(0, window + 1, window // 2)
    for part in windows.split(256):
        nats = F.cross_entropy(model(part[:, :-1]).transpose(1, 2), part[:, 1:], reduction="none")  # (B, T)
        total += nats.sum(dim=0)
    return total / len(windows) / math.log(2)


class GRULanguageModel(nn.Module):
    """The control: one layer of torch's GRU between an embedding and a linear layer; tokens (B, T) -> (B, T, V)."""

    def __init__(self, vocab_size: int, d_model: int, hidden_size: int):
        super().__init__()
        self.embedding = nn.Embedding(vocab_size, d_model)
        self.gru = nn.GRU(d_model, hidden_size, batch_first=True)
        self.output = nn.Linear(hidden_size, vocab_size)

    def forward(self, tokens: Tensor) -> Tensor:
        return self.output(self.gru(self.embedding(tokens))[0])


def loss_of(model: nn.Module):
    """The mean cross-entropy of every next token in windows (B, T + 1)."""

    def loss(windows: Tensor) -> Tensor:
        return F.cross_entropy(model(windows[:, :-1]).flatten(0, 1), windows[:, 1:].flatten())

    return loss


def small_model(vocab_size: int, window: int) -> CausalLanguageModel:
    sizes = {name: SMALL[name] for name in ("d_model", "num_heads", "d_ff", "num_layers")}
    return CausalLanguageModel(vocab_size, window, **sizes)


def trained(model: nn.Module, windows: Iterator[Tensor], steps: int, learning_rate: float, label: str) -> Record:
    """Train the model; what every record of it says."""
    start = time.perf_counter()
    losses = fit(model, loss_of(model), windows, steps, learning_rate, label=label)
    return {
        "parameters": parameter_count(model),
        "training_seconds": time.perf_counter() - start,
        "last_loss": sum(losses[-50:]) / 50,
    }


@experiment("language_model_text", {**TEXT, "prompt": PROMPT, "sampling": SAMPLING})
def language_model_text(seed: int) -> list[Record]:
    """A small Transformer on the text without repeats: bits per character, by place in the window, and samples."""
    characters, training, validation = text_ids()
    torch.manual_seed(seed)
    model = small_model(len(characters), TEXT["window"])
    windows = random_windows(training, TEXT["window"], TEXT["batch_size"], seed)
    about = {"seed": seed, **trained(model, windows, TEXT["steps"], TEXT["learning_rate"], "text")}
    by_position = bits_by_position(model, validation, TEXT["window"])
    late = by_position[TEXT["window"] // 2 :].mean().item()
    on_training = bits_by_position(model, training[: len(validation)], TEXT["window"])[TEXT["window"] // 2 :]
    records = [{"measure": "bits", **about, "bits": late, "bits_on_training_text": on_training.mean().item()}]
    records += [{"measure": "position", "seed": seed, "t": t, "bits": b} for t, b in enumerate(by_position.tolist())]
    if seed == 0:
        for name, how in SAMPLING.items():
            written = generate(model, characters.encode(PROMPT).unsqueeze(0), 160, TEXT["window"], **how)
            records.append({"measure": "sample", "seed": seed, "how": name, "text": characters.decode(written[0])})
    return records


@experiment("language_model_context", CONTEXT)
def language_model_context(seed: int) -> list[Record]:
    """Five windows with the same number of characters trained on, and a GRU with one of them."""
    characters, training, validation = text_ids()
    records = []
    for window, kind in [*((w, "Transformer") for w in CONTEXT["windows"]), (32, "GRU")]:
        torch.manual_seed(seed)
        model: nn.Module
        if kind == "GRU":
            model = GRULanguageModel(len(characters), SMALL["d_model"], CONTEXT["gru_hidden_size"])
        else:
            model = small_model(len(characters), window)
        windows = random_windows(training, window, CONTEXT["characters_a_step"] // window, seed)
        about = trained(model, windows, CONTEXT["steps"], CONTEXT["learning_rate"], f"{kind}, window {window}")
        by_position = bits_by_position(model, validation, window)
        bits = by_position[window // 2 :].mean().item()
        records.append({"model": kind, "window": window, "seed": seed, "bits": bits, **about})
        if kind == "GRU" or window == 32:
            records[-1]["bits_first_quarter"] = by_position[: window // 4].mean().item()
    return records


# ---- memory in context ----------------------------------------------------------------------------------------------


class AttentionReader(nn.Module):
    """Causal attention layers and little else, after Elhage et al. (2021): each reads the stream and adds to it.

    The positions go into the queries and the keys alone, so that what a head carries over is the token and not its
    place. tokens (B, T) -> logits (B, T, V); with feed_forward, an MLP after each attention. Layer 0 attends where
    layer_0_mask (T, T) allows, the others where a causal mask does; None is that mask too.
    """

    def __init__(
        self, vocab_size: int, length: int, d_model: int, num_heads: int, num_layers: int, feed_forward: bool = False
    ):
        super().__init__()
        self.embedding = nn.Embedding(vocab_size, d_model)
        self.positions = nn.Parameter(0.3 * torch.randn(length, d_model))
        self.norms = nn.ModuleList(nn.LayerNorm(d_model) for _ in range(num_layers))
        self.attentions = nn.ModuleList(MultiHeadAttention(d_model, num_heads) for _ in range(num_layers))
        self.mlps = nn.ModuleList(
            nn.Sequential(nn.LayerNorm(d_model), FeedForward(d_model, 4 * d_model))
            for _ in range(num_layers if feed_forward else 0)
        )
        self.output = nn.Linear(d_model, vocab_size)

    def forward(self, tokens: Tensor, layer_0_mask: Tensor | None = None) -> Tensor:
        length = tokens.shape[1]
        causal = causal_mask(length)
        x = self.embedding(tokens)
        for i, (norm, attention) in enumerate(zip(self.norms, self.attentions, strict=True)):
            what = norm(x)
            where = what + self.positions[:length]
            mask = layer_0_mask if i == 0 and layer_0_mask is not None else causal
            x = x + attention(where, where, what, mask)[0]
            if self.mlps:
                x = x + self.mlps[i](x)
        return self.output(x)


def recall_model(kind: str) -> nn.Module:
    V, T, D, H = (RECALL[name] for name in ("num_symbols", "length", "d_model", "num_heads"))
    if kind == "GRU":
        return GRULanguageModel(V, D, RECALL["gru_hidden_size"])
    layers = 2 if kind.startswith("two") else 1
    return AttentionReader(V, T, D, H, layers, feed_forward="MLP" in kind)


def recall_strings(seed: int, periods: tuple[int, int]) -> Iterator[Tensor]:
    """Batches of strings (B, T) to train on, without end."""
    generator = torch.Generator().manual_seed(seed)
    while True:
        yield repeating_strings(RECALL["batch_size"], RECALL["length"], RECALL["num_symbols"], *periods, generator)[0]


@torch.no_grad()
def recall_accuracy(model: nn.Module, shortest: int, longest: int, *how: Tensor) -> float:
    """Share of right symbols where the string has repeated once, so that the next one can be known.

    how: what else the model's forward gets.
    """
    generator = torch.Generator().manual_seed(77)
    tokens, periods = repeating_strings(
        RECALL["tested"], RECALL["length"], RECALL["num_symbols"], shortest, longest, generator
    )
    in_a_later_period = torch.arange(1, RECALL["length"]) >= periods.unsqueeze(1)
    return (model(tokens[:, :-1], *how).argmax(dim=2) == tokens[:, 1:])[in_a_later_period].double().mean().item()


@torch.no_grad()
def looks(model: AttentionReader) -> Record:
    """For each layer (one head each): weight on the token before, and `induction_score`."""
    generator = torch.Generator().manual_seed(78)
    shortest, longest = RECALL["periods"]
    tokens, _ = repeating_strings(200, RECALL["length"], RECALL["num_symbols"], shortest, longest, generator)
    with watch_attention(model) as weights:
        model(tokens)
    record: Record = {}
    for i in range(len(model.attentions)):
        seen = weights[f"attentions.{i}"]  # (B, 1, T, T)
        record[f"previous_{i}"] = seen.diagonal(-1, dim1=2, dim2=3).mean().item()
        record[f"induction_{i}"] = induction_score(seen, tokens).item()
    return record


@experiment("language_model_recall", RECALL)
def language_model_recall(seed: int) -> list[Record]:
    """Strings that repeat: which models learn to look up what came after the same symbol before?"""
    fixed = (RECALL["fixed_period"], RECALL["fixed_period"])
    anywhere: tuple[int, int] = tuple(RECALL["periods"])
    records = []
    for kind, trained_on in [
        ("one layer", anywhere),
        ("one layer and MLP", anywhere),
        ("two layers", anywhere),
        ("GRU", anywhere),
        ("one layer", fixed),
        ("two layers", fixed),
    ]:
        torch.manual_seed(seed)
        model = recall_model(kind)
        about = trained(model, recall_strings(seed, trained_on), RECALL["steps"], RECALL["learning_rate"], kind)
        record = {
            "model": kind,
            "trained_on": "random" if trained_on == anywhere else "fixed",
            "seed": seed,
            "random_period": recall_accuracy(model, *anywhere),
            "fixed_period": recall_accuracy(model, *fixed),
            **about,
        }
        records.append(record | (looks(model) if isinstance(model, AttentionReader) else {}))
    return records
