# %% wrong: the largest score begins at zero
# Before any key was read the largest score is 0, which wins against scores that are all far below zero.
# Shows where all scores of a query are below some -110 (query = -30, key = 30 in each feature): 0/0, NaN.

def attention_in_blocks(query: Tensor, key: Tensor, value: Tensor, block_size: int) -> Tensor:
    if block_size < 1:
        raise ValueError(f"block_size must be at least 1, got {block_size}")
    root = query.shape[-1] ** 0.5
    largest = query.new_zeros(*query.shape[:-1], 1)
    total = torch.zeros_like(largest)
    mixed = query.new_zeros(*query.shape[:-1], value.shape[-1])
    for begin in range(0, key.shape[-2], block_size):
        block = slice(begin, begin + block_size)
        scores = query @ key[..., block, :].transpose(-2, -1) / root
        new = torch.maximum(largest, scores.amax(dim=-1, keepdim=True))
        powers, factor = torch.exp(scores - new), torch.exp(largest - new)
        total = total * factor + powers.sum(dim=-1, keepdim=True)
        mixed = mixed * factor + powers @ value[..., block, :]
        largest = new
    return mixed / total

# %% wrong: only the sum is corrected
# When a block brings a larger score the sum of exponentials is multiplied by the factor, the sum of the values is not.
# Shows for two blocks or more, wherever a later block has the largest score.

def attention_in_blocks(query: Tensor, key: Tensor, value: Tensor, block_size: int) -> Tensor:
    if block_size < 1:
        raise ValueError(f"block_size must be at least 1, got {block_size}")
    root = query.shape[-1] ** 0.5
    largest = query.new_full((*query.shape[:-1], 1), float("-inf"))
    total = torch.zeros_like(largest)
    mixed = query.new_zeros(*query.shape[:-1], value.shape[-1])
    for begin in range(0, key.shape[-2], block_size):
        block = slice(begin, begin + block_size)
        scores = query @ key[..., block, :].transpose(-2, -1) / root
        new = torch.maximum(largest, scores.amax(dim=-1, keepdim=True))
        powers = torch.exp(scores - new)
        total = total * torch.exp(largest - new) + powers.sum(dim=-1, keepdim=True)
        mixed = mixed + powers @ value[..., block, :]
        largest = new
    return mixed / total

# %% wrong: whole blocks only
# The number of blocks is rounded down, so the keys of a smaller last block are never read.
# Shows where block_size does not divide S, as S = 5 in blocks of 2; with S below block_size it is 0/0.

def attention_in_blocks(query: Tensor, key: Tensor, value: Tensor, block_size: int) -> Tensor:
    if block_size < 1:
        raise ValueError(f"block_size must be at least 1, got {block_size}")
    root = query.shape[-1] ** 0.5
    largest = query.new_full((*query.shape[:-1], 1), float("-inf"))
    total = torch.zeros_like(largest)
    mixed = query.new_zeros(*query.shape[:-1], value.shape[-1])
    for i in range(key.shape[-2] // block_size):
        keys = key[..., i * block_size : (i + 1) * block_size, :]
        values = value[..., i * block_size : (i + 1) * block_size, :]
        scores = query @ keys.transpose(-2, -1) / root
        new = torch.maximum(largest, scores.max(dim=-1, keepdim=True).values)
        powers, factor = torch.exp(scores - new), torch.exp(largest - new)
        total = factor * total + powers.sum(dim=-1, keepdim=True)
        mixed = factor * mixed + powers @ values
        largest = new
    return mixed / total

# %% wrong: one largest score for all queries
# The maximum is taken over the queries as well, so a query with small scores has no exponential above zero.
# Shows where the queries' scores lie more than 110 apart, as with query[0] = 100 * query[1]: NaN for the lesser.

def attention_in_blocks(query: Tensor, key: Tensor, value: Tensor, block_size: int) -> Tensor:
    if block_size < 1:
        raise ValueError(f"block_size must be at least 1, got {block_size}")
    root = query.shape[-1] ** 0.5
    largest = query.new_full((), float("-inf"))
    total = query.new_zeros(*query.shape[:-1], 1)
    mixed = query.new_zeros(*query.shape[:-1], value.shape[-1])
    for keys, values in zip(key.split(block_size, dim=-2), value.split(block_size, dim=-2), strict=True):
        scores = query @ keys.transpose(-2, -1) / root
        new = torch.maximum(largest, scores.max())
        powers, factor = torch.exp(scores - new), torch.exp(largest - new)
        total = total * factor + powers.sum(dim=-1, keepdim=True)
        mixed = mixed * factor + powers @ values
        largest = new
    return mixed / total

# %% correct: blocks summed up alone, then merged

# Each block gives its own three numbers, and two such summaries can be merged in any order.

import functools


def summary(query, keys, values):
    scores = torch.einsum("...td,...sd->...ts", query, keys)
    largest = scores.amax(dim=-1)
    powers = (scores - largest.unsqueeze(-1)).exp()
    return largest, powers.sum(dim=-1), torch.einsum("...ts,...sv->...tv", powers, values)


def merge(one, other):
    largest = torch.maximum(one[0], other[0])
    left, right = (one[0] - largest).exp(), (other[0] - largest).exp()
    mixed = one[2] * left.unsqueeze(-1) + other[2] * right.unsqueeze(-1)
    return largest, one[1] * left + other[1] * right, mixed


def attention_in_blocks(query: Tensor, key: Tensor, value: Tensor, block_size: int) -> Tensor:
    if block_size < 1:
        raise ValueError(f"block_size must be at least 1, got {block_size}")
    scaled = query * query.shape[-1] ** -0.5
    pieces = zip(key.split(block_size, dim=-2), value.split(block_size, dim=-2), strict=True)
    _, total, mixed = functools.reduce(merge, (summary(scaled, k, v) for k, v in pieces))
    return mixed / total.unsqueeze(-1)

# %% correct: a column of ones among the values

# The sum of exponentials is the weighted sum of ones, so one product gives both; a while loop goes from the last key back.

def attention_in_blocks(query: Tensor, key: Tensor, value: Tensor, block_size: int) -> Tensor:
    if block_size < 1:
        raise ValueError(f"block_size must be at least 1, got {block_size}")
    scaled = query / query.shape[-1] ** 0.5
    best = torch.full_like(query[..., :1], -torch.inf)
    sums = query.new_zeros(query.shape[:-1] + (value.shape[-1] + 1,))
    end = key.shape[-2]
    while end > 0:
        begin = max(end - block_size, 0)
        some = value[..., begin:end, :]
        some = torch.cat([some, torch.ones_like(some[..., :1])], dim=-1)
        scores = scaled @ key[..., begin:end, :].mT
        before, best = best, torch.maximum(best, scores.amax(dim=-1, keepdim=True))
        sums = sums * (before - best).exp() + (scores - best).exp() @ some
        end = begin
    return sums[..., :-1] / sums[..., -1:]
