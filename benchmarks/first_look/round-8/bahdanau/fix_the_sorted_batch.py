# %% wrong: the state stays sorted
# The outputs are put back and the state is returned as the encoder gave it.
# Shows for every batch that does not come sorted.

def encode_longest_first(encoder, source: Tensor, lengths: Tensor) -> tuple[Tensor, Tensor]:
    order = lengths.argsort(descending=True)
    outputs, state = encoder(source[order], lengths[order])
    back = order.argsort()
    return outputs[back], state


# %% wrong: the way back sorted downwards too
# order.argsort(descending=True) is the inverse turned round, so row b gets what belongs to row B - 1 - b.
# Shows for every batch of two or more.

def encode_longest_first(encoder, source: Tensor, lengths: Tensor) -> tuple[Tensor, Tensor]:
    order = lengths.argsort(descending=True)
    outputs, state = encoder(source[order], lengths[order])
    back = order.argsort(descending=True)
    return outputs[back], state[back]


# %% wrong: the sorting is left out
# Right for an encoder that takes any order, but this one wants the longest sentence first, and is called with
# the caller's order. Shows where the batch does not come sorted.

def encode_longest_first(encoder, source: Tensor, lengths: Tensor) -> tuple[Tensor, Tensor]:
    outputs, state = encoder(source, lengths)
    return outputs, state


# %% wrong: the lengths are not sorted with their sentences
# The encoder gets the sorted rows beside the unsorted lengths. Shows where the lengths do not come sorted.

def encode_longest_first(encoder, source: Tensor, lengths: Tensor) -> tuple[Tensor, Tensor]:
    order = lengths.argsort(descending=True)
    outputs, state = encoder(source[order], lengths)
    back = torch.empty_like(order)
    back[order] = torch.arange(len(order), device=order.device)
    return outputs[back], state[back]


# %% correct: written back to the places the rows were taken from

def encode_longest_first(encoder, source: Tensor, lengths: Tensor) -> tuple[Tensor, Tensor]:
    falling, order = torch.sort(lengths, dim=0, descending=True, stable=True)
    outputs, state = encoder(source.index_select(0, order), falling)
    home = torch.zeros_like(outputs).index_copy(0, order, outputs)
    return home, torch.zeros_like(state).index_copy(0, order, state)


# %% correct: each row's rank, counted and not sorted

def encode_longest_first(encoder, source: Tensor, lengths: Tensor) -> tuple[Tensor, Tensor]:
    size = lengths.shape[0]
    row = torch.arange(size, device=lengths.device)
    longer = lengths[None, :] > lengths[:, None]
    same_and_earlier = (lengths[None, :] == lengths[:, None]) & (row[None, :] < row[:, None])
    rank = (longer | same_and_earlier).sum(dim=1)  # the place of row b among the sorted
    order = torch.zeros_like(row).scatter(0, rank, row)
    outputs, state = encoder(source[order], lengths[order])
    return torch.stack([outputs[i] for i in rank.tolist()]), torch.stack([state[i] for i in rank.tolist()])
