# %% wrong: padding rows of the queries are silenced too
# The padding is also laid over the query axis, as in self-attention. With T == S the rows of padded places
# become all False although the pattern allows them; with T different from S it raises a RuntimeError.

def broadcast_mask(padding: Tensor, pattern: Tensor) -> Tensor:
    if padding.dtype != torch.bool or pattern.dtype != torch.bool:
        raise ValueError(f"need boolean masks, got {padding.dtype} and {pattern.dtype}")
    shapes = tuple(padding.shape), tuple(pattern.shape)
    if padding.dim() != 2 or pattern.dim() != 2 or padding.shape[1] != pattern.shape[1]:
        raise ValueError(f"need padding (B, S) and pattern (T, S), got {shapes[0]} and {shapes[1]}")
    both_real = padding.unsqueeze(1) & padding.unsqueeze(2)
    return both_real & pattern


# %% wrong: the sum of two booleans is compared with two
# True + True is True for boolean tensors, never 2. So every entry is False, for any input with an allowed pair.

def broadcast_mask(padding: Tensor, pattern: Tensor) -> Tensor:
    if padding.dtype != torch.bool or pattern.dtype != torch.bool:
        raise ValueError(f"need boolean masks, got {padding.dtype} and {pattern.dtype}")
    shapes = tuple(padding.shape), tuple(pattern.shape)
    if padding.dim() != 2 or pattern.dim() != 2 or padding.shape[1] != pattern.shape[1]:
        raise ValueError(f"need padding (B, S) and pattern (T, S), got {shapes[0]} and {shapes[1]}")
    votes = padding.unsqueeze(1) + pattern.unsqueeze(0)  # (B, T, S)
    return votes == 2


# %% wrong: the pattern is narrowed in place from sentence to sentence
# `&=` writes into the caller's pattern, and the next sentence starts from what the last one left; all rows of the
# stack are one tensor. It shows with B = 1 too: the caller's pattern is changed wherever a key is padding.

def broadcast_mask(padding: Tensor, pattern: Tensor) -> Tensor:
    if padding.dtype != torch.bool or pattern.dtype != torch.bool:
        raise ValueError(f"need boolean masks, got {padding.dtype} and {pattern.dtype}")
    shapes = tuple(padding.shape), tuple(pattern.shape)
    if padding.dim() != 2 or pattern.dim() != 2 or padding.shape[1] != pattern.shape[1]:
        raise ValueError(f"need padding (B, S) and pattern (T, S), got {shapes[0]} and {shapes[1]}")
    masks = []
    for row in padding:
        mask = pattern
        mask &= row
        masks.append(mask)
    return torch.stack(masks)


# %% wrong: a product of numbers comes back
# The values are right, as 0.0 and 1.0, but the mask is not boolean: `~mask` or masked_fill with it fails. Any input.

def broadcast_mask(padding: Tensor, pattern: Tensor) -> Tensor:
    if padding.dtype != torch.bool or pattern.dtype != torch.bool:
        raise ValueError(f"need boolean masks, got {padding.dtype} and {pattern.dtype}")
    shapes = tuple(padding.shape), tuple(pattern.shape)
    if padding.dim() != 2 or pattern.dim() != 2 or padding.shape[1] != pattern.shape[1]:
        raise ValueError(f"need padding (B, S) and pattern (T, S), got {shapes[0]} and {shapes[1]}")
    return torch.einsum("bs,ts->bts", padding.float(), pattern.float())


# %% correct: start with all False and copy the columns of real keys

def broadcast_mask(padding: Tensor, pattern: Tensor) -> Tensor:
    if padding.dtype != torch.bool or pattern.dtype != torch.bool:
        raise ValueError(f"need boolean masks, got {padding.dtype} and {pattern.dtype}")
    shapes = tuple(padding.shape), tuple(pattern.shape)
    if padding.dim() != 2 or pattern.dim() != 2 or padding.shape[1] != pattern.shape[1]:
        raise ValueError(f"need padding (B, S) and pattern (T, S), got {shapes[0]} and {shapes[1]}")
    allowed = torch.zeros(len(padding), *pattern.shape, dtype=torch.bool, device=padding.device)
    sentence, key = padding.nonzero(as_tuple=True)  # every real key of the batch
    allowed[sentence, :, key] = pattern.T[key]  # its column of the pattern
    return allowed


# %% correct: forbidden if either forbids

def broadcast_mask(padding: Tensor, pattern: Tensor) -> Tensor:
    if padding.dtype != torch.bool or pattern.dtype != torch.bool:
        raise ValueError(f"need boolean masks, got {padding.dtype} and {pattern.dtype}")
    shapes = tuple(padding.shape), tuple(pattern.shape)
    if padding.dim() != 2 or pattern.dim() != 2 or padding.shape[1] != pattern.shape[1]:
        raise ValueError(f"need padding (B, S) and pattern (T, S), got {shapes[0]} and {shapes[1]}")
    forbidden = torch.stack([torch.logical_or(~row, ~pattern) for row in padding.unbind(0)])
    return forbidden.logical_not()
