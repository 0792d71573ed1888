# %% wrong: the way back found by the length
# Looks up where each length stands in the sorted batch; of several equal lengths it always finds the first.
# Shows where two sentences are equally long: both get the outputs of the first of them.

def encode_longest_first(encoder, source: Tensor, lengths: Tensor) -> tuple[Tensor, Tensor]:
    order = lengths.argsort(descending=True)
    outputs, state = encoder(source[order], lengths[order])
    sorted_lengths = lengths[order].tolist()
    back = [sorted_lengths.index(length) for length in lengths.tolist()]
    return outputs[back], state[back]

# %% wrong: the sorting taken out
# Without sorting nothing needs to be put back, but the encoder wants the longest sentence first and does not get it.
# Shows for any batch whose lengths do not fall already: the encoder is called with unsorted rows.

def encode_longest_first(encoder, source: Tensor, lengths: Tensor) -> tuple[Tensor, Tensor]:
    outputs, state = encoder(source, lengths)
    return outputs, state

# %% wrong: only the outputs brought back
# The outputs get the inverse order; the state is still indexed with the order itself.
# Shows where the order is not its own inverse, such as lengths 2, 4, 3: the states belong to other rows.

def encode_longest_first(encoder, source: Tensor, lengths: Tensor) -> tuple[Tensor, Tensor]:
    order = lengths.argsort(descending=True)
    outputs, state = encoder(source[order], lengths[order])
    back = order.argsort()
    return outputs[back], state[order]

# %% wrong: sorted upwards to undo sorting downwards
# Takes the order of rising lengths for the inverse of the order of falling lengths.
# Shows for lengths 1, 2 (right by order, swapped by this) and for nearly every batch of more than one.

def encode_longest_first(encoder, source: Tensor, lengths: Tensor) -> tuple[Tensor, Tensor]:
    order = lengths.argsort(descending=True)
    outputs, state = encoder(source[order], lengths[order])
    back = lengths.argsort()
    return outputs[back], state[back]

# %% correct: Python's sort, and a shelf with numbered places

def encode_longest_first(encoder, source: Tensor, lengths: Tensor) -> tuple[Tensor, Tensor]:
    ranking = sorted(range(len(lengths)), key=lambda b: -int(lengths[b]))
    outputs, state = encoder(
        torch.stack([source[b] for b in ranking]), torch.stack([lengths[b] for b in ranking])
    )
    shelf = [None] * len(ranking)
    for b, *row in zip(ranking, outputs.unbind(), state.unbind(), strict=True):
        shelf[b] = row
    rows_of_outputs, rows_of_state = zip(*shelf, strict=True)
    return torch.stack(rows_of_outputs), torch.stack(rows_of_state)

# %% correct: each row added at the place that it came from

def encode_longest_first(encoder, source: Tensor, lengths: Tensor) -> tuple[Tensor, Tensor]:
    falling, origin = lengths.sort(descending=True, stable=True)
    outputs, state = encoder(source.index_select(0, origin.to(source.device)), falling)

    def home(rows: Tensor) -> Tensor:
        return torch.zeros_like(rows).index_add(0, origin.to(rows.device), rows)

    return home(outputs), home(state)
