# %% wrong: repeat where repeat_interleave is needed
# repeat(T, 1) lists all sentences T times, and the view cuts this list at the wrong places: sentences are mixed. Shows
# for B and T above 1 with different paddings.

def broadcast_mask(padding: Tensor, pattern: Tensor) -> Tensor:
    if padding.dtype != torch.bool or pattern.dtype != torch.bool:
        raise ValueError(f"need boolean masks, got {padding.dtype} and {pattern.dtype}")
    shapes = tuple(padding.shape), tuple(pattern.shape)
    if padding.dim() != 2 or pattern.dim() != 2 or padding.shape[1] != pattern.shape[1]:
        raise ValueError(f"need padding (B, S) and pattern (T, S), got {shapes[0]} and {shapes[1]}")
    B, S = padding.shape
    T = pattern.shape[0]
    return padding.repeat(T, 1).view(B, T, S) & pattern


# %% wrong: counts the permissions, in booleans
# True + True is True for boolean tensors, so the sum never equals 2: the mask is False everywhere. Shows wherever a
# pair may attend.

def broadcast_mask(padding: Tensor, pattern: Tensor) -> Tensor:
    if padding.dtype != torch.bool or pattern.dtype != torch.bool:
        raise ValueError(f"need boolean masks, got {padding.dtype} and {pattern.dtype}")
    shapes = tuple(padding.shape), tuple(pattern.shape)
    if padding.dim() != 2 or pattern.dim() != 2 or padding.shape[1] != pattern.shape[1]:
        raise ValueError(f"need padding (B, S) and pattern (T, S), got {shapes[0]} and {shapes[1]}")
    permissions = padding.unsqueeze(1) + pattern.unsqueeze(0)
    return permissions == 2


# %% wrong: padding closed as a query, too, where the sizes allow it
# Where T equals S, the rows of padded places are closed as well; the docstring speaks of real keys only. Shows for
# T = S with padding, e.g. four real tokens of six and everything allowed: 16 pairs instead of 24.

def broadcast_mask(padding: Tensor, pattern: Tensor) -> Tensor:
    if padding.dtype != torch.bool or pattern.dtype != torch.bool:
        raise ValueError(f"need boolean masks, got {padding.dtype} and {pattern.dtype}")
    shapes = tuple(padding.shape), tuple(pattern.shape)
    if padding.dim() != 2 or pattern.dim() != 2 or padding.shape[1] != pattern.shape[1]:
        raise ValueError(f"need padding (B, S) and pattern (T, S), got {shapes[0]} and {shapes[1]}")
    mask = padding.unsqueeze(1) & pattern.unsqueeze(0)
    if pattern.shape[0] == pattern.shape[1]:  # queries and keys are the same words
        mask = mask & padding.unsqueeze(2)
    return mask


# %% wrong: a row that may attend to nothing is opened again
# To keep a later softmax from nan, rows without a True fall back to the pattern; the docstring lets them be all
# False. Shows for a sentence that is nothing but padding.

def broadcast_mask(padding: Tensor, pattern: Tensor) -> Tensor:
    if padding.dtype != torch.bool or pattern.dtype != torch.bool:
        raise ValueError(f"need boolean masks, got {padding.dtype} and {pattern.dtype}")
    shapes = tuple(padding.shape), tuple(pattern.shape)
    if padding.dim() != 2 or pattern.dim() != 2 or padding.shape[1] != pattern.shape[1]:
        raise ValueError(f"need padding (B, S) and pattern (T, S), got {shapes[0]} and {shapes[1]}")
    mask = padding[:, None, :] & pattern[None, :, :]
    nothing = ~mask.any(dim=-1, keepdim=True)
    return torch.where(nothing, pattern, mask)


# %% correct: greater than what is forbidden
def broadcast_mask(padding: Tensor, pattern: Tensor) -> Tensor:
    if padding.dtype != torch.bool or pattern.dtype != torch.bool:
        raise ValueError(f"need boolean masks, got {padding.dtype} and {pattern.dtype}")
    shapes = tuple(padding.shape), tuple(pattern.shape)
    if padding.dim() != 2 or pattern.dim() != 2 or padding.shape[1] != pattern.shape[1]:
        raise ValueError(f"need padding (B, S) and pattern (T, S), got {shapes[0]} and {shapes[1]}")
    return padding.unsqueeze(1) > pattern.logical_not()  # True > False, only where both allow it


# %% correct: a copy of the pattern for each sentence, with the padded columns erased
def broadcast_mask(padding: Tensor, pattern: Tensor) -> Tensor:
    if padding.dtype != torch.bool or pattern.dtype != torch.bool:
        raise ValueError(f"need boolean masks, got {padding.dtype} and {pattern.dtype}")
    shapes = tuple(padding.shape), tuple(pattern.shape)
    if padding.dim() != 2 or pattern.dim() != 2 or padding.shape[1] != pattern.shape[1]:
        raise ValueError(f"need padding (B, S) and pattern (T, S), got {shapes[0]} and {shapes[1]}")
    mask = pattern.repeat(padding.shape[0], 1, 1)  # (B, T, S), new memory
    for sentence, real in zip(mask, padding, strict=True):
        sentence[:, ~real] = False
    return mask
