# %% wrong: the padding's axis at the queries
# unsqueeze(2) puts the padding (B, S, 1) at the queries' axis: with T = S it silently forbids padded queries in place of padded keys, otherwise it raises an error. A good message: "padding belongs to the keys: (B, 1, S)".

def broadcast_mask(padding: Tensor, pattern: Tensor) -> Tensor:
    if padding.dtype != torch.bool or pattern.dtype != torch.bool:
        raise ValueError(f"need boolean masks, got {padding.dtype} and {pattern.dtype}")
    shapes = tuple(padding.shape), tuple(pattern.shape)
    if padding.dim() != 2 or pattern.dim() != 2 or padding.shape[1] != pattern.shape[1]:
        raise ValueError(f"need padding (B, S) and pattern (T, S), got {shapes[0]} and {shapes[1]}")
    return padding.unsqueeze(2) & pattern

# %% wrong: padded queries forbidden as well when T equals S
# Where the mask is square it also forbids the rows of padded queries, "since they are padding too". The docstring speaks of keys only. A good message: "row t of a sentence shorter than t must still see real keys that the pattern allows".

def broadcast_mask(padding: Tensor, pattern: Tensor) -> Tensor:
    if padding.dtype != torch.bool or pattern.dtype != torch.bool:
        raise ValueError(f"need boolean masks, got {padding.dtype} and {pattern.dtype}")
    shapes = tuple(padding.shape), tuple(pattern.shape)
    if padding.dim() != 2 or pattern.dim() != 2 or padding.shape[1] != pattern.shape[1]:
        raise ValueError(f"need padding (B, S) and pattern (T, S), got {shapes[0]} and {shapes[1]}")
    mask = padding.unsqueeze(1) & pattern.unsqueeze(0)
    if mask.shape[1] == mask.shape[2]:
        mask = mask & padding.unsqueeze(2)
    return mask

# %% wrong: numbers in place of truth values
# Multiplies zeros and ones: the right places, but an integer tensor comes back, not a boolean mask (~ of it is then -1 and -2). A good message: "the mask's dtype is int64, and must be bool".

def broadcast_mask(padding: Tensor, pattern: Tensor) -> Tensor:
    if padding.dtype != torch.bool or pattern.dtype != torch.bool:
        raise ValueError(f"need boolean masks, got {padding.dtype} and {pattern.dtype}")
    shapes = tuple(padding.shape), tuple(pattern.shape)
    if padding.dim() != 2 or pattern.dim() != 2 or padding.shape[1] != pattern.shape[1]:
        raise ValueError(f"need padding (B, S) and pattern (T, S), got {shapes[0]} and {shapes[1]}")
    return torch.einsum("bs,ts->bts", padding.long(), pattern.long())

# %% correct: fills a repeated pattern of its own

def broadcast_mask(padding: Tensor, pattern: Tensor) -> Tensor:
    if padding.dtype != torch.bool or pattern.dtype != torch.bool:
        raise ValueError(f"need boolean masks, got {padding.dtype} and {pattern.dtype}")
    shapes = tuple(padding.shape), tuple(pattern.shape)
    if padding.dim() != 2 or pattern.dim() != 2 or padding.shape[1] != pattern.shape[1]:
        raise ValueError(f"need padding (B, S) and pattern (T, S), got {shapes[0]} and {shapes[1]}")
    forbidden = ~padding[:, None, :]
    return pattern.repeat(len(padding), 1, 1).masked_fill_(forbidden, False)

# %% correct: product of truth values

def broadcast_mask(padding: Tensor, pattern: Tensor) -> Tensor:
    ok = (
        padding.dtype == pattern.dtype == torch.bool
        and padding.ndim == pattern.ndim == 2
        and padding.size(-1) == pattern.size(-1)
    )
    if not ok:
        raise ValueError(f"{padding.dtype} {list(padding.shape)} and {pattern.dtype} {list(pattern.shape)} do not fit")
    return padding[:, None] * pattern[None]
