# %% wrong: either of the two is enough
# | in place of &: a pair passes where one of the masks lets it. Shows for every key that is padding and allowed by the
# pattern, and the other way round.

def broadcast_mask(padding: Tensor, pattern: Tensor) -> Tensor:
    if padding.dtype != torch.bool or pattern.dtype != torch.bool:
        raise ValueError(f"need boolean masks, got {padding.dtype} and {pattern.dtype}")
    shapes = tuple(padding.shape), tuple(pattern.shape)
    if padding.dim() != 2 or pattern.dim() != 2 or padding.shape[1] != pattern.shape[1]:
        raise ValueError(f"need padding (B, S) and pattern (T, S), got {shapes[0]} and {shapes[1]}")
    return padding[:, None, :] | pattern[None, :, :]

# %% wrong: the new axis stands behind the keys
# unsqueeze(2) gives (B, S, 1): the padding meets the queries. Raises where T differs from S (and neither is 1), and for T = S
# it forbids the padded queries and allows the padded keys.

def broadcast_mask(padding: Tensor, pattern: Tensor) -> Tensor:
    if padding.dtype != torch.bool or pattern.dtype != torch.bool:
        raise ValueError(f"need boolean masks, got {padding.dtype} and {pattern.dtype}")
    shapes = tuple(padding.shape), tuple(pattern.shape)
    if padding.dim() != 2 or pattern.dim() != 2 or padding.shape[1] != pattern.shape[1]:
        raise ValueError(f"need padding (B, S) and pattern (T, S), got {shapes[0]} and {shapes[1]}")
    return padding.unsqueeze(2) & pattern

# %% wrong: zeros and ones in place of truth values
# einsum wants numbers, and the way back is forgotten: a float mask comes back where a boolean one was promised.

def broadcast_mask(padding: Tensor, pattern: Tensor) -> Tensor:
    if padding.dtype != torch.bool or pattern.dtype != torch.bool:
        raise ValueError(f"need boolean masks, got {padding.dtype} and {pattern.dtype}")
    shapes = tuple(padding.shape), tuple(pattern.shape)
    if padding.dim() != 2 or pattern.dim() != 2 or padding.shape[1] != pattern.shape[1]:
        raise ValueError(f"need padding (B, S) and pattern (T, S), got {shapes[0]} and {shapes[1]}")
    return torch.einsum("bs,ts->bts", padding.float(), pattern.float())

# %% wrong: the same pattern in every place of the list
# The list holds one tensor B times, and &= writes into it: every sentence gets the padding of all sentences, and the
# caller's pattern is changed (with B = 1 only the latter shows).

def broadcast_mask(padding: Tensor, pattern: Tensor) -> Tensor:
    if padding.dtype != torch.bool or pattern.dtype != torch.bool:
        raise ValueError(f"need boolean masks, got {padding.dtype} and {pattern.dtype}")
    shapes = tuple(padding.shape), tuple(pattern.shape)
    if padding.dim() != 2 or pattern.dim() != 2 or padding.shape[1] != pattern.shape[1]:
        raise ValueError(f"need padding (B, S) and pattern (T, S), got {shapes[0]} and {shapes[1]}")
    masks = [pattern] * len(padding)
    for mask, real in zip(masks, padding):
        mask &= real
    return torch.stack(masks)

# %% correct: copies the pattern's columns where the key is real

def broadcast_mask(padding: Tensor, pattern: Tensor) -> Tensor:
    if padding.dtype != torch.bool or pattern.dtype != torch.bool:
        raise ValueError(f"need boolean masks, got {padding.dtype} and {pattern.dtype}")
    shapes = tuple(padding.shape), tuple(pattern.shape)
    if padding.dim() != 2 or pattern.dim() != 2 or padding.shape[1] != pattern.shape[1]:
        raise ValueError(f"need padding (B, S) and pattern (T, S), got {shapes[0]} and {shapes[1]}")
    mask = pattern.new_zeros(len(padding), *pattern.shape)
    for b, real in enumerate(padding):
        mask[b, :, real] = pattern[:, real]
    return mask

# %% correct: greater than, the keys in front

def broadcast_mask(padding: Tensor, pattern: Tensor) -> Tensor:
    if not (padding.dtype == pattern.dtype == torch.bool):
        raise ValueError(f"need boolean masks, got {padding.dtype} and {pattern.dtype}")
    if not (padding.dim() == pattern.dim() == 2 and padding.size(-1) == pattern.size(-1)):
        raise ValueError(f"need padding (B, S) and pattern (T, S), got {tuple(padding.shape)} and {tuple(pattern.shape)}")
    by_key = padding.T[:, :, None] > ~pattern.T[:, None, :]  # (S, B, T): True > False alone is True
    return by_key.permute(1, 2, 0)
