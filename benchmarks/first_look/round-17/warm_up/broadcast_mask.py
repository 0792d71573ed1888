# %% wrong: padding counted into lengths
# The real keys are counted, and the first that many are taken for real: true only where the padding stands at the right. Shows for a row such
# as [False, True, True] (padding at the left) or with a gap.

def broadcast_mask(padding: Tensor, pattern: Tensor) -> Tensor:
    if padding.dtype != torch.bool or pattern.dtype != torch.bool:
        raise ValueError(f"need boolean masks, got {padding.dtype} and {pattern.dtype}")
    shapes = tuple(padding.shape), tuple(pattern.shape)
    if padding.dim() != 2 or pattern.dim() != 2 or padding.shape[1] != pattern.shape[1]:
        raise ValueError(f"need padding (B, S) and pattern (T, S), got {shapes[0]} and {shapes[1]}")
    lengths = padding.sum(dim=1)  # (B,)
    real = torch.arange(padding.shape[1], device=padding.device) < lengths.unsqueeze(1)  # (B, S)
    return real.unsqueeze(1) & pattern

# %% wrong: a copy that is none for a batch of one
# expand(...).contiguous() copies for B > 1, but for B = 1 it is still the caller's memory, and &= writes into it. Shows for B = 1: pattern is changed.

def broadcast_mask(padding: Tensor, pattern: Tensor) -> Tensor:
    if padding.dtype != torch.bool or pattern.dtype != torch.bool:
        raise ValueError(f"need boolean masks, got {padding.dtype} and {pattern.dtype}")
    shapes = tuple(padding.shape), tuple(pattern.shape)
    if padding.dim() != 2 or pattern.dim() != 2 or padding.shape[1] != pattern.shape[1]:
        raise ValueError(f"need padding (B, S) and pattern (T, S), got {shapes[0]} and {shapes[1]}")
    mask = pattern.expand(padding.shape[0], *pattern.shape).contiguous()  # a copy for each sentence
    mask &= padding.unsqueeze(1)
    return mask

# %% wrong: padded queries closed where T equals S
# Where there are as many queries as keys they are taken for the same words, and the rows of padding are closed too. Shows for T == S and a
# sentence with padding: the rows of the padded places are all False.

def broadcast_mask(padding: Tensor, pattern: Tensor) -> Tensor:
    if padding.dtype != torch.bool or pattern.dtype != torch.bool:
        raise ValueError(f"need boolean masks, got {padding.dtype} and {pattern.dtype}")
    shapes = tuple(padding.shape), tuple(pattern.shape)
    if padding.dim() != 2 or pattern.dim() != 2 or padding.shape[1] != pattern.shape[1]:
        raise ValueError(f"need padding (B, S) and pattern (T, S), got {shapes[0]} and {shapes[1]}")
    mask = padding.unsqueeze(1) & pattern.unsqueeze(0)
    if pattern.shape[0] == pattern.shape[1]:
        mask = mask & padding.unsqueeze(2)  # padding asks nothing either
    return mask

# %% wrong: the padding repeated sentence after sentence
# repeat(T, 1) lays the whole batch T times below itself, so the view gives row t of sentence b the padding of sentence (b * T + t) % B. Shows
# for B above 1 with different paddings.

def broadcast_mask(padding: Tensor, pattern: Tensor) -> Tensor:
    if padding.dtype != torch.bool or pattern.dtype != torch.bool:
        raise ValueError(f"need boolean masks, got {padding.dtype} and {pattern.dtype}")
    shapes = tuple(padding.shape), tuple(pattern.shape)
    if padding.dim() != 2 or pattern.dim() != 2 or padding.shape[1] != pattern.shape[1]:
        raise ValueError(f"need padding (B, S) and pattern (T, S), got {shapes[0]} and {shapes[1]}")
    B, S = padding.shape
    T = pattern.shape[0]
    keys = padding.repeat(T, 1).view(B, T, S)
    queries = pattern.repeat(B, 1).view(B, T, S)
    return keys & queries

# %% correct: two votes are counted

def broadcast_mask(padding: Tensor, pattern: Tensor) -> Tensor:
    if padding.dtype != torch.bool or pattern.dtype != torch.bool:
        raise ValueError(f"need boolean masks, got {padding.dtype} and {pattern.dtype}")
    shapes = tuple(padding.shape), tuple(pattern.shape)
    if padding.dim() != 2 or pattern.dim() != 2 or padding.shape[1] != pattern.shape[1]:
        raise ValueError(f"need padding (B, S) and pattern (T, S), got {shapes[0]} and {shapes[1]}")
    votes = padding[:, None, :].to(torch.uint8) + pattern[None, :, :].to(torch.uint8)
    return votes.eq(2)

# %% correct: what is forbidden, query by query

def broadcast_mask(padding: Tensor, pattern: Tensor) -> Tensor:
    if padding.dtype != torch.bool or pattern.dtype != torch.bool:
        raise ValueError(f"need boolean masks, got {padding.dtype} and {pattern.dtype}")
    shapes = tuple(padding.shape), tuple(pattern.shape)
    if padding.dim() != 2 or pattern.dim() != 2 or padding.shape[1] != pattern.shape[1]:
        raise ValueError(f"need padding (B, S) and pattern (T, S), got {shapes[0]} and {shapes[1]}")
    (B, S), T = padding.shape, pattern.shape[0]
    mask = torch.ones(B, T, S, dtype=torch.bool, device=padding.device)
    filler = ~padding
    for t in range(T):
        mask[:, t].masked_fill_(filler, False)
        mask[:, t, ~pattern[t]] = False
    return mask
