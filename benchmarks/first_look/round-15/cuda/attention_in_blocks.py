# %% wrong: the largest score so far begins at zero
# m starts at 0 and not at minus infinity. Where all of a query's scores are far below zero (about
# -104 in float32), every exponential is 0 and the output is 0 / 0.

def attention_in_blocks(query: Tensor, key: Tensor, value: Tensor, block_size: int) -> Tensor:
    if block_size < 1:
        raise ValueError("block_size must be at least 1")
    scale = query.shape[-1] ** -0.5
    largest = query.new_zeros(*query.shape[:-1], 1)
    total = query.new_zeros(*query.shape[:-1], 1)
    mixed = query.new_zeros(*query.shape[:-1], value.shape[-1])
    for begin in range(0, key.shape[-2], block_size):
        k = key[..., begin : begin + block_size, :]
        v = value[..., begin : begin + block_size, :]
        scores = query @ k.transpose(-2, -1) * scale
        new = torch.maximum(largest, scores.amax(dim=-1, keepdim=True))
        weights = (scores - new).exp()
        correction = (largest - new).exp()
        total = total * correction + weights.sum(dim=-1, keepdim=True)
        mixed = mixed * correction + weights @ v
        largest = new
    return mixed / total

# %% wrong: one largest score for all queries
# The running maximum is taken over the whole block of scores, not for each query. A query (or head,
# or sentence) whose scores lie some hundred below another's underflows to 0 / 0.

import math


def attention_in_blocks(query: Tensor, key: Tensor, value: Tensor, block_size: int) -> Tensor:
    if block_size < 1:
        raise ValueError(f"blocks of {block_size} keys")
    largest, total, mixed = float("-inf"), 0.0, 0.0
    for k, v in zip(key.split(block_size, dim=-2), value.split(block_size, dim=-2)):
        scores = query @ k.transpose(-2, -1) / query.shape[-1] ** 0.5
        new = max(largest, scores.max().item())
        factor = math.exp(largest - new)
        weights = torch.exp(scores - new)
        total = total * factor + weights.sum(dim=-1, keepdim=True)
        mixed = mixed * factor + weights @ v
        largest = new
    return mixed / total

# %% wrong: the query is scaled in place
# query /= sqrt(d_k) divides the caller's tensor. The first output is right; query is changed
# afterwards, and the next call with it gives something else.

def attention_in_blocks(query: Tensor, key: Tensor, value: Tensor, block_size: int) -> Tensor:
    if block_size < 1:
        raise ValueError("a block needs at least one key")
    query /= query.shape[-1] ** 0.5
    largest = torch.full_like(query[..., :1], float("-inf"))
    total = torch.zeros_like(largest)
    mixed = torch.zeros_like(query[..., :1] * value[..., :1, :])
    for begin in range(0, key.shape[-2], block_size):
        scores = query @ key[..., begin : begin + block_size, :].transpose(-2, -1)
        new = torch.maximum(largest, scores.max(dim=-1, keepdim=True).values)
        weights = torch.exp(scores - new)
        correction = torch.exp(largest - new)
        total = correction * total + weights.sum(dim=-1, keepdim=True)
        mixed = correction * mixed + weights @ value[..., begin : begin + block_size, :]
        largest = new
    return mixed / total

# %% wrong: range is left to complain
# No check, since range refuses a step of 0 with a ValueError of its own. A block_size of -1 or -5 it
# takes, and goes through no block at all: 0 / 0 comes back instead of a ValueError.

def attention_in_blocks(query: Tensor, key: Tensor, value: Tensor, block_size: int) -> Tensor:
    begins = range(0, key.shape[-2], block_size)  # raises ValueError for 0
    largest = query.new_full((*query.shape[:-1], 1), float("-inf"))
    total = torch.zeros_like(largest)
    mixed = query.new_zeros(*query.shape[:-1], value.shape[-1])
    for begin in begins:
        block = slice(begin, begin + block_size)
        scores = query @ key[..., block, :].mT / query.shape[-1] ** 0.5
        new = torch.maximum(largest, scores.amax(-1, keepdim=True))
        weights = (scores - new).exp()
        shrink = (largest - new).exp()
        total = total * shrink + weights.sum(-1, keepdim=True)
        mixed = mixed * shrink + weights @ value[..., block, :]
        largest = new
    return mixed / total

# %% correct: summaries of blocks, merged by a fold

import functools


def attention_in_blocks(query: Tensor, key: Tensor, value: Tensor, block_size: int) -> Tensor:
    if block_size < 1:
        raise ValueError(f"block_size is {block_size}")
    scaled = query * query.shape[-1] ** -0.5

    def summary(block):
        keys, values = block
        scores = torch.einsum("...td,...sd->...ts", scaled, keys)
        top = scores.amax(dim=-1, keepdim=True)
        e = torch.exp(scores - top)
        return top, e.sum(dim=-1, keepdim=True), torch.einsum("...ts,...sv->...tv", e, values)

    def merge(one, other):
        top = torch.maximum(one[0], other[0])
        a, b = torch.exp(one[0] - top), torch.exp(other[0] - top)
        return top, a * one[1] + b * other[1], a * one[2] + b * other[2]

    blocks = zip(key.split(block_size, dim=-2), value.split(block_size, dim=-2))
    _, total, mixed = functools.reduce(merge, map(summary, blocks))
    return mixed / total

# %% correct: a column of ones carries the sum

def attention_in_blocks(query: Tensor, key: Tensor, value: Tensor, block_size: int) -> Tensor:
    if block_size < 1:
        raise ValueError("there is no block of less than one key")
    root = query.shape[-1] ** 0.5
    top, kept, begin = None, None, 0
    while begin < key.shape[-2]:
        count = min(block_size, key.shape[-2] - begin)
        k, v = key.narrow(-2, begin, count), value.narrow(-2, begin, count)
        scores = torch.matmul(query / root, k.mT)
        high = scores.max(dim=-1, keepdim=True)[0]
        if top is not None:
            high = torch.where(high > top, high, top)
        # (..., T, d_v + 1): the weighted sum of the values, and in the last column of the ones
        read = torch.matmul((scores - high).exp(), F.pad(v, (0, 1), value=1.0))
        kept = read if top is None else read + kept * (top - high).exp()
        top, begin = high, begin + count
    return kept[..., :-1] / kept[..., -1:]
