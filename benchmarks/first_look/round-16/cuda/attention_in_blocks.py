# %% wrong: one largest score for all queries
# The running maximum is a single number, over all queries. A query whose scores all lie far below another's
# has exponentials that are all zero, and gives NaN: queries times 1 and times 1,000 in one call.

def attention_in_blocks(query: Tensor, key: Tensor, value: Tensor, block_size: int) -> Tensor:
    if block_size < 1:
        raise ValueError(f"block_size must be at least 1, got {block_size}")
    query = query / query.shape[-1] ** 0.5
    largest = torch.tensor(float("-inf"), dtype=query.dtype, device=query.device)
    total = query.new_zeros(*query.shape[:-1], 1)
    output = query.new_zeros(*query.shape[:-1], value.shape[-1])
    for k, v in zip(key.split(block_size, dim=-2), value.split(block_size, dim=-2), strict=True):
        scores = query @ k.transpose(-2, -1)
        new = torch.maximum(largest, scores.max())
        factor = torch.exp(largest - new)
        weights = torch.exp(scores - new)
        total = total * factor + weights.sum(dim=-1, keepdim=True)
        output = output * factor + weights @ v
        largest = new
    return output / total


# %% wrong: the maximum of the newest block
# What was read before is brought to the newest block's maximum, also where that is smaller, and the factor
# overflows. It shows where the scores fall by more than 88 from block to block; else it is right.

def attention_in_blocks(query: Tensor, key: Tensor, value: Tensor, block_size: int) -> Tensor:
    if block_size < 1:
        raise ValueError(f"block_size must be at least 1, got {block_size}")
    query = query / query.shape[-1] ** 0.5
    largest = query.new_full((*query.shape[:-1], 1), float("-inf"))
    total = torch.zeros_like(largest)
    output = query.new_zeros(*query.shape[:-1], value.shape[-1])
    for start in range(0, key.shape[-2], block_size):
        block = slice(start, start + block_size)
        scores = query @ key[..., block, :].transpose(-2, -1)
        new = scores.amax(dim=-1, keepdim=True)
        factor, weights = torch.exp(largest - new), torch.exp(scores - new)
        total = factor * total + weights.sum(dim=-1, keepdim=True)
        output = factor * output + weights @ value[..., block, :]
        largest = new
    return output / total


# %% wrong: the blocks are cut along axis 1
# key.split(block_size, dim=1) is right for (B, S, d). For (B, H, S, d) it cuts the heads, and for (S, d)
# the features.

def attention_in_blocks(query: Tensor, key: Tensor, value: Tensor, block_size: int) -> Tensor:
    if block_size < 1:
        raise ValueError(f"block_size must be at least 1, got {block_size}")
    largest = query.new_full((*query.shape[:-1], 1), float("-inf"))
    total = torch.zeros_like(largest)
    output = query.new_zeros(*query.shape[:-1], value.shape[-1])
    for k, v in zip(key.split(block_size, dim=1), value.split(block_size, dim=1), strict=True):
        scores = query @ k.transpose(-2, -1) / query.shape[-1] ** 0.5
        new = torch.maximum(largest, scores.amax(dim=-1, keepdim=True))
        factor, weights = torch.exp(largest - new), torch.exp(scores - new)
        total = factor * total + weights.sum(dim=-1, keepdim=True)
        output = factor * output + weights @ v
        largest = new
    return output / total


# %% wrong: the logarithm of the sum alone is kept
# In place of the largest score and the sum only the logsumexp so far is kept. It is rounded like a score,
# so weights of large scores do not sum to one: equal scores of 1e6 give values that are off by percents.

def attention_in_blocks(query: Tensor, key: Tensor, value: Tensor, block_size: int) -> Tensor:
    if block_size < 1:
        raise ValueError(f"block_size must be at least 1, got {block_size}")
    query = query / query.shape[-1] ** 0.5
    log_sum = query.new_full((*query.shape[:-1], 1), float("-inf"))
    output = query.new_zeros(*query.shape[:-1], value.shape[-1])
    for k, v in zip(key.split(block_size, dim=-2), value.split(block_size, dim=-2), strict=True):
        scores = query @ k.transpose(-2, -1)
        new = torch.logaddexp(log_sum, torch.logsumexp(scores, dim=-1, keepdim=True))
        output = output * torch.exp(log_sum - new) + torch.exp(scores - new) @ v
        log_sum = new
    return output


# %% correct: a column of ones beside the values, whose weighted sum is the sum

def attention_in_blocks(query: Tensor, key: Tensor, value: Tensor, block_size: int) -> Tensor:
    if block_size < 1:
        raise ValueError(f"block_size must be at least 1, got {block_size}")
    query = query * query.shape[-1] ** -0.5
    largest = query.new_full(query.shape[:-1], -torch.inf)
    summed = query.new_zeros(*query.shape[:-1], value.shape[-1] + 1)
    first = 0
    while first < key.shape[-2]:
        width = min(block_size, key.shape[-2] - first)
        scores = torch.einsum("...td,...sd->...ts", query, key.narrow(-2, first, width))
        before, largest = largest, torch.maximum(largest, scores.amax(dim=-1))
        weights = (scores - largest.unsqueeze(-1)).exp()
        read = F.pad(value.narrow(-2, first, width), (0, 1), value=1.0)
        summed = (before - largest).exp().unsqueeze(-1) * summed + weights @ read
        first += width
    return summed[..., :-1] / summed[..., -1:]


# %% correct: blocks summed up by themselves and merged in pairs, as in a tree

def attention_in_blocks(query: Tensor, key: Tensor, value: Tensor, block_size: int) -> Tensor:
    if block_size < 1:
        raise ValueError(f"block_size must be at least 1, got {block_size}")
    root = query.shape[-1] ** 0.5

    def summary(low: int, high: int) -> tuple[Tensor, Tensor, Tensor]:
        """Largest score, sum and weighted sum over the keys from low to below high."""
        if high - low <= block_size:
            scores = (query / root) @ key[..., low:high, :].transpose(-2, -1)
            most = scores.amax(dim=-1, keepdim=True)
            shares = (scores - most).exp_()
            return most, shares.sum(dim=-1, keepdim=True), shares @ value[..., low:high, :]
        middle = (low + high) // 2
        left, right = summary(low, middle), summary(middle, high)
        most = torch.maximum(left[0], right[0])
        a, b = torch.exp(left[0] - most), torch.exp(right[0] - most)
        return most, a * left[1] + b * right[1], a * left[2] + b * right[2]

    _, total, weighted = summary(0, key.shape[-2])
    return weighted / total
