"""Chapter 09: the same models, fast: honest timing, mixed precision, fused attention,
accumulation.

The reference answers of notebook 09. Names, parameter names, shapes and docstrings are
the course's public contract and stand in the notebook's stubs as they stand here; what
is inside the functions may be rewritten freely. Nothing here needs a GPU: the device is
where the model's parameters or the given tensors are.
Letters: B batch, T target or query length, S source or key length, D model width, H
heads.

`python -m training` is the program made of these components: see `training/loop.py`.
"""

import time
from collections.abc import Callable, Iterable
from typing import Any

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from solutions.multi_head import MultiHeadAttention, merge_heads, split_heads


def measure_throughput(
    step: Callable[[], Any],
    items: int,
    num_steps: int,
    warm_up: int,
    synchronize: Callable[[], Any],
    clock: Callable[[], float] = time.perf_counter,
) -> float:
    """How many items per second a step handles that is taken again and again.

    step: a function without arguments; one call handles `items` items (images, tokens).
    It may return before the device has done its work; synchronize, a function without
    arguments, returns once all work is done that was asked for so far. clock: a
    function without arguments, seconds.
    The first warm_up calls of step do not count, nor does any work that was asked for
    before those that do; then num_steps calls are timed together, with no wait between
    them, to the end of their work.
    Returns items per second. Raises ValueError where num_steps is below 1 or warm_up
    below 0.
    """
    if num_steps < 1 or warm_up < 0:
        raise ValueError(
            "need num_steps of at least 1 and warm_up of at least 0, "
            f"got {num_steps} and {warm_up}"
        )
    for _ in range(warm_up):
        step()
    synchronize()
    start = clock()
    for _ in range(num_steps):
        step()
    synchronize()
    return items * num_steps / (clock() - start)


def train_step(
    model: nn.Module,
    loss_of: Callable[[nn.Module, Any], Tensor],
    batch: Any,
    optimizer: torch.optim.Optimizer,
    scaler: torch.amp.GradScaler,
    max_norm: float,
    dtype: torch.dtype = torch.float32,
) -> tuple[Tensor, Tensor]:
    """One step of training in mixed precision (Micikevicius et al., 2018).

    loss_of: a function (model, batch) -> the mean loss, a scalar. It runs under
    autocast to dtype on the device of the model's parameters; torch.float32 means
    without autocast. A model in training mode stays in it. optimizer has all of the
    model's parameters.
    The loss times the scaler's scale is what backward starts from. The gradients are
    divided by the scale again, then clipped to a norm of max_norm over all parameters
    together; then the scaler lets the optimizer step (it leaves the step out where a
    gradient is infinite or NaN) and adapts its scale. With a scaler that is switched
    off there is no scale, and the optimizer always steps; all else is the same.
    Gradients left from earlier steps do not count.
    Returns the loss, not scaled and without a graph, and the norm of the gradients, not
    scaled and before clipping: both tensors, and no number is read off the loss, since
    reading a number off a GPU would wait for it.
    """
    device = next(model.parameters()).device
    optimizer.zero_grad()
    with torch.autocast(device.type, dtype=dtype, enabled=dtype != torch.float32):
        loss = loss_of(model, batch)
    scaler.scale(loss).backward()
    # The threshold is about true gradients, so first the scale goes.
    scaler.unscale_(optimizer)
    norm = nn.utils.clip_grad_norm_(model.parameters(), max_norm)
    scaler.step(optimizer)
    scaler.update()
    return loss.detach(), norm


def low_precision_attention(
    query: Tensor, key: Tensor, value: Tensor
) -> tuple[Tensor, Tensor]:
    """Attention whose products take bfloat16 numbers and whose softmax does not.

    query (..., T, d), key (..., S, d), value (..., S, d_v), of float32, with the same
    leading axes. Both matrix products are of tensors in bfloat16, as a GPU's matrix
    units want them. The scores are scaled and the softmax is taken in float32, so that
    each row of weights sums to one as exactly as float32 can, however large its scores
    are. F.scaled_dot_product_attention is no way round: it gives no weights.
    Returns the output (..., T, d_v) and the weights (..., T, S), both float32.
    """
    scores = query.bfloat16() @ key.bfloat16().transpose(-2, -1)  # (..., T, S)
    weights = torch.softmax(scores.float() / query.shape[-1] ** 0.5, dim=-1)
    return (weights.bfloat16() @ value.bfloat16()).float(), weights


class FusedMultiHeadAttention(nn.Module):
    """A MultiHeadAttention by one fused kernel, which never stores the weights
    (Dao et al., 2022).

    attention: the MultiHeadAttention that it stands in for. Its num_heads and its maps
    W_Q, W_K, W_V and W_O are this module's own: shared, not copied, under the same
    names.

    forward: query (B, T, D), key and value (B, S, D), mask boolean, True = may attend,
    of two or three axes and broadcastable to (B, T, S), the same for all heads, or
    None.
    Returns the same output (B, T, D), also where a query may attend to nothing, and
    None in the place of the weights. The product with the values is left to
    F.scaled_dot_product_attention.
    """

    def __init__(self, attention):
        super().__init__()
        self.num_heads = attention.num_heads
        self.W_Q, self.W_K = attention.W_Q, attention.W_K
        self.W_V, self.W_O = attention.W_V, attention.W_O

    def forward(
        self,
        query: Tensor,
        key: Tensor,
        value: Tensor,
        mask: Tensor | None = None,
    ) -> tuple[Tensor, None]:
        # One tensor may be two of them, or all.
        given = {id(x): x for x in (query, key, value)}
        once = {number: self.as_autocast_has_it(x) for number, x in given.items()}
        query, key, value = once[id(query)], once[id(key)], once[id(value)]
        # (B, T, D) -> (B, H, T, d)
        queries = split_heads(self.W_Q(query), self.num_heads)
        keys = split_heads(self.W_K(key), self.num_heads)  # (B, S, D) -> (B, H, S, d)
        values = split_heads(self.W_V(value), self.num_heads)
        # (B, T, S) -> (B, 1, T, S): one mask for all heads
        if mask is not None and mask.ndim == 3:
            mask = mask.unsqueeze(1)
        outputs = F.scaled_dot_product_attention(queries, keys, values, attn_mask=mask)
        return self.W_O(merge_heads(outputs)), None

    @staticmethod
    def as_autocast_has_it(x: Tensor) -> Tensor:
        """x in the format that autocast, where it is on, gives to a linear map. Each of
        three maps that read the same x would have a copy of its own: autocast keeps its
        copies of parameters, and of nothing else.
        """
        kind = x.device.type
        if (
            x.dtype != torch.float32
            or not torch.amp.is_autocast_available(kind)
            or not torch.is_autocast_enabled(kind)
        ):
            return x
        return x.to(torch.get_autocast_dtype(kind))


class FusedCausalAttention(FusedMultiHeadAttention):
    """The same for a self-attention whose mask is the causal one at every call.

    The kernel is told so by a flag and is given no mask: it leaves out what lies above
    the diagonal, and on a GPU it may be FlashAttention, which takes a mask in no other
    way. forward reads its query alone: key and value are the same tensor.
    """

    def forward(
        self,
        query: Tensor,
        key: Tensor,
        value: Tensor,
        mask: Tensor | None = None,
    ) -> tuple[Tensor, None]:
        # Key and value are the same tensor: a self-attention.
        x = self.as_autocast_has_it(query)
        queries, keys, values = (
            split_heads(project(x), self.num_heads)  # (B, T, D) -> (B, H, T, d)
            for project in (self.W_Q, self.W_K, self.W_V)
        )
        outputs = F.scaled_dot_product_attention(queries, keys, values, is_causal=True)
        return self.W_O(merge_heads(outputs)), None


def fuse_attention(
    model: nn.Module, is_causal: Callable[[str], bool] = lambda name: False
) -> nn.Module:
    """Put a FusedMultiHeadAttention in the place of every MultiHeadAttention inside a
    model.

    is_causal: whether the attention of this name (`model.named_modules`) is given the
    causal mask at every call; a FusedCausalAttention then stands in for it. The
    parameters stay the same objects under the same names, so an optimizer or a
    checkpoint made before fits afterwards, and the other way round. Returns the model,
    changed in place.
    """
    for name, attention in list(model.named_modules()):
        if isinstance(attention, MultiHeadAttention):
            fused = FusedCausalAttention if is_causal(name) else FusedMultiHeadAttention
            holder, _, attribute = name.rpartition(".")
            setattr(model.get_submodule(holder), attribute, fused(attention))
    return model


class StaticKeyValueCache(nn.Module):
    """Chapter 07's KeyValueCache with room for every token from the start.

    model: a CausalLanguageModel in eval mode, with whatever attention that has W_Q,
    W_K, W_V, W_O and num_heads. What is read is written into its place, so that no
    token moves what came before it; a token that comes alone may attend to everything
    there is, and needs no mask. The three maps of a layer are one matrix here, copied
    from the model as it stands when the cache is made. forward: tokens (B, T) -> logits
    (B, T, V), as of KeyValueCache. Raises ValueError where there is no room for them or
    B is not batch_size, and then reads nothing.
    """

    def __init__(self, model: Any, batch_size: int):
        super().__init__()
        self.model: Any = model
        self.length = 0
        weight = model.positions.weight
        self.num_heads = model.layers[0].self_attention.num_heads
        max_length, d_model = weight.shape
        d_head = d_model // self.num_heads
        shape = len(model.layers), 2, batch_size, self.num_heads, max_length, d_head
        self.kept = weight.new_zeros(shape)
        self.maps = []  # of each layer, (3 * D, D) and (3 * D,)
        for layer in model.layers:
            three = [getattr(layer.self_attention, f"W_{which}") for which in "QKV"]
            self.maps.append(
                [
                    torch.cat([getattr(each, name).detach() for each in three])
                    for name in ("weight", "bias")
                ]
            )

    @torch.no_grad()
    def forward(self, tokens: Tensor) -> Tensor:
        model, past, now = self.model, self.length, self.length + tokens.shape[1]
        if now > self.kept.shape[4] or len(tokens) != self.kept.shape[2]:
            raise ValueError(
                f"room for {tuple(self.kept.shape[2:5:2])}, {past} are read, "
                f"got tokens {tuple(tokens.shape)}"
            )
        mask = None
        if past and now - past > 1:  # (T, now): the rows of the new tokens
            places = torch.arange(now, device=tokens.device)
            mask = places <= places[past:].unsqueeze(1)
        x = model.token_embedding(tokens) + model.positions.weight[past:now]
        for layer, (weight, bias), (keys, values) in zip(
            model.layers, self.maps, self.kept, strict=True
        ):
            projected = F.linear(layer.norm1(x), weight, bias)
            projected = projected.unflatten(2, (3, self.num_heads, -1))
            # (B, T, 3, H, d) -> three of (B, H, T, d); the new keys and values go
            # straight to their places
            projected = projected.permute(2, 0, 3, 1, 4)
            queries, keys[:, :, past:now], values[:, :, past:now] = projected
            keys, values = keys[:, :, :now], values[:, :, :now]
            outputs = F.scaled_dot_product_attention(
                queries, keys, values, mask, is_causal=not past and now > 1
            )
            x = x + layer.self_attention.W_O(merge_heads(outputs))
            x = x + layer.feed_forward(layer.norm2(x))
        self.length = now
        return F.linear(model.norm(x), model.token_embedding.weight)


def attention_in_blocks(
    query: Tensor, key: Tensor, value: Tensor, block_size: int
) -> Tensor:
    """Scaled dot-product attention that reads the keys block by block and keeps no
    weights.

    query (..., T, d_k), key (..., S, d_k), value (..., S, d_v), with the same leading
    axes. At no time is there a tensor with more than block_size keys' scores for each
    query; the last block may be smaller. What has been read so far is summed up, for
    each query, in its largest score, the sum of the exponentials and the weighted sum
    of the values (Milakov and Gimelshein, 2018; Rabe and Staats, 2021), so that no
    exponential overflows, not all are zero, and no key is lost, whatever finite numbers
    the scores are. (The logarithm of the sum alone would lose keys to rounding beside a
    score of 1e8.) Returns the output (..., T, d_v), as softmax over all S keys gives
    it. Raises ValueError where block_size is below 1.
    """
    if block_size < 1:
        raise ValueError(f"a block has at least one key, got block_size {block_size}")
    largest = query.new_full((*query.shape[:-1], 1), float("-inf"))  # (..., T, 1)
    total = torch.zeros_like(largest)
    output = query.new_zeros(*query.shape[:-1], value.shape[-1])  # (..., T, d_v)
    for start in range(0, key.shape[-2], block_size):
        keys, values = (
            key[..., start : start + block_size, :],
            value[..., start : start + block_size, :],
        )
        # (..., T, at most block_size)
        scores = query @ keys.transpose(-2, -1) / query.shape[-1] ** 0.5
        larger = torch.maximum(largest, scores.amax(dim=-1, keepdim=True))
        exponentials, rescale = torch.exp(scores - larger), torch.exp(largest - larger)
        total = total * rescale + exponentials.sum(dim=-1, keepdim=True)
        output = output * rescale + exponentials @ values
        largest = larger
    return output / total


def accumulate(
    model: nn.Module,
    loss_sum_of: Callable[[nn.Module, Any], tuple[Tensor, int]],
    micro_batches: Iterable[Any],
) -> Tensor:
    """The gradients of one large batch, from pieces of it that fit into memory.

    micro_batches: pieces of a batch, which may differ in size and may come from a
    generator.
    loss_sum_of: a function (model, micro_batch) -> the sum of the losses of its
    predictions, a scalar, and how many predictions there were; a piece may have none,
    and some piece has at least one.
    Afterwards each parameter's .grad is the gradient of the mean loss over all
    predictions of all pieces, whatever it was before (None or zeros where the loss does
    not reach it), and the optimizer can step. The model stays in its mode and keeps its
    weights. Of the graphs only one piece's is in memory at a time. Returns that mean
    loss, a tensor without a graph.
    """
    model.zero_grad()
    total: Any = 0.0
    count = 0
    for micro_batch in micro_batches:
        loss_sum, predictions = loss_sum_of(model, micro_batch)
        loss_sum.backward()  # adds to .grad, and lets the graph go
        total = total + loss_sum.detach()
        count = count + predictions
    for parameter in model.parameters():
        if parameter.grad is not None:
            parameter.grad /= count
    return total / count
