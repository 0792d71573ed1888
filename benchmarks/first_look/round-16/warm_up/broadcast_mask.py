# %% wrong: counts the real keys and supposes that padding stands at the right
# The first n keys are let through, n the number of real ones. Wrong where padding stands on the left or in
# between, e.g. padding [[False, True, True]]: nothing says that it stands at the right.

def broadcast_mask(padding: Tensor, pattern: Tensor) -> Tensor:
    if padding.dtype != torch.bool or pattern.dtype != torch.bool:
        raise ValueError(f"need boolean masks, got {padding.dtype} and {pattern.dtype}")
    shapes = tuple(padding.shape), tuple(pattern.shape)
    if padding.dim() != 2 or pattern.dim() != 2 or padding.shape[1] != pattern.shape[1]:
        raise ValueError(f"need padding (B, S) and pattern (T, S), got {shapes[0]} and {shapes[1]}")
    lengths = padding.sum(dim=1)  # (B,)
    is_real = torch.arange(padding.shape[1], device=padding.device) < lengths.unsqueeze(1)
    return is_real.unsqueeze(1) & pattern


# %% wrong: one pattern shared by all sentences and changed in place
# [pattern] * B holds the same tensor B times, and &= writes into it: every sentence gets the AND over all
# sentences, and the caller's pattern is changed. Shows for B = 2 with different padding, and in pattern for B = 1.

def broadcast_mask(padding: Tensor, pattern: Tensor) -> Tensor:
    if padding.dtype != torch.bool or pattern.dtype != torch.bool:
        raise ValueError(f"need boolean masks, got {padding.dtype} and {pattern.dtype}")
    shapes = tuple(padding.shape), tuple(pattern.shape)
    if padding.dim() != 2 or pattern.dim() != 2 or padding.shape[1] != pattern.shape[1]:
        raise ValueError(f"need padding (B, S) and pattern (T, S), got {shapes[0]} and {shapes[1]}")
    masks = [pattern] * padding.shape[0]
    for mask, real in zip(masks, padding, strict=True):
        mask &= real
    return torch.stack(masks)


# %% wrong: closes the rows of padding queries where T equals S
# In self-attention the queries are the keys, so the student also shuts the rows of padding. The docstring speaks of
# keys only. Shows where T == S and some padding is False.

def broadcast_mask(padding: Tensor, pattern: Tensor) -> Tensor:
    if padding.dtype != torch.bool or pattern.dtype != torch.bool:
        raise ValueError(f"need boolean masks, got {padding.dtype} and {pattern.dtype}")
    shapes = tuple(padding.shape), tuple(pattern.shape)
    if padding.dim() != 2 or pattern.dim() != 2 or padding.shape[1] != pattern.shape[1]:
        raise ValueError(f"need padding (B, S) and pattern (T, S), got {shapes[0]} and {shapes[1]}")
    mask = padding.unsqueeze(1) & pattern.unsqueeze(0)
    if pattern.shape[0] == pattern.shape[1]:
        mask = mask & padding.unsqueeze(2)
    return mask


# %% wrong: opens a row in which nothing is left
# A query that may attend to nothing would make the softmax nan, so such a row is opened everywhere. Wrong for a
# pattern row without True, or where the pattern allows padding keys only: must stay all False.

def broadcast_mask(padding: Tensor, pattern: Tensor) -> Tensor:
    if padding.dtype != torch.bool or pattern.dtype != torch.bool:
        raise ValueError(f"need boolean masks, got {padding.dtype} and {pattern.dtype}")
    shapes = tuple(padding.shape), tuple(pattern.shape)
    if padding.dim() != 2 or pattern.dim() != 2 or padding.shape[1] != pattern.shape[1]:
        raise ValueError(f"need padding (B, S) and pattern (T, S), got {shapes[0]} and {shapes[1]}")
    mask = padding[:, None, :] & pattern[None, :, :]
    nothing_left = ~mask.any(dim=-1, keepdim=True)
    return mask | nothing_left


# %% correct: closes the padding in a stretched pattern

def broadcast_mask(padding: Tensor, pattern: Tensor) -> Tensor:
    if padding.dtype != torch.bool or pattern.dtype != torch.bool:
        raise ValueError(f"need boolean masks, got {padding.dtype} and {pattern.dtype}")
    shapes = tuple(padding.shape), tuple(pattern.shape)
    if padding.dim() != 2 or pattern.dim() != 2 or padding.shape[1] != pattern.shape[1]:
        raise ValueError(f"need padding (B, S) and pattern (T, S), got {shapes[0]} and {shapes[1]}")
    return pattern.expand(padding.shape[0], -1, -1).masked_fill(~padding.unsqueeze(1), False)


# %% correct: counts the votes of both masks, two are needed

def broadcast_mask(padding: Tensor, pattern: Tensor) -> Tensor:
    if padding.dtype != torch.bool or pattern.dtype != torch.bool:
        raise ValueError(f"need boolean masks, got {padding.dtype} and {pattern.dtype}")
    shapes = tuple(padding.shape), tuple(pattern.shape)
    if padding.dim() != 2 or pattern.dim() != 2 or padding.shape[1] != pattern.shape[1]:
        raise ValueError(f"need padding (B, S) and pattern (T, S), got {shapes[0]} and {shapes[1]}")
    votes = torch.stack([pattern.int() + real.int() for real in padding])
    return votes == 2
