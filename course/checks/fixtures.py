"""Small public models and optimisers that checks build beside the student's code, by name and numbers.

Everything here is known to the learner and judged by nobody. A check loads the weights it wants (`draw.state`), so no
random state matters here. Safe to change: add builders. Not safe: a builder's name, its arguments, its state's names.
"""

import torch
from torch import Tensor, nn


class TinyClassifier(nn.Module):
    """Ids (B, T) to logits (B, V): embed each, lay them side by side, one layer of tanh, one of scores."""

    def __init__(self, vocab_size: int, length: int, d_model: int, num_classes: int):
        super().__init__()
        self.embedding = nn.Embedding(vocab_size, d_model)
        self.hidden = nn.Linear(length * d_model, 2 * d_model)
        self.output = nn.Linear(2 * d_model, num_classes)

    def forward(self, ids: Tensor) -> Tensor:
        x = self.embedding(ids).flatten(1)  # (B, T, D) -> (B, T * D)
        return self.output(torch.tanh(self.hidden(x)))


def sgd(model: nn.Module, lr: float, momentum: float = 0.0) -> torch.optim.Optimizer:
    """Gradient descent over all of the model's parameters."""
    return torch.optim.SGD(model.parameters(), lr=lr, momentum=momentum)


def adam(model: nn.Module, lr: float) -> torch.optim.Optimizer:
    """Adam over all of the model's parameters."""
    return torch.optim.Adam(model.parameters(), lr=lr)


class WatchedSGD(torch.optim.SGD):
    """Gradient descent that writes down, in order, when gradients were computed and when it was asked to step."""

    def __init__(self, model: nn.Module, lr: float):
        super().__init__(model.parameters(), lr=lr)
        self.events: list[str] = []
        for parameter in model.parameters():
            parameter.register_hook(lambda gradient: self._note("backward"))

    def _note(self, event: str) -> None:
        if self.events[-1:] != [event]:  # one backward pass reaches every parameter
            self.events.append(event)

    def step(self, closure=None):
        loss = closure() if closure is not None else None
        gradients = any(p.grad is not None and bool(p.grad.any()) for g in self.param_groups for p in g["params"])
        self._note("step" if gradients else "step without gradients")
        super().step()
        return loss

    def seen(self) -> str:
        """What happened, for example "backward, step"."""
        return ", ".join(self.events) or "nothing"


def stale_gradients(model: nn.Module, value: float) -> nn.Module:
    """The same model, with `value` left in every gradient, as if an earlier backward pass had never been cleared."""
    for parameter in model.parameters():
        parameter.grad = torch.full_like(parameter, value)
    return model


def kept(tensor: Tensor) -> Tensor:
    """The tensor itself, to be handed over as one object, so that what is done to it in passing can be seen."""
    return tensor


class _Watchable(nn.Module):
    """A module that can be asked afterwards what was done to it."""

    def has_gradients(self) -> bool:
        """Whether anything has left a gradient on the weights."""
        return any(p.grad is not None and bool(p.grad.any()) for p in self.parameters())

    def condition(self) -> dict[str, bool | int | Tensor]:
        """Its mode, how many of its parameters can be trained, and each one's mean gradient (0 for none)."""
        parameters = list(self.parameters())
        return {
            "training": self.training,
            "trainable": sum(p.requires_grad for p in parameters),
            "gradients": torch.stack([torch.zeros(()) if p.grad is None else p.grad.mean() for p in parameters]),
        }

    def requires_grad_of(self, tensor: Tensor) -> bool:
        """Whether a tensor (see `kept`) asks for gradients."""
        return tensor.requires_grad


class VectorEncoder(nn.Module):
    """An encoder without recurrence: source (B, S), lengths (B,) -> outputs (B, S, 2H) and state (B, H)."""

    def __init__(self, vocab_size: int, hidden_size: int):
        super().__init__()
        self.embedding = nn.Embedding(vocab_size, 2 * hidden_size)
        self.bridge = nn.Linear(2 * hidden_size, hidden_size)

    def forward(self, source: Tensor, lengths: Tensor) -> tuple[Tensor, Tensor]:
        padding = torch.arange(source.shape[1], device=source.device) >= lengths.unsqueeze(1)
        outputs = self.embedding(source).masked_fill(padding.unsqueeze(2), 0.0)
        return outputs, torch.tanh(self.bridge(outputs.sum(1) / lengths.unsqueeze(1)))


def vector_encoder(vocab_size: int, hidden_size: int) -> nn.Module:
    """For models that need an encoder which is not what is being judged."""
    return VectorEncoder(vocab_size, hidden_size)


class VectorDecoder(_Watchable):
    """decode(vector (B, H), targets (B, T)) -> logits (B, T, V); target t-1 goes in at step t, and 1 at step 0."""

    def __init__(self, vocab_size: int, hidden_size: int):
        super().__init__()
        self.embedding = nn.Embedding(vocab_size, hidden_size)
        self.gru = nn.GRU(hidden_size, hidden_size, batch_first=True)
        self.output = nn.Linear(hidden_size, vocab_size)

    def decode(self, vector: Tensor, targets: Tensor) -> Tensor:
        tokens = torch.cat([torch.ones_like(targets[:, :1]), targets[:, :-1]], dim=1)
        return self.output(self.gru(self.embedding(tokens), vector.unsqueeze(0))[0])


def vector_decoder(vocab_size: int, hidden_size: int) -> nn.Module:
    """A decoder that writes from a vector, to search vectors for."""
    return VectorDecoder(vocab_size, hidden_size)


class RecurrentNetwork(_Watchable):
    """torch's GRU or LSTM, batch first; "outputs alone" is a GRU that returns its outputs without the last state."""

    def __init__(self, kind: str, input_size: int, hidden_size: int):
        super().__init__()
        network = nn.LSTM if kind == "LSTM" else nn.GRU
        self.network = network(input_size, hidden_size, batch_first=True)
        self.alone = kind == "outputs alone"

    def forward(self, inputs: Tensor):
        outputs, last = self.network(inputs)
        return outputs if self.alone else (outputs, last)


def recurrent_network(kind: str, input_size: int, hidden_size: int) -> nn.Module:
    """A recurrent network whose gradients are to be measured."""
    return RecurrentNetwork(kind, input_size, hidden_size)


class NearnessAttention(nn.Module):
    """An attention for decoders to be judged with: a key weighs more the nearer its sum is to the query's sum.

    attention(query (B, d_query), keys (B, S, d_key), values (B, S, d_value), mask (B, S) or None) gives the weighted
    mean of the values (B, d_value) and the weights (B, S). No parameters; made to be like none of the exercises'.
    """

    def forward(self, query: Tensor, keys: Tensor, values: Tensor, mask: Tensor | None = None) -> tuple[Tensor, Tensor]:
        distance = (query.sum(dim=1, keepdim=True) - keys.sum(dim=2)).abs()
        nearness = 1 / (1 + distance)
        if mask is not None:
            nearness = nearness * mask
        weights = nearness / nearness.sum(dim=1, keepdim=True)
        return (weights.unsqueeze(2) * values).sum(dim=1), weights


class SummingEncoder(nn.Module):
    """An encoder without parameters through which gradients can be followed: numbers (B, S), lengths (B,) in,
    outputs (B, S, 3) and state (B, 2) out."""

    def forward(self, source: Tensor, lengths: Tensor) -> tuple[Tensor, Tensor]:
        outputs = source.unsqueeze(2) * torch.tensor([1.0, -0.5, 0.25])
        return outputs, outputs[:, :, :2].sum(dim=1) / lengths.unsqueeze(1)
