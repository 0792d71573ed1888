# %% wrong: counts round the end of the row
# Negative places are taken modulo S, so the padding comes out reversed. As long as it holds one id nothing shows; it
# may hold any ids, e.g. [5, 6, 7, 8] with length 2 gives [6, 5, 8, 7].

def reverse_source(source: Tensor, lengths: Tensor) -> Tensor:
    positions = torch.arange(source.shape[1], device=source.device)  # (S,)
    mirrored = (lengths.unsqueeze(1) - 1 - positions) % source.shape[1]  # (B, S)
    return source.gather(1, mirrored)


# %% wrong: each row turned round in place
# The rows are right, but they are written into the caller's source. Shows for every sentence of two tokens or more
# that differ.

def reverse_source(source: Tensor, lengths: Tensor) -> Tensor:
    for row, length in zip(source, lengths.tolist(), strict=True):
        row[:length] = row[:length].flip(0)
    return source


# %% wrong: the end token stays at the end
# Only the words before the last real token are reversed, as a sentence "should end in </s>"; the docstring moves the
# end token to the front. Shows for every length of 2 or more.

def reverse_source(source: Tensor, lengths: Tensor) -> Tensor:
    positions = torch.arange(source.shape[1], device=source.device)  # (S,)
    mirrored = lengths.unsqueeze(1) - 2 - positions  # (B, S), the last real token left out
    mirrored = torch.where(mirrored >= 0, mirrored, positions)
    return source.gather(1, mirrored)


# %% wrong: place 0 counted as padding
# With > in place of >= the last real place, which should get token 0, keeps its own token: [5, 6, 7] gives [7, 6, 7].
# Shows for every length of 2 or more.

def reverse_source(source: Tensor, lengths: Tensor) -> Tensor:
    positions = torch.arange(source.shape[1], device=source.device).expand_as(source)
    mirrored = lengths[:, None] - 1 - positions
    mirrored = torch.where(mirrored > 0, mirrored, positions)
    return torch.gather(source, 1, mirrored)


# %% correct: sorted by where each token goes
def reverse_source(source: Tensor, lengths: Tensor) -> Tensor:
    place = torch.arange(source.shape[1], device=source.device).expand_as(source)
    goes_to = torch.where(place < lengths.unsqueeze(1), lengths.unsqueeze(1) - 1 - place, place)
    return source.take_along_dim(goes_to.argsort(dim=1), dim=1)


# %% correct: two pieces of each row, joined anew
def reverse_source(source: Tensor, lengths: Tensor) -> Tensor:
    rows = []
    for row, length in zip(source, lengths.tolist(), strict=True):
        words, padding = row.split([length, len(row) - length])
        rows.append(torch.cat([words.flip(0), padding]))
    return torch.stack(rows)
