# %% wrong: the largest so far begins at zero
# m = 0 in place of minus infinity: where all scores are far below zero every exponential is zero, and the end is 0 / 0. A good message: "scores around -1,000: NaN; before any key was read the maximum must lose against everything".

def attention_in_blocks(query: Tensor, key: Tensor, value: Tensor, block_size: int) -> Tensor:
    if block_size < 1:
        raise ValueError("block_size must be at least 1")
    query = query / query.shape[-1] ** 0.5
    largest = query.new_zeros(*query.shape[:-1], 1)
    total = torch.zeros_like(largest)
    output = query.new_zeros(*query.shape[:-1], value.shape[-1])
    for begin in range(0, key.shape[-2], block_size):
        k, v = key[..., begin : begin + block_size, :], value[..., begin : begin + block_size, :]
        scores = query @ k.transpose(-2, -1)
        new = torch.maximum(largest, scores.amax(dim=-1, keepdim=True))
        factor, powers = torch.exp(largest - new), torch.exp(scores - new)
        total = total * factor + powers.sum(dim=-1, keepdim=True)
        output = output * factor + powers @ v
        largest = new
    return output / total

# %% wrong: the sum is corrected, the values are not
# When the maximum grows, the sum of exponentials is multiplied by the factor and the weighted sum of values is not. Where the largest score stands in the first block it is right. A good message: "all three kept numbers were computed relative to the old maximum".

def attention_in_blocks(query: Tensor, key: Tensor, value: Tensor, block_size: int) -> Tensor:
    if block_size < 1:
        raise ValueError(f"block_size {block_size}")
    shape = query.shape[:-1]
    m = torch.full(shape, float("-inf"), dtype=query.dtype, device=query.device)
    total, output = torch.zeros_like(m), query.new_zeros(*shape, value.shape[-1])
    for k, v in zip(key.split(block_size, dim=-2), value.split(block_size, dim=-2)):
        s = query @ k.transpose(-2, -1) / query.shape[-1] ** 0.5
        new_m = torch.maximum(m, s.amax(dim=-1))
        p = torch.exp(s - new_m[..., None])
        total = total * torch.exp(m - new_m) + p.sum(dim=-1)
        output = output + p @ v
        m = new_m
    return output / total[..., None]

# %% wrong: whole blocks only
# S // block_size blocks are read: what is left over at the end is lost (and with a block larger than S, everything: 0 / 0). A good message: "S = 10, block_size = 4: the last two keys are not read".

def attention_in_blocks(query: Tensor, key: Tensor, value: Tensor, block_size: int) -> Tensor:
    if block_size < 1:
        raise ValueError("block_size")
    m, total, output = float("-inf"), 0.0, 0.0
    for block in range(key.shape[-2] // block_size):
        here = slice(block * block_size, (block + 1) * block_size)
        scores = query @ key[..., here, :].mT / query.shape[-1] ** 0.5
        best = scores.amax(dim=-1, keepdim=True)
        new = torch.maximum(best, torch.as_tensor(m).to(best))
        powers, factor = (scores - new).exp(), (m - new).exp()
        total = total * factor + powers.sum(dim=-1, keepdim=True)
        output = output * factor + powers @ value[..., here, :]
        m = new
    return output / total

# %% wrong: the mean of the blocks' softmaxes
# Each block has its own softmax and the outputs are averaged, weighted by the number of keys: every block gets the same say, whatever its scores. A good message: "one key with a large score must take nearly all of the weight".

def attention_in_blocks(query: Tensor, key: Tensor, value: Tensor, block_size: int) -> Tensor:
    if block_size < 1:
        raise ValueError("block_size must be positive")
    output = 0
    for k, v in zip(key.split(block_size, dim=-2), value.split(block_size, dim=-2)):
        weights = torch.softmax(query @ k.transpose(-2, -1) / query.shape[-1] ** 0.5, dim=-1)
        output = output + weights @ v * (k.shape[-2] / key.shape[-2])
    return output

# %% correct: summaries that can be joined

class Read:
    """Largest score, sum of exponentials, weighted sum of values: of some keys, for each query."""

    def __init__(self, largest: Tensor, total: Tensor, summed: Tensor):
        self.largest, self.total, self.summed = largest, total, summed

    def __add__(self, other: "Read") -> "Read":
        largest = torch.maximum(self.largest, other.largest)
        mine, theirs = (self.largest - largest).exp(), (other.largest - largest).exp()
        return Read(largest, mine * self.total + theirs * other.total, mine * self.summed + theirs * other.summed)


def attention_in_blocks(query: Tensor, key: Tensor, value: Tensor, block_size: int) -> Tensor:
    if block_size < 1:
        raise ValueError(f"block_size must be at least 1, got {block_size}")
    if key.shape[-2] == 0:
        return query.new_zeros(*query.shape[:-1], value.shape[-1])
    so_far = None
    for k, v in zip(key.split(block_size, dim=-2), value.split(block_size, dim=-2)):
        scores = torch.einsum("...td,...sd->...ts", query, k) / query.shape[-1] ** 0.5
        largest = scores.amax(dim=-1, keepdim=True)
        powers = (scores - largest).exp()
        block = Read(largest, powers.sum(dim=-1, keepdim=True), powers @ v)
        so_far = block if so_far is None else so_far + block
    return so_far.summed / so_far.total

# %% correct: two passes, first the largest score

def attention_in_blocks(query: Tensor, key: Tensor, value: Tensor, block_size: int) -> Tensor:
    if block_size < 1:
        raise ValueError("a block has at least one key")
    S = key.shape[-2]
    begins = range(0, S, block_size)

    def scores_from(begin: int) -> Tensor:
        some = key.narrow(-2, begin, min(block_size, S - begin))
        return query @ some.mT * query.shape[-1] ** -0.5

    largest = torch.full_like(query[..., :1], -torch.inf)
    for begin in begins:
        largest = torch.maximum(largest, scores_from(begin).detach().amax(dim=-1, keepdim=True))
    ones = torch.ones_like(value[..., :1])
    both = torch.cat([value, ones], dim=-1)  # the last column sums the exponentials
    summed = query.new_zeros(*query.shape[:-1], both.shape[-1])
    for begin in begins:
        powers = (scores_from(begin) - largest).exp()
        summed = summed + powers @ both.narrow(-2, begin, powers.shape[-1])
    return summed[..., :-1] / summed[..., -1:] if S else summed[..., :-1]
