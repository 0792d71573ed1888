# %% wrong: the way back sorts downward too
# The inverse is order.argsort(), but descending=True was taken along from the line above: the rows come back
# mirrored. Shows for any two or more sentences (the middle one of an odd number excepted).

def encode_longest_first(encoder, source: Tensor, lengths: Tensor) -> tuple[Tensor, Tensor]:
    order = lengths.argsort(descending=True)
    outputs, state = encoder(source[order], lengths[order])
    back = order.argsort(descending=True)
    return outputs[back], state[back]

# %% wrong: finds a sentence again by its length
# A dictionary from length to row: of two sentences of equal length both get the later one's row. Shows for
# lengths such as (3, 5, 3).

def encode_longest_first(encoder, source: Tensor, lengths: Tensor) -> tuple[Tensor, Tensor]:
    ordered, order = lengths.sort(descending=True)
    outputs, state = encoder(source[order], ordered)
    row_of = {length: row for row, length in enumerate(ordered.tolist())}
    back = torch.tensor([row_of[length] for length in lengths.tolist()], device=source.device)
    return outputs[back], state[back]

# %% wrong: the order applied twice more
# It happens to lead home in a cycle of three, as with lengths (1, 3, 2), which were tried. Shows
# where two sentences change places, such as lengths (1, 2), or where four go round.

def encode_longest_first(encoder, source: Tensor, lengths: Tensor) -> tuple[Tensor, Tensor]:
    order = lengths.argsort(descending=True)
    outputs, state = encoder(source[order], lengths[order])
    outputs, state = outputs[order], state[order]
    return outputs[order], state[order]

# %% wrong: writes the rows back into what the encoder gave
# The values are right, but the encoder's own tensors are overwritten, which its backward may need. Shows as
# an error in backward for an encoder that ends in tanh or a GRU, whatever the lengths.

def encode_longest_first(encoder, source: Tensor, lengths: Tensor) -> tuple[Tensor, Tensor]:
    order = lengths.argsort(descending=True)
    outputs, state = encoder(source[order], lengths[order])
    outputs[order] = outputs.clone()
    state[order] = state.clone()
    return outputs, state

# %% correct: a list with a place for each sentence

def encode_longest_first(encoder, source: Tensor, lengths: Tensor) -> tuple[Tensor, Tensor]:
    by_length = lengths.tolist()
    order = sorted(range(len(by_length)), key=lambda b: -by_length[b])
    outputs, state = encoder(
        torch.stack([source[b] for b in order]), torch.stack([lengths[b] for b in order])
    )
    home: list = [None] * len(order)
    for place, b in enumerate(order):
        home[b] = (outputs[place], state[place])
    return torch.stack([pair[0] for pair in home]), torch.stack([pair[1] for pair in home])

# %% correct: each sentence's place is how many come before it

def encode_longest_first(encoder, source: Tensor, lengths: Tensor) -> tuple[Tensor, Tensor]:
    number = torch.arange(len(lengths), device=lengths.device)
    longer = lengths[None, :] > lengths[:, None]
    alike_and_earlier = (lengths[None, :] == lengths[:, None]) & (number[None, :] < number[:, None])
    place = (longer | alike_and_earlier).sum(dim=1)  # of row b among the sorted ones
    order = torch.empty_like(place).scatter_(0, place, number)
    outputs, state = encoder(source.index_select(0, order), lengths.index_select(0, order))
    return outputs.index_select(0, place), state.index_select(0, place)
