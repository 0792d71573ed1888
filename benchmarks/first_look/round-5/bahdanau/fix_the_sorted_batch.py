# %% wrong: looks its own row up by the length
# The way back searches the place of each length among the sorted lengths. Sentences of equal length all get the first
# row of that length.

def encode_longest_first(encoder, source: Tensor, lengths: Tensor) -> tuple[Tensor, Tensor]:
    """Run an encoder that wants the longest sentence first; give the caller's order back."""
    order = lengths.argsort(descending=True)
    outputs, state = encoder(source[order], lengths[order])
    in_order = lengths[order].tolist()
    back = torch.tensor([in_order.index(length) for length in lengths.tolist()])
    return outputs[back], state[back]


# %% wrong: the shortest sentence comes first
# argsort without descending sorts upwards. The way back is right, but the encoder gets the rows in the wrong order.

def encode_longest_first(encoder, source: Tensor, lengths: Tensor) -> tuple[Tensor, Tensor]:
    """Run an encoder that wants the longest sentence first; give the caller's order back."""
    order = torch.argsort(lengths)
    outputs, state = encoder(source[order], lengths[order])
    back = torch.argsort(order)
    return outputs[back], state[back]


# %% wrong: sorts the tensors of the caller
# source and lengths are overwritten with the sorted rows, although they are to be left as they were.

def encode_longest_first(encoder, source: Tensor, lengths: Tensor) -> tuple[Tensor, Tensor]:
    """Run an encoder that wants the longest sentence first; give the caller's order back."""
    order = lengths.argsort(descending=True)
    source[:] = source[order]
    lengths[:] = lengths[order]
    outputs, state = encoder(source, lengths)
    back = torch.empty_like(order)
    back[order] = torch.arange(len(order))
    return outputs[back], state[back]


# %% wrong: only the outputs find their way back
# outputs are put back in the caller's order; state goes through the order a second time, as it was found.

def encode_longest_first(encoder, source: Tensor, lengths: Tensor) -> tuple[Tensor, Tensor]:
    """Run an encoder that wants the longest sentence first; give the caller's order back."""
    order = lengths.argsort(descending=True)
    outputs, state = encoder(source[order], lengths[order])
    restored = torch.zeros_like(outputs)
    restored[order] = outputs
    return restored, state[order]


# %% wrong: one call for each sentence
# The encoder is called with one row at a time, so that no order is needed. It is to be called once, with all rows
# sorted.

def encode_longest_first(encoder, source: Tensor, lengths: Tensor) -> tuple[Tensor, Tensor]:
    """Run an encoder that wants the longest sentence first; give the caller's order back."""
    outputs, states = [], []
    for b in range(len(source)):
        output, state = encoder(source[b : b + 1], lengths[b : b + 1])
        outputs.append(output)
        states.append(state)
    return torch.cat(outputs), torch.cat(states)


# %% correct: python sorts, and notes where each row went

def encode_longest_first(encoder, source: Tensor, lengths: Tensor) -> tuple[Tensor, Tensor]:
    """Run an encoder that wants the longest sentence first; give the caller's order back."""
    size = lengths.tolist()
    order = sorted(range(len(size)), key=lambda b: size[b], reverse=True)
    place_of = {b: place for place, b in enumerate(order)}
    back = [place_of[b] for b in range(len(size))]
    outputs, state = encoder(source[order], lengths[order])
    return outputs[back], state[back]


# %% correct: rows are copied to where they came from

def _put_back(rows, order):
    return torch.zeros_like(rows).index_copy(0, order, rows)


def encode_longest_first(encoder, source: Tensor, lengths: Tensor) -> tuple[Tensor, Tensor]:
    """Run an encoder that wants the longest sentence first; give the caller's order back."""
    falling, order = torch.sort(lengths, descending=True, stable=True)
    outputs, state = encoder(source.index_select(0, order), falling)
    return _put_back(outputs, order), _put_back(state, order)
