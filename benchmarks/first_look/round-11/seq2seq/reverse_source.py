# %% wrong: the caller's rows are turned
# Each row is reversed in place: what comes back is right, but the caller's source is changed by any call with a sentence
# of two tokens or more.

def reverse_source(source: Tensor, lengths: Tensor) -> Tensor:
    for row, length in zip(source, lengths.tolist(), strict=True):
        row[:length] = row[:length].flip(0)
    return source

# %% wrong: the end token left at its place
# Only the words are turned, </s> stays behind them; all real tokens are to be reversed, the end token first. Wrong for every
# length above 1.

def reverse_source(source: Tensor, lengths: Tensor) -> Tensor:
    positions = torch.arange(source.shape[1], device=source.device)  # (S,)
    mirrored = lengths.unsqueeze(1) - 2 - positions  # (B, S)
    mirrored = torch.where(mirrored >= 0, mirrored, positions)
    return source.gather(1, mirrored)

# %% wrong: the padding filled with PAD_ID
# The padding may hold any ids and must come back unchanged: a row [5, 6, 9, 8] of length 2 must give [6, 5, 9, 8], here it
# gives [6, 5, 0, 0].

def reverse_source(source: Tensor, lengths: Tensor) -> Tensor:
    positions = torch.arange(source.shape[1], device=source.device)
    mirrored = (lengths.unsqueeze(1) - 1 - positions).clamp(min=0)
    return source.gather(1, mirrored).masked_fill(positions >= lengths.unsqueeze(1), PAD_ID)

# %% wrong: negative places count from the end
# The remainder sends negative places to the end of the row, which turns the padding round as well: [5, 6, 9, 8] of length 2
# gives [6, 5, 8, 9]. Right where the padding is all alike, or one place.

def reverse_source(source: Tensor, lengths: Tensor) -> Tensor:
    positions = torch.arange(source.shape[1], device=source.device)
    mirrored = (lengths[:, None] - 1 - positions) % source.shape[1]
    return source.gather(1, mirrored)

# %% correct: cut, flip and join each row

def reverse_source(source: Tensor, lengths: Tensor) -> Tensor:
    return torch.stack(
        [torch.cat([row[:n].flip(0), row[n:]]) for row, n in zip(source, lengths.tolist(), strict=True)]
    )

# %% correct: places sorted by when they are read

def reverse_source(source: Tensor, lengths: Tensor) -> Tensor:
    place = torch.arange(source.shape[1], device=source.device).expand(source.shape)
    when = torch.where(place < lengths[:, None], -place, place)  # later tokens first, then the padding in its order
    return torch.take_along_dim(source, when.argsort(dim=1, stable=True), dim=1)
