# %% wrong: padded queries hidden too
# Takes the padding mask for the queries as well: rows of padding may attend to nothing, and where T is not S (or a size of 1
# stretches) the shapes clash. Shows for any padded sentence with T = S, and as a RuntimeError for T = 3, S = 4.

def broadcast_mask(padding: Tensor, pattern: Tensor) -> Tensor:
    if padding.dtype != torch.bool or pattern.dtype != torch.bool:
        raise ValueError(f"need boolean masks, got {padding.dtype} and {pattern.dtype}")
    shapes = tuple(padding.shape), tuple(pattern.shape)
    if padding.dim() != 2 or pattern.dim() != 2 or padding.shape[1] != pattern.shape[1]:
        raise ValueError(f"need padding (B, S) and pattern (T, S), got {shapes[0]} and {shapes[1]}")
    real_pairs = padding.unsqueeze(2) & padding.unsqueeze(1)  # both must be real tokens
    return real_pairs & pattern.unsqueeze(0)


# %% wrong: counts votes in truth values
# True + True is True for boolean tensors, not 2, so the comparison with 2 holds nowhere. Shows wherever any pair is allowed:
# the mask comes back all False.

def broadcast_mask(padding: Tensor, pattern: Tensor) -> Tensor:
    if padding.dtype != torch.bool or pattern.dtype != torch.bool:
        raise ValueError(f"need boolean masks, got {padding.dtype} and {pattern.dtype}")
    shapes = tuple(padding.shape), tuple(pattern.shape)
    if padding.dim() != 2 or pattern.dim() != 2 or padding.shape[1] != pattern.shape[1]:
        raise ValueError(f"need padding (B, S) and pattern (T, S), got {shapes[0]} and {shapes[1]}")
    votes = padding[:, None, :] + pattern[None, :, :]
    return votes == 2  # both say yes


# %% wrong: a contiguous view that writes into the padding
# With T = 1 the expanded padding is contiguous already, contiguous() copies nothing, and &= changes the caller's padding.
# Shows for a pattern of one row that forbids a real key; the mask that is returned is right.

def broadcast_mask(padding: Tensor, pattern: Tensor) -> Tensor:
    if padding.dtype != torch.bool or pattern.dtype != torch.bool:
        raise ValueError(f"need boolean masks, got {padding.dtype} and {pattern.dtype}")
    shapes = tuple(padding.shape), tuple(pattern.shape)
    if padding.dim() != 2 or pattern.dim() != 2 or padding.shape[1] != pattern.shape[1]:
        raise ValueError(f"need padding (B, S) and pattern (T, S), got {shapes[0]} and {shapes[1]}")
    mask = padding.unsqueeze(1).expand(-1, len(pattern), -1).contiguous()
    mask &= pattern
    return mask


# %% wrong: forbidden by either is allowed by either
# Negates both and joins with & before negating back: not (not a and not b) is "a or b". Shows for a padded key that the
# pattern allows, and for a real key that the pattern forbids.

def broadcast_mask(padding: Tensor, pattern: Tensor) -> Tensor:
    if padding.dtype != torch.bool or pattern.dtype != torch.bool:
        raise ValueError(f"need boolean masks, got {padding.dtype} and {pattern.dtype}")
    shapes = tuple(padding.shape), tuple(pattern.shape)
    if padding.dim() != 2 or pattern.dim() != 2 or padding.shape[1] != pattern.shape[1]:
        raise ValueError(f"need padding (B, S) and pattern (T, S), got {shapes[0]} and {shapes[1]}")
    is_padding = ~padding.unsqueeze(1)
    is_forbidden = ~pattern
    return ~(is_padding & is_forbidden)


# %% correct: the pattern times a diagonal matrix of each sentence

def broadcast_mask(padding: Tensor, pattern: Tensor) -> Tensor:
    if padding.dtype != torch.bool or pattern.dtype != torch.bool:
        raise ValueError(f"need boolean masks, got {padding.dtype} and {pattern.dtype}")
    shapes = tuple(padding.shape), tuple(pattern.shape)
    if padding.dim() != 2 or pattern.dim() != 2 or padding.shape[1] != pattern.shape[1]:
        raise ValueError(f"need padding (B, S) and pattern (T, S), got {shapes[0]} and {shapes[1]}")
    columns = torch.diag_embed(padding.float())  # (B, S, S)
    return (pattern.float() @ columns) > 0.5


# %% correct: padded columns struck out sentence by sentence

def broadcast_mask(padding: Tensor, pattern: Tensor) -> Tensor:
    if padding.dtype != torch.bool or pattern.dtype != torch.bool:
        raise ValueError(f"need boolean masks, got {padding.dtype} and {pattern.dtype}")
    shapes = tuple(padding.shape), tuple(pattern.shape)
    if padding.dim() != 2 or pattern.dim() != 2 or padding.shape[1] != pattern.shape[1]:
        raise ValueError(f"need padding (B, S) and pattern (T, S), got {shapes[0]} and {shapes[1]}")
    sentences = []
    for row in padding:
        mine = pattern.clone()
        mine[:, ~row] = False
        sentences.append(mine)
    return torch.stack(sentences)
