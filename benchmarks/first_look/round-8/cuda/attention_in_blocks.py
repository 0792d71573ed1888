# %% wrong: only the denominator is brought to the new maximum
# The weighted sum of values is not multiplied by exp(m - m') when a larger score comes: wrong wherever there are two
# blocks or more and the largest score is not in the first.

def attention_in_blocks(query: Tensor, key: Tensor, value: Tensor, block_size: int) -> Tensor:
    if block_size < 1:
        raise ValueError(f"block_size must be at least 1, not {block_size}")
    query = query / query.shape[-1] ** 0.5
    largest = query.new_full((*query.shape[:-1], 1), float("-inf"))
    total = query.new_zeros(*query.shape[:-1], 1)
    output = query.new_zeros(*query.shape[:-1], value.shape[-1])
    for start in range(0, key.shape[-2], block_size):
        k, v = key[..., start : start + block_size, :], value[..., start : start + block_size, :]
        scores = query @ k.transpose(-2, -1)
        new = torch.maximum(largest, scores.amax(dim=-1, keepdim=True))
        powers = torch.exp(scores - new)
        total = total * torch.exp(largest - new) + powers.sum(dim=-1, keepdim=True)
        output = output + powers @ v
        largest = new
    return output / total

# %% wrong: one maximum for all queries
# The largest score is taken over the whole block, scores.max(), and not for each query. A query whose scores lie
# some hundreds below another's has only exponentials of zero, and its row is 0 / 0 = NaN.

def attention_in_blocks(query: Tensor, key: Tensor, value: Tensor, block_size: int) -> Tensor:
    if block_size < 1:
        raise ValueError("block_size must be at least 1")
    m = torch.tensor(float("-inf"), dtype=query.dtype, device=query.device)
    total, output = 0.0, 0.0
    for k, v in zip(key.split(block_size, dim=-2), value.split(block_size, dim=-2), strict=True):
        scores = query @ k.transpose(-2, -1) / query.shape[-1] ** 0.5
        new_m = torch.maximum(m, scores.max())
        correction = torch.exp(m - new_m)
        powers = torch.exp(scores - new_m)
        total = total * correction + powers.sum(dim=-1, keepdim=True)
        output = output * correction + powers @ v
        m = new_m
    return output / total

# %% wrong: the largest score begins with -1e9
# -1e9 does not lose against everything: where all scores of a query lie far below it (-1e12), all exponentials are
# zero and the output is NaN.

def attention_in_blocks(query: Tensor, key: Tensor, value: Tensor, block_size: int) -> Tensor:
    if block_size < 1:
        raise ValueError("block_size must be at least 1")
    rows = query.shape[:-1]
    m = torch.full((*rows, 1), -1e9, dtype=query.dtype, device=query.device)
    l = torch.zeros((*rows, 1), dtype=query.dtype, device=query.device)
    o = torch.zeros((*rows, value.shape[-1]), dtype=query.dtype, device=query.device)
    for i in range(0, key.shape[-2], block_size):
        s = query @ key[..., i : i + block_size, :].transpose(-2, -1) / query.shape[-1] ** 0.5
        m_new = torch.maximum(m, s.amax(dim=-1, keepdim=True))
        p = torch.exp(s - m_new)
        c = torch.exp(m - m_new)
        l = l * c + p.sum(dim=-1, keepdim=True)
        o = o * c + p @ value[..., i : i + block_size, :]
        m = m_new
    return o / l

# %% wrong: the block size is left for range to refuse
# range refuses a step of 0 with a ValueError, which looks like what was asked for; with block_size -1 the loop is empty,
# nothing is raised and the output is NaN.

def attention_in_blocks(query: Tensor, key: Tensor, value: Tensor, block_size: int) -> Tensor:
    m = torch.full_like(query[..., :1], float("-inf"))
    total = torch.zeros_like(m)
    output = query.new_zeros((*query.shape[:-1], value.shape[-1]))
    for start in range(0, key.shape[-2], block_size):
        stop = start + block_size
        scores = query @ key[..., start:stop, :].transpose(-2, -1) / query.shape[-1] ** 0.5
        new = torch.maximum(m, scores.max(dim=-1, keepdim=True).values)
        correction, powers = torch.exp(m - new), torch.exp(scores - new)
        total = total * correction + powers.sum(dim=-1, keepdim=True)
        output = output * correction + powers @ value[..., start:stop, :]
        m = new
    return output / total

# %% correct: halves that are joined, down to single blocks

def attention_in_blocks(query: Tensor, key: Tensor, value: Tensor, block_size: int) -> Tensor:
    if block_size < 1:
        raise ValueError(f"block_size is {block_size}, and must be at least 1")
    scaled = query / query.shape[-1] ** 0.5

    def summary(begin: int, end: int) -> tuple[Tensor, Tensor, Tensor]:
        """Largest score, sum of exponentials and weighted sum over the keys from begin to end."""
        blocks = -(-(end - begin) // block_size)
        if blocks == 1:
            scores = torch.einsum("...td,...sd->...ts", scaled, key[..., begin:end, :])
            top = scores.detach().amax(dim=-1, keepdim=True)
            powers = (scores - top).exp()
            return top, powers.sum(dim=-1, keepdim=True), powers @ value[..., begin:end, :]
        middle = begin + blocks // 2 * block_size
        top_a, sum_a, mix_a = summary(begin, middle)
        top_b, sum_b, mix_b = summary(middle, end)
        top = torch.where(top_a > top_b, top_a, top_b)
        a, b = (top_a - top).exp(), (top_b - top).exp()
        return top, a * sum_a + b * sum_b, a * mix_a + b * mix_b

    _, total, mix = summary(0, key.shape[-2])
    return mix / total

# %% correct: the denominator as one more column of the values, from the last key to the first

def attention_in_blocks(query: Tensor, key: Tensor, value: Tensor, block_size: int) -> Tensor:
    if block_size < 1:
        raise ValueError(f"a block of {block_size} keys")
    shrunk = query * query.shape[-1] ** -0.5
    so_far, state = None, None
    end = key.shape[-2]
    while end > 0:
        begin = max(end - block_size, 0)
        keys, values = key.narrow(-2, begin, end - begin), value.narrow(-2, begin, end - begin)
        values = F.pad(values, (0, 1), value=1.0)  # the last column sums the exponentials
        scores = torch.matmul(shrunk, keys.mT)
        top = scores.detach().max(dim=-1, keepdim=True).values
        if so_far is None:
            so_far, state = top, torch.matmul(torch.exp(scores - top), values)
        else:
            larger = torch.maximum(so_far, top)
            state = state * torch.exp(so_far - larger) + torch.matmul(torch.exp(scores - larger), values)
            so_far = larger
        end = begin
    return state[..., :-1] / state[..., -1:]
