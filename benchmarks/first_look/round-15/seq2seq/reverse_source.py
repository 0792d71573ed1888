# %% wrong: the places wrap around the end of the row
# A negative place is taken modulo S. The real tokens are right, but the padding comes out in reverse order, which shows
# where it holds two or more different ids.

def reverse_source(source: Tensor, lengths: Tensor) -> Tensor:
    positions = torch.arange(source.shape[1], device=source.device)  # (S,)
    mirrored = (lengths.unsqueeze(1) - 1 - positions) % source.shape[1]
    return source.gather(1, mirrored)


# %% wrong: the padding is made anew
# The rest of each row is filled with zeros. Padding that holds other ids does not come back unchanged.

def reverse_source(source: Tensor, lengths: Tensor) -> Tensor:
    reversed_source = torch.zeros_like(source)
    for b, length in enumerate(lengths.tolist()):
        reversed_source[b, :length] = source[b, :length].flip(0)
    return reversed_source


# %% wrong: the rows are turned round where they lie
# `row` is a view of the caller's tensor, so the source itself is reversed. What comes back is right, and a second call turns
# it back.

def reverse_source(source: Tensor, lengths: Tensor) -> Tensor:
    for row, length in zip(source, lengths.tolist(), strict=True):
        row[:length] = row[:length].flip(0)
    return source


# %% wrong: the end token keeps its place
# Only the words before the last token are reversed, so that the sentence still ends with its end token. Asked for are all
# real tokens, the end token first. Any length of 2 or more shows it.

def reverse_source(source: Tensor, lengths: Tensor) -> Tensor:
    positions = torch.arange(source.shape[1], device=source.device)  # (S,)
    mirrored = lengths.unsqueeze(1) - 2 - positions
    mirrored = torch.where(mirrored >= 0, mirrored, positions)
    return source.gather(1, mirrored)


# %% correct: sorted by keys that fall inside the sentence and rise behind it

def reverse_source(source: Tensor, lengths: Tensor) -> Tensor:
    places = torch.arange(source.shape[1], device=source.device).expand_as(source)
    keys = torch.where(places < lengths[:, None], -places, places)
    return torch.take_along_dim(source, keys.argsort(dim=1), dim=1)


# %% correct: every token is sent to its new place

def reverse_source(source: Tensor, lengths: Tensor) -> Tensor:
    row, place = torch.ones_like(source).nonzero(as_tuple=True)
    last = lengths[row] - 1
    goes_to = torch.where(place <= last, last - place, place)
    result = torch.empty_like(source)
    result[row, goes_to] = source[row, place]
    return result
