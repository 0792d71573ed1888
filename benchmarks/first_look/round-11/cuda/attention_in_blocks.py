# %% wrong: the largest score so far begins at 0
# Where all of a query's scores lie far below zero (-200), 0 stays the largest, every exponential underflows and
# 0 / 0 is NaN. With scores around zero it is right.

def attention_in_blocks(query: Tensor, key: Tensor, value: Tensor, block_size: int) -> Tensor:
    if block_size < 1:
        raise ValueError(f"block_size must be at least 1, got {block_size}")
    largest = query.new_zeros(*query.shape[:-1], 1)
    total = torch.zeros_like(largest)
    summed = query.new_zeros(*query.shape[:-1], value.shape[-1])
    for keys, values in zip(key.split(block_size, dim=-2), value.split(block_size, dim=-2), strict=True):
        scores = query @ keys.transpose(-2, -1) / query.shape[-1] ** 0.5
        new = torch.maximum(largest, scores.amax(dim=-1, keepdim=True))
        weights = torch.exp(scores - new)
        factor = torch.exp(largest - new)
        total = total * factor + weights.sum(dim=-1, keepdim=True)
        summed = summed * factor + weights @ values
        largest = new
    return summed / total


# %% wrong: whole blocks only
# S // block_size blocks: what is left over behind them is never read. Right where block_size divides S; S = 10 in
# blocks of 4 leaves out two keys, and a block larger than S gives NaN.

def attention_in_blocks(query: Tensor, key: Tensor, value: Tensor, block_size: int) -> Tensor:
    if block_size < 1:
        raise ValueError(f"block_size must be at least 1, got {block_size}")
    leading = query.shape[:-1]
    m = torch.full((*leading, 1), float("-inf"), dtype=query.dtype, device=query.device)
    total = torch.zeros_like(m)
    output = torch.zeros(*leading, value.shape[-1], dtype=query.dtype, device=query.device)
    for n in range(key.shape[-2] // block_size):
        k = key[..., n * block_size : (n + 1) * block_size, :]
        v = value[..., n * block_size : (n + 1) * block_size, :]
        scores = query @ k.transpose(-2, -1) / query.shape[-1] ** 0.5
        m_new = torch.maximum(m, scores.max(dim=-1, keepdim=True).values)
        p = (scores - m_new).exp()
        old = (m - m_new).exp()
        total = old * total + p.sum(dim=-1, keepdim=True)
        output = old * output + p @ v
        m = m_new
    return output / total


# %% wrong: all scores at once, then block by block
# The softmax is summed up in blocks, but of a matrix of scores that was there as a whole: a tensor with S scores
# for each query. The output is right; it shows in the tensors made, for any block_size below S.

def attention_in_blocks(query: Tensor, key: Tensor, value: Tensor, block_size: int) -> Tensor:
    if block_size < 1:
        raise ValueError(f"block_size must be at least 1, got {block_size}")
    scores = query @ key.transpose(-2, -1) / query.shape[-1] ** 0.5
    largest = torch.full_like(query[..., :1], float("-inf"))
    total, summed = torch.zeros_like(largest), 0.0
    for block, values in zip(scores.split(block_size, dim=-1), value.split(block_size, dim=-2), strict=True):
        new = torch.maximum(largest, block.amax(dim=-1, keepdim=True))
        weights, factor = torch.exp(block - new), torch.exp(largest - new)
        total = total * factor + weights.sum(dim=-1, keepdim=True)
        summed = summed * factor + weights @ values
        largest = new
    return summed / total


# %% wrong: one largest score for all queries
# The largest score is that of the whole block, over all its queries. A query whose scores lie far (100 and more)
# below another's has only zeros left, and 0 / 0 is NaN. Right while the queries' scores are alike.

def attention_in_blocks(query: Tensor, key: Tensor, value: Tensor, block_size: int) -> Tensor:
    if block_size < 1:
        raise ValueError(f"block_size must be at least 1, got {block_size}")
    largest = query.new_tensor(float("-inf"))
    total = query.new_zeros(query.shape[:-1])
    summed = query.new_zeros(*query.shape[:-1], value.shape[-1])
    for start in range(0, key.shape[-2], block_size):
        keys = key[..., start : start + block_size, :]
        values = value[..., start : start + block_size, :]
        scores = query @ keys.transpose(-2, -1) / query.shape[-1] ** 0.5
        new = torch.maximum(largest, scores.max())
        weights = torch.exp(scores - new)
        total = total * torch.exp(largest - new) + weights.sum(dim=-1)
        summed = summed * torch.exp(largest - new) + weights @ values
        largest = new
    return summed / total.unsqueeze(-1)


# %% correct: summaries of blocks, merged two at a time

def attention_in_blocks(query: Tensor, key: Tensor, value: Tensor, block_size: int) -> Tensor:
    from functools import reduce

    if block_size < 1:
        raise ValueError(f"a block has at least one key, got {block_size}")
    scaled = query / query.shape[-1] ** 0.5

    def summary(start: int) -> tuple[Tensor, Tensor, Tensor]:
        here = slice(start, start + block_size)
        scores = torch.einsum("...td,...sd->...ts", scaled, key[..., here, :])
        largest = scores.max(dim=-1, keepdim=True).values
        exponentials = (scores - largest).exp()
        summed = torch.einsum("...ts,...sv->...tv", exponentials, value[..., here, :])
        return largest, exponentials.sum(dim=-1, keepdim=True), summed

    def merged(one: tuple, other: tuple) -> tuple:
        largest = torch.where(one[0] > other[0], one[0], other[0])
        a, b = (one[0] - largest).exp(), (other[0] - largest).exp()
        return largest, a * one[1] + b * other[1], a * one[2] + b * other[2]

    _, total, summed = reduce(merged, map(summary, range(0, key.shape[-2], block_size)))
    return summed / total


# %% correct: the sum of the exponentials is one feature more of the values

def attention_in_blocks(query: Tensor, key: Tensor, value: Tensor, block_size: int) -> Tensor:
    if block_size < 1:
        raise ValueError(f"block_size is {block_size}, and must be 1 or more")
    S, root = key.shape[-2], query.shape[-1] ** 0.5
    largest = torch.full(query.shape[:-1], -torch.inf, dtype=query.dtype, device=query.device)
    both = query.new_zeros(*query.shape[:-1], value.shape[-1] + 1)  # weighted values, then the sum
    done = 0
    while done < S:
        count = min(block_size, S - done)
        keys, values = key.narrow(-2, done, count), value.narrow(-2, done, count)
        scores = torch.matmul(query, keys.mT) / root
        larger = torch.stack([largest, scores.amax(dim=-1)]).amax(dim=0)
        exponentials = torch.exp(scores - larger[..., None])
        both = both * torch.exp(largest - larger)[..., None] + exponentials @ F.pad(values, (0, 1), value=1.0)
        largest = larger
        done += count
    return both[..., :-1] / both[..., -1:]
