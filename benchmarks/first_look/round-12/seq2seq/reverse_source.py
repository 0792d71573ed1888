# %% wrong: the padding filled with the first word
# Each row has its own mirror now, but places beyond it are clamped to 0: the first token stands in all the padding.
# Shows in every row shorter than S.

def reverse_source(source: Tensor, lengths: Tensor) -> Tensor:
    positions = torch.arange(source.shape[1], device=source.device)  # (S,)
    mirrored = (lengths.unsqueeze(1) - 1 - positions).clamp(min=0)  # (B, S)
    return source.gather(1, mirrored)

# %% wrong: turned round in the caller's batch
# The rows are overwritten in source itself, which the caller wants back as it was.
# Shows in source after every call with a sentence of two or more tokens.

def reverse_source(source: Tensor, lengths: Tensor) -> Tensor:
    for row, length in zip(source, lengths.tolist(), strict=True):
        row[:length] = row[:length].flip(0)
    return source

# %% wrong: padding written anew
# Behind the sentence comes PAD_ID, whatever stood there: the padding may hold any ids, and is to stay unchanged.
# Shows where the padding is not PAD_ID.

def reverse_source(source: Tensor, lengths: Tensor) -> Tensor:
    positions = torch.arange(source.shape[1], device=source.device)  # (S,)
    mirrored = lengths.unsqueeze(1) - 1 - positions  # (B, S)
    reversed_tokens = source.gather(1, mirrored.clamp(min=0))
    return reversed_tokens.masked_fill(mirrored < 0, PAD_ID)

# %% wrong: negative places counted from the end
# Places below 0 wrap round, as Python's indices do: the padding is kept, but reversed as well.
# Shows where a row has two or more different ids in its padding.

def reverse_source(source: Tensor, lengths: Tensor) -> Tensor:
    longest = source.shape[1]
    positions = torch.arange(longest, device=source.device)  # (S,)
    mirrored = (lengths.unsqueeze(1) - 1 - positions) % longest  # (B, S)
    return source.gather(1, mirrored)

# %% correct: cut, flip and join

# Each row is cut at its length, the front part flipped, and both joined again.

def reverse_source(source: Tensor, lengths: Tensor) -> Tensor:
    rows = []
    for row, length in zip(source.unbind(0), lengths.tolist(), strict=True):
        sentence, padding = row.tensor_split([length])
        rows.append(torch.cat([sentence.flip(0), padding]))
    return torch.stack(rows)

# %% correct: tokens sent to their places

# A scatter where the found code gathers: every token is told where it goes, padding stays.

def reverse_source(source: Tensor, lengths: Tensor) -> Tensor:
    places = torch.ones_like(source).cumsum(dim=1) - 1  # (B, S): 0 to S - 1
    last = lengths[:, None].to(places.dtype) - 1
    goes_to = places + (last - 2 * places) * (places <= last)
    return torch.zeros_like(source).scatter(1, goes_to, source)
