# %% wrong: no maximum taken off
# With nothing subtracted, the exponential of a score above 88 is infinite in float32, and far below zero all are 0.
# Keep the largest score so far, for each query, and subtract it. See section 9.5.

# --- before
        exponentials, rescale = torch.exp(scores - larger), torch.exp(largest - larger)
# --- after
        exponentials, rescale = torch.exp(scores), 1.0

# %% wrong: one maximum for all queries
# The largest score is taken over all queries, so a query whose scores lie far below another's sums up nothing but
# zeros. Each query has a maximum of its own. See section 9.5.

# --- before
        larger = torch.maximum(largest, scores.amax(dim=-1, keepdim=True))
# --- after
        larger = torch.maximum(largest, scores.amax())

# %% wrong: the block's maximum in place of the largest so far
# What has been summed up is carried over to the maximum of the latest block, which may be smaller: then what was there
# before overflows. Take the larger of the old maximum and the block's. See section 9.5.

# --- before
        larger = torch.maximum(largest, scores.amax(dim=-1, keepdim=True))
# --- after
        larger = scores.amax(dim=-1, keepdim=True)

# %% wrong: the sums are not rescaled
# When a larger maximum turns up, the sums that were made with the old one no longer fit the new exponentials. Multiply
# both by the exponential of the old maximum minus the new one. See section 9.5.

# --- before
        exponentials, rescale = torch.exp(scores - larger), torch.exp(largest - larger)
# --- after
        exponentials, rescale = torch.exp(scores - larger), 1.0

# %% wrong: only the total is rescaled
# The total was carried over to the new maximum, but the weighted sum of the values was not. Both were made with the old
# maximum: rescale both. See section 9.5.

# --- before
        output = output * rescale + exponentials @ values
# --- after
        output = output + exponentials @ values

# %% wrong: rescaled the wrong way round
# When the maximum rises, what was summed up before has to become smaller, and it grew. The exponent is the old maximum
# minus the new one. See section 9.5.

# --- before
        exponentials, rescale = torch.exp(scores - larger), torch.exp(largest - larger)
# --- after
        exponentials, rescale = torch.exp(scores - larger), torch.exp(larger - largest).nan_to_num(0.0, posinf=0.0)

# %% wrong: each block normalized by itself
# Each block's weights were made to sum to one and the blocks' outputs averaged, so a key's weight depends on which
# block it stands in. Divide once, at the end, by the total over all blocks. See section 9.5.

# --- before
        total = total * rescale + exponentials.sum(dim=-1, keepdim=True)
        output = output * rescale + exponentials @ values
# --- after
        total = total + 1
        output = output + exponentials / exponentials.sum(dim=-1, keepdim=True) @ values

# %% wrong: no scale
# The scores were not divided by the root of d_k. Divide each block's scores, before the largest is sought. See section
# 9.5.

# --- before
        scores = query @ keys.transpose(-2, -1) / query.shape[-1] ** 0.5
# --- after
        scores = query @ keys.transpose(-2, -1)

# %% wrong: all scores at once
# The numbers are right, but the scores of all keys stood in one tensor, which is what blocks are meant to avoid. Work
# on the scores of one block of keys at a time. See section 9.5.

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

# %% wrong: no ValueError
# A block size below 1 was used all the same, or left for range to refuse. Raise ValueError with the number in it before
# anything else. See section 9.5.

# --- before
    if block_size < 1:
# --- after
    if False:

# %% wrong: the logarithm of the sum in place of the largest score and the sum
# The largest score and the sum became one number, the logarithm of the sum of exponentials. Beside a score of 1e8 the
# logarithm of 2 is lost to rounding, and keys in earlier blocks count too little. Keep both. See section 9.5.

# --- before
        larger = torch.maximum(largest, scores.amax(dim=-1, keepdim=True))
        exponentials, rescale = torch.exp(scores - larger), torch.exp(largest - larger)
        total = total * rescale + exponentials.sum(dim=-1, keepdim=True)
        output = output * rescale + exponentials @ values
# --- after
        larger = torch.logaddexp(largest, torch.logsumexp(scores, dim=-1, keepdim=True))
        total, output = 1.0, output * torch.exp(largest - larger) + torch.exp(scores - larger) @ values

# %% correct: powers of two
# --- before
        scores = query @ keys.transpose(-2, -1) / query.shape[-1] ** 0.5
# --- after
        scores = query @ keys.transpose(-2, -1) / query.shape[-1] ** 0.5 * 1.4426950408889634
# --- before
        exponentials, rescale = torch.exp(scores - larger), torch.exp(largest - larger)
# --- after
        exponentials, rescale = torch.exp2(scores - larger), torch.exp2(largest - larger)

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
# --- before
        total = total * rescale + exponentials.sum(dim=-1, keepdim=True)
        output = output * rescale + exponentials @ values
# --- after
        beside = torch.cat([values, torch.ones_like(values[..., :1])], dim=-1)  # its last column sums them up
        summed = torch.cat([output, total], dim=-1) * rescale + exponentials @ beside
        output, total = summed[..., :-1], summed[..., -1:]

# %% correct: in float64, from the smallest number on
# --- before
    largest = query.new_full((*query.shape[:-1], 1), float("-inf"))  # (..., T, 1)
# --- after
    dtype, query, key, value = query.dtype, query.double(), key.double(), value.double()
    largest = query.new_full((*query.shape[:-1], 1), torch.finfo(torch.float64).min)  # (..., T, 1)
# --- before
    return output / total
# --- after
    return (output / total).to(dtype)

# %% correct: written in place
# --- before
        total = total * rescale + exponentials.sum(dim=-1, keepdim=True)
        output = output * rescale + exponentials @ values
# --- after
        total.mul_(rescale).add_(exponentials.sum(dim=-1, keepdim=True))
        output.mul_(rescale).add_(exponentials @ values)
