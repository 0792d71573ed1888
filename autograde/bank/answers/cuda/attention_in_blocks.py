# %% wrong: no maximum taken off
# Without a maximum taken off, the exponential of a score above 88 is infinite in float32, and far below zero all are
# 0. Keep the largest score so far, for each query, and take it off. See section 9.5.

# --- before
        larger = torch.maximum(largest, scores.amax(dim=-1, keepdim=True))
        exponentials, rescale = torch.exp(scores - larger), torch.exp(largest - larger)
# --- after
        larger = largest
        exponentials, rescale = torch.exp(scores), 1.0

# %% wrong: the block's maximum in place of the largest so far
# What has been summed up is carried over to the maximum of the latest block, which may be smaller: then what was there
# before overflows. Take the larger of the old maximum and the block's. See section 9.5.

# --- before
        larger = torch.maximum(largest, scores.amax(dim=-1, keepdim=True))
# --- after
        larger = scores.amax(dim=-1, keepdim=True)

# %% wrong: the sums are not rescaled
# When a larger maximum turns up, the sums that were made with the old one no longer fit the new exponentials. Multiply
# both by the exponential of the old maximum less the new one. See section 9.5.

# --- before
        total = total * rescale + exponentials.sum(dim=-1, keepdim=True)
        output = output * rescale + exponentials @ values
# --- after
        total = total + exponentials.sum(dim=-1, keepdim=True)
        output = output + exponentials @ values

# %% wrong: only the total is rescaled
# The total was carried over to the new maximum and the weighted sum of the values was not. Both were made with the old
# maximum: rescale both. See section 9.5.

# --- before
        output = output * rescale + exponentials @ values
# --- after
        output = output + exponentials @ values

# %% wrong: only the output is rescaled
# The weighted sum was carried over to the new maximum and the total was not. Both were made with the old maximum:
# rescale both. See section 9.5.

# --- before
        total = total * rescale + exponentials.sum(dim=-1, keepdim=True)
# --- after
        total = total + exponentials.sum(dim=-1, keepdim=True)

# %% wrong: rescaled the wrong way round
# When the maximum rises, what was summed up before has to become smaller, and it grew. The exponent is the old maximum
# less the new one. See section 9.5.

# --- before
        exponentials, rescale = torch.exp(scores - larger), torch.exp(largest - larger)
# --- after
        exponentials, rescale = torch.exp(scores - larger), torch.exp(larger - largest).nan_to_num(0.0, posinf=0.0)

# %% wrong: the maximum begins at zero
# The largest score so far begins at zero, so where all scores are far below zero every exponential is 0, and 0/0 is
# NaN. Before the first block there is no score: what is smaller than all of them? See section 9.5.

# --- before
    largest = query.new_full((*query.shape[:-1], 1), float("-inf"))  # (..., T, 1)
# --- after
    largest = query.new_zeros(*query.shape[:-1], 1)  # (..., T, 1)

# %% wrong: the maximum begins at minus a hundred
# The largest score so far begins at a number that scores can lie below, and far below it every exponential is 0, and
# 0/0 is NaN. Before the first block there is no score: what is smaller than all of them? See section 9.5.

# --- before
    largest = query.new_full((*query.shape[:-1], 1), float("-inf"))  # (..., T, 1)
# --- after
    largest = query.new_full((*query.shape[:-1], 1), -100.0)  # (..., T, 1)

# %% wrong: each block normalised by itself
# Each block's weights were made to sum to one and the blocks' outputs averaged, so a key's weight depends on which
# block it stands in. Divide once, at the end, by the total over all blocks. See section 9.5.

# --- before
        total = total * rescale + exponentials.sum(dim=-1, keepdim=True)
        output = output * rescale + exponentials @ values
# --- after
        total = total + 1
        output = output + exponentials / exponentials.sum(dim=-1, keepdim=True) @ values

# %% wrong: divided in every block
# The weighted sum was divided by the total after each block, and then divided again with the next one. Divide once, at
# the end. See section 9.5.

# --- before
        output = output * rescale + exponentials @ values
# --- after
        output = (output * rescale + exponentials @ values) / total
# --- before
    return output / total
# --- after
    return output

# %% wrong: not divided
# What came back is the weighted sum of the values with weights that do not sum to one. Divide it by the total of the
# exponentials. See section 9.5.

# --- before
    return output / total
# --- after
    return output

# %% wrong: the last keys are left out
# The keys after the last whole block were not read. The last block may be smaller than the others. See section 9.5.

# --- before
    for start in range(0, key.shape[-2], block_size):
# --- after
    for start in range(0, key.shape[-2] - block_size + 1, block_size):

# %% wrong: no scale
# The scores were not divided by the root of d_k. See section 9.5.

# --- before
        scores = query @ keys.transpose(-2, -1) / query.shape[-1] ** 0.5  # (..., T, at most block_size)
# --- after
        scores = query @ keys.transpose(-2, -1)  # (..., T, at most block_size)

# %% wrong: one maximum for all queries
# One maximum was taken off all queries' scores: a query whose own scores lie far below it gets only zeros, and 0/0 is
# NaN. Each query keeps a maximum of its own. See section 9.5.

# --- before
        larger = torch.maximum(largest, scores.amax(dim=-1, keepdim=True))
# --- after
        larger = torch.maximum(largest, scores.max())

# %% wrong: all scores at once
# The numbers are right, but the scores of all keys stood in one tensor, which is what is not to be. Work on the scores
# of one block of keys at a time. See section 9.5.

def attention_in_blocks(query, key, value, block_size):
    if block_size < 1:
        raise ValueError(f"got block_size {block_size}")

    scores = query @ key.transpose(-2, -1) / query.shape[-1] ** 0.5
    return torch.softmax(scores, dim=-1) @ value

# %% wrong: the blocks' scores kept
# The scores were computed block by block and then kept in a list, all of them, so the memory is that of the whole
# matrix. Sum up each block at once and let it go. See section 9.5.

def attention_in_blocks(query, key, value, block_size):
    if block_size < 1:
        raise ValueError(f"got block_size {block_size}")

    starts = range(0, key.shape[-2], block_size)
    blocks = [query @ key[..., s : s + block_size, :].mT / query.shape[-1] ** 0.5 for s in starts]
    largest = torch.stack([block.amax(dim=-1, keepdim=True) for block in blocks]).amax(dim=0)
    weights = [torch.exp(block - largest) for block in blocks]
    total = sum(block.sum(dim=-1, keepdim=True) for block in weights)
    return sum(block @ value[..., s : s + block_size, :] for block, s in zip(weights, starts)) / total

# %% wrong: query by query
# The queries were taken one by one, and each had the scores of all keys at once. It is the keys that come in blocks.
# See section 9.5.

def attention_in_blocks(query, key, value, block_size):
    if block_size < 1:
        raise ValueError(f"got block_size {block_size}")

    rows = []
    for t in range(query.shape[-2]):
        scores = query[..., t : t + 1, :] @ key.transpose(-2, -1) / query.shape[-1] ** 0.5
        rows.append(torch.softmax(scores, dim=-1) @ value)
    return torch.cat(rows, dim=-2)

# %% wrong: no ValueError
# A block of no keys was tried out, or left to range. Raise ValueError with the number in it before anything else. See
# section 9.5.

# --- before
    if block_size < 1:
# --- after
    if False:

# %% correct: blocks merged by their logarithms

def attention_in_blocks(query, key, value, block_size):
    if block_size < 1:
        raise ValueError(f"got block_size {block_size}")

    output, logarithm = None, None
    for keys, values in zip(key.split(block_size, dim=-2), value.split(block_size, dim=-2)):
        scores = torch.einsum("...td,...sd->...ts", query, keys) * query.shape[-1] ** -0.5
        here, of_block = torch.logsumexp(scores, dim=-1, keepdim=True), torch.softmax(scores, dim=-1) @ values
        if output is None:
            output, logarithm = of_block, here
        else:
            share = torch.sigmoid(here - logarithm)
            output, logarithm = output + share * (of_block - output), torch.logaddexp(logarithm, here)
    return output

# %% correct: two passes over the keys

def attention_in_blocks(query, key, value, block_size):
    if block_size < 1:
        raise ValueError(f"got block_size {block_size}")

    starts = range(0, key.shape[-2], block_size)

    def scores(start):
        return query @ key[..., start : start + block_size, :].mT / query.shape[-1] ** 0.5

    largest = scores(0).amax(dim=-1, keepdim=True)
    for start in starts:
        largest = torch.maximum(largest, scores(start).amax(dim=-1, keepdim=True))
    total = output = 0.0
    for start in starts:
        exponentials = (scores(start) - largest).exp()
        total = total + exponentials.sum(dim=-1, keepdim=True)
        output = output + exponentials @ value[..., start : start + block_size, :]
    return output / total

# %% correct: the total beside the values

def attention_in_blocks(query, key, value, block_size):
    if block_size < 1:
        raise ValueError(f"got block_size {block_size}")

    ones = torch.ones(*value.shape[:-1], 1, dtype=value.dtype)
    value = torch.cat([value, ones], dim=-1)  # the last column sums the exponentials up
    largest = torch.full((*query.shape[:-1], 1), -torch.inf, dtype=query.dtype)
    summed = torch.zeros(*query.shape[:-1], value.shape[-1], dtype=query.dtype)
    start = 0
    while start < key.shape[-2]:
        stop = min(start + block_size, key.shape[-2])
        scores = query @ key[..., start:stop, :].transpose(-1, -2) / query.shape[-1] ** 0.5
        larger = torch.max(largest, scores.max(dim=-1, keepdim=True).values)
        summed = summed * (largest - larger).exp() + (scores - larger).exp() @ value[..., start:stop, :]
        largest, start = larger, stop
    return summed[..., :-1] / summed[..., -1:]

# %% correct: always normalised

def attention_in_blocks(query, key, value, block_size):
    if block_size < 1:
        raise ValueError(f"got block_size {block_size}")

    query = query / query.shape[-1] ** 0.5
    largest, total, output = -torch.inf, 0.0, 0.0
    for keys, values in zip(torch.split(key, block_size, -2), torch.split(value, block_size, -2)):
        scores = query @ keys.mT
        larger = torch.clamp(scores.amax(-1, keepdim=True), min=largest)
        exponentials = torch.exp(scores - larger)
        before = total * torch.exp(largest - larger)
        total = before + exponentials.sum(-1, keepdim=True)
        output = output * (before / total) + exponentials @ values / total
        largest = larger
    return output

# %% correct: one key at a time, whatever the block

def attention_in_blocks(query, key, value, block_size):
    if block_size < 1:
        raise ValueError(f"got block_size {block_size}")

    largest = torch.full_like(query[..., :1], -torch.inf)
    total, output = torch.zeros_like(largest), query.new_zeros(*query.shape[:-1], value.shape[-1])
    for s in range(key.shape[-2]):
        score = (query * key[..., s : s + 1, :]).sum(-1, keepdim=True) / query.shape[-1] ** 0.5
        larger = torch.maximum(largest, score)
        rescale, exponential = (largest - larger).exp(), (score - larger).exp()
        total, largest = total * rescale + exponential, larger
        output = output * rescale + exponential * value[..., s : s + 1, :]
    return output / total

# %% correct: in float64, from the smallest number on

# --- before
    largest = query.new_full((*query.shape[:-1], 1), float("-inf"))  # (..., T, 1)
# --- after
    query, key, value = query.double(), key.double(), value.double()
    largest = query.new_full((*query.shape[:-1], 1), torch.finfo(torch.float64).min)  # (..., T, 1)
# --- before
    return output / total
# --- after
    return (output / total).float()

# %% correct: blocks of queries too

def attention_in_blocks(query, key, value, block_size):
    if block_size < 1:
        raise ValueError(f"got block_size {block_size}")

    outputs = []
    for q in query.split(2, dim=-2):
        largest, total, output = torch.full_like(q[..., :1], -1e30), 0.0, 0.0
        for k, v in zip(key.split(block_size, dim=-2), value.split(block_size, dim=-2)):
            scores = q @ k.mT / q.shape[-1] ** 0.5
            larger = torch.maximum(largest, scores.amax(-1, keepdim=True))
            rescale, exponentials = (largest - larger).exp(), (scores - larger).exp()
            total = total * rescale + exponentials.sum(-1, keepdim=True)
            output, largest = output * rescale + exponentials @ v, larger
        outputs.append(output / total)
    return torch.cat(outputs, dim=-2)

# %% correct: written in place

# --- before
        total = total * rescale + exponentials.sum(dim=-1, keepdim=True)
        output = output * rescale + exponentials @ values
        largest = larger
# --- after
        total.mul_(rescale).add_(exponentials.sum(dim=-1, keepdim=True))
        output.mul_(rescale).add_(exponentials @ values)
        largest.copy_(larger)
