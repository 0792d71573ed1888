# %% wrong: zero is no place
# The mirror is right, but the comparison leaves out mirrored place 0, so the last real place keeps its own token: the
# last word stands twice, and the first is lost. Shows for every length above 1.

def reverse_source(source: Tensor, lengths: Tensor) -> Tensor:
    positions = torch.arange(source.shape[1], device=source.device)  # (S,)
    mirrored = lengths.unsqueeze(1) - 1 - positions
    mirrored = torch.where(mirrored > 0, mirrored, positions)
    return source.gather(1, mirrored)


# %% wrong: once round the row
# Brings negative places back by the remainder, which turns the padding round as well. Shows where the padding holds
# different ids; with pad_id alone in it nothing is to be seen.

def reverse_source(source: Tensor, lengths: Tensor) -> Tensor:
    positions = torch.arange(source.shape[1], device=source.device)  # (S,)
    mirrored = (lengths.unsqueeze(1) - 1 - positions) % source.shape[1]
    return source.gather(1, mirrored)


# %% wrong: turned round in place
# Writes the reversed tokens into the caller's own source. What comes back is right, but it is the caller's tensor.
# Shows for any sentence that is not its own mirror.

def reverse_source(source: Tensor, lengths: Tensor) -> Tensor:
    for row, length in zip(source, lengths.tolist(), strict=True):
        row[:length] = row[:length].flip(0)
    return source


# %% wrong: the end token stays at the end
# Reverses the words and leaves the last real token, the end token, where it was, though all real tokens are to be
# reversed. Shows for every length above 1.

def reverse_source(source: Tensor, lengths: Tensor) -> Tensor:
    positions = torch.arange(source.shape[1], device=source.device)  # (S,)
    words = (lengths - 1).unsqueeze(1)  # without the end token
    mirrored = torch.where(positions < words, words - 1 - positions, positions)
    return source.gather(1, mirrored)


# %% correct: sorted by a key

def reverse_source(source: Tensor, lengths: Tensor) -> Tensor:
    positions = torch.arange(source.shape[1], device=source.device)
    real = positions < lengths.unsqueeze(1)
    key = torch.where(real, -positions, positions)  # real tokens fall, padding rises behind them
    return source.take_along_dim(key.argsort(dim=1), dim=1)


# %% correct: the whole row flipped, then rolled back

def reverse_source(source: Tensor, lengths: Tensor) -> Tensor:
    longest = source.shape[1]
    rows = []
    for row, length in zip(source, lengths.tolist(), strict=True):
        turned = row.flip(0).roll(length - longest)  # the padding went to the front: roll it off
        rows.append(torch.cat([turned[:length], row.narrow(0, length, longest - length)]))
    return torch.stack(rows)
