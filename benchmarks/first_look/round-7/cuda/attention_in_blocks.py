# %% wrong: the whole matrix of scores, read block by block
# The output is right, but there is a tensor with all S keys' scores for each query as soon as S > block_size.

def attention_in_blocks(query: Tensor, key: Tensor, value: Tensor, block_size: int) -> Tensor:
    if block_size < 1:
        raise ValueError(f"block_size must be at least 1, got {block_size}")
    scores = query @ key.transpose(-2, -1) / query.shape[-1] ** 0.5
    largest = torch.full_like(scores[..., :1], float("-inf"))
    total = torch.zeros_like(largest)
    output = torch.zeros_like(largest)
    for block, values in zip(scores.split(block_size, dim=-1), value.split(block_size, dim=-2), strict=True):
        new_largest = torch.maximum(largest, block.amax(dim=-1, keepdim=True))
        correction = torch.exp(largest - new_largest)
        exponentials = torch.exp(block - new_largest)
        total = total * correction + exponentials.sum(dim=-1, keepdim=True)
        output = output * correction + exponentials @ values
        largest = new_largest
    return output / total


# %% wrong: the weighted sum of values begins as zeros_like(query)
# It has d_k columns and not d_v: with d_v != d_k the first addition fails, and with d_k = 1 only by luck it does not.

def attention_in_blocks(query: Tensor, key: Tensor, value: Tensor, block_size: int) -> Tensor:
    if block_size < 1:
        raise ValueError("block_size is below 1")
    m = torch.full(query.shape[:-1], -torch.inf, dtype=query.dtype, device=query.device)
    l = torch.zeros_like(m)
    acc = torch.zeros_like(query)
    for start in range(0, key.shape[-2], block_size):
        k = key[..., start : start + block_size, :]
        v = value[..., start : start + block_size, :]
        s = query @ k.transpose(-2, -1) / query.shape[-1] ** 0.5
        m_new = torch.maximum(m, s.max(dim=-1).values)
        p = torch.exp(s - m_new.unsqueeze(-1))
        alpha = torch.exp(m - m_new)
        l = alpha * l + p.sum(dim=-1)
        acc = alpha.unsqueeze(-1) * acc + p @ v
        m = m_new
    return acc / l.unsqueeze(-1)


# %% wrong: the largest score begins at -1e9
# Where all scores of a query lie below -1e9 the beginning is never beaten, all exponentials are zero, and the output is 0 / 0.

def attention_in_blocks(query: Tensor, key: Tensor, value: Tensor, block_size: int) -> Tensor:
    if block_size < 1:
        raise ValueError(f"block_size {block_size}")
    scale = query.shape[-1] ** 0.5
    largest = query.new_full((*query.shape[:-1], 1), -1e9)
    denominator = query.new_zeros((*query.shape[:-1], 1))
    numerator = query.new_zeros((*query.shape[:-1], value.shape[-1]))
    for begin in range(0, key.shape[-2], block_size):
        end = begin + block_size
        scores = query @ key[..., begin:end, :].transpose(-2, -1) / scale
        new = torch.maximum(largest, scores.amax(dim=-1, keepdim=True))
        factor = (largest - new).exp()
        weights = (scores - new).exp()
        denominator = denominator * factor + weights.sum(dim=-1, keepdim=True)
        numerator = numerator * factor + weights @ value[..., begin:end, :]
        largest = new
    return numerator / denominator


# %% wrong: one largest score for all queries
# scores.max() is the largest of the whole block: a query whose own scores lie more than 100 below it has only zeros, and 0 / 0.

def attention_in_blocks(query: Tensor, key: Tensor, value: Tensor, block_size: int) -> Tensor:
    if block_size < 1:
        raise ValueError("block_size must be at least 1")
    largest = torch.tensor(float("-inf"), dtype=query.dtype, device=query.device)
    total = torch.zeros(*query.shape[:-1], 1, dtype=query.dtype, device=query.device)
    output = torch.zeros(*query.shape[:-1], value.shape[-1], dtype=query.dtype, device=query.device)
    for k, v in zip(key.split(block_size, dim=-2), value.split(block_size, dim=-2), strict=True):
        scores = query @ k.transpose(-2, -1) / query.shape[-1] ** 0.5
        new = torch.maximum(largest, scores.max())
        old_factor = torch.exp(largest - new)
        e = torch.exp(scores - new)
        total = total * old_factor + e.sum(dim=-1, keepdim=True)
        output = output * old_factor + e @ v
        largest = new
    return output / total


# %% correct: halves, each summed up for itself, and merged

def attention_in_blocks(query: Tensor, key: Tensor, value: Tensor, block_size: int) -> Tensor:
    if block_size < 1:
        raise ValueError(f"a block of {block_size} keys")
    length = key.shape[-2]
    if length == 0:
        return query.new_zeros((*query.shape[:-1], value.shape[-1]))
    root = query.shape[-1] ** 0.5

    def summary(first: int, last: int) -> tuple[Tensor, Tensor, Tensor]:
        """Largest score, sum of exponentials and weighted sum of values over the blocks first, ..., last - 1."""
        if last - first == 1:
            keys = slice(first * block_size, min(last * block_size, length))
            scores = torch.matmul(query, key[..., keys, :].mT).div_(root)
            top = scores.amax(-1, keepdim=True)
            e = scores.sub(top).exp()
            return top, e.sum(-1, keepdim=True), torch.matmul(e, value[..., keys, :])
        middle = (first + last) // 2
        m1, s1, v1 = summary(first, middle)
        m2, s2, v2 = summary(middle, last)
        top = torch.where(m1 > m2, m1, m2)
        f1, f2 = (m1 - top).exp(), (m2 - top).exp()
        return top, f1 * s1 + f2 * s2, f1 * v1 + f2 * v2

    _, total, weighted = summary(0, -(-length // block_size))
    return weighted / total


# %% correct: a column of ones beside the values, so that one product makes both sums

def attention_in_blocks(query: Tensor, key: Tensor, value: Tensor, block_size: int) -> Tensor:
    if not block_size >= 1:
        raise ValueError(f"block_size must be at least 1 and is {block_size}")
    if key.shape[-2] == 0:
        return query.new_zeros((*query.shape[:-1], value.shape[-1]))
    scaled = query * query.shape[-1] ** -0.5
    state = None  # (..., T, d_v + 1): the weighted sum of the values, and of the ones
    begin = 0
    while begin < key.shape[-2]:
        size = min(block_size, key.shape[-2] - begin)
        k, v = key.narrow(-2, begin, size), value.narrow(-2, begin, size)
        with_ones = torch.cat([v, v.new_ones((*v.shape[:-1], 1))], dim=-1)
        scores = torch.einsum("...td,...sd->...ts", scaled, k)
        here = scores.max(dim=-1, keepdim=True)[0]
        if state is None:
            largest, state = here, (scores - here).exp() @ with_ones
        else:
            before, largest = largest, torch.maximum(largest, here)
            state = torch.addcmul((scores - largest).exp() @ with_ones, state, (before - largest).exp())
        begin += size
    return state[..., :-1] / state[..., -1:]
