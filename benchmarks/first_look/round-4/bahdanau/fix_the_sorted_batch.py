# %% wrong: the order is sorted the wrong way round
# The inverse of an order is its argsort, but here it is sorted by falling numbers, like the lengths. The rows come back in the caller's order reversed.
# Hint: take order = [2, 0, 1] and find, by hand, at which place of it row 0 stands, then row 1, then row 2.

def encode_longest_first(encoder, source: Tensor, lengths: Tensor) -> tuple[Tensor, Tensor]:
    order = lengths.argsort(descending=True)
    outputs, state = encoder(source[order], lengths[order])
    back = order.argsort(descending=True)
    return outputs[back], state[back]


# %% wrong: only the outputs are put back
# The outputs are returned in the caller's order, but the state is left in the sorted one, so each sentence starts its decoder from another sentence's state.
# Hint: check both things that are returned, with four lengths of which none is in its sorted place.

def encode_longest_first(encoder, source: Tensor, lengths: Tensor) -> tuple[Tensor, Tensor]:
    order = lengths.argsort(descending=True)
    outputs, state = encoder(source[order], lengths[order])
    back = order.argsort()
    return outputs[back], state


# %% wrong: the sorting is left out
# The encoder is given the batch as it comes. The rows match, but the promise that the encoder gets the longest sentence first is broken.
# Hint: look at the lengths that your encoder is called with. What does the docstring promise it?

def encode_longest_first(encoder, source: Tensor, lengths: Tensor) -> tuple[Tensor, Tensor]:
    outputs, state = encoder(source, lengths)
    return outputs, state


# %% wrong: sorted back by the lengths instead of by the order
# To go back the rows are indexed with the argsort of the lengths. That sorts something, but it is not the inverse of the order that was used.
# Hint: what must source[order][back] be? Try it with the lengths 3, 5, 2, 4.

def encode_longest_first(encoder, source: Tensor, lengths: Tensor) -> tuple[Tensor, Tensor]:
    order = lengths.argsort(descending=True)
    outputs, state = encoder(source[order], lengths[order])
    back = lengths.argsort()
    return outputs[back], state[back]


# %% wrong: the caller's batch is sorted in place
# Outputs and state come back right, but source and lengths are overwritten with the sorted ones, so they no longer fit the targets that belong to them.
# Hint: compare source and lengths before and after the call.

def encode_longest_first(encoder, source: Tensor, lengths: Tensor) -> tuple[Tensor, Tensor]:
    order = lengths.argsort(descending=True)
    source[:] = source[order]
    lengths[:] = lengths[order]
    outputs, state = encoder(source, lengths)
    back = torch.empty_like(order)
    back[order] = torch.arange(len(order), device=order.device)
    return outputs[back], state[back]


# %% correct: the rows are written to where they came from

def encode_longest_first(encoder, source: Tensor, lengths: Tensor) -> tuple[Tensor, Tensor]:
    _, order = torch.sort(lengths, descending=True, stable=True)
    sorted_outputs, sorted_state = encoder(source.index_select(0, order), lengths.index_select(0, order))
    outputs = torch.zeros_like(sorted_outputs).index_copy(0, order, sorted_outputs)
    state = torch.zeros_like(sorted_state).index_copy(0, order, sorted_state)
    return outputs, state


# %% correct: a dictionary from the caller's row to its sorted place

def encode_longest_first(encoder, source: Tensor, lengths: Tensor) -> tuple[Tensor, Tensor]:
    as_numbers = lengths.tolist()
    falling = sorted(range(len(as_numbers)), key=as_numbers.__getitem__, reverse=True)
    outputs, state = encoder(source[falling], lengths[falling])
    place = {row: rank for rank, row in enumerate(falling)}
    home = [place[row] for row in range(len(as_numbers))]
    return outputs[home], state[home]
