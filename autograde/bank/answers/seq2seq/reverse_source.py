# %% wrong: the code as it was handed out
# The mirror stands at one place for the whole batch: at the end of its longest sentence. Ask where each row's own
# mirror stands, and what shape that answer has.

def reverse_source(source, lengths):
    positions = torch.arange(source.shape[1], device=source.device)
    mirrored = lengths.max() - 1 - positions
    mirrored = torch.where(mirrored >= 0, mirrored, positions)
    return source.gather(1, mirrored.expand_as(source))

# %% wrong: the whole row is flipped, padding first
# The padding has come to the front, so the first `length` tokens of a row include padding. Only a row's real tokens
# change places.

def reverse_source(source, lengths):
    return source.flip(1)

# %% wrong: each row's mirror is one place too far
# The first place asks for the token at place `length`, which is one past the last: in the longest row there is none.
# Places are counted from 0.

# --- before
    mirrored = lengths.unsqueeze(1) - 1 - positions
# --- after
    mirrored = lengths.unsqueeze(1) - positions

# %% wrong: the end token is not turned with the others
# All but the last of each row's tokens have changed places. The last one, the end token, is among the `length` tokens
# and moves too: it comes to the front.

# --- before
    mirrored = lengths.unsqueeze(1) - 1 - positions
# --- after
    mirrored = lengths.unsqueeze(1) - 2 - positions

# %% wrong: the padding is filled with the first word
# After each shorter sentence its first word is repeated where the padding was. Where a place is padding, take what
# stands there already.

# --- before
    places = torch.where(mirrored >= 0, mirrored, positions)
# --- after
    places = mirrored.clamp(min=0)

# %% wrong: the padding is filled from the other end
# The places of the padding are mirrored as well: a position below zero counts from the end of the row. Where a place is
# padding, take what stands there already.

# --- before
    places = torch.where(mirrored >= 0, mirrored, positions)
# --- after
    places = mirrored % source.shape[1]

# %% wrong: the batch is turned, not the words
# The sentences have changed places and their words have not. Reverse along dimension 1.

def reverse_source(source, lengths):
    return source.flip(0)

# %% wrong: zeros for whatever stood in the padding
# The padding is taken to be 0. Whatever id stands there has to stay; begin from a copy of the source.

def reverse_source(source, lengths):
    out = torch.zeros_like(source)
    for b, length in enumerate(lengths.tolist()):
        out[b, :length] = source[b, :length].flip(0)
    return out

# %% correct: a copy, row by row
def reverse_source(source, lengths):
    out = source.clone()
    for b, length in enumerate(lengths.tolist()):
        out[b, :length] = source[b, :length].flip(0)
    return out

# %% correct: flipped, then rolled back
def reverse_source(source, lengths):
    S = source.shape[1]
    rows = []
    for row, length in zip(source, lengths.tolist()):
        rows.append(torch.cat([row[:length].flip(0), row[length:]]))
    return torch.stack(rows)

# %% correct: a stable sort
def reverse_source(source, lengths):
    positions = torch.arange(source.shape[1], device=source.device).expand_as(source)
    real = positions < lengths[:, None]
    keys = torch.where(real, -positions, positions)
    return torch.take_along_dim(source, keys.argsort(dim=1, stable=True), dim=1)

# %% correct: index pairs
def reverse_source(source, lengths):
    B, S = source.shape
    column = torch.arange(S, device=source.device).repeat(B, 1)
    column = torch.where(column < lengths.view(B, 1), lengths.view(B, 1) - 1 - column, column)
    return source[torch.arange(B, device=source.device).view(B, 1), column]

# %% correct: plain lists
def reverse_source(source, lengths):
    rows = [row[:n][::-1] + row[n:] for row, n in zip(source.tolist(), lengths.tolist())]
    return torch.tensor(rows, dtype=source.dtype, device=source.device)
