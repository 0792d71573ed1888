# %% wrong: the two masks are added
# The sum of two truth values is "or" in PyTorch: a query may look at padding wherever the pattern allows it.
# Hint: what is torch.tensor(True) + torch.tensor(False), and what should it be here?

def broadcast_mask(padding: Tensor, pattern: Tensor) -> Tensor:
    if padding.dtype != torch.bool or pattern.dtype != torch.bool:
        raise ValueError(f"need boolean masks, got {padding.dtype} and {pattern.dtype}")
    shapes = tuple(padding.shape), tuple(pattern.shape)
    if padding.dim() != 2 or pattern.dim() != 2 or padding.shape[1] != pattern.shape[1]:
        raise ValueError(f"need padding (B, S) and pattern (T, S), got {shapes[0]} and {shapes[1]}")
    return padding.unsqueeze(1) + pattern.unsqueeze(0)


# %% wrong: the new axis of the padding stands at the end
# (B, S, 1) against (T, S) lays the padding along the queries: padded queries see nothing, padded keys are seen, and
# where T and S differ it crashes.
# Hint: write (B, S, 1) under (T, S) with right ends aligned; at which place must the 1 stand so that S meets S?

def broadcast_mask(padding: Tensor, pattern: Tensor) -> Tensor:
    if padding.dtype != torch.bool or pattern.dtype != torch.bool:
        raise ValueError(f"need boolean masks, got {padding.dtype} and {pattern.dtype}")
    shapes = tuple(padding.shape), tuple(pattern.shape)
    if padding.dim() != 2 or pattern.dim() != 2 or padding.shape[1] != pattern.shape[1]:
        raise ValueError(f"need padding (B, S) and pattern (T, S), got {shapes[0]} and {shapes[1]}")
    return padding.unsqueeze(-1) & pattern


# %% wrong: rows without any key are opened again
# So that no softmax meets an empty row, it lets a query that may attend to nothing attend to everything, padding and
# forbidden places included.
# Hint: the docstring says where a query may attend; does it make an exception for a row that is all False?

def broadcast_mask(padding: Tensor, pattern: Tensor) -> Tensor:
    if padding.dtype != torch.bool or pattern.dtype != torch.bool:
        raise ValueError(f"need boolean masks, got {padding.dtype} and {pattern.dtype}")
    shapes = tuple(padding.shape), tuple(pattern.shape)
    if padding.dim() != 2 or pattern.dim() != 2 or padding.shape[1] != pattern.shape[1]:
        raise ValueError(f"need padding (B, S) and pattern (T, S), got {shapes[0]} and {shapes[1]}")
    allowed = padding.unsqueeze(1) & pattern
    nothing_allowed = ~allowed.any(dim=-1, keepdim=True)  # would give NaN in the softmax
    return allowed | nothing_allowed


# %% wrong: an additive mask of zeros and minus infinities
# It returns floats that could be added to scores, as many programs do; promised is a boolean mask with True for "may".
# Hint: look at the dtype of what you return, and at what the docstring says about it.

def broadcast_mask(padding: Tensor, pattern: Tensor) -> Tensor:
    if padding.dtype != torch.bool or pattern.dtype != torch.bool:
        raise ValueError(f"need boolean masks, got {padding.dtype} and {pattern.dtype}")
    shapes = tuple(padding.shape), tuple(pattern.shape)
    if padding.dim() != 2 or pattern.dim() != 2 or padding.shape[1] != pattern.shape[1]:
        raise ValueError(f"need padding (B, S) and pattern (T, S), got {shapes[0]} and {shapes[1]}")
    allowed = padding[:, None, :] & pattern[None, :, :]
    return torch.zeros(allowed.shape, device=allowed.device).masked_fill(~allowed, float("-inf"))


# %% correct: one sentence after the other

def broadcast_mask(padding: Tensor, pattern: Tensor) -> Tensor:
    for mask in (padding, pattern):
        if mask.dtype != torch.bool:
            raise ValueError(f"both masks must be boolean, one is {mask.dtype}")
        if mask.dim() != 2:
            raise ValueError(f"both masks need two axes, one is {tuple(mask.shape)}")
    batch, keys = padding.shape
    queries, pattern_keys = pattern.shape
    if keys != pattern_keys:
        raise ValueError(f"padding is for {keys} keys and pattern for {pattern_keys}")
    allowed = pattern.new_zeros(batch, queries, keys)
    for b in range(batch):
        allowed[b] = pattern & padding[b]
    return allowed


# %% correct: what is forbidden taken out of the pattern

def broadcast_mask(padding: Tensor, pattern: Tensor) -> Tensor:
    if padding.dtype != torch.bool or pattern.dtype != torch.bool:
        raise ValueError(f"need boolean masks, got {padding.dtype} and {pattern.dtype}")
    shapes = tuple(padding.shape), tuple(pattern.shape)
    if padding.dim() != 2 or pattern.dim() != 2 or padding.shape[1] != pattern.shape[1]:
        raise ValueError(f"need padding (B, S) and pattern (T, S), got {shapes[0]} and {shapes[1]}")
    is_padding = torch.logical_not(padding).unsqueeze(1)  # (B, 1, S)
    is_outside = torch.logical_not(pattern)  # (T, S)
    return torch.logical_not(torch.logical_or(is_padding, is_outside))
