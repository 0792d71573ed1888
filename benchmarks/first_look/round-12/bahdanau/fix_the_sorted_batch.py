# %% wrong: only the outputs find their way back
# The inverse order is right, but the state is left in the order of the lengths.
# Shows for every batch that does not come sorted already.

def encode_longest_first(encoder, source: Tensor, lengths: Tensor) -> tuple[Tensor, Tensor]:
    order = lengths.argsort(descending=True)
    outputs, state = encoder(source[order], lengths[order])
    back = order.argsort()
    return outputs[back], state

# %% wrong: the way back is sorted downwards, too
# argsort(descending=True) of the order is the inverse read from its end: rows come back in reverse.
# Shows for every batch of two or more sentences.

def encode_longest_first(encoder, source: Tensor, lengths: Tensor) -> tuple[Tensor, Tensor]:
    order = lengths.argsort(descending=True)
    outputs, state = encoder(source[order], lengths[order])
    back = order.argsort(descending=True)
    return outputs[back], state[back]

# %% wrong: found again by its length
# Each sentence is looked up in the sorted batch by its length: of equal lengths, the first one is taken for all.
# Shows for two different sentences of equal length.

def encode_longest_first(encoder, source: Tensor, lengths: Tensor) -> tuple[Tensor, Tensor]:
    in_order, order = lengths.sort(descending=True)
    outputs, state = encoder(source[order], in_order)
    sorted_lengths = in_order.tolist()
    back = [sorted_lengths.index(length) for length in lengths.tolist()]
    return outputs[back], state[back]

# %% wrong: put back into tables of float32
# The rows are written to their places in fresh tables, which are float32 whatever the encoder returns.
# Shows for an encoder in float64: an error, since the types differ.

def encode_longest_first(encoder, source: Tensor, lengths: Tensor) -> tuple[Tensor, Tensor]:
    order = lengths.argsort(descending=True)
    outputs, state = encoder(source[order], lengths[order])
    all_outputs, all_states = torch.zeros(outputs.shape), torch.zeros(state.shape)
    all_outputs[order] = outputs
    all_states[order] = state
    return all_outputs, all_states

# %% correct: an address for each row, by Python's sort

# A list of row numbers is sorted by length; each result is put under its number, and the numbers are counted through.

def encode_longest_first(encoder, source: Tensor, lengths: Tensor) -> tuple[Tensor, Tensor]:
    sizes = lengths.tolist()
    order = sorted(range(len(sizes)), key=lambda b: -sizes[b])
    outputs, state = encoder(torch.stack([source[b] for b in order]), torch.stack([lengths[b] for b in order]))
    found = {b: (outputs[row], state[row]) for row, b in enumerate(order)}
    rows = [found[b] for b in range(len(sizes))]
    return tuple(torch.stack(parts) for parts in zip(*rows, strict=True))

# %% correct: copied to the index

# index_copy sends row i of the result to row order[i], which needs no inverse.

def encode_longest_first(encoder, source: Tensor, lengths: Tensor) -> tuple[Tensor, Tensor]:
    order = (-lengths).sort(stable=True).indices
    results = encoder(source.index_select(0, order), lengths.index_select(0, order))
    outputs, state = (torch.zeros_like(found).index_copy(0, order.to(found.device), found) for found in results)
    return outputs, state
