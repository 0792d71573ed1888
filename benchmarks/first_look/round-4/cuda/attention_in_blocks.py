# %% wrong: the smaller last block left out
# The loop runs over whole blocks only. Where block_size does not divide the number of keys, the last keys are never
# read; with fewer keys than block_size nothing is, and 0 / 0 comes out.
# Hint: seven keys and block_size=3: which keys does your loop read?

def attention_in_blocks(query: Tensor, key: Tensor, value: Tensor, block_size: int) -> Tensor:
    if block_size < 1:
        raise ValueError("block_size must be at least 1")
    scale = query.shape[-1] ** -0.5
    largest = query.new_full((*query.shape[:-1], 1), float("-inf"))
    total = torch.zeros_like(largest)
    blended = query.new_zeros(*query.shape[:-1], value.shape[-1])
    for block in range(key.shape[-2] // block_size):
        part = slice(block * block_size, (block + 1) * block_size)
        scores = query @ key[..., part, :].transpose(-2, -1) * scale
        new = torch.maximum(largest, scores.amax(dim=-1, keepdim=True))
        shrink, weights = (largest - new).exp(), (scores - new).exp()
        total = total * shrink + weights.sum(dim=-1, keepdim=True)
        blended = blended * shrink + weights @ value[..., part, :]
        largest = new
    return blended / total


# %% wrong: one largest score for all queries
# Keeps one number as the largest score, over all queries, heads and sentences of the batch. Nothing overflows, but the
# exponentials of a query whose scores lie far below that number are all zero, and its row is 0 / 0.
# Hint: multiply one query of several by 1000. What happens to the others?

def attention_in_blocks(query: Tensor, key: Tensor, value: Tensor, block_size: int) -> Tensor:
    if block_size < 1:
        raise ValueError("block_size must be at least 1")
    largest = query.new_tensor(float("-inf"))
    total, blended = 0.0, 0.0
    for keys, values in zip(key.split(block_size, dim=-2), value.split(block_size, dim=-2)):
        scores = query @ keys.transpose(-2, -1) / query.shape[-1] ** 0.5
        new = torch.maximum(largest, scores.max())
        weights = torch.exp(scores - new)
        total = total * torch.exp(largest - new) + weights.sum(dim=-1, keepdim=True)
        blended = blended * torch.exp(largest - new) + weights @ values
        largest = new
    return blended / total


# %% wrong: scaled by the width of the values
# Divides the scores by the root of d_v. Where queries and values are equally wide that is right, and elsewhere the
# softmax is too flat or too sharp.
# Hint: try values with another number of features than the keys.

def attention_in_blocks(query: Tensor, key: Tensor, value: Tensor, block_size: int) -> Tensor:
    if block_size < 1:
        raise ValueError("block_size must be at least 1")
    *rows, width = (*query.shape[:-1], value.shape[-1])
    largest = query.new_full((*rows, 1), -torch.inf)
    total = query.new_zeros((*rows, 1))
    blended = query.new_zeros((*rows, width))
    for begin in range(0, key.shape[-2], block_size):
        keys, values = key[..., begin : begin + block_size, :], value[..., begin : begin + block_size, :]
        scores = query @ keys.transpose(-2, -1) / width**0.5
        new = torch.maximum(largest, scores.amax(dim=-1, keepdim=True))
        weights = torch.exp(scores - new)
        old_share = torch.exp(largest - new)
        total = old_share * total + weights.sum(dim=-1, keepdim=True)
        blended = old_share * blended + weights @ values
        largest = new
    return blended / total


# %% wrong: blocks of queries
# Goes through the queries block by block, each block with all keys at once. The output is right, but there are tensors
# with the scores of all keys, and for long texts these are what does not fit.
# Hint: how many keys' scores does your largest tensor hold for each query?

def attention_in_blocks(query: Tensor, key: Tensor, value: Tensor, block_size: int) -> Tensor:
    if block_size < 1:
        raise ValueError("block_size must be at least 1")
    outputs = []
    for some in query.split(block_size, dim=-2):
        scores = some @ key.transpose(-2, -1) / query.shape[-1] ** 0.5
        outputs.append(torch.softmax(scores, dim=-1) @ value)
    return torch.cat(outputs, dim=-2)


# %% wrong: the mean of the blocks' own softmaxes
# Takes a softmax within each block and averages the outputs, weighted by the number of keys. Every block then has the
# same share for each key in it, however small its scores are.
# Hint: two blocks of one key each: what weights do the two keys get, whatever their scores?

def attention_in_blocks(query: Tensor, key: Tensor, value: Tensor, block_size: int) -> Tensor:
    if block_size < 1:
        raise ValueError("block_size must be at least 1")
    length = key.shape[-2]
    output = 0.0
    for begin in range(0, length, block_size):
        keys, values = key[..., begin : begin + block_size, :], value[..., begin : begin + block_size, :]
        weights = torch.softmax(query @ keys.transpose(-2, -1) / query.shape[-1] ** 0.5, dim=-1)
        output = output + (weights @ values) * keys.shape[-2] / length
    return output


# %% correct: a class that reads one block at a time

class RunningSoftmax:
    def __init__(self, query, width):
        self.query = query / query.shape[-1] ** 0.5
        self.largest = torch.full_like(query[..., :1], float("-inf"))
        self.total = torch.zeros_like(self.largest)
        self.blended = query.new_zeros((*query.shape[:-1], width))

    def read(self, keys, values):
        scores = torch.matmul(self.query, keys.mT)
        largest = torch.maximum(self.largest, scores.amax(dim=-1, keepdim=True))
        correction = torch.exp(self.largest - largest)
        exponentials = torch.exp(scores - largest)
        self.total = correction * self.total + exponentials.sum(dim=-1, keepdim=True)
        self.blended = correction * self.blended + exponentials @ values
        self.largest = largest

    def output(self):
        return self.blended / self.total


def attention_in_blocks(query: Tensor, key: Tensor, value: Tensor, block_size: int) -> Tensor:
    if block_size < 1:
        raise ValueError(f"block_size must be at least 1, not {block_size}")
    running = RunningSoftmax(query, value.shape[-1])
    for block in zip(key.split(block_size, dim=-2), value.split(block_size, dim=-2), strict=True):
        running.read(*block)
    return running.output()


# %% correct: halves of the keys, merged in pairs

def summed_up(query, key, value, block_size):
    """The largest score, the sum of the exponentials and the weighted sum of the values, for each query."""
    blocks = -(-key.shape[-2] // block_size)
    if blocks <= 1:
        scores = query @ key.transpose(-2, -1)
        largest = scores.amax(dim=-1, keepdim=True)
        weights = (scores - largest).exp()
        return largest, weights.sum(dim=-1, keepdim=True), weights @ value
    half = blocks // 2 * block_size
    left = summed_up(query, key[..., :half, :], value[..., :half, :], block_size)
    right = summed_up(query, key[..., half:, :], value[..., half:, :], block_size)
    largest = torch.maximum(left[0], right[0])
    of_left, of_right = (left[0] - largest).exp(), (right[0] - largest).exp()
    return largest, of_left * left[1] + of_right * right[1], of_left * left[2] + of_right * right[2]


def attention_in_blocks(query: Tensor, key: Tensor, value: Tensor, block_size: int) -> Tensor:
    if block_size < 1:
        raise ValueError("a block holds one key at least")
    _, total, blended = summed_up(query * query.shape[-1] ** -0.5, key, value, block_size)
    return blended / total
