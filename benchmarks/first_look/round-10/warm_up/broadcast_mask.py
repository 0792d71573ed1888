# %% wrong: the two meet as they are
# No axis is made for the queries. (B, S) & (T, S) raises RuntimeError for most sizes; where B equals T, or one of them is 1, it goes through
# and gives two axes, the mask of sentence b meeting the pattern of place b. Promised is (B, T, S).


def broadcast_mask(padding: Tensor, pattern: Tensor) -> Tensor:
    if padding.dtype != torch.bool or pattern.dtype != torch.bool:
        raise ValueError(f"need boolean masks, got {padding.dtype} and {pattern.dtype}")
    shapes = tuple(padding.shape), tuple(pattern.shape)
    if padding.dim() != 2 or pattern.dim() != 2 or padding.shape[1] != pattern.shape[1]:
        raise ValueError(f"need padding (B, S) and pattern (T, S), got {shapes[0]} and {shapes[1]}")
    return padding & pattern


# %% wrong: padded queries forbidden too
# Where queries and keys are the same places (T = S) the rows of padded queries are emptied as well. The promise: a real key that the pattern
# allows may be attended to by that query, whoever it is. It shows for T = S with a padded place, and for no other sizes.


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


# %% wrong: padding taken for a length
# The real keys are counted and then taken to stand at the front. Padding in front or in the middle, such as [False, True, True], becomes
# [True, True, False]: a key that is no token may be attended to, and a real one may not.


def broadcast_mask(padding: Tensor, pattern: Tensor) -> Tensor:
    if padding.dtype != torch.bool or pattern.dtype != torch.bool:
        raise ValueError(f"need boolean masks, got {padding.dtype} and {pattern.dtype}")
    shapes = tuple(padding.shape), tuple(pattern.shape)
    if padding.dim() != 2 or pattern.dim() != 2 or padding.shape[1] != pattern.shape[1]:
        raise ValueError(f"need padding (B, S) and pattern (T, S), got {shapes[0]} and {shapes[1]}")
    lengths = padding.sum(dim=1)
    positions = torch.arange(padding.shape[1], device=padding.device)
    real = positions < lengths.view(-1, 1, 1)  # (B, 1, S)
    return real & pattern


# %% wrong: every sentence writes into the one pattern
# `allowed = pattern` is no copy: the columns that one sentence closes are closed in the caller's pattern, so pattern is changed, and with
# B > 1 a key padded in one sentence is closed in the later ones too. It shows as soon as some key is padded.


def broadcast_mask(padding: Tensor, pattern: Tensor) -> Tensor:
    if padding.dtype != torch.bool or pattern.dtype != torch.bool:
        raise ValueError(f"need boolean masks, got {padding.dtype} and {pattern.dtype}")
    shapes = tuple(padding.shape), tuple(pattern.shape)
    if padding.dim() != 2 or pattern.dim() != 2 or padding.shape[1] != pattern.shape[1]:
        raise ValueError(f"need padding (B, S) and pattern (T, S), got {shapes[0]} and {shapes[1]}")
    mask = padding.new_zeros(padding.shape[0], *pattern.shape)
    for b, real in enumerate(padding):
        allowed = pattern
        allowed[:, ~real] = False
        mask[b] = allowed
    return mask


# %% correct: two votes are counted


def broadcast_mask(padding: Tensor, pattern: Tensor) -> Tensor:
    if padding.dtype != torch.bool or pattern.dtype != torch.bool:
        raise ValueError(f"need boolean masks, got {padding.dtype} and {pattern.dtype}")
    shapes = tuple(padding.shape), tuple(pattern.shape)
    if padding.dim() != 2 or pattern.dim() != 2 or padding.shape[1] != pattern.shape[1]:
        raise ValueError(f"need padding (B, S) and pattern (T, S), got {shapes[0]} and {shapes[1]}")
    votes = padding[:, None, :].to(torch.uint8) + pattern[None].to(torch.uint8)
    return votes == 2


# %% correct: the columns of the real keys are written into an empty mask


def broadcast_mask(padding: Tensor, pattern: Tensor) -> Tensor:
    if not (padding.dtype == pattern.dtype == torch.bool):
        raise ValueError(f"need boolean masks, got {padding.dtype} and {pattern.dtype}")
    if not (padding.dim() == pattern.dim() == 2 and padding.size(1) == pattern.size(1)):
        raise ValueError(f"need padding (B, S) and pattern (T, S), got {tuple(padding.shape)} and {tuple(pattern.shape)}")
    mask = padding.new_zeros(padding.size(0), pattern.size(1), pattern.size(0))  # (B, S, T)
    sentence, key = padding.nonzero(as_tuple=True)
    mask[sentence, key] = pattern.T[key]
    return mask.transpose(1, 2)
