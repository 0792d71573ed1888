# %% wrong: old sums are not corrected
# When a block brings a larger score, what was summed up relative to the old maximum is not multiplied by exp(old - new), so blocks are weighed differently.
# Hint: by which known factor is everything kept so far wrong when the maximum changes?

def attention_in_blocks(query: Tensor, key: Tensor, value: Tensor, block_size: int) -> Tensor:
    if block_size < 1:
        raise ValueError("block_size must be at least 1")
    shape = (*query.shape[:-1], 1)
    top = query.new_full(shape, -torch.inf)
    total = query.new_zeros(shape)
    output = 0
    for some_keys, some_values in zip(key.split(block_size, dim=-2), value.split(block_size, dim=-2)):
        scores = query @ some_keys.transpose(-2, -1) / query.shape[-1] ** 0.5
        top = torch.maximum(top, scores.amax(dim=-1, keepdim=True))
        exponentials = torch.exp(scores - top)
        total = total + exponentials.sum(dim=-1, keepdim=True)
        output = output + exponentials @ some_values
    return output / total


# %% wrong: the last smaller block is left out
# The loop runs over S // block_size blocks, so where block_size does not divide S the last keys are never read.
# Hint: with 10 keys and blocks of 4, how many blocks are there?

def attention_in_blocks(query: Tensor, key: Tensor, value: Tensor, block_size: int) -> Tensor:
    if block_size < 1:
        raise ValueError("block_size must be at least 1")
    block_size = min(block_size, key.shape[-2])
    shape = (*query.shape[:-1], 1)
    top = query.new_full(shape, -torch.inf)
    total = query.new_zeros(shape)
    output = query.new_zeros(*query.shape[:-1], value.shape[-1])
    for n in range(key.shape[-2] // block_size):
        some = slice(n * block_size, (n + 1) * block_size)
        scores = query @ key[..., some, :].transpose(-2, -1) / query.shape[-1] ** 0.5
        new_top = torch.maximum(top, scores.amax(dim=-1, keepdim=True))
        correction, exponentials = torch.exp(top - new_top), torch.exp(scores - new_top)
        total = correction * total + exponentials.sum(dim=-1, keepdim=True)
        output = correction * output + exponentials @ value[..., some, :]
        top = new_top
    return output / total


# %% wrong: the largest score begins at zero
# Where all scores are below about -100 the maximum stays 0, all exponentials are zero and the result is 0 / 0; before any key was read the maximum should lose against everything.
# Hint: which number is smaller than every score?

def attention_in_blocks(query: Tensor, key: Tensor, value: Tensor, block_size: int) -> Tensor:
    if block_size < 1:
        raise ValueError("block_size must be at least 1")
    top = torch.zeros_like(query[..., :1])
    total = torch.zeros_like(top)
    output = query.new_zeros(*query.shape[:-1], value.shape[-1])
    for begin in range(0, key.shape[-2], block_size):
        some_keys = key[..., begin : begin + block_size, :]
        some_values = value[..., begin : begin + block_size, :]
        scores = query @ some_keys.transpose(-2, -1) / query.shape[-1] ** 0.5
        new_top = torch.maximum(top, scores.amax(dim=-1, keepdim=True))
        correction, exponentials = torch.exp(top - new_top), torch.exp(scores - new_top)
        total = correction * total + exponentials.sum(dim=-1, keepdim=True)
        output = correction * output + exponentials @ some_values
        top = new_top
    return output / total


# %% wrong: the output is made as wide as the query
# The weighted sum begins as zeros like the query, so where d_v is not d_k the first addition fails.
# Hint: what is summed up, and how many features has it?

def attention_in_blocks(query: Tensor, key: Tensor, value: Tensor, block_size: int) -> Tensor:
    if block_size < 1:
        raise ValueError("block_size must be at least 1")
    top = torch.full_like(query[..., :1], -torch.inf)
    total = torch.zeros_like(query[..., :1])
    output = torch.zeros_like(query)
    for some_keys, some_values in zip(key.split(block_size, dim=-2), value.split(block_size, dim=-2)):
        scores = query @ some_keys.transpose(-2, -1) / query.shape[-1] ** 0.5
        new_top = torch.maximum(top, scores.amax(dim=-1, keepdim=True))
        correction, exponentials = torch.exp(top - new_top), torch.exp(scores - new_top)
        total = correction * total + exponentials.sum(dim=-1, keepdim=True)
        output = correction * output + exponentials @ some_values
        top = new_top
    return output / total


# %% correct: a column of ones counts the exponentials

def attention_in_blocks(query: Tensor, key: Tensor, value: Tensor, block_size: int) -> Tensor:
    if block_size < 1:
        raise ValueError(f"block_size must be at least 1, got {block_size}")
    scaled = query * query.shape[-1] ** -0.5
    top, sums = None, None  # sums: the weighted sum of the values, and in the last column that of the exponentials
    for begin in range(0, key.shape[-2], block_size):
        end = min(begin + block_size, key.shape[-2])
        scores = torch.einsum("...td,...sd->...ts", scaled, key[..., begin:end, :])
        with_one = F.pad(value[..., begin:end, :], (0, 1), value=1.0)
        highest = scores.detach().amax(dim=-1, keepdim=True)
        if top is None:
            top = highest
            sums = (scores - top).exp() @ with_one
        else:
            higher = torch.maximum(top, highest)
            sums = sums * (top - higher).exp() + (scores - higher).exp() @ with_one
            top = higher
    return sums[..., :-1] / sums[..., -1:]


# %% correct: a class that keeps the three things

class _SoFar:
    """For each query: the largest score, the sum of exponentials and the weighted sum of the values."""

    def __init__(self, queries: Tensor, num_features: int):
        self.largest = torch.full(queries.shape[:-1], float("-inf"), dtype=queries.dtype, device=queries.device)
        self.denominator = torch.zeros_like(self.largest)
        self.numerator = queries.new_zeros(queries.shape[:-1] + (num_features,))

    def read(self, scores: Tensor, values: Tensor) -> None:
        largest = torch.where(scores.amax(dim=-1) > self.largest, scores.amax(dim=-1), self.largest)
        e = torch.exp(scores - largest[..., None])
        fade = torch.exp(self.largest - largest)
        self.denominator = torch.addcmul(e.sum(dim=-1), fade, self.denominator)
        self.numerator = torch.addcmul(torch.matmul(e, values), fade[..., None], self.numerator)
        self.largest = largest


def attention_in_blocks(query: Tensor, key: Tensor, value: Tensor, block_size: int) -> Tensor:
    if not block_size >= 1:
        raise ValueError("block_size must be 1 or more")
    so_far = _SoFar(query, value.shape[-1])
    for keys, values in zip(
        torch.split(key, block_size, dim=-2), torch.split(value, block_size, dim=-2), strict=True
    ):
        so_far.read(torch.matmul(query, keys.mT).div(query.shape[-1] ** 0.5), values)
    return so_far.numerator / so_far.denominator[..., None]
