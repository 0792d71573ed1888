# %% wrong: the largest score starts at zero
# Before the first key the maximum is 0 and not minus infinity: where all scores of a query are far below zero every
# exponential is 0, and so is what is divided by.

def attention_in_blocks(query: Tensor, key: Tensor, value: Tensor, block_size: int) -> Tensor:
    if block_size < 1:
        raise ValueError("block_size must be at least 1")
    scale = query.shape[-1] ** 0.5
    largest = torch.zeros_like(query[..., :1])
    total = torch.zeros_like(query[..., :1])
    output = query.new_zeros(*query.shape[:-1], value.shape[-1])
    for start in range(0, key.shape[-2], block_size):
        k, v = key[..., start : start + block_size, :], value[..., start : start + block_size, :]
        scores = query @ k.transpose(-2, -1) / scale
        new_largest = torch.maximum(largest, scores.amax(dim=-1, keepdim=True))
        factor = torch.exp(largest - new_largest)
        weights = torch.exp(scores - new_largest)
        total = total * factor + weights.sum(dim=-1, keepdim=True)
        output = output * factor + weights @ v
        largest = new_largest
    return output / total


# %% wrong: maximum and sum are kept as one logarithm
# Each block is normalised and mixed in by a running logsumexp: with very large scores the logarithm of the sum is lost
# beside the maximum, and the weights no longer sum to one.

def attention_in_blocks(query: Tensor, key: Tensor, value: Tensor, block_size: int) -> Tensor:
    if block_size < 1:
        raise ValueError(f"block_size {block_size} is below 1")
    log_sum = query.new_full((*query.shape[:-1], 1), float("-inf"))
    output = query.new_zeros((*query.shape[:-1], value.shape[-1]))
    for k, v in zip(key.split(block_size, dim=-2), value.split(block_size, dim=-2), strict=True):
        scores = query @ k.mT / query.shape[-1] ** 0.5
        block = torch.softmax(scores, dim=-1) @ v
        block_log_sum = torch.logsumexp(scores, dim=-1, keepdim=True)
        new = torch.logaddexp(log_sum, block_log_sum)
        output = output * torch.exp(log_sum - new) + block * torch.exp(block_log_sum - new)
        log_sum = new
    return output


# %% wrong: scaled by the width of the values
# The scores are divided by the root of d_v and not of d_k: the same in the notebook, where both are 32.

def attention_in_blocks(query: Tensor, key: Tensor, value: Tensor, block_size: int) -> Tensor:
    if block_size < 1:
        raise ValueError("block_size < 1")
    *lead, T, _ = query.shape
    S, d = value.shape[-2:]
    query = query / d**0.5
    m = torch.full((*lead, T, 1), -torch.inf, dtype=query.dtype, device=query.device)
    s = torch.zeros((*lead, T, 1), dtype=query.dtype, device=query.device)
    o = torch.zeros((*lead, T, d), dtype=query.dtype, device=query.device)
    for i in range(0, S, block_size):
        scores = query @ key[..., i : i + block_size, :].transpose(-1, -2)
        m_new = torch.maximum(m, scores.max(dim=-1, keepdim=True).values)
        p = (scores - m_new).exp()
        c = (m - m_new).exp()
        s = c * s + p.sum(-1, keepdim=True)
        o = c * o + p @ value[..., i : i + block_size, :]
        m = m_new
    return o / s


# %% wrong: keys after the last full block are not read
# The number of blocks is S // block_size, so a smaller last block is left out (and all keys, where block_size > S).

def attention_in_blocks(query: Tensor, key: Tensor, value: Tensor, block_size: int) -> Tensor:
    if block_size < 1:
        raise ValueError("block_size must be positive")
    shape = query.shape[:-1]
    best = query.new_full(shape, float("-inf"))
    denominator = query.new_zeros(shape)
    numerator = query.new_zeros(*shape, value.shape[-1])
    num_blocks = key.shape[-2] // block_size
    for block in range(num_blocks):
        here = slice(block * block_size, (block + 1) * block_size)
        scores = query @ key[..., here, :].transpose(-2, -1) / query.shape[-1] ** 0.5
        new_best = torch.maximum(best, scores.amax(-1))
        shrink = torch.exp(best - new_best)
        e = torch.exp(scores - new_best.unsqueeze(-1))
        denominator = denominator * shrink + e.sum(-1)
        numerator = numerator * shrink.unsqueeze(-1) + e @ value[..., here, :]
        best = new_best
    return numerator / denominator.unsqueeze(-1)


# %% wrong: one largest score for all queries together
# scores.max() is the maximum over all queries, heads and batches; a query whose scores are all far below it has only
# zeros for exponentials, and gets 0 / 0.

def attention_in_blocks(query: Tensor, key: Tensor, value: Tensor, block_size: int) -> Tensor:
    if block_size < 1:
        raise ValueError("block_size must be >= 1")
    largest = torch.tensor(float("-inf"), device=query.device, dtype=query.dtype)
    exp_sum = 0.0
    weighted = 0.0
    for k, v in zip(torch.split(key, block_size, dim=-2), torch.split(value, block_size, dim=-2)):
        scores = torch.matmul(query, k.transpose(-2, -1)) / query.shape[-1] ** 0.5
        now = torch.maximum(largest, scores.max())
        correction = torch.exp(largest - now)
        e = torch.exp(scores - now)
        exp_sum = exp_sum * correction + e.sum(dim=-1, keepdim=True)
        weighted = weighted * correction + torch.matmul(e, v)
        largest = now
    return weighted / exp_sum


# %% correct: halves of the keys, put together by recursion

def _join(left: tuple[Tensor, ...], right: tuple[Tensor, ...]) -> tuple[Tensor, ...]:
    """What two disjoint sets of keys come to: largest score, sum of exponentials, weighted sum."""
    top = torch.maximum(left[0], right[0])
    a, b = torch.exp(left[0] - top), torch.exp(right[0] - top)
    return top, a * left[1] + b * right[1], a * left[2] + b * right[2]


def _summary(query: Tensor, key: Tensor, value: Tensor, block_size: int) -> tuple[Tensor, ...]:
    count = key.shape[-2]
    if count > block_size:
        blocks = -(-count // block_size)
        middle = blocks // 2 * block_size
        return _join(
            _summary(query, key[..., :middle, :], value[..., :middle, :], block_size),
            _summary(query, key[..., middle:, :], value[..., middle:, :], block_size),
        )
    scores = query @ key.transpose(-2, -1)
    top = scores.amax(dim=-1, keepdim=True)
    powers = torch.exp(scores - top)
    return top, powers.sum(dim=-1, keepdim=True), powers @ value


def attention_in_blocks(query: Tensor, key: Tensor, value: Tensor, block_size: int) -> Tensor:
    if not block_size >= 1:
        raise ValueError(f"block_size must be 1 or more, not {block_size}")
    _, total, weighted = _summary(query / query.shape[-1] ** 0.5, key, value, block_size)
    return weighted / total


# %% correct: a running object that is fed with blocks

class _Reader:
    """What each query has seen so far."""

    def __init__(self, query: Tensor, width: int):
        self.query = query * query.size(-1) ** -0.5
        self.top = torch.full_like(query[..., 0], -torch.inf)  # (..., T)
        self.total = torch.zeros_like(self.top)
        self.mixture = query.new_zeros(query.shape[:-1] + (width,))

    def read(self, key: Tensor, value: Tensor) -> None:
        scores = torch.einsum("...td,...sd->...ts", self.query, key)
        before, self.top = self.top, torch.maximum(self.top, scores.max(dim=-1)[0])
        fading = torch.exp(before - self.top)
        powers = torch.exp(scores - self.top[..., None])
        self.total = torch.addcmul(powers.sum(dim=-1), self.total, fading)
        self.mixture = fading[..., None] * self.mixture + torch.einsum("...ts,...sv->...tv", powers, value)

    def result(self) -> Tensor:
        return self.mixture / self.total[..., None]


def attention_in_blocks(query: Tensor, key: Tensor, value: Tensor, block_size: int) -> Tensor:
    if block_size <= 0:
        raise ValueError("a block must have at least one key")
    reader, begin = _Reader(query, value.size(-1)), 0
    while begin < key.size(-2):
        length = min(block_size, key.size(-2) - begin)
        reader.read(key.narrow(-2, begin, length), value.narrow(-2, begin, length))
        begin += length
    return reader.result()
