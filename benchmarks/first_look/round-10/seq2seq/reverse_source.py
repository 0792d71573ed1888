# %% wrong: the lengths without an axis of their own
# lengths (B,) meets positions (S,): column t is mirrored at the length of sentence t, not each row at its own.
# Raises where B and S differ (B above 1), and turns the rows wrongly where B equals S.

def reverse_source(source: Tensor, lengths: Tensor) -> Tensor:
    positions = torch.arange(source.shape[1], device=source.device)  # (S,)
    mirrored = lengths - 1 - positions
    mirrored = torch.where(mirrored >= 0, mirrored, positions)
    return source.gather(1, mirrored.expand_as(source))


# %% wrong: negative places counted from the end
# (length - 1 - t) modulo S turns the padding round as well; behind the tokens must stand what stood there before.
# With one pad id nothing shows; shows where two or more different ids stand in a row's padding.

def reverse_source(source: Tensor, lengths: Tensor) -> Tensor:
    positions = torch.arange(source.shape[1], device=source.device)  # (S,)
    mirrored = (lengths.to(source.device).unsqueeze(1) - 1 - positions) % source.shape[1]  # (B, S)
    return source.gather(1, mirrored)


# %% wrong: turned round in the caller's tensor
# Each row is written back into source itself, which must be left as it was. The result is right; shows in the caller's
# source after any call with a length above 1, and a second call turns everything back.

def reverse_source(source: Tensor, lengths: Tensor) -> Tensor:
    for row, length in zip(source, lengths.tolist(), strict=True):
        row[:length] = row[:length].flip(0)
    return source


# %% wrong: the end token keeps its place
# Only the words before the last token are turned. The last one is one of the real tokens and is turned with them: it
# comes first. Shows for every length above 1.

def reverse_source(source: Tensor, lengths: Tensor) -> Tensor:
    positions = torch.arange(source.shape[1], device=source.device)  # (S,)
    mirrored = lengths.to(source.device).unsqueeze(1) - 2 - positions  # the words without </s>
    mirrored = torch.where(mirrored >= 0, mirrored, positions)
    return source.gather(1, mirrored)


# %% correct: rows sorted by a key

def reverse_source(source: Tensor, lengths: Tensor) -> Tensor:
    positions = torch.arange(source.shape[1], device=source.device).expand_as(source)
    real = positions < lengths.to(source.device).reshape(-1, 1)
    key = torch.where(real, -positions, positions + 1)  # real tokens: falling, all below the padding's
    return source.take_along_dim(key.argsort(dim=1), dim=1)


# %% correct: each row cut, turned and laid back together

def reverse_source(source: Tensor, lengths: Tensor) -> Tensor:
    rows = []
    for ids, length in zip(source.unbind(0), lengths.tolist(), strict=True):
        words, behind = ids.split([length, len(ids) - length])
        rows.append(torch.cat([words.flip(dims=[0]), behind]))
    return torch.stack(rows)
