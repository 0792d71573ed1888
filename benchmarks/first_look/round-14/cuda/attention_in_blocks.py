# %% wrong: each block's own maximum
# What was kept is brought to the new block's largest score, even where that is smaller than the one
# before. Where scores fall by 90 or more from one block to the next exp(old - new) overflows:
# inf / inf.

def attention_in_blocks(query: Tensor, key: Tensor, value: Tensor, block_size: int) -> Tensor:
    if block_size < 1:
        raise ValueError(f"{block_size=}")
    largest = total = summed = None
    for keys, values in zip(key.split(block_size, dim=-2), value.split(block_size, dim=-2)):
        scores = query @ keys.transpose(-2, -1) / query.shape[-1] ** 0.5
        top = scores.amax(dim=-1, keepdim=True)
        powers = (scores - top).exp()
        if largest is None:
            total, summed = powers.sum(dim=-1, keepdim=True), powers @ values
        else:
            old = (largest - top).exp()
            total = old * total + powers.sum(dim=-1, keepdim=True)
            summed = old * summed + powers @ values
        largest = top
    return summed / total


# %% wrong: the largest score and the sum kept as one number
# Output and logsumexp are kept, as a fused kernel returns them. In float32 a logsumexp of 1e8 has no
# digits left for the logarithm of the sum: with equal large scores a block of two keys weighs no
# more than a last block of one.

def attention_in_blocks(query: Tensor, key: Tensor, value: Tensor, block_size: int) -> Tensor:
    if block_size < 1:
        raise ValueError("a block has one key at least")
    output = query.new_zeros(*query.shape[:-1], value.shape[-1])
    log_sum = query.new_full((*query.shape[:-1], 1), float("-inf"))
    for begin in range(0, key.shape[-2], block_size):
        keys = key[..., begin : begin + block_size, :]
        values = value[..., begin : begin + block_size, :]
        scores = query @ keys.transpose(-2, -1) / query.shape[-1] ** 0.5
        here = scores.logsumexp(dim=-1, keepdim=True)
        both = torch.logaddexp(log_sum, here)
        output = (log_sum - both).exp() * output + (here - both).exp() * (scores.softmax(dim=-1) @ values)
        log_sum = both
    return output


# %% wrong: divided by the root of the values' width
# d_v in place of d_k under the root. The two are equal in most models; with value (..., S, 5) and
# keys of 8 features the weights are too sharp.

def attention_in_blocks(query: Tensor, key: Tensor, value: Tensor, block_size: int) -> Tensor:
    if block_size < 1:
        raise ValueError(f"{block_size=} is below 1")
    width = value.shape[-1]
    largest = query.new_full((*query.shape[:-1], 1), float("-inf"))
    total = torch.zeros_like(largest)
    summed = query.new_zeros(*query.shape[:-1], width)
    for begin in range(0, key.shape[-2], block_size):
        block = slice(begin, begin + block_size)
        scores = query @ key[..., block, :].transpose(-2, -1) / width**0.5
        top = torch.maximum(largest, scores.amax(dim=-1, keepdim=True))
        powers, old = (scores - top).exp(), (largest - top).exp()
        total = old * total + powers.sum(dim=-1, keepdim=True)
        summed = old * summed + powers @ value[..., block, :]
        largest = top
    return summed / total


# %% wrong: range will complain
# range(0, S, 0) raises ValueError by itself, so no check was written. For a negative block_size it
# is just empty: no error, and 0 / 0.

def attention_in_blocks(query: Tensor, key: Tensor, value: Tensor, block_size: int) -> Tensor:
    largest = query.new_full((*query.shape[:-1], 1), float("-inf"))
    total = torch.zeros_like(largest)
    summed = query.new_zeros(*query.shape[:-1], value.shape[-1])
    for begin in range(0, key.shape[-2], block_size):
        block = slice(begin, begin + block_size)
        scores = query @ key[..., block, :].transpose(-2, -1) / query.shape[-1] ** 0.5
        top = torch.maximum(largest, scores.amax(dim=-1, keepdim=True))
        powers, old = (scores - top).exp(), (largest - top).exp()
        total = old * total + powers.sum(dim=-1, keepdim=True)
        summed = old * summed + powers @ value[..., block, :]
        largest = top
    return summed / total


# %% correct: a column of ones carries the sum

def attention_in_blocks(query: Tensor, key: Tensor, value: Tensor, block_size: int) -> Tensor:
    if block_size < 1:
        raise ValueError(f"blocks of {block_size} keys")
    query = query * query.shape[-1] ** -0.5
    top, both = None, None
    for keys, values in zip(key.split(block_size, dim=-2), value.split(block_size, dim=-2), strict=True):
        scores = torch.einsum("...td,...sd->...ts", query, keys)
        new_top = scores.max(dim=-1, keepdim=True).values
        if top is not None:
            new_top = torch.where(new_top > top, new_top, top)
        ones = torch.ones_like(values[..., :1])
        added = torch.exp(scores - new_top) @ torch.cat([values, ones], dim=-1)
        both = added if both is None else both * torch.exp(top - new_top) + added
        top = new_top
    return both[..., :-1] / both[..., -1:]


# %% correct: blocks merged two by two

def attention_in_blocks(query: Tensor, key: Tensor, value: Tensor, block_size: int) -> Tensor:
    if block_size < 1:
        raise ValueError("block_size is 1 at least")
    length = key.shape[-2]

    def read(begin: int, end: int) -> tuple[Tensor, Tensor, Tensor]:
        """Largest score, sum of the exponentials, weighted sum, over blocks begin to end - 1."""
        if end - begin == 1:
            first = begin * block_size
            count = min(block_size, length - first)
            scores = (query / query.shape[-1] ** 0.5) @ key.narrow(-2, first, count).mT
            largest = scores.amax(-1, keepdim=True)
            scores = scores.sub_(largest).exp_() if not scores.requires_grad else (scores - largest).exp()
            return largest, scores.sum(-1, keepdim=True), scores @ value.narrow(-2, first, count)
        middle = (begin + end) // 2
        left, right = read(begin, middle), read(middle, end)
        largest = torch.maximum(left[0], right[0])
        factors = (left[0] - largest).exp(), (right[0] - largest).exp()
        return (
            largest,
            left[1] * factors[0] + right[1] * factors[1],
            left[2] * factors[0] + right[2] * factors[1],
        )

    _, below, above = read(0, -(-length // block_size))
    return above / below
