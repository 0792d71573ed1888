# %% wrong: the sum is corrected, the values are not
# When a block brings a larger score, the sum of exponentials is multiplied by the factor, the weighted sum of the values
# is not. Right with one block; with two or more, wherever a later block holds a query's largest score.


def attention_in_blocks(query: Tensor, key: Tensor, value: Tensor, block_size: int) -> Tensor:
    if block_size < 1:
        raise ValueError("block_size must be at least 1")
    scale = query.shape[-1] ** -0.5
    largest = query.new_full((*query.shape[:-1], 1), float("-inf"))
    total = torch.zeros_like(largest)
    weighted = query.new_zeros(*query.shape[:-1], value.shape[-1])
    for start in range(0, key.shape[-2], block_size):
        k = key[..., start : start + block_size, :]
        v = value[..., start : start + block_size, :]
        scores = query @ k.transpose(-2, -1) * scale
        new = torch.maximum(largest, scores.amax(dim=-1, keepdim=True))
        exponentials = torch.exp(scores - new)
        total = total * torch.exp(largest - new) + exponentials.sum(dim=-1, keepdim=True)
        weighted = weighted + exponentials @ v
        largest = new
    return weighted / total


# %% wrong: the largest score starts at zero
# "Must lose against every score": zero wins against negative ones. Where all scores of a query are below -104 in
# float32, every exponential is zero and the output 0 / 0.


def attention_in_blocks(query: Tensor, key: Tensor, value: Tensor, block_size: int) -> Tensor:
    if block_size < 1:
        raise ValueError(f"block_size must be positive, got {block_size}")
    largest = query.new_zeros(query.shape[:-1])
    total = query.new_zeros(query.shape[:-1])
    weighted = query.new_zeros(*query.shape[:-1], value.shape[-1])
    for k, v in zip(key.split(block_size, dim=-2), value.split(block_size, dim=-2)):
        scores = query @ k.transpose(-2, -1) / query.shape[-1] ** 0.5
        new = torch.maximum(largest, scores.amax(dim=-1))
        factor = torch.exp(largest - new)
        exponentials = torch.exp(scores - new.unsqueeze(-1))
        total = factor * total + exponentials.sum(dim=-1)
        weighted = factor.unsqueeze(-1) * weighted + exponentials @ v
        largest = new
    return weighted / total.unsqueeze(-1)


# %% wrong: the rest after the whole blocks is not read
# The number of blocks is S // block_size, so a smaller last block is left out. Shows wherever block_size does not
# divide S; with block_size above S nothing is read at all.


def attention_in_blocks(query: Tensor, key: Tensor, value: Tensor, block_size: int) -> Tensor:
    if block_size < 1:
        raise ValueError("block_size must be at least 1")
    d_k, S = key.shape[-1], key.shape[-2]
    m = torch.full_like(query[..., :1], float("-inf"))
    total = torch.zeros_like(m)
    output = torch.zeros_like(m) * value[..., :1, :]
    for block in range(S // block_size):
        here = slice(block * block_size, (block + 1) * block_size)
        scores = query @ key[..., here, :].transpose(-2, -1) / d_k**0.5
        new_m = torch.maximum(m, scores.max(dim=-1, keepdim=True).values)
        correction = torch.exp(m - new_m)
        p = torch.exp(scores - new_m)
        total = total * correction + p.sum(dim=-1, keepdim=True)
        output = output * correction + p @ value[..., here, :]
        m = new_m
    return output / total


# %% wrong: one largest score for all queries
# The maximum runs over the whole block of scores, not over each query's row. A query whose scores all lie 104 below
# another's (float32) has only zeros: 0 / 0.


def attention_in_blocks(query: Tensor, key: Tensor, value: Tensor, block_size: int) -> Tensor:
    if block_size < 1:
        raise ValueError("block_size below 1")
    m = torch.tensor(float("-inf"), dtype=query.dtype, device=query.device)
    total, weighted = 0.0, 0.0
    for start in range(0, key.shape[-2], block_size):
        stop = start + block_size
        scores = query @ key[..., start:stop, :].transpose(-2, -1)
        scores = scores / query.shape[-1] ** 0.5
        new_m = torch.maximum(m, scores.max())
        correction = torch.exp(m - new_m)
        weights = torch.exp(scores - new_m)
        total = total * correction + weights.sum(dim=-1, keepdim=True)
        weighted = weighted * correction + weights @ value[..., start:stop, :]
        m = new_m
    return weighted / total


# %% correct: the output so far is a mean that each block moves


def attention_in_blocks(query: Tensor, key: Tensor, value: Tensor, block_size: int) -> Tensor:
    if block_size < 1:
        raise ValueError(f"block_size is {block_size}, and must be 1 or more")
    scaled = query / query.shape[-1] ** 0.5
    top = mass = mean = None
    first, S = 0, key.shape[-2]
    while first < S:
        size = min(block_size, S - first)
        scores = scaled @ key.narrow(-2, first, size).mT
        block_top = scores.amax(dim=-1, keepdim=True)
        scores = (scores - block_top).exp()
        block_mass = scores.sum(dim=-1, keepdim=True)  # at least one
        block_mean = (scores / block_mass) @ value.narrow(-2, first, size)
        if top is None:
            top, mass, mean = block_top, block_mass, block_mean
        else:
            new_top = torch.maximum(top, block_top)
            mass = mass * (top - new_top).exp()
            block_mass = block_mass * (block_top - new_top).exp()
            top, mass = new_top, mass + block_mass
            mean = mean + (block_mean - mean) * (block_mass / mass)
        first += size
    return mean


# %% correct: a column of ones beside the values, from the last key to the first


def attention_in_blocks(query: Tensor, key: Tensor, value: Tensor, block_size: int) -> Tensor:
    if not block_size >= 1:
        raise ValueError("blocks need at least one key")
    root = query.shape[-1] ** 0.5
    shape = query.shape[:-1]
    largest = torch.full((*shape, 1), -torch.inf, dtype=query.dtype, device=query.device)
    # the weighted sum of (value, 1): the last column is the sum of the exponentials
    sums = torch.zeros((*shape, value.shape[-1] + 1), dtype=query.dtype, device=query.device)
    blocks = list(zip(key.split(block_size, dim=-2), value.split(block_size, dim=-2), strict=True))
    for keys, values in reversed(blocks):
        scores = torch.einsum("...td,...sd->...ts", query, keys) / root
        here = scores.amax(dim=-1, keepdim=True)
        above = torch.where(here > largest, here, largest)
        with_ones = F.pad(values, (0, 1), value=1.0)
        sums = sums * torch.exp(largest - above) + torch.exp(scores - above) @ with_ones
        largest = above
    return sums[..., :-1] / sums[..., -1:]
