# %% wrong: the first word counts as padding
# The lengths are taken row by row now, but the condition leaves out 0: the last real place keeps its own token and the first word is lost.

def reverse_source(source: Tensor, lengths: Tensor) -> Tensor:
    positions = torch.arange(source.shape[1], device=source.device)  # (S,)
    mirrored = lengths.unsqueeze(1) - 1 - positions  # (B, S)
    mirrored = torch.where(mirrored > 0, mirrored, positions)
    return source.gather(1, mirrored)


# %% wrong: negative places wrap round
# The remainder sends places behind the end to the row's end, in reverse: what stands in the padding is turned round as well.

def reverse_source(source: Tensor, lengths: Tensor) -> Tensor:
    S = source.shape[1]
    positions = torch.arange(S, device=source.device)
    mirrored = (lengths[:, None] - 1 - positions) % S
    return source.gather(1, mirrored)


# %% wrong: the end token stays at the end
# Only the words before the end token are turned; the text says that the end token is a token like the others and comes first.

def reverse_source(source: Tensor, lengths: Tensor) -> Tensor:
    positions = torch.arange(source.shape[1], device=source.device)
    mirrored = lengths[:, None] - 2 - positions  # the last real token is the end
    mirrored = torch.where(mirrored >= 0, mirrored, positions)
    return source.gather(1, mirrored)


# %% wrong: a swap of two views
# The right side of the swap holds views of the tensor: the first assignment overwrites what the second one reads.

def reverse_source(source: Tensor, lengths: Tensor) -> Tensor:
    turned = source.clone()
    for row, length in zip(turned, lengths.tolist(), strict=True):
        for i in range(length // 2):
            j = length - 1 - i
            row[i], row[j] = row[j], row[i]
    return turned


# %% wrong: a slice taken for a copy
# source[:] copies a Python list but not a tensor: the caller's source is turned round too.

def reverse_source(source: Tensor, lengths: Tensor) -> Tensor:
    result = source[:]
    for b in range(len(source)):
        n = int(lengths[b])
        result[b, :n] = torch.flip(source[b, :n], dims=[0])
    return result


# %% correct: by sorting keys

def reverse_source(source: Tensor, lengths: Tensor) -> Tensor:
    width = source.shape[1]
    place = torch.arange(width, device=source.device).expand_as(source)  # (B, S)
    real = place < lengths.to(source.device).unsqueeze(1)
    keys = torch.where(real, -place - 1, place)  # the last real token has the lowest key
    return torch.take_along_dim(source, keys.argsort(dim=1), dim=1)


# %% correct: in plain lists, one sentence after the other

def reverse_source(source: Tensor, lengths: Tensor) -> Tensor:
    def turned(row: list[int], length: int) -> list[int]:
        return row[:length][::-1] + row[length:]

    table = [turned(row, length) for row, length in zip(source.tolist(), lengths.tolist(), strict=True)]
    return torch.tensor(table, dtype=source.dtype, device=source.device).reshape(source.shape)
