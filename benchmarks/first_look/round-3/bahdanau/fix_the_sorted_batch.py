# %% wrong: back by rising lengths
# argsort of the lengths is another sorting and not the way back: the rows come out in an order that is right by accident only.
# Hint: the sentence from row 2 of the caller went to which row of the sorted batch? Who must fetch it from there?

def encode_longest_first(encoder, source: Tensor, lengths: Tensor) -> tuple[Tensor, Tensor]:
    order = lengths.argsort(descending=True)
    outputs, state = encoder(source[order], lengths[order])
    back = lengths.argsort()
    return outputs[back], state[back]


# %% wrong: the state stays sorted
# The outputs are brought back and the state is not, so row b of the state belongs to another sentence.
# Hint: two things come out of the encoder; follow one sentence through both.

def encode_longest_first(encoder, source: Tensor, lengths: Tensor) -> tuple[Tensor, Tensor]:
    order = lengths.argsort(descending=True)
    outputs, state = encoder(source[order], lengths[order])
    back = order.argsort()
    return outputs[back], state


# %% wrong: found again by the length
# Each sentence is looked up by its length, so two sentences of one length both get the states of the first of them.
# Hint: try it with two different sentences that are equally long.

def encode_longest_first(encoder, source: Tensor, lengths: Tensor) -> tuple[Tensor, Tensor]:
    order = lengths.argsort(descending=True)
    sorted_lengths = lengths[order]
    outputs, state = encoder(source[order], sorted_lengths)
    back = (sorted_lengths.unsqueeze(0) == lengths.unsqueeze(1)).int().argmax(dim=1)
    return outputs[back], state[back]


# %% wrong: the caller's batch is sorted
# source and lengths are sorted in place, while the docstring leaves them as they were: the caller's mask and targets no longer fit them.
# Hint: compare source before and after the call.

def encode_longest_first(encoder, source: Tensor, lengths: Tensor) -> tuple[Tensor, Tensor]:
    order = lengths.argsort(descending=True)
    source[:] = source[order]
    lengths[:] = lengths[order]
    outputs, state = encoder(source, lengths)
    back = order.argsort()
    return outputs[back], state[back]


# %% correct: written back to where each came from

def encode_longest_first(encoder, source: Tensor, lengths: Tensor) -> tuple[Tensor, Tensor]:
    falling, order = torch.sort(lengths, descending=True, stable=True)
    outputs, state = encoder(source.index_select(0, order), falling)
    return (
        torch.zeros_like(outputs).index_copy(0, order, outputs),
        torch.zeros_like(state).index_copy(0, order, state),
    )


# %% correct: a table from row to sorted row

def encode_longest_first(encoder, source: Tensor, lengths: Tensor) -> tuple[Tensor, Tensor]:
    rows = sorted(range(len(lengths)), key=lambda b: -int(lengths[b]))
    went_to = {row: place for place, row in enumerate(rows)}
    outputs, state = encoder(source[rows], lengths[rows])
    outputs = torch.stack([outputs[went_to[b]] for b in range(len(rows))])
    state = torch.stack([state[went_to[b]] for b in range(len(rows))])
    return outputs, state
