# %% wrong: ascending is the way back
# Sorting by rising length is not the inverse of sorting by falling length. Shows for lengths (2, 4, 3): falling order
# is 1, 2, 0, its inverse 2, 0, 1, and the rising order 0, 2, 1.

def encode_longest_first(encoder, source: Tensor, lengths: Tensor) -> tuple[Tensor, Tensor]:
    order = lengths.argsort(descending=True)
    outputs, state = encoder(source[order], lengths[order])
    back = lengths.argsort()
    return outputs[back], state[back]


# %% wrong: the state stays in the encoder's order
# The outputs are brought back with the inverse order, the state is handed over as it came. Shows in the state wherever
# the batch was not sorted already.

def encode_longest_first(encoder, source: Tensor, lengths: Tensor) -> tuple[Tensor, Tensor]:
    lengths_sorted, order = lengths.sort(descending=True)
    outputs, state = encoder(source[order], lengths_sorted)
    return outputs[order.argsort()], state


# %% wrong: each row is looked up by its length
# Row b takes the first row of the sorted batch that has its length. Two sentences of equal length both get the first
# one's states. Shows for lengths (3, 3), in any order.

def encode_longest_first(encoder, source: Tensor, lengths: Tensor) -> tuple[Tensor, Tensor]:
    order = lengths.argsort(descending=True)
    in_order = lengths[order]
    outputs, state = encoder(source[order], in_order)
    back = (in_order.unsqueeze(0) == lengths.unsqueeze(1)).int().argmax(dim=1)
    return outputs[back], state[back]


# %% wrong: put back in the encoder's own tensors
# The rows are right, but they are written over what the encoder returned. A state that ends in a tanh, as chapter 01's,
# is needed as it was for backward: a loss of the state raises there.

def encode_longest_first(encoder, source: Tensor, lengths: Tensor) -> tuple[Tensor, Tensor]:
    order = lengths.argsort(descending=True)
    outputs, state = encoder(source[order], lengths[order])
    outputs[order] = outputs.clone()
    state[order] = state.clone()
    return outputs, state


# %% correct: each row goes where it came from

# Row n of the sorted batch is copied into row order[n] of a new tensor.

def encode_longest_first(encoder, source: Tensor, lengths: Tensor) -> tuple[Tensor, Tensor]:
    order = torch.argsort(-lengths, stable=True)
    returned = encoder(source.index_select(0, order.to(source.device)), lengths.index_select(0, order))
    there = []
    for rows in returned:
        there.append(torch.zeros_like(rows).index_copy(0, order.to(rows.device), rows))
    return there[0], there[1]


# %% correct: a dictionary of rows

# Python sorts the row numbers; a dictionary says at which place of the sorted batch each row stands.

def encode_longest_first(encoder, source: Tensor, lengths: Tensor) -> tuple[Tensor, Tensor]:
    long = lengths.tolist()
    order = sorted(range(len(long)), key=long.__getitem__, reverse=True)
    outputs, state = encoder(
        torch.stack([source[row] for row in order]), torch.stack([lengths[row] for row in order])
    )
    place = {row: n for n, row in enumerate(order)}
    rows = range(len(long))
    return torch.stack([outputs[place[row]] for row in rows]), torch.stack([state[place[row]] for row in rows])
