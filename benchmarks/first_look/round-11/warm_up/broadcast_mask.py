# %% wrong: the padding stands at the queries
# unsqueeze(2) makes (B, S, 1), which forbids padded queries instead of padded keys: with T = S and some padding it is
# wrong without a word, with T different from S (neither 1) it raises.

def broadcast_mask(padding: Tensor, pattern: Tensor) -> Tensor:
    if padding.dtype != torch.bool or pattern.dtype != torch.bool:
        raise ValueError(f"need boolean masks, got {padding.dtype} and {pattern.dtype}")
    shapes = tuple(padding.shape), tuple(pattern.shape)
    if padding.dim() != 2 or pattern.dim() != 2 or padding.shape[1] != pattern.shape[1]:
        raise ValueError(f"need padding (B, S) and pattern (T, S), got {shapes[0]} and {shapes[1]}")
    return padding.unsqueeze(2) & pattern.unsqueeze(0)

# %% wrong: either mask is enough
# | lets a pair pass where one mask allows it: wrong wherever a padded key is allowed by the pattern, or a real one
# forbidden.

def broadcast_mask(padding: Tensor, pattern: Tensor) -> Tensor:
    if padding.dtype != torch.bool or pattern.dtype != torch.bool:
        raise ValueError(f"need boolean masks, got {padding.dtype} and {pattern.dtype}")
    shapes = tuple(padding.shape), tuple(pattern.shape)
    if padding.dim() != 2 or pattern.dim() != 2 or padding.shape[1] != pattern.shape[1]:
        raise ValueError(f"need padding (B, S) and pattern (T, S), got {shapes[0]} and {shapes[1]}")
    return padding[:, None, :] | pattern[None, :, :]

# %% wrong: padded queries are forbidden too
# Where T = S the rows of padding are closed as well, which nobody asked for: padding [[True, False]] with a pattern of
# True everywhere must let query 1 attend to key 0.

def broadcast_mask(padding: Tensor, pattern: Tensor) -> Tensor:
    if padding.dtype != torch.bool or pattern.dtype != torch.bool:
        raise ValueError(f"need boolean masks, got {padding.dtype} and {pattern.dtype}")
    shapes = tuple(padding.shape), tuple(pattern.shape)
    if padding.dim() != 2 or pattern.dim() != 2 or padding.shape[1] != pattern.shape[1]:
        raise ValueError(f"need padding (B, S) and pattern (T, S), got {shapes[0]} and {shapes[1]}")
    mask = padding.unsqueeze(1) & pattern
    if pattern.shape[0] == pattern.shape[1]:  # a sentence that attends to itself
        mask = mask & padding.unsqueeze(2)
    return mask

# %% wrong: a row that may attend to nothing is opened
# "So that the softmax gets no row of zeros": a sentence of nothing but padding, or a query whose allowed keys are all
# padding, then attends to all keys, padding among them.

def broadcast_mask(padding: Tensor, pattern: Tensor) -> Tensor:
    if padding.dtype != torch.bool or pattern.dtype != torch.bool:
        raise ValueError(f"need boolean masks, got {padding.dtype} and {pattern.dtype}")
    shapes = tuple(padding.shape), tuple(pattern.shape)
    if padding.dim() != 2 or pattern.dim() != 2 or padding.shape[1] != pattern.shape[1]:
        raise ValueError(f"need padding (B, S) and pattern (T, S), got {shapes[0]} and {shapes[1]}")
    mask = padding.unsqueeze(1) & pattern
    return mask | ~mask.any(dim=-1, keepdim=True)

# %% correct: one truth value greater than the other's opposite

def broadcast_mask(padding: Tensor, pattern: Tensor) -> Tensor:
    if padding.dtype != torch.bool or pattern.dtype != torch.bool:
        raise ValueError(f"need boolean masks, got {padding.dtype} and {pattern.dtype}")
    shapes = tuple(padding.shape), tuple(pattern.shape)
    if padding.dim() != 2 or pattern.dim() != 2 or padding.shape[1] != pattern.shape[1]:
        raise ValueError(f"need padding (B, S) and pattern (T, S), got {shapes[0]} and {shapes[1]}")
    return torch.gt(padding[:, None], pattern.logical_not())

# %% correct: the columns of real keys copied, sentence by sentence

def broadcast_mask(padding: Tensor, pattern: Tensor) -> Tensor:
    if not (padding.dtype is pattern.dtype is torch.bool):
        raise ValueError(f"need boolean masks, got {padding.dtype} and {pattern.dtype}")
    if padding.ndim != 2 or pattern.ndim != 2 or padding.size(1) != pattern.size(1):
        raise ValueError(f"S differs, or an axis is missing: {tuple(padding.shape)}, {tuple(pattern.shape)}")
    sentences = []
    for real in padding:
        allowed = torch.zeros_like(pattern)
        keys = real.nonzero().squeeze(1)
        allowed[:, keys] = pattern[:, keys]
        sentences.append(allowed)
    return torch.stack(sentences)
