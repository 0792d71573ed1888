# %% wrong: negative places wrapped round
# Places before the first wrap to the end by %, so the real tokens are right, and the padding comes out in
# reverse order. Shows only where the padding holds different ids, e.g. [[5, 6, 1, 2]] with length 2.

def reverse_source(source: Tensor, lengths: Tensor) -> Tensor:
    S = source.shape[1]
    positions = torch.arange(S, device=source.device)  # (S,)
    mirrored = (lengths.unsqueeze(1) - 1 - positions) % S  # (B, S)
    return source.gather(1, mirrored)


# %% wrong: the end token stays last
# Only the words before the last token are turned round, because a sentence "ends in </s>". The text wants the end token first:
# wrong for every sentence of two tokens or more.

def reverse_source(source: Tensor, lengths: Tensor) -> Tensor:
    positions = torch.arange(source.shape[1], device=source.device)  # (S,)
    mirrored = lengths.unsqueeze(1) - 2 - positions
    mirrored = torch.where(mirrored >= 0, mirrored, positions)
    return source.gather(1, mirrored)


# %% wrong: fresh padding in place of the old
# Starts from a table of PAD_ID and writes the reversed tokens into it. Wrong where the padding holds other ids: it should come
# back unchanged.

def reverse_source(source: Tensor, lengths: Tensor) -> Tensor:
    turned = torch.full_like(source, PAD_ID)
    for row, (tokens, length) in enumerate(zip(source, lengths.tolist(), strict=True)):
        turned[row, :length] = tokens[:length].flip(0)
    return turned


# %% wrong: only as wide as the longest sentence
# Counts the places up to lengths.max(), as in the line as found. Where S is larger than all lengths, (B, S) comes back narrower.

def reverse_source(source: Tensor, lengths: Tensor) -> Tensor:
    positions = torch.arange(int(lengths.max()), device=source.device)
    mirrored = lengths.unsqueeze(1) - 1 - positions  # (B, longest)
    mirrored = torch.where(mirrored >= 0, mirrored, positions)
    return source.gather(1, mirrored)


# %% correct: places sorted by a key, falling for real tokens

def reverse_source(source: Tensor, lengths: Tensor) -> Tensor:
    positions = torch.arange(source.shape[1], device=source.device).expand_as(source)
    key = torch.where(positions < lengths.unsqueeze(1), -positions, positions)
    return torch.take_along_dim(source, key.argsort(dim=1, stable=True), dim=1)


# %% correct: the two ends change places, inward, in a copy

def reverse_source(source: Tensor, lengths: Tensor) -> Tensor:
    turned, rows = source.clone(), torch.arange(len(source), device=source.device)
    for left in range(source.shape[1] // 2):
        right = lengths - 1 - left
        here = rows[right > left]
        right = right[here]
        turned[here, left], turned[here, right] = source[here, right], source[here, left]
    return turned
