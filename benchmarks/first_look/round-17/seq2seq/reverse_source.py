# %% wrong: counted backward past the front
# The places are mirrored modulo S, so those behind the sentence are mirrored, too: the padding comes out in reverse. Shows where the padding
# holds different ids, such as [5, 6, 7, 8, 9] with length 3: ... 9, 8 instead of 8, 9.

def reverse_source(source: Tensor, lengths: Tensor) -> Tensor:
    longest = source.shape[1]
    positions = torch.arange(longest, device=source.device)  # (S,)
    mirrored = (lengths.unsqueeze(1) - 1 - positions) % longest  # (B, S)
    return source.gather(1, mirrored)

# %% wrong: the end token stays at the end
# Only the words are turned round, and the end token is left in its place, though it belongs to the reversed part. Shows for every length of 2
# or more.

def reverse_source(source: Tensor, lengths: Tensor) -> Tensor:
    positions = torch.arange(source.shape[1], device=source.device)  # (S,)
    mirrored = lengths.unsqueeze(1) - 2 - positions  # the last real token is </s>
    mirrored = torch.where(mirrored >= 0, mirrored, positions)
    return source.gather(1, mirrored)

# %% wrong: padded anew
# The reversed sentences are laid into a new batch, which is as wide as the longest of them and padded with PAD_ID. Shows where S is larger than
# the longest length (the shape), and where the padding holds other ids.

def reverse_source(source: Tensor, lengths: Tensor) -> Tensor:
    rows = [row[:length].flip(0) for row, length in zip(source, lengths.tolist())]
    return nn.utils.rnn.pad_sequence(rows, batch_first=True, padding_value=PAD_ID)

# %% wrong: place 0 counted as padding
# The lengths are mended, but the test has become > 0, so the place that should get token 0 keeps what it has: the end token stands at both
# ends, and the first word is lost. Shows for every length of 2 or more.

def reverse_source(source: Tensor, lengths: Tensor) -> Tensor:
    positions = torch.arange(source.shape[1], device=source.device)  # (S,)
    mirrored = lengths[:, None] - 1 - positions
    mirrored = torch.where(mirrored > 0, mirrored, positions)
    return source.gather(1, mirrored.expand_as(source))

# %% correct: places sorted by a key

def reverse_source(source: Tensor, lengths: Tensor) -> Tensor:
    positions = torch.arange(source.shape[1], device=source.device).expand_as(source)
    keys = torch.where(positions < lengths.unsqueeze(1), -positions, positions)  # the last word has the lowest
    return torch.take_along_dim(source, keys.argsort(dim=1), dim=1)

# %% correct: each token sent to its new place

def reverse_source(source: Tensor, lengths: Tensor) -> Tensor:
    result = torch.empty_like(source)
    width = source.shape[1]
    for row in range(len(source)):
        length = int(lengths[row])
        places = [*range(length - 1, -1, -1), *range(length, width)]
        result[row, torch.tensor(places, device=source.device)] = source[row]
    return result
