# %% wrong: one largest score for all queries
# The maximum is taken over all queries together; a query whose scores are all far below it has no exponential above zero, and gives NaN.

def attention_in_blocks(query: Tensor, key: Tensor, value: Tensor, block_size: int) -> Tensor:
    if block_size < 1:
        raise ValueError("block_size must be at least 1")
    T, S = query.shape[-2], key.shape[-2]
    largest = torch.tensor(float("-inf"), dtype=query.dtype, device=query.device)
    total = query.new_zeros(*query.shape[:-1], 1)
    output = query.new_zeros(*query.shape[:-1], value.shape[-1])
    for begin in range(0, S, block_size):
        k = key[..., begin : begin + block_size, :]
        v = value[..., begin : begin + block_size, :]
        scores = query @ k.transpose(-2, -1) / query.shape[-1] ** 0.5
        new_largest = torch.maximum(largest, scores.max())
        factor = (largest - new_largest).exp()
        e = (scores - new_largest).exp()
        total = total * factor + e.sum(dim=-1, keepdim=True)
        output = output * factor + e @ v
        largest = new_largest
    return output / total


# %% wrong: the largest score begins at zero
# Before the first block the maximum is 0, not minus infinity: where all scores are far below zero every exponential is zero.

def attention_in_blocks(query: Tensor, key: Tensor, value: Tensor, block_size: int) -> Tensor:
    if block_size < 1:
        raise ValueError(f"block_size must be at least 1, got {block_size}")
    shape = query.shape[:-1]
    m = torch.zeros(*shape, 1, dtype=query.dtype, device=query.device)
    l = torch.zeros_like(m)
    acc = torch.zeros(*shape, value.shape[-1], dtype=query.dtype, device=query.device)
    for k, v in zip(key.split(block_size, dim=-2), value.split(block_size, dim=-2)):
        s = query @ k.mT * query.shape[-1] ** -0.5
        m_new = torch.maximum(m, s.amax(dim=-1, keepdim=True))
        p = torch.exp(s - m_new)
        correction = torch.exp(m - m_new)
        l = l * correction + p.sum(dim=-1, keepdim=True)
        acc = acc * correction + p @ v
        m = m_new
    return acc / l


# %% wrong: the smaller last block is left out
# Only S // block_size blocks are read; the keys that are left over never count, unless S is smaller than one block.

def attention_in_blocks(query: Tensor, key: Tensor, value: Tensor, block_size: int) -> Tensor:
    if block_size < 1:
        raise ValueError("block_size below 1")
    d = query.shape[-1]
    num_blocks = max(key.shape[-2] // block_size, 1)
    largest = torch.full((*query.shape[:-1], 1), float("-inf"), dtype=query.dtype, device=query.device)
    denominator = torch.zeros_like(largest)
    numerator = 0.0
    for i in range(num_blocks):
        block = slice(i * block_size, (i + 1) * block_size)
        scores = query @ key[..., block, :].transpose(-2, -1) / d**0.5
        higher = torch.maximum(largest, scores.max(dim=-1, keepdim=True).values)
        change = torch.exp(largest - higher)
        weights = torch.exp(scores - higher)
        denominator = change * denominator + weights.sum(dim=-1, keepdim=True)
        numerator = change * numerator + weights @ value[..., block, :]
        largest = higher
    return numerator / denominator


# %% wrong: the sum of exponentials is not rescaled
# When a block brings a larger score only the weighted sum of the values is corrected; the denominator mixes two maxima.

def attention_in_blocks(query: Tensor, key: Tensor, value: Tensor, block_size: int) -> Tensor:
    if block_size < 1:
        raise ValueError("block_size must be >= 1")
    m = query.new_full(query.shape[:-1] + (1,), -float("inf"))
    denominator = torch.zeros_like(m)
    out = query.new_zeros(query.shape[:-1] + (value.shape[-1],))
    for start in range(0, key.shape[-2], block_size):
        k = key[..., start : start + block_size, :]
        v = value[..., start : start + block_size, :]
        s = (query @ k.transpose(-1, -2)) / (query.shape[-1] ** 0.5)
        m_old = m
        m = torch.maximum(m_old, s.amax(-1, keepdim=True))
        p = (s - m).exp()
        out = out * (m_old - m).exp() + p @ v
        denominator = denominator + p.sum(-1, keepdim=True)
    return out / denominator


# %% wrong: all scores first, blocks afterwards
# The product with all keys is made at once and then cut into blocks: there is a tensor with the scores of all S keys.

def attention_in_blocks(query: Tensor, key: Tensor, value: Tensor, block_size: int) -> Tensor:
    if block_size < 1:
        raise ValueError("block_size must be positive")
    scores = query @ key.transpose(-2, -1) / query.shape[-1] ** 0.5
    largest = torch.full_like(scores[..., :1], float("-inf"))
    total = torch.zeros_like(largest)
    weighted = torch.zeros(*query.shape[:-1], value.shape[-1], dtype=value.dtype, device=value.device)
    for s, v in zip(scores.split(block_size, dim=-1), value.split(block_size, dim=-2), strict=True):
        new = torch.maximum(largest, s.amax(dim=-1, keepdim=True))
        old_factor = torch.exp(largest - new)
        e = torch.exp(s - new)
        total = total * old_factor + e.sum(dim=-1, keepdim=True)
        weighted = weighted * old_factor + e @ v
        largest = new
    return weighted / total


# %% correct: halves of the keys, merged

def _summary(query, key, value, block_size):
    """Largest score, sum of exponentials and weighted sum of values for these keys."""
    blocks = -(-key.shape[-2] // block_size)
    if blocks <= 1:
        scores = torch.einsum("...td,...sd->...ts", query, key)
        largest, _ = scores.max(dim=-1, keepdim=True)
        exponentials = torch.exp(scores - largest)
        return largest, exponentials.sum(dim=-1, keepdim=True), exponentials @ value
    cut = (blocks // 2) * block_size
    left = _summary(query, key[..., :cut, :], value[..., :cut, :], block_size)
    right = _summary(query, key[..., cut:, :], value[..., cut:, :], block_size)
    largest = torch.where(left[0] > right[0], left[0], right[0])
    shrink_left, shrink_right = torch.exp(left[0] - largest), torch.exp(right[0] - largest)
    return (largest, *(a * shrink_left + b * shrink_right for a, b in zip(left[1:], right[1:], strict=True)))


def attention_in_blocks(query: Tensor, key: Tensor, value: Tensor, block_size: int) -> Tensor:
    if block_size < 1:
        raise ValueError(f"a block has at least one key, got {block_size}")
    _, total, weighted = _summary(query / query.shape[-1] ** 0.5, key, value, block_size)
    return weighted / total


# %% correct: an output that is a mean at every moment

class _RunningAttention:
    """The attention over the keys read so far, always divided already."""

    def __init__(self, query, d_v):
        self.query = query
        self.scale = query.shape[-1] ** -0.5
        self.largest = query.new_full((*query.shape[:-1], 1), -torch.inf)
        self.total = torch.zeros_like(self.largest)
        self.mean = query.new_zeros(*query.shape[:-1], d_v)

    def read(self, key, value):
        scores = torch.matmul(self.query, key.mT).mul(self.scale)
        largest = torch.maximum(self.largest, scores.amax(dim=-1, keepdim=True))
        exponentials = scores.sub(largest).exp()
        before = self.total * (self.largest - largest).exp()
        self.total = before + exponentials.sum(dim=-1, keepdim=True)
        self.mean = self.mean * (before / self.total) + torch.matmul(exponentials / self.total, value)
        self.largest = largest


def attention_in_blocks(query: Tensor, key: Tensor, value: Tensor, block_size: int) -> Tensor:
    if not block_size >= 1:
        raise ValueError("block_size must not be below 1")
    running = _RunningAttention(query, value.shape[-1])
    read = 0
    while read < key.shape[-2]:
        count = min(block_size, key.shape[-2] - read)
        running.read(key.narrow(-2, read, count), value.narrow(-2, read, count))
        read += count
    return running.mean
