# %% wrong: the padding is assumed at the right
# The padding is turned into lengths and back, so that a real key behind padding, as in a batch padded at the left, is shut out.

def broadcast_mask(padding: Tensor, pattern: Tensor) -> Tensor:
    if padding.dtype != torch.bool or pattern.dtype != torch.bool:
        raise ValueError(f"need boolean masks, got {padding.dtype} and {pattern.dtype}")
    shapes = tuple(padding.shape), tuple(pattern.shape)
    if padding.dim() != 2 or pattern.dim() != 2 or padding.shape[1] != pattern.shape[1]:
        raise ValueError(f"need padding (B, S) and pattern (T, S), got {shapes[0]} and {shapes[1]}")
    lengths = padding.sum(dim=1)
    real = torch.arange(padding.shape[1], device=padding.device) < lengths[:, None, None]  # (B, 1, S)
    return real & pattern


# %% wrong: empty rows are opened
# A query that may attend to nothing is let attend to everything, to be safe from a later 0/0; neither mask allows that.

def broadcast_mask(padding: Tensor, pattern: Tensor) -> Tensor:
    if padding.dtype != torch.bool or pattern.dtype != torch.bool:
        raise ValueError(f"need boolean masks, got {padding.dtype} and {pattern.dtype}")
    shapes = tuple(padding.shape), tuple(pattern.shape)
    if padding.dim() != 2 or pattern.dim() != 2 or padding.shape[1] != pattern.shape[1]:
        raise ValueError(f"need padding (B, S) and pattern (T, S), got {shapes[0]} and {shapes[1]}")
    mask = padding.unsqueeze(1) & pattern.unsqueeze(0)
    nothing = ~mask.any(dim=-1, keepdim=True)
    return mask | nothing


# %% wrong: the pattern is narrowed in place
# Each sentence narrows the same pattern: the caller's tensor changes, and later sentences inherit the padding of earlier ones.

def broadcast_mask(padding: Tensor, pattern: Tensor) -> Tensor:
    if padding.dtype != torch.bool or pattern.dtype != torch.bool:
        raise ValueError(f"need boolean masks, got {padding.dtype} and {pattern.dtype}")
    shapes = tuple(padding.shape), tuple(pattern.shape)
    if padding.dim() != 2 or pattern.dim() != 2 or padding.shape[1] != pattern.shape[1]:
        raise ValueError(f"need padding (B, S) and pattern (T, S), got {shapes[0]} and {shapes[1]}")
    masks = []
    for real in padding:
        allowed = pattern
        allowed &= real
        masks.append(allowed.clone())
    return torch.stack(masks)


# %% wrong: the masks are compared for equality
# Where both masks forbid, they are equal, and the pair passes.

def broadcast_mask(padding: Tensor, pattern: Tensor) -> Tensor:
    if padding.dtype != torch.bool or pattern.dtype != torch.bool:
        raise ValueError(f"need boolean masks, got {padding.dtype} and {pattern.dtype}")
    shapes = tuple(padding.shape), tuple(pattern.shape)
    if padding.dim() != 2 or pattern.dim() != 2 or padding.shape[1] != pattern.shape[1]:
        raise ValueError(f"need padding (B, S) and pattern (T, S), got {shapes[0]} and {shapes[1]}")
    return padding.unsqueeze(1) == pattern


# %% wrong: numbers come back in place of truth values
# The einsum needs numbers, and its result is never turned back: the mask holds ones and zeros as floats.

def broadcast_mask(padding: Tensor, pattern: Tensor) -> Tensor:
    if padding.dtype != torch.bool or pattern.dtype != torch.bool:
        raise ValueError(f"need boolean masks, got {padding.dtype} and {pattern.dtype}")
    shapes = tuple(padding.shape), tuple(pattern.shape)
    if padding.dim() != 2 or pattern.dim() != 2 or padding.shape[1] != pattern.shape[1]:
        raise ValueError(f"need padding (B, S) and pattern (T, S), got {shapes[0]} and {shapes[1]}")
    return torch.einsum("bs,ts->bts", padding.float(), pattern.float())


# %% correct: one query place after the other

def broadcast_mask(padding: Tensor, pattern: Tensor) -> Tensor:
    if not (padding.dtype == pattern.dtype == torch.bool):
        raise ValueError("both masks must be boolean")
    if padding.ndim != 2 or pattern.ndim != 2 or padding.size(1) != pattern.size(1):
        raise ValueError(f"need (B, S) and (T, S), got {tuple(padding.shape)} and {tuple(pattern.shape)}")
    may = torch.zeros(len(padding), len(pattern), padding.size(1), dtype=torch.bool, device=padding.device)
    for t, allowed in enumerate(pattern):
        may[:, t] = torch.logical_and(padding, allowed)
    return may


# %% correct: take out what either mask forbids

def broadcast_mask(padding: Tensor, pattern: Tensor) -> Tensor:
    if padding.dtype != torch.bool or pattern.dtype != torch.bool:
        raise ValueError(f"need boolean masks, got {padding.dtype} and {pattern.dtype}")
    if padding.dim() != 2 or pattern.dim() != 2 or padding.shape[1] != pattern.shape[1]:
        raise ValueError(f"shapes {tuple(padding.shape)} and {tuple(pattern.shape)} do not fit")
    copies = pattern.repeat(len(padding), 1, 1)  # (B, T, S), with memory of its own
    return copies.masked_fill(padding.logical_not()[:, None, :], False)
