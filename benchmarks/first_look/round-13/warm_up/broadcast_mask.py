# %% wrong: the padding stands at the queries
# (B, S, 1) lines up S with the queries' axis: where T = S the rows of padding are closed and the padded keys
# stay open; where T and S differ it raises a RuntimeError.

def broadcast_mask(padding: Tensor, pattern: Tensor) -> Tensor:
    if padding.dtype != torch.bool or pattern.dtype != torch.bool:
        raise ValueError(f"need boolean masks, got {padding.dtype} and {pattern.dtype}")
    shapes = tuple(padding.shape), tuple(pattern.shape)
    if padding.dim() != 2 or pattern.dim() != 2 or padding.shape[1] != pattern.shape[1]:
        raise ValueError(f"need padding (B, S) and pattern (T, S), got {shapes[0]} and {shapes[1]}")
    return padding.unsqueeze(2) & pattern


# %% wrong: a product of numbers
# It returns 0.0 and 1.0 in float32, where a boolean mask is promised: for every input.

def broadcast_mask(padding: Tensor, pattern: Tensor) -> Tensor:
    if padding.dtype != torch.bool or pattern.dtype != torch.bool:
        raise ValueError(f"need boolean masks, got {padding.dtype} and {pattern.dtype}")
    shapes = tuple(padding.shape), tuple(pattern.shape)
    if padding.dim() != 2 or pattern.dim() != 2 or padding.shape[1] != pattern.shape[1]:
        raise ValueError(f"need padding (B, S) and pattern (T, S), got {shapes[0]} and {shapes[1]}")
    return torch.einsum("bs,ts->bts", padding.float(), pattern.float())


# %% wrong: padding as a query is forbidden too
# Where T = S it takes the sentence for its own queries and closes the rows of padding, which the pattern
# allows. Shows for a square pattern and a sentence with padding.

def broadcast_mask(padding: Tensor, pattern: Tensor) -> Tensor:
    if padding.dtype != torch.bool or pattern.dtype != torch.bool:
        raise ValueError(f"need boolean masks, got {padding.dtype} and {pattern.dtype}")
    shapes = tuple(padding.shape), tuple(pattern.shape)
    if padding.dim() != 2 or pattern.dim() != 2 or padding.shape[1] != pattern.shape[1]:
        raise ValueError(f"need padding (B, S) and pattern (T, S), got {shapes[0]} and {shapes[1]}")
    mask = padding[:, None, :] & pattern[None, :, :]
    if mask.shape[1] == mask.shape[2]:  # self-attention: the queries are padded as well
        mask = mask & padding[:, :, None]
    return mask


# %% wrong: the pattern is used up sentence by sentence
# `&=` writes into the caller's pattern, and all entries of the stack are what is left after the last sentence:
# shows for two sentences of different lengths, and in the pattern afterwards.

def broadcast_mask(padding: Tensor, pattern: Tensor) -> Tensor:
    if padding.dtype != torch.bool or pattern.dtype != torch.bool:
        raise ValueError(f"need boolean masks, got {padding.dtype} and {pattern.dtype}")
    shapes = tuple(padding.shape), tuple(pattern.shape)
    if padding.dim() != 2 or pattern.dim() != 2 or padding.shape[1] != pattern.shape[1]:
        raise ValueError(f"need padding (B, S) and pattern (T, S), got {shapes[0]} and {shapes[1]}")
    masks = []
    for real in padding:
        mask = pattern
        mask &= real
        masks.append(mask)
    return torch.stack(masks)


# %% correct: both votes are needed

def broadcast_mask(padding: Tensor, pattern: Tensor) -> Tensor:
    if padding.dtype != torch.bool or pattern.dtype != torch.bool:
        raise ValueError(f"need boolean masks, got {padding.dtype} and {pattern.dtype}")
    shapes = tuple(padding.shape), tuple(pattern.shape)
    if padding.dim() != 2 or pattern.dim() != 2 or padding.shape[1] != pattern.shape[1]:
        raise ValueError(f"need padding (B, S) and pattern (T, S), got {shapes[0]} and {shapes[1]}")
    votes = padding.to(torch.uint8).unsqueeze(1) + pattern.to(torch.uint8)
    return votes.eq(2)


# %% correct: from the forbidden ones

def broadcast_mask(padding: Tensor, pattern: Tensor) -> Tensor:
    if padding.dtype != torch.bool or pattern.dtype != torch.bool:
        raise ValueError(f"need boolean masks, got {padding.dtype} and {pattern.dtype}")
    shapes = tuple(padding.shape), tuple(pattern.shape)
    if padding.dim() != 2 or pattern.dim() != 2 or padding.shape[1] != pattern.shape[1]:
        raise ValueError(f"need padding (B, S) and pattern (T, S), got {shapes[0]} and {shapes[1]}")
    mask = pattern.repeat(padding.shape[0], 1, 1)  # a copy
    sentence, place = torch.nonzero(~padding, as_tuple=True)
    mask[sentence, :, place] = False
    return mask
