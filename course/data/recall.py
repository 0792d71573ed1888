"""Associative recall: pairs of a symbol and a number to remember, and one symbol that asks. The task of chapter 04.

Everything is drawn from the generator that is given. Safe to change: new tasks beside this one. Not safe: the order of
the draws, and what `RecallModel` does around its mixing, since committed results and stored outputs rest on them.
"""

from dataclasses import dataclass

import torch
from torch import Tensor, nn


@dataclass(frozen=True)
class RecallBatch:
    """symbols (B, S) and numbers (B, S), side by side; asked (B,), the symbol that asks; answers (B,), all int64."""

    symbols: Tensor
    numbers: Tensor
    asked: Tensor
    answers: Tensor


def recall_batch(
    size: int,
    generator: torch.Generator,
    offset: int = 0,
    num_pairs: int = 8,
    num_symbols: int = 16,
    num_numbers: int = 10,
) -> RecallBatch:
    """A batch of memories: `num_pairs` different symbols in random order, each beside a random number.

    The answer is the number beside the symbol (asked + offset) mod num_symbols, which is always in the memory; with
    offset 0 a symbol asks for its own number, with offset 1 for the number beside the symbol that comes next.
    Raises ValueError where there are fewer symbols than pairs.
    """
    if num_pairs > num_symbols:
        raise ValueError(f"{num_pairs} pairs need as many different symbols, got {num_symbols}")
    symbols = torch.rand(size, num_symbols, generator=generator).argsort(dim=1)[:, :num_pairs]
    numbers = torch.randint(num_numbers, (size, num_pairs), generator=generator)
    place = torch.randint(num_pairs, (size, 1), generator=generator)
    wanted, answers = symbols.gather(1, place).squeeze(1), numbers.gather(1, place).squeeze(1)
    return RecallBatch(symbols, numbers, (wanted - offset) % num_symbols, answers)


class RecallModel(nn.Module):
    """Reads the pairs and the asking symbol, lets `mixing` gather from the pairs, and says a number.

    A pair is one vector, the sum of its symbol's and its number's embeddings. mixing: a module,
    mixing(query (B, 1, D), memory (B, S, D)) -> (output (B, 1, D), weights (B, 1, S)). A small network reads the output
    together with the query, so that whatever the mixing knows about the query is not all that the answer can use.
    forward: a RecallBatch -> logits (B, num_numbers) and weights (B, 1, S).
    """

    def __init__(self, d_model: int, mixing: nn.Module, num_symbols: int = 16, num_numbers: int = 10):
        super().__init__()
        self.symbol = nn.Embedding(num_symbols, d_model)
        self.number = nn.Embedding(num_numbers, d_model)
        self.mixing = mixing
        self.read = nn.Sequential(nn.Linear(2 * d_model, 4 * d_model), nn.ReLU(), nn.Linear(4 * d_model, num_numbers))

    def forward(self, batch: RecallBatch) -> tuple[Tensor, Tensor]:
        memory = self.symbol(batch.symbols) + self.number(batch.numbers)
        query = self.symbol(batch.asked).unsqueeze(1)  # (B, D) -> (B, 1, D)
        output, weights = self.mixing(query, memory)
        return self.read(torch.cat([output, query], dim=2).squeeze(1)), weights


@torch.no_grad()
def recall_accuracy(model: nn.Module, batch: RecallBatch) -> float:
    """Share of right answers; model(batch) gives logits first, as a RecallModel does."""
    return (model(batch)[0].argmax(dim=1) == batch.answers).double().mean().item()
