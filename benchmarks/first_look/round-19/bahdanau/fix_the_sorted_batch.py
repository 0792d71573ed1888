# %% wrong: only the outputs are brought back
# The state stays in the order of falling length. Shows as soon as the lengths are not sorted already: each sentence is written
# from the first state of another one.

def encode_longest_first(encoder, source: Tensor, lengths: Tensor) -> tuple[Tensor, Tensor]:
    order = lengths.argsort(descending=True)
    outputs, state = encoder(source[order], lengths[order])
    back = order.argsort()
    return outputs[back], state

# %% wrong: written back into the encoder's own tensors
# The rows are right, but outputs[order] = ... overwrites what the encoder gave, which must be left as it was: an encoder that
# keeps its output, or gives a stored one, finds it changed.

def encode_longest_first(encoder, source: Tensor, lengths: Tensor) -> tuple[Tensor, Tensor]:
    order = lengths.argsort(descending=True)
    outputs, state = encoder(source[order], lengths[order])
    outputs[order] = outputs.clone()
    state[order] = state.clone()
    return outputs, state

# %% wrong: found again by its length
# Row b looks for the first sorted row of its own length. Right for lengths that all differ; of two sentences of equal length
# both get the first one's outputs.

def encode_longest_first(encoder, source: Tensor, lengths: Tensor) -> tuple[Tensor, Tensor]:
    order = lengths.argsort(descending=True)
    ordered = lengths[order]
    outputs, state = encoder(source[order], ordered)
    back = torch.tensor([ordered.tolist().index(length) for length in lengths.tolist()], device=source.device)
    return outputs[back], state[back]

# %% wrong: the order applied to itself
# order[order] undoes a rotation of three sentences, and an order that is sorted already. For two sentences that change places,
# lengths (2, 3), it is no exchange at all.

def encode_longest_first(encoder, source: Tensor, lengths: Tensor) -> tuple[Tensor, Tensor]:
    order = lengths.argsort(descending=True)
    outputs, state = encoder(source[order], lengths[order])
    back = order[order]
    return outputs[back], state[back]

# %% correct: copied to the rows they came from
# index_copy, in its form that gives a new tensor, puts sorted row i into row order[i].
def encode_longest_first(encoder, source: Tensor, lengths: Tensor) -> tuple[Tensor, Tensor]:
    order = lengths.argsort(descending=True)
    given = encoder(source.index_select(0, order), lengths.index_select(0, order))
    outputs, state = (torch.zeros_like(part).index_copy(0, order, part) for part in given)
    return outputs, state

# %% correct: Python's sort, and rows stacked one by one
def encode_longest_first(encoder, source: Tensor, lengths: Tensor) -> tuple[Tensor, Tensor]:
    numbers = lengths.tolist()
    order = sorted(range(len(numbers)), key=numbers.__getitem__, reverse=True)
    outputs, state = encoder(
        torch.stack([source[b] for b in order]), torch.stack([lengths[b] for b in order])
    )
    place = {b: row for row, b in enumerate(order)}
    rows = [place[b] for b in range(len(numbers))]
    return torch.stack([outputs[row] for row in rows]), torch.stack([state[row] for row in rows])
