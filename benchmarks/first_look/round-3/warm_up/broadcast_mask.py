# %% wrong: padding without its new axis
# (B, S) meets (T, S) as they are: an error, or where B equals T (or one is 1) sentence b is combined with query b only.
# Breaks the promised shape (B, T, S). Hint: right ends aligned, B stands over T; what has to stand between B and S?

def broadcast_mask(padding: Tensor, pattern: Tensor) -> Tensor:
    if padding.dtype != torch.bool or pattern.dtype != torch.bool:
        raise ValueError(f"need boolean masks, got {padding.dtype} and {pattern.dtype}")
    shapes = tuple(padding.shape), tuple(pattern.shape)
    if padding.dim() != 2 or pattern.dim() != 2 or padding.shape[1] != pattern.shape[1]:
        raise ValueError(f"need padding (B, S) and pattern (T, S), got {shapes[0]} and {shapes[1]}")
    return padding & pattern


# %% wrong: either is enough
# The masks are joined with "or", so a padded key may be attended to wherever the pattern allows it.
# Breaks "to real keys of its sentence that the pattern allows". Hint: a pair passes if both let it; which operator says "both"?

def broadcast_mask(padding: Tensor, pattern: Tensor) -> Tensor:
    if padding.dtype != torch.bool or pattern.dtype != torch.bool:
        raise ValueError(f"need boolean masks, got {padding.dtype} and {pattern.dtype}")
    shapes = tuple(padding.shape), tuple(pattern.shape)
    if padding.dim() != 2 or pattern.dim() != 2 or padding.shape[1] != pattern.shape[1]:
        raise ValueError(f"need padding (B, S) and pattern (T, S), got {shapes[0]} and {shapes[1]}")
    return padding.unsqueeze(1) | pattern.unsqueeze(0)


# %% wrong: padded queries silenced too
# The padding of the keys is laid over the queries as well, as if T were the same sentence as S.
# Breaks for T different from S (error), and for T equal to S it forbids pairs that both masks allow. Hint: whose tokens does the padding (B, S) speak of?

def broadcast_mask(padding: Tensor, pattern: Tensor) -> Tensor:
    if padding.dtype != torch.bool or pattern.dtype != torch.bool:
        raise ValueError(f"need boolean masks, got {padding.dtype} and {pattern.dtype}")
    shapes = tuple(padding.shape), tuple(pattern.shape)
    if padding.dim() != 2 or pattern.dim() != 2 or padding.shape[1] != pattern.shape[1]:
        raise ValueError(f"need padding (B, S) and pattern (T, S), got {shapes[0]} and {shapes[1]}")
    both_real = padding.unsqueeze(1) & padding.unsqueeze(2)
    return both_real & pattern


# %% wrong: ones and zeros in place of truth values
# The masks are multiplied as numbers and the product is handed back as int64.
# Breaks "Returns a boolean mask": used as an index or with ~ it does something else. Hint: print the dtype of what you return.

def broadcast_mask(padding: Tensor, pattern: Tensor) -> Tensor:
    if padding.dtype != torch.bool or pattern.dtype != torch.bool:
        raise ValueError(f"need boolean masks, got {padding.dtype} and {pattern.dtype}")
    shapes = tuple(padding.shape), tuple(pattern.shape)
    if padding.dim() != 2 or pattern.dim() != 2 or padding.shape[1] != pattern.shape[1]:
        raise ValueError(f"need padding (B, S) and pattern (T, S), got {shapes[0]} and {shapes[1]}")
    return torch.einsum("bs,ts->bts", padding.long(), pattern.long())


# %% correct: forbidden pairs turned round

def broadcast_mask(padding: Tensor, pattern: Tensor) -> Tensor:
    if padding.dtype != torch.bool or pattern.dtype != torch.bool:
        raise ValueError(f"need boolean masks, got {padding.dtype} and {pattern.dtype}")
    if not (padding.ndim == pattern.ndim == 2 and padding.size(-1) == pattern.size(-1)):
        raise ValueError(f"need padding (B, S) and pattern (T, S), got {tuple(padding.shape)} and {tuple(pattern.shape)}")
    allowed = pattern.repeat(padding.size(0), 1, 1)  # (B, T, S), a copy
    return allowed.masked_fill_(padding.logical_not()[:, None, :], False)
