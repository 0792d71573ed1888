# %% wrong: padding to the front
# The whole row is turned round, padding and all, so that the padding of the short sentences comes first.
# Breaks "the real tokens of each row in reverse order, and behind them what stood behind them before". Hint: what is the first token of the shortest row now?

def reverse_source(source: Tensor, lengths: Tensor) -> Tensor:
    return source.flip(dims=[1])


# %% wrong: place zero taken for padding
# The row's own length is used now, but mirrored > 0 in place of >= 0 sends the last real place to itself.
# Breaks the reversal: the first token of the sentence is lost and its last stands twice. Hint: which place does mirrored = 0 mean?

def reverse_source(source: Tensor, lengths: Tensor) -> Tensor:
    positions = torch.arange(source.shape[1], device=source.device)  # (S,)
    mirrored = lengths.unsqueeze(1) - 1 - positions  # (B, S)
    mirrored = torch.where(mirrored > 0, mirrored, positions)
    return source.gather(1, mirrored)


# %% wrong: turned round in the caller's tensor
# The rows are written back into source itself, and the same tensor is returned.
# Breaks "The caller's source is left as it was" (a second call turns it back). Hint: where do you write, and who else holds this tensor?

def reverse_source(source: Tensor, lengths: Tensor) -> Tensor:
    for row, length in enumerate(lengths.tolist()):
        source[row, :length] = source[row, :length].flip(0)
    return source


# %% wrong: zeros behind the sentence
# What stands behind the real tokens is replaced by 0, as if 0 were the padding of everyone.
# Breaks "behind them what stood behind them before" wherever that is not 0. Hint: nobody has told this function which id is padding.

def reverse_source(source: Tensor, lengths: Tensor) -> Tensor:
    reversed_source = torch.zeros_like(source)
    for row, length in enumerate(lengths.tolist()):
        reversed_source[row, :length] = source[row, :length].flip(0)
    return reversed_source


# %% correct: places sorted by a key

def reverse_source(source: Tensor, lengths: Tensor) -> Tensor:
    places = torch.arange(source.shape[1], device=source.device).expand_as(source)
    inside = places < lengths.reshape(-1, 1).to(source.device)
    key = torch.where(inside, -places, places)  # real places descend from 0, the others stay behind them
    return torch.take_along_dim(source, torch.argsort(key, dim=1), dim=1)


# %% correct: rows joined from two pieces

def _turned(row: Tensor, length: int) -> Tensor:
    sentence, rest = row.split([length, len(row) - length])
    return torch.cat([sentence.flip(0), rest])


def reverse_source(source: Tensor, lengths: Tensor) -> Tensor:
    return torch.stack([_turned(row, int(n)) for row, n in zip(source, lengths, strict=True)])
