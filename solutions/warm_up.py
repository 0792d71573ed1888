"""Chapter 00: shapes, scores, softmax, masks, gradients and a training loop.

The reference answers of notebook 00. Names, parameter names, shapes and docstrings are
the course's public contract and stand in the notebook's stubs as they stand here; what
is inside the functions may be rewritten freely.
Letters: B batch, T number of queries, S number of keys, D width, V number of classes.
Masks are boolean and True means "may attend".
"""

from collections.abc import Callable

import torch
import torch.nn.functional as F
from torch import Tensor, nn


def predict_shapes(B: int, T: int, S: int, D: int) -> dict[str, tuple[int, ...]]:
    """The shapes of eight tensors, told from the sizes alone.

    With query (B, T, D), key (B, S, D) and lengths (B,), returns a dictionary with the
    shape, a tuple or list of sizes, of
      "mean_query"   query.mean(dim=1)
      "kept_axis"    query.sum(dim=-1, keepdim=True)
      "last_key"     key[:, -1]
      "joined"       torch.cat([query, key], dim=1)
      "scores"       query @ key.transpose(1, 2)
      "differences"  query.unsqueeze(2) - key.unsqueeze(1)
      "is_real"      torch.arange(S) < lengths.unsqueeze(1)
      "summed"       torch.einsum("btd,bsd->ts", query, key)
    """
    return {
        "mean_query": (B, D),
        "kept_axis": (B, T, 1),
        "last_key": (B, D),
        "joined": (B, T + S, D),
        "scores": (B, T, S),
        "differences": (B, T, S, D),
        "is_real": (B, S),
        "summed": (T, S),
    }


def pairwise_scores(query: Tensor, key: Tensor) -> Tensor:
    """The dot product of every query with every key of the same batch entry.

    query (B, T, D), key (B, S, D) -> scores (B, T, S), where scores[b, t, s] is the sum
    over d of query[b, t, d] * key[b, s, d]. Gradients flow to both. Raises ValueError
    where the two do not agree in B or D: never a silent broadcast.
    """
    if (
        query.dim() != 3
        or key.dim() != 3
        or query.shape[0] != key.shape[0]
        or query.shape[2] != key.shape[2]
    ):
        raise ValueError(
            "need query (B, T, D) and key (B, S, D), "
            f"got {tuple(query.shape)} and {tuple(key.shape)}"
        )
    return torch.einsum("btd,bsd->bts", query, key)


def safe_softmax(scores: Tensor, dim: int) -> Tensor:
    """Softmax along one axis, finite for large scores too.

    scores: any shape of one axis or more, each score minus infinity or a number between
    -100,000 and 100,000, not all minus infinity along dim; dim: the axis that is shared
    out, counted from the front or, if negative, from the back. Returns weights in the
    shape of scores: exp(score) divided by the sum of exp(score) along dim; to four
    digits they sum to one. A score of minus infinity gets the weight zero. scores is
    left as it was.
    """
    # The largest is 0 now, so no exponential is above 1.
    shifted = scores - scores.amax(dim, keepdim=True)
    exponentials = shifted.exp()
    # And the sum is at least 1.
    return exponentials / exponentials.sum(dim, keepdim=True)


def broadcast_mask(padding: Tensor, pattern: Tensor) -> Tensor:
    """Where a query may attend: to real keys of its sentence that the pattern allows
    its place.

    padding (B, S) boolean, True = this key is a real token; pattern (T, S) boolean,
    True = query t may attend to key s, the same for the whole batch. Returns a boolean
    mask (B, T, S), True = may attend; a row may come out all False. Raises ValueError
    where the two are not boolean or do not agree in S.
    """
    if padding.dtype != torch.bool or pattern.dtype != torch.bool:
        raise ValueError(f"need boolean masks, got {padding.dtype} and {pattern.dtype}")
    shapes = tuple(padding.shape), tuple(pattern.shape)
    if padding.dim() != 2 or pattern.dim() != 2 or padding.shape[1] != pattern.shape[1]:
        raise ValueError(
            f"need padding (B, S) and pattern (T, S), got {shapes[0]} and {shapes[1]}"
        )
    return padding.unsqueeze(1) & pattern  # (B, 1, S) with (T, S) -> (B, T, S)


def numerical_gradient(
    function: Callable[[Tensor], Tensor], x: Tensor, step: float = 1e-3
) -> Tensor:
    """The gradient of a function at x, by central differences, one entry at a time.

    function takes a tensor in the shape and dtype of x and returns one number (a tensor
    without axes, in memory of its own). x: floating point, any shape of one axis or
    more, float64 for an answer worth comparing. Returns a tensor in the shape and dtype
    of x: entry i is (function(x + step * e_i) - function(x - step * e_i)) / (2 * step),
    where e_i is 1 at i and 0 elsewhere. x is left as it was. Raises ValueError where
    step is not positive.
    """
    if not step > 0:
        raise ValueError(f"step must be positive, got {step}")
    x = x.detach()
    nudges = step * torch.eye(x.numel(), dtype=x.dtype, device=x.device)
    slopes = []
    for nudge in nudges:
        nudge = nudge.reshape(x.shape)
        slopes.append(float(function(x + nudge) - function(x - nudge)) / (2 * step))
    return torch.tensor(slopes, dtype=x.dtype, device=x.device).reshape(x.shape)


def train_step_cpu(
    model: nn.Module, optimizer: torch.optim.Optimizer, inputs: Tensor, targets: Tensor
) -> float:
    """One step of training on one batch.

    model(inputs) gives logits (B, V); targets (B,) holds the right class of each,
    int64. The loss is their cross-entropy in nats, the mean over the batch. The
    optimizer, which holds all of the model's parameters and no others, takes one step
    down this loss's gradient: gradients left in the parameters from before do not
    count. The model runs once, in the mode that it is in, training or evaluation, and
    is left in it. Returns the loss as it was before the step, as a Python float.
    """
    optimizer.zero_grad()
    loss = F.cross_entropy(model(inputs), targets)
    loss.backward()
    optimizer.step()
    return loss.item()


def train_epoch(
    model: nn.Module,
    optimizer: torch.optim.Optimizer,
    inputs: Tensor,
    targets: Tensor,
    order: Tensor,
    batch_size: int,
) -> float:
    """Train on the chosen examples, batch by batch.

    inputs (N, ...), targets (N,); order (M,) int64: which examples, and in which order,
    some perhaps twice. Batches of batch_size are taken along order; the last, or the
    only one, may be smaller. The model runs in its current mode, and is left in it.
    Returns the mean loss over the M, each as it was when its batch was trained on.
    Raises ValueError where inputs and targets differ in N or batch_size is below 1.
    """
    if len(inputs) != len(targets) or batch_size < 1:
        raise ValueError(
            f"got {len(inputs)} inputs, {len(targets)} targets, batch_size {batch_size}"
        )
    total = 0.0
    for start in range(0, len(order), batch_size):
        chosen = order[start : start + batch_size]
        loss = train_step_cpu(model, optimizer, inputs[chosen], targets[chosen])
        total += loss * len(chosen)
    return total / len(order)
