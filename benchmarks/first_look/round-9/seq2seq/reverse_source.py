# %% wrong: negative places wrapped round by modulo
# (length - 1 - position) % S turns the rest of the row round as well; padding of one id hides it.
# Shows where different things stand behind the end, two or more of them: they come out in reverse order.

def reverse_source(source: Tensor, lengths: Tensor) -> Tensor:
    positions = torch.arange(source.shape[1], device=source.device)  # (S,)
    mirrored = (lengths.unsqueeze(1) - 1 - positions) % source.shape[1]  # (B, S)
    return source.gather(1, mirrored)

# %% wrong: the end token kept at the end
# Only the first length - 1 tokens are turned, so that the sentence still ends with its end token; it is one of the tokens.
# Shows for every row of length 2 or more with different tokens: </s> should come first.

def reverse_source(source: Tensor, lengths: Tensor) -> Tensor:
    positions = torch.arange(source.shape[1], device=source.device)  # (S,)
    words = lengths.unsqueeze(1) - 1  # without the end token
    mirrored = words - 1 - positions
    mirrored = torch.where(mirrored >= 0, mirrored, positions)
    return source.gather(1, mirrored)

# %% wrong: turned round in the caller's tensor
# reversed_source is a second name for source and no copy, so the rows are turned in the caller's batch.
# Shows for any row of length 2 or more: source is another after the call, and a second call turns it back.

def reverse_source(source: Tensor, lengths: Tensor) -> Tensor:
    reversed_source = source
    for row, length in enumerate(lengths.tolist()):
        reversed_source[row, :length] = source[row, :length].flip(0)
    return reversed_source

# %% wrong: written onto a sheet of PAD_ID
# The result starts as a sheet of PAD_ID, and what stood behind the sentence is not copied.
# Shows where the padding holds another id than 0.

def reverse_source(source: Tensor, lengths: Tensor) -> Tensor:
    result = torch.full_like(source, PAD_ID)
    for b in range(source.shape[0]):
        n = int(lengths[b])
        result[b, :n] = torch.flip(source[b, :n], dims=[0])
    return result

# %% correct: a table of who goes where, summed

def reverse_source(source: Tensor, lengths: Tensor) -> Tensor:
    place = torch.arange(source.shape[1], device=source.device)
    length = lengths.to(source.device).reshape(-1, 1, 1)
    to, come_from = place.reshape(1, -1, 1), place.reshape(1, 1, -1)
    inside = (to < length) & (to + come_from == length - 1)
    behind = (to >= length) & (to == come_from)
    moved = (inside | behind) * source.unsqueeze(1)  # (B, S, S), one token left in each row
    return moved.sum(dim=2).to(source.dtype)

# %% correct: swaps from both ends inwards

def reverse_source(source: Tensor, lengths: Tensor) -> Tensor:
    rows = source.tolist()
    for row, length in zip(rows, lengths.tolist(), strict=True):
        left, right = 0, length - 1
        while left < right:
            row[left], row[right] = row[right], row[left]
            left, right = left + 1, right - 1
    return torch.tensor(rows, dtype=source.dtype, device=source.device).reshape(source.shape)
