# %% wrong: chunk in place of split
# key.chunk(block_size) makes block_size pieces, not pieces of block_size keys. Where S > block_size ** 2 (64 keys, blocks of 4:
# pieces of 16) there is a tensor with more than block_size keys' scores for each query. The output is right.


def attention_in_blocks(query: Tensor, key: Tensor, value: Tensor, block_size: int) -> Tensor:
    if block_size < 1:
        raise ValueError("block_size must be at least 1")
    largest = query.new_full((*query.shape[:-1], 1), -torch.inf)
    total = query.new_zeros((*query.shape[:-1], 1))
    output = query.new_zeros((*query.shape[:-1], value.shape[-1]))
    for keys, values in zip(key.chunk(block_size, dim=-2), value.chunk(block_size, dim=-2), strict=True):
        scores = query @ keys.transpose(-2, -1) / query.shape[-1] ** 0.5
        new = torch.maximum(largest, scores.amax(dim=-1, keepdim=True))
        correction = torch.exp(largest - new)
        exponentials = torch.exp(scores - new)
        total = total * correction + exponentials.sum(dim=-1, keepdim=True)
        output = output * correction + exponentials @ values
        largest = new
    return output / total


# %% wrong: one largest score for all queries
# "for each query, in its largest score ... some are above zero": the maximum is taken over the whole block of scores. A query whose
# scores all lie more than about 100 below another query's has only exponentials of zero, and 0 / 0 is NaN.


def attention_in_blocks(query: Tensor, key: Tensor, value: Tensor, block_size: int) -> Tensor:
    if block_size < 1:
        raise ValueError(f"block_size is {block_size}")
    largest = torch.tensor(-torch.inf, dtype=query.dtype, device=query.device)
    total, output = 0.0, 0.0
    for begin in range(0, key.shape[-2], block_size):
        keys, values = (x[..., begin : begin + block_size, :] for x in (key, value))
        scores = query @ keys.transpose(-2, -1) / query.shape[-1] ** 0.5
        new = torch.maximum(largest, scores.max())
        correction = torch.exp(largest - new)
        exponentials = torch.exp(scores - new)
        total = total * correction + exponentials.sum(dim=-1, keepdim=True)
        output = output * correction + exponentials @ values
        largest = new
    return output / total


# %% wrong: the largest score starts at -1e9
# "whatever finite numbers the scores are": with all of a query's scores below -1e9 (queries of 1e6, keys of -1e6) the start wins
# against every score, all exponentials are zero and the output is NaN.


def attention_in_blocks(query: Tensor, key: Tensor, value: Tensor, block_size: int) -> Tensor:
    if block_size < 1:
        raise ValueError("block_size must be positive")
    scale = query.shape[-1] ** -0.5
    largest = torch.full_like(query[..., :1], -1e9)
    total = torch.zeros_like(largest)
    output = torch.zeros_like(largest) * value[..., :1, :]
    for keys, values in zip(key.split(block_size, dim=-2), value.split(block_size, dim=-2), strict=True):
        scores = scale * (query @ keys.mT)
        before, largest = largest, torch.maximum(largest, scores.amax(dim=-1, keepdim=True))
        exponentials = (scores - largest).exp()
        shrink = (before - largest).exp()
        total = total * shrink + exponentials.sum(dim=-1, keepdim=True)
        output = output * shrink + exponentials @ values
    return output / total


# %% wrong: the queries are scaled in place
# "it leaves its arguments ... as they were": query *= ... changes the caller's tensor, so a second call with the same arguments gives
# another output. Shows wherever d_k > 1.


@torch.no_grad()  # no gradient is promised
def attention_in_blocks(query: Tensor, key: Tensor, value: Tensor, block_size: int) -> Tensor:
    if block_size < 1:
        raise ValueError("block_size must be at least 1")
    query *= query.shape[-1] ** -0.5  # once here and not in every block
    largest = query.new_full((*query.shape[:-1], 1), -torch.inf)
    total = torch.zeros_like(largest)
    output = query.new_zeros((*query.shape[:-1], value.shape[-1]))
    for begin in range(0, key.shape[-2], block_size):
        scores = query @ key[..., begin : begin + block_size, :].transpose(-2, -1)
        new = torch.maximum(largest, scores.amax(dim=-1, keepdim=True))
        correction, exponentials = torch.exp(largest - new), torch.exp(scores - new)
        total = total * correction + exponentials.sum(dim=-1, keepdim=True)
        output = output * correction + exponentials @ value[..., begin : begin + block_size, :]
        largest = new
    return output / total


# %% correct: values with a column of ones, so that both sums are one product


def attention_in_blocks(query: Tensor, key: Tensor, value: Tensor, block_size: int) -> Tensor:
    if block_size < 1:
        raise ValueError(f"block_size is {block_size}, at least 1 is needed")
    scaled = query / query.shape[-1] ** 0.5
    largest = summed = None
    for begin in range(0, key.shape[-2], block_size):
        scores = torch.einsum("...td,...sd->...ts", scaled, key.narrow(-2, begin, min(block_size, key.shape[-2] - begin)))
        values = F.pad(value[..., begin : begin + block_size, :], (0, 1), value=1.0)
        top = scores.max(dim=-1, keepdim=True).values
        if largest is None:
            largest = top
            summed = (scores - largest).exp() @ values
        else:
            now = torch.where(top > largest, top, largest)
            summed = summed * (largest - now).exp() + (scores - now).exp() @ values
            largest = now
    return summed[..., :-1] / summed[..., -1:]


# %% correct: halves of the blocks, each summed up by itself, then put together


def attention_in_blocks(query: Tensor, key: Tensor, value: Tensor, block_size: int) -> Tensor:
    if not block_size >= 1:
        raise ValueError("blocks of at least one key are needed")
    scaled = query * query.shape[-1] ** -0.5

    def read(first: int, last: int) -> tuple[Tensor, Tensor, Tensor]:
        """Largest score, sum of exponentials and weighted sum over the blocks first, ..., last - 1."""
        if last - first == 1:
            places = slice(first * block_size, last * block_size)
            scores = scaled @ key[..., places, :].transpose(-1, -2)
            top = scores.amax(-1, keepdim=True)
            scores = torch.exp(scores - top)
            return top, scores.sum(-1, keepdim=True), scores @ value[..., places, :]
        middle = (first + last) // 2
        (top_a, sum_a, out_a), (top_b, sum_b, out_b) = read(first, middle), read(middle, last)
        top = torch.maximum(top_a, top_b)
        a, b = torch.exp(top_a - top), torch.exp(top_b - top)
        return top, a * sum_a + b * sum_b, a * out_a + b * out_b

    _, total, output = read(0, -(-key.shape[-2] // block_size))
    return output / total
