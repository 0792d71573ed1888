# %% wrong: the lengths sorted the other way
# Goes back by the rising order of the lengths, which is not the inverse of the permutation.
# Shows for most batches of two or more, for example lengths 5, 3.

def encode_longest_first(encoder, source: Tensor, lengths: Tensor) -> tuple[Tensor, Tensor]:
    order = lengths.argsort(descending=True)
    outputs, state = encoder(source[order], lengths[order])
    back = lengths.argsort()
    return outputs[back], state[back]


# %% wrong: the state left sorted
# Puts the outputs back and forgets the state: its rows are still in the order of falling length.
# Shows for every batch that is not sorted already.

def encode_longest_first(encoder, source: Tensor, lengths: Tensor) -> tuple[Tensor, Tensor]:
    order = lengths.argsort(descending=True)
    outputs, state = encoder(source[order], lengths[order])
    back = order.argsort()
    return outputs[back], state


# %% wrong: not sorted at all
# Takes the sorting out, so nothing need be put back. An encoder that wants its rows by falling length gets them unsorted
# (a packed sequence raises). Shows for every batch that is not sorted already.

def encode_longest_first(encoder, source: Tensor, lengths: Tensor) -> tuple[Tensor, Tensor]:
    outputs, state = encoder(source, lengths)
    return outputs, state


# %% wrong: the order applied twice
# Takes sorting once more by the same order for the way back. Right where the order three times over is the identity
# (one sentence, or a cycle of three), wrong for lengths 3, 5.

def encode_longest_first(encoder, source: Tensor, lengths: Tensor) -> tuple[Tensor, Tensor]:
    order = lengths.argsort(descending=True)
    outputs, state = encoder(source[order], lengths[order])
    back = order[order]
    return outputs[back], state[back]


# %% correct: written to the rows they came from

def encode_longest_first(encoder, source: Tensor, lengths: Tensor) -> tuple[Tensor, Tensor]:
    falling, order = torch.sort(lengths, descending=True)
    outputs, state = encoder(source.index_select(0, order), falling)
    return torch.zeros_like(outputs).index_copy(0, order, outputs), torch.zeros_like(state).index_copy(0, order, state)


# %% correct: Python's sort, and a list that says where each sentence went

def encode_longest_first(encoder, source: Tensor, lengths: Tensor) -> tuple[Tensor, Tensor]:
    count = lengths.tolist()
    order = sorted(range(len(count)), key=lambda b: -count[b])
    went = [0] * len(order)
    for place, b in enumerate(order):
        went[b] = place
    outputs, state = encoder(torch.stack([source[b] for b in order]), torch.stack([lengths[b] for b in order]))
    return torch.stack([outputs[place] for place in went]), torch.stack([state[place] for place in went])
