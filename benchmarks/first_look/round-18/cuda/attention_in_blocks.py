# %% wrong: the sum is not rescaled
# total keeps its old scale: shows where a later block has a larger score.

def attention_in_blocks(query: Tensor, key: Tensor, value: Tensor, block_size: int) -> Tensor:
    if block_size < 1:
        raise ValueError("block_size below 1")
    top = query.new_full((*query.shape[:-1], 1), float("-inf"))
    total = torch.zeros_like(top)
    mixed = query.new_zeros(*query.shape[:-1], value.shape[-1])
    for start in range(0, key.shape[-2], block_size):
        k, v = key[..., start : start + block_size, :], value[..., start : start + block_size, :]
        scores = query @ k.transpose(-2, -1) / query.shape[-1] ** 0.5
        new = torch.maximum(top, scores.amax(dim=-1, keepdim=True))
        old, exps = torch.exp(top - new), torch.exp(scores - new)
        total = total + exps.sum(dim=-1, keepdim=True)
        mixed = mixed * old + exps @ v
        top = new
    return mixed / total

# %% wrong: the last block is left out
# Only whole blocks: shows where S is no multiple of block_size.

def attention_in_blocks(query: Tensor, key: Tensor, value: Tensor, block_size: int) -> Tensor:
    if block_size < 1:
        raise ValueError("block_size below 1")
    top = query.new_full((*query.shape[:-1], 1), float("-inf"))
    total = torch.zeros_like(top)
    mixed = query.new_zeros(*query.shape[:-1], value.shape[-1])
    for start in range(0, key.shape[-2] - block_size + 1, block_size):
        k, v = key[..., start : start + block_size, :], value[..., start : start + block_size, :]
        scores = query @ k.transpose(-2, -1) / query.shape[-1] ** 0.5
        new = torch.maximum(top, scores.amax(dim=-1, keepdim=True))
        old, exps = torch.exp(top - new), torch.exp(scores - new)
        total = total * old + exps.sum(dim=-1, keepdim=True)
        mixed = mixed * old + exps @ v
        top = new
    return mixed / total

# %% wrong: begins at zero
# The largest score begins at 0: where all scores are below -1000, 0/0.

def attention_in_blocks(query: Tensor, key: Tensor, value: Tensor, block_size: int) -> Tensor:
    if block_size < 1:
        raise ValueError("block_size below 1")
    top = query.new_full((*query.shape[:-1], 1), 0.0)
    total = torch.zeros_like(top)
    mixed = query.new_zeros(*query.shape[:-1], value.shape[-1])
    for start in range(0, key.shape[-2], block_size):
        k, v = key[..., start : start + block_size, :], value[..., start : start + block_size, :]
        scores = query @ k.transpose(-2, -1) / query.shape[-1] ** 0.5
        new = torch.maximum(top, scores.amax(dim=-1, keepdim=True))
        old, exps = torch.exp(top - new), torch.exp(scores - new)
        total = total * old + exps.sum(dim=-1, keepdim=True)
        mixed = mixed * old + exps @ v
        top = new
    return mixed / total

# %% wrong: a softmax for each block
# Blocks are averaged equally; wrong for more than one block.

def attention_in_blocks(query: Tensor, key: Tensor, value: Tensor, block_size: int) -> Tensor:
    if block_size < 1:
        raise ValueError("block_size below 1")
    outputs = []
    for k, v in zip(key.split(block_size, dim=-2), value.split(block_size, dim=-2)):
        outputs.append(torch.softmax(query @ k.transpose(-2, -1) / query.shape[-1] ** 0.5, dim=-1) @ v)
    return torch.stack(outputs).mean(dim=0)

# %% correct: the queries scaled first, einsum

def attention_in_blocks(query: Tensor, key: Tensor, value: Tensor, block_size: int) -> Tensor:
    if block_size < 1:
        raise ValueError("block_size below 1")
    top = query.new_full((*query.shape[:-1], 1), float("-inf"))
    total = torch.zeros_like(top)
    mixed = query.new_zeros(*query.shape[:-1], value.shape[-1])
    for start in range(0, key.shape[-2], block_size):
        k, v = key[..., start : start + block_size, :], value[..., start : start + block_size, :]
        scores = torch.einsum("...td,...sd->...ts", query * query.shape[-1] ** -0.5, k)
        new = torch.maximum(top, scores.amax(dim=-1, keepdim=True))
        old, exps = torch.exp(top - new), torch.exp(scores - new)
        total = total * old + exps.sum(dim=-1, keepdim=True)
        mixed = mixed * old + exps @ v
        top = new
    return mixed / total

# %% correct: split and sums of a wider value

def attention_in_blocks(query: Tensor, key: Tensor, value: Tensor, block_size: int) -> Tensor:
    if block_size < 1:
        raise ValueError("block_size below 1")
    top = both = None
    wide = torch.cat([value, torch.ones_like(value[..., :1])], dim=-1)
    for k, v in zip(key.split(block_size, dim=-2), wide.split(block_size, dim=-2), strict=True):
        scores = query @ k.mT / query.shape[-1] ** 0.5
        new = scores.amax(dim=-1, keepdim=True)
        if top is not None:
            new = torch.maximum(new, top)
            both = both * (top - new).exp() + (scores - new).exp() @ v
        else:
            both = (scores - new).exp() @ v
        top = new
    return both[..., :-1] / both[..., -1:]

