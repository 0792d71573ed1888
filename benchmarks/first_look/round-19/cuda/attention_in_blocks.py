# %% wrong: the largest score so far begins at zero
# Where all scores of a query are far below zero (-200), every exponential is zero, and the result
# is 0 / 0.

def attention_in_blocks(query: Tensor, key: Tensor, value: Tensor, block_size: int) -> Tensor:
    if block_size < 1:
        raise ValueError("block_size must be at least 1")
    largest = torch.zeros_like(query[..., :1])
    total = torch.zeros_like(largest)
    weighted = query.new_zeros(*query.shape[:-1], value.shape[-1])
    for start in range(0, key.shape[-2], block_size):
        k = key[..., start : start + block_size, :]
        v = value[..., start : start + block_size, :]
        scores = query @ k.transpose(-2, -1) / query.shape[-1] ** 0.5
        new = torch.maximum(largest, scores.amax(dim=-1, keepdim=True))
        factor, terms = torch.exp(largest - new), torch.exp(scores - new)
        total = total * factor + terms.sum(dim=-1, keepdim=True)
        weighted = weighted * factor + terms @ v
        largest = new
    return weighted / total


# %% wrong: only the logarithm of the sum is kept
# Each block's own softmax is mixed in by logsumexp. Beside a score of 1e8 the logarithm of the
# sum is lost to rounding: with several equal keys of that score, later blocks weigh too much.

def attention_in_blocks(query: Tensor, key: Tensor, value: Tensor, block_size: int) -> Tensor:
    if block_size < 1:
        raise ValueError("block_size must be at least 1")
    output, log_sum = None, None
    for k, v in zip(key.split(block_size, dim=-2), value.split(block_size, dim=-2)):
        scores = query @ k.transpose(-2, -1) / query.shape[-1] ** 0.5
        block_sum = scores.logsumexp(dim=-1, keepdim=True)
        block_output = torch.softmax(scores, dim=-1) @ v
        if output is None:
            output, log_sum = block_output, block_sum
        else:
            share = torch.sigmoid(block_sum - log_sum)
            output = (1 - share) * output + share * block_output
            log_sum = torch.logaddexp(log_sum, block_sum)
    return output


# %% wrong: only whole blocks are read
# S // block_size blocks: the keys of a smaller last block are left out, and where block_size is
# larger than S the result is 0 / 0.

def attention_in_blocks(query: Tensor, key: Tensor, value: Tensor, block_size: int) -> Tensor:
    if block_size < 1:
        raise ValueError(f"block_size must be 1 or more, not {block_size}")
    scale = query.shape[-1] ** -0.5
    m = query.new_full((*query.shape[:-1], 1), float("-inf"))
    s = torch.zeros_like(m)
    o = query.new_zeros(*query.shape[:-1], value.shape[-1])
    for i in range(key.shape[-2] // block_size):
        block = slice(i * block_size, (i + 1) * block_size)
        scores = scale * query @ key[..., block, :].mT
        m_new = torch.maximum(m, scores.max(dim=-1, keepdim=True).values)
        p = (scores - m_new).exp()
        correction = (m - m_new).exp()
        s = s * correction + p.sum(-1, keepdim=True)
        o = o * correction + p @ value[..., block, :]
        m = m_new
    return o / s


# %% wrong: values as wide as the queries
# The weighted sum begins as zeros_like(query): where d_v is not d_k, it does not fit the values,
# or (d_k = 1) is spread over them only by luck.

def attention_in_blocks(query: Tensor, key: Tensor, value: Tensor, block_size: int) -> Tensor:
    if block_size <= 0:
        raise ValueError("a block needs at least one key")
    running_max = torch.full(query.shape[:-1], -torch.inf, dtype=query.dtype, device=query.device)
    running_sum = torch.zeros_like(running_max)
    weighted = torch.zeros_like(query)
    for start in range(0, key.shape[-2], block_size):
        keys = key[..., start : start + block_size, :]
        values = value[..., start : start + block_size, :]
        scores = query @ keys.transpose(-2, -1) / query.shape[-1] ** 0.5
        new_max = torch.maximum(running_max, scores.amax(dim=-1))
        old = torch.exp(running_max - new_max)
        exponentials = torch.exp(scores - new_max.unsqueeze(-1))
        running_sum = running_sum * old + exponentials.sum(dim=-1)
        weighted *= old.unsqueeze(-1)
        weighted += exponentials @ values
        running_max = new_max
    return weighted / running_sum.unsqueeze(-1)


# %% correct: blocks summed up alone, then merged in pairs
# A block's three numbers are made from it alone; two summaries make one, from the last block on.
from functools import reduce


def attention_in_blocks(query: Tensor, key: Tensor, value: Tensor, block_size: int) -> Tensor:
    if block_size < 1:
        raise ValueError("block_size below 1")

    def summary(start: int) -> tuple[Tensor, Tensor, Tensor]:
        keys = key[..., start : start + block_size, :]
        scores = torch.matmul(query, keys.transpose(-1, -2)).div_(query.shape[-1] ** 0.5)
        top = scores.amax(dim=-1, keepdim=True)
        terms = scores.sub_(top).exp_()
        return top, terms.sum(dim=-1, keepdim=True), terms @ value[..., start : start + block_size, :]

    def merge(one: tuple, other: tuple) -> tuple[Tensor, Tensor, Tensor]:
        top = torch.maximum(one[0], other[0])
        keep, add = (one[0] - top).exp(), (other[0] - top).exp()
        return top, keep * one[1] + add * other[1], keep * one[2] + add * other[2]

    starts = range(0, key.shape[-2], block_size)
    with torch.no_grad():
        _, total, weighted = reduce(merge, map(summary, reversed(starts)))
    return weighted / total


# %% correct: a column of ones beside the values
# The sum of the exponentials is one more column of the weighted sum; the scores are made by
# baddbmm over merged leading axes.
def attention_in_blocks(query: Tensor, key: Tensor, value: Tensor, block_size: int) -> Tensor:
    if block_size < 1:
        raise ValueError(f"a block of {block_size} keys")
    T, d = query.shape[-2:]
    S, d_v = value.shape[-2:]
    q, k, v = query.reshape(-1, T, d), key.reshape(-1, S, d), value.reshape(-1, S, d_v)
    v = torch.cat([v, v.new_ones(v.shape[0], S, 1)], dim=2)
    largest = q.new_full((q.shape[0], T, 1), -torch.inf)
    sums = q.new_zeros(q.shape[0], T, d_v + 1)
    first = 0
    while first < S:
        size = min(block_size, S - first)
        empty = q.new_zeros(q.shape[0], T, size)
        scores = torch.baddbmm(
            empty, q, k.narrow(1, first, size).transpose(1, 2), beta=0, alpha=d**-0.5
        )
        before = largest
        largest = before.maximum(scores.amax(dim=2, keepdim=True))
        sums = sums * torch.exp(before - largest) + torch.exp(scores - largest).bmm(
            v.narrow(1, first, size)
        )
        first += size
    output, total = sums.split([d_v, 1], dim=2)
    return (output / total).reshape(*query.shape[:-1], d_v)
