# %% wrong: the logarithm of the sum in place of the largest score and the sum
# One number a query, the logsumexp. In float32 log(2) is lost beside a score of 1e8, so equal keys in two blocks count
# double: shows for scores of that size and more keys than block_size.

def attention_in_blocks(query: Tensor, key: Tensor, value: Tensor, block_size: int) -> Tensor:
    if block_size < 1:
        raise ValueError(f"block_size must be at least 1, got {block_size}")

    scale = query.shape[-1] ** -0.5
    so_far = query.new_full((*query.shape[:-1], 1), -torch.inf)
    output = query.new_zeros(*query.shape[:-1], value.shape[-1])
    for start in range(0, key.shape[-2], block_size):
        keys = key[..., start : start + block_size, :]
        values = value[..., start : start + block_size, :]
        scores = query * scale @ keys.transpose(-2, -1)
        total = torch.logaddexp(so_far, torch.logsumexp(scores, dim=-1, keepdim=True))
        output = output * (so_far - total).exp() + (scores - total).exp() @ values
        so_far = total
    return output


# %% wrong: ValueError left to range
# range refuses a step of 0 by itself, but for a negative block_size it is empty: the result is NaN (0 / 0), and no
# ValueError is raised.

def attention_in_blocks(query: Tensor, key: Tensor, value: Tensor, block_size: int) -> Tensor:

    largest = query.new_full((*query.shape[:-1], 1), float("-inf"))
    total = torch.zeros_like(largest)
    output = query.new_zeros(*query.shape[:-1], value.shape[-1])
    for start in range(0, key.shape[-2], block_size):
        block = slice(start, start + block_size)
        scores = query @ key[..., block, :].transpose(-2, -1) / query.shape[-1] ** 0.5
        new = torch.maximum(largest, scores.amax(dim=-1, keepdim=True))
        weights, factor = (scores - new).exp(), (largest - new).exp()
        total = total * factor + weights.sum(dim=-1, keepdim=True)
        output = output * factor + weights @ value[..., block, :]
        largest = new
    return output / total


# %% wrong: one largest score for all queries
# The maximum is taken over the whole block, not for each query: where one query's scores are 200 above another's, all
# exponentials of the other are 0 and its output is NaN. Shows for queries of very different size.

def attention_in_blocks(query: Tensor, key: Tensor, value: Tensor, block_size: int) -> Tensor:
    if block_size < 1:
        raise ValueError(f"block_size must be at least 1, got {block_size}")

    largest = torch.tensor(float("-inf"), dtype=query.dtype, device=query.device)
    total = torch.zeros_like(query[..., :1])
    output = total * value[..., :1, :]
    for keys, values in zip(key.split(block_size, dim=-2), value.split(block_size, dim=-2), strict=True):
        scores = query @ keys.transpose(-2, -1) / query.shape[-1] ** 0.5
        new = torch.maximum(largest, scores.max())
        factor = torch.exp(largest - new)
        weights = torch.exp(scores - new)
        total = factor * total + weights.sum(dim=-1, keepdim=True)
        output = factor * output + weights @ values
        largest = new
    return output / total


# %% wrong: minus a billion as the first largest score
# -1e9 does not lose against every finite score: where all of a query's scores are below it, every exponential is 0 and the
# output 0 / 0. Shows for queries and keys of some 1e5 that point in opposite directions.

def attention_in_blocks(query: Tensor, key: Tensor, value: Tensor, block_size: int) -> Tensor:
    if block_size < 1:
        raise ValueError(f"block_size must be at least 1, got {block_size}")

    largest = query.new_full(query.shape[:-1], -1e9)
    total = query.new_zeros(query.shape[:-1])
    output = query.new_zeros((*query.shape[:-1], value.shape[-1]))
    for start in range(0, key.shape[-2], block_size):
        end = min(start + block_size, key.shape[-2])
        scores = query @ key[..., start:end, :].mT / query.shape[-1] ** 0.5
        new = torch.maximum(largest, scores.amax(dim=-1))
        factor = torch.exp(largest - new)
        weights = torch.exp(scores - new.unsqueeze(-1))
        total = total * factor + weights.sum(dim=-1)
        output = output * factor.unsqueeze(-1) + weights @ value[..., start:end, :]
        largest = new
    return output / total.unsqueeze(-1)


# %% correct: each block by itself, and the summaries merged in a tree

def attention_in_blocks(query: Tensor, key: Tensor, value: Tensor, block_size: int) -> Tensor:
    if block_size < 1:
        raise ValueError(f"block_size must be at least 1, got {block_size}")

    asked = query * query.shape[-1] ** -0.5

    def summary(first: int, count: int) -> tuple[Tensor, Tensor, Tensor]:
        """Largest score, sum of exponentials and weighted sum of `count` blocks from `first` on."""
        if count == 1:
            block = slice(first * block_size, (first + 1) * block_size)
            scores = asked @ key[..., block, :].mT
            largest = scores.amax(dim=-1, keepdim=True)
            powers = (scores - largest).exp()
            return largest, powers.sum(dim=-1, keepdim=True), powers @ value[..., block, :]
        half = count // 2
        left, right = summary(first, half), summary(first + half, count - half)
        largest = torch.maximum(left[0], right[0])
        of_left, of_right = (left[0] - largest).exp(), (right[0] - largest).exp()
        return largest, left[1] * of_left + right[1] * of_right, left[2] * of_left + right[2] * of_right

    _, total, weighted = summary(0, -(-key.shape[-2] // block_size))
    return weighted / total


# %% correct: keys as rows, and a column of ones beside the values for the sum

def attention_in_blocks(query: Tensor, key: Tensor, value: Tensor, block_size: int) -> Tensor:

    if not block_size >= 1:
        raise ValueError("a block needs a key")
    extended = torch.cat([value, torch.ones_like(value[..., :1])], dim=-1)  # its last column sums the weights
    columns = query.transpose(-2, -1) / query.shape[-1] ** 0.5  # (..., d, T)
    largest, summed = None, None
    for keys, values in zip(key.split(block_size, -2), extended.split(block_size, -2), strict=True):
        scores = keys @ columns  # (..., block, T)
        top = scores.amax(dim=-2)
        if largest is not None:
            top = torch.maximum(top, largest)
        add = torch.exp(scores - top.unsqueeze(-2)).transpose(-2, -1) @ values
        summed = add if summed is None else torch.exp(largest - top).unsqueeze(-1) * summed + add
        largest = top
    return summed[..., :-1] / summed[..., -1:]
