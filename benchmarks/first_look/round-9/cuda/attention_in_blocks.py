# %% wrong: the largest score begins at -1e9
# It is no score that loses against everything: where all scores of a query are below -1e9 it stays the largest,
# all exponentials are zero, and the output is 0 / 0.

def attention_in_blocks(query: Tensor, key: Tensor, value: Tensor, block_size: int) -> Tensor:
    if block_size < 1:
        raise ValueError(f"block_size must be at least 1, not {block_size}")
    largest = query.new_full((*query.shape[:-1], 1), -1e9)
    total = torch.zeros_like(largest)
    summed = query.new_zeros(*query.shape[:-1], value.shape[-1])
    for begin in range(0, key.shape[-2], block_size):
        keys = key[..., begin : begin + block_size, :]
        values = value[..., begin : begin + block_size, :]
        scores = query @ keys.transpose(-2, -1) / query.shape[-1] ** 0.5
        new_largest = torch.maximum(largest, scores.max(dim=-1, keepdim=True).values)
        correction = torch.exp(largest - new_largest)
        exponentials = torch.exp(scores - new_largest)
        total = total * correction + exponentials.sum(dim=-1, keepdim=True)
        summed = summed * correction + exponentials @ values
        largest = new_largest
    return summed / total


# %% wrong: the sum of values has the query's shape
# The weighted sum begins as zeros like the query, so it has d_k features. Shows where d_v differs from d_k: an
# error, or with d_v = 1 the same number in all places.

def attention_in_blocks(query: Tensor, key: Tensor, value: Tensor, block_size: int) -> Tensor:
    if block_size < 1:
        raise ValueError("block_size must be at least 1")
    output = torch.zeros_like(query)
    m = torch.full_like(query[..., :1], float("-inf"))
    normaliser = torch.zeros_like(m)
    for i in range(0, key.size(-2), block_size):
        scores = query @ key[..., i : i + block_size, :].transpose(-2, -1) / query.size(-1) ** 0.5
        m_new = torch.maximum(m, scores.amax(dim=-1, keepdim=True))
        p = torch.exp(scores - m_new)
        alpha = torch.exp(m - m_new)
        normaliser = alpha * normaliser + p.sum(dim=-1, keepdim=True)
        output = alpha * output + p @ value[..., i : i + block_size, :]
        m = m_new
    return output / normaliser


# %% wrong: one largest score for all queries
# The maximum is taken over the whole block of scores and not for each query. Shows where one query's scores lie
# some hundred below another's: all its exponentials are zero, and 0 / 0 is NaN.

def attention_in_blocks(query: Tensor, key: Tensor, value: Tensor, block_size: int) -> Tensor:
    if block_size < 1:
        raise ValueError("block_size must be at least 1")
    m = query.new_tensor(float("-inf"))
    denominator, numerator = 0.0, 0.0
    for keys, values in zip(key.split(block_size, dim=-2), value.split(block_size, dim=-2), strict=True):
        scores = query @ keys.transpose(-2, -1) / query.shape[-1] ** 0.5
        m_new = torch.maximum(m, scores.max())
        exponentials = torch.exp(scores - m_new)
        denominator = denominator * torch.exp(m - m_new) + exponentials.sum(dim=-1, keepdim=True)
        numerator = numerator * torch.exp(m - m_new) + exponentials @ values
        m = m_new
    return numerator / denominator


# %% wrong: leaves the complaint to range
# range refuses a step of 0 with a ValueError, but a negative step gives an empty loop: block_size = -1 returns
# NaN and raises nothing.

def attention_in_blocks(query: Tensor, key: Tensor, value: Tensor, block_size: int) -> Tensor:
    num_keys = key.shape[-2]
    m = torch.full((*query.shape[:-1], 1), float("-inf"), dtype=query.dtype, device=query.device)
    l = torch.zeros_like(m)
    o = torch.zeros(*query.shape[:-1], value.shape[-1], dtype=query.dtype, device=query.device)
    for start in range(0, num_keys, block_size):  # a ValueError where block_size is not allowed
        stop = min(start + block_size, num_keys)
        scores = query @ key[..., start:stop, :].transpose(-2, -1) / query.shape[-1] ** 0.5
        m_new = torch.maximum(m, scores.amax(dim=-1, keepdim=True))
        weights = torch.exp(scores - m_new)
        shrink = torch.exp(m - m_new)
        l = shrink * l + weights.sum(dim=-1, keepdim=True)
        o = shrink * o + weights @ value[..., start:stop, :]
        m = m_new
    return o / l


# %% correct: every block summed up alone, and two sums put together

import functools


def summed_up(query: Tensor, keys: Tensor, values: Tensor) -> tuple[Tensor, Tensor, Tensor]:
    scores = query @ keys.mT
    largest = scores.amax(dim=-1, keepdim=True)
    exponentials = (scores - largest).exp()
    return largest, exponentials.sum(dim=-1, keepdim=True), exponentials @ values


def put_together(one: tuple[Tensor, Tensor, Tensor], other: tuple[Tensor, Tensor, Tensor]):
    largest = torch.maximum(one[0], other[0])
    of_one, of_other = (one[0] - largest).exp(), (other[0] - largest).exp()
    return (largest, *(of_one * a + of_other * b for a, b in zip(one[1:], other[1:], strict=True)))


def attention_in_blocks(query: Tensor, key: Tensor, value: Tensor, block_size: int) -> Tensor:
    if block_size < 1:
        raise ValueError(f"block_size is {block_size}, below 1")
    scaled = query * query.shape[-1] ** -0.5
    blocks = zip(key.split(block_size, dim=-2), value.split(block_size, dim=-2), strict=True)
    _, total, summed = functools.reduce(put_together, (summed_up(scaled, *block) for block in blocks))
    return summed / total


# %% correct: from the last key to the first, the sum as one more feature

def attention_in_blocks(query: Tensor, key: Tensor, value: Tensor, block_size: int) -> Tensor:
    if not block_size >= 1:
        raise ValueError("a block has at least one key")
    scaled = query / query.shape[-1] ** 0.5
    top = query.new_full(query.shape[:-1], -torch.inf)
    kept = query.new_zeros(query.shape[:-1] + (value.shape[-1] + 1,))  # the last feature: the sum of exponentials
    end = key.shape[-2]
    while end > 0:
        begin = max(end - block_size, 0)
        scores = torch.einsum("...td,...sd->...ts", scaled, key[..., begin:end, :])
        higher = torch.maximum(top, scores.max(dim=-1).values)
        kept *= torch.exp(top - higher).unsqueeze(-1)
        kept += torch.exp(scores - higher[..., None]) @ F.pad(value[..., begin:end, :], (0, 1), value=1.0)
        top, end = higher, begin
    return kept[..., :-1] / kept[..., -1:]
