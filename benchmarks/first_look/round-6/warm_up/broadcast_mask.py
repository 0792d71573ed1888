# %% wrong: counts two truths by adding booleans
# In PyTorch True + True is True again and never above 1, so the mask is False everywhere.

def broadcast_mask(padding: Tensor, pattern: Tensor) -> Tensor:
    if padding.dtype != torch.bool or pattern.dtype != torch.bool:
        raise ValueError(f"need boolean masks, got {padding.dtype} and {pattern.dtype}")
    shapes = tuple(padding.shape), tuple(pattern.shape)
    if padding.dim() != 2 or pattern.dim() != 2 or padding.shape[1] != pattern.shape[1]:
        raise ValueError(f"need padding (B, S) and pattern (T, S), got {shapes[0]} and {shapes[1]}")
    allowed_by = padding[:, None, :] + pattern[None, :, :]
    return allowed_by > 1


# %% wrong: the pattern is narrowed in place, sentence by sentence
# The pattern given is changed, each sentence inherits the padding of those before it, and all entries share one tensor.

def broadcast_mask(padding: Tensor, pattern: Tensor) -> Tensor:
    if padding.dtype != torch.bool or pattern.dtype != torch.bool:
        raise ValueError(f"need boolean masks, got {padding.dtype} and {pattern.dtype}")
    shapes = tuple(padding.shape), tuple(pattern.shape)
    if padding.dim() != 2 or pattern.dim() != 2 or padding.shape[1] != pattern.shape[1]:
        raise ValueError(f"need padding (B, S) and pattern (T, S), got {shapes[0]} and {shapes[1]}")
    masks = []
    for sentence in padding:
        pattern &= sentence
        masks.append(pattern)
    return torch.stack(masks)


# %% wrong: queries on padding are forbidden everything
# The padding is laid over the queries as well, where T and S are equal; asked for is a mask of real keys only.

def broadcast_mask(padding: Tensor, pattern: Tensor) -> Tensor:
    if padding.dtype != torch.bool or pattern.dtype != torch.bool:
        raise ValueError(f"need boolean masks, got {padding.dtype} and {pattern.dtype}")
    shapes = tuple(padding.shape), tuple(pattern.shape)
    if padding.dim() != 2 or pattern.dim() != 2 or padding.shape[1] != pattern.shape[1]:
        raise ValueError(f"need padding (B, S) and pattern (T, S), got {shapes[0]} and {shapes[1]}")
    mask = padding.unsqueeze(1) & pattern
    if pattern.shape[0] == pattern.shape[1]:
        mask = mask & padding.unsqueeze(2)
    return mask


# %% wrong: a row that allows nothing is opened
# To spare a later softmax, a query that may attend to nothing is allowed every key, padding included.

def broadcast_mask(padding: Tensor, pattern: Tensor) -> Tensor:
    if padding.dtype != torch.bool or pattern.dtype != torch.bool:
        raise ValueError(f"need boolean masks, got {padding.dtype} and {pattern.dtype}")
    shapes = tuple(padding.shape), tuple(pattern.shape)
    if padding.dim() != 2 or pattern.dim() != 2 or padding.shape[1] != pattern.shape[1]:
        raise ValueError(f"need padding (B, S) and pattern (T, S), got {shapes[0]} and {shapes[1]}")
    both = torch.logical_and(padding.unsqueeze(1), pattern.unsqueeze(0))
    nothing = ~both.any(dim=-1, keepdim=True)
    return both | nothing


# %% wrong: turns other dtypes into boolean ones
# Masks of integers or floats are converted kindly where a ValueError is promised.

def broadcast_mask(padding: Tensor, pattern: Tensor) -> Tensor:
    padding, pattern = padding.bool(), pattern.bool()
    shapes = tuple(padding.shape), tuple(pattern.shape)
    if padding.dim() != 2 or pattern.dim() != 2 or padding.shape[1] != pattern.shape[1]:
        raise ValueError(f"need padding (B, S) and pattern (T, S), got {shapes[0]} and {shapes[1]}")
    B, S = padding.shape
    T = pattern.shape[0]
    return padding.view(B, 1, S).expand(B, T, S) & pattern.expand(B, T, S)


# %% correct: the pattern with padding crossed out

def broadcast_mask(padding: Tensor, pattern: Tensor) -> Tensor:
    for mask in (padding, pattern):
        if mask.dtype is not torch.bool:
            raise ValueError(f"a mask of {mask.dtype} is not boolean")
        if mask.dim() != 2:
            raise ValueError(f"a mask of shape {tuple(mask.shape)} has not got two axes")
    if padding.size(1) != pattern.size(1):
        raise ValueError(f"{padding.size(1)} and {pattern.size(1)} keys")
    copies = pattern.repeat(padding.size(0), 1, 1)
    return copies.masked_fill(padding.logical_not().unsqueeze(1), False)


# %% correct: row by row into a mask that begins all false

def broadcast_mask(padding: Tensor, pattern: Tensor) -> Tensor:
    if padding.dtype != torch.bool or pattern.dtype != torch.bool:
        raise ValueError(f"need boolean masks, got {padding.dtype} and {pattern.dtype}")
    shapes = tuple(padding.shape), tuple(pattern.shape)
    if padding.dim() != 2 or pattern.dim() != 2 or padding.shape[1] != pattern.shape[1]:
        raise ValueError(f"need padding (B, S) and pattern (T, S), got {shapes[0]} and {shapes[1]}")
    mask = pattern.new_zeros((len(padding), *pattern.shape))
    for b, real in enumerate(padding):
        for t, may in enumerate(pattern):
            mask[b, t] = torch.where(real, may, real)
    return mask
