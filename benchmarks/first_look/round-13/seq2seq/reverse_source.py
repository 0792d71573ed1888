# %% wrong: turned round in the caller's rows
# Each row is right, but it is written into `source`: the caller's batch is reversed afterwards.

def reverse_source(source: Tensor, lengths: Tensor) -> Tensor:
    for row, length in zip(source, lengths.tolist()):
        row[:length] = row[:length].flip(0)
    return source


# %% wrong: PAD_ID in the padding
# The mirrored places fit each row, but the rest is filled with the notebook's PAD_ID: padding of other ids is
# changed.

def reverse_source(source: Tensor, lengths: Tensor) -> Tensor:
    positions = torch.arange(source.shape[1], device=source.device)  # (S,)
    mirrored = lengths.unsqueeze(1) - 1 - positions  # (B, S)
    turned = source.gather(1, mirrored.clamp(min=0))
    return turned.masked_fill(mirrored < 0, PAD_ID)


# %% wrong: the end token stays at the end
# Only the words before the last real token change places. Shows for every sentence of two tokens or more.

def reverse_source(source: Tensor, lengths: Tensor) -> Tensor:
    positions = torch.arange(source.shape[1], device=source.device)  # (S,)
    mirrored = lengths.unsqueeze(1) - 2 - positions  # </s> ends the sentence
    mirrored = torch.where(mirrored >= 0, mirrored, positions)
    return source.gather(1, mirrored)


# %% wrong: negative places wrapped round
# The remainder sends the places of the padding to the padding, but mirrored as well: shows where the padding holds
# different ids, such as [5, 6, 1, 2] with length 2.

def reverse_source(source: Tensor, lengths: Tensor) -> Tensor:
    S = source.shape[1]
    positions = torch.arange(S, device=source.device)  # (S,)
    mirrored = (lengths[:, None] - 1 - positions) % S
    return source.gather(1, mirrored)


# %% correct: sorted by place, real ones downwards

def reverse_source(source: Tensor, lengths: Tensor) -> Tensor:
    positions = torch.arange(source.shape[1], device=source.device).expand_as(source)
    real = positions < lengths.unsqueeze(1)
    order = torch.where(real, -positions, positions).argsort(dim=1)
    return torch.take_along_dim(source, order, dim=1)


# %% correct: each token is sent to its new place

def reverse_source(source: Tensor, lengths: Tensor) -> Tensor:
    result = source.clone()
    for place in range(source.shape[1]):
        rows = (lengths > place).nonzero(as_tuple=True)[0]
        result[rows, lengths[rows] - 1 - place] = source[rows, place]
    return result
