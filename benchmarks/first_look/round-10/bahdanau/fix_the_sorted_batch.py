# %% wrong: the way back sorted falling too
# order.argsort(descending=True) is the inverse read backwards: row b gets the sentence of row B - 1 - b.
# Shows for every batch of two or more (the middle row of an odd batch is right).

def encode_longest_first(encoder, source: Tensor, lengths: Tensor) -> tuple[Tensor, Tensor]:
    order = lengths.argsort(descending=True)
    outputs, state = encoder(source[order], lengths[order])
    back = order.argsort(descending=True)
    return outputs[back], state[back]


# %% wrong: the state stays sorted
# The outputs are put back and the state is not, or rather is sorted once more by `order`; both must belong to the caller's
# rows. Shows in the state where the order is not its own inverse, as in most batches of three or more.

def encode_longest_first(encoder, source: Tensor, lengths: Tensor) -> tuple[Tensor, Tensor]:
    order = lengths.argsort(descending=True)
    outputs, state = encoder(source[order], lengths[order])
    restored = torch.empty_like(outputs)
    restored[order] = outputs
    return restored, state[order]


# %% wrong: the way back is looked up by length
# Each sentence takes the row that has its length: of sentences of equal length all get the outputs of one of them.
# Shows where two lengths are equal; right where all differ.

def encode_longest_first(encoder, source: Tensor, lengths: Tensor) -> tuple[Tensor, Tensor]:
    order = lengths.argsort(descending=True)
    outputs, state = encoder(source[order], lengths[order])
    row_of = {length: row for row, length in enumerate(lengths[order].tolist())}
    back = torch.tensor([row_of[length] for length in lengths.tolist()], device=outputs.device)
    return outputs[back], state[back]


# %% wrong: the encoder called once for each of its results
# One call for the outputs and one for the state; the encoder is to be called once. Shows by counting the calls, and with
# dropout in the encoder, where outputs and state come from two different readings.

def encode_longest_first(encoder, source: Tensor, lengths: Tensor) -> tuple[Tensor, Tensor]:
    order = lengths.argsort(descending=True)
    back = order.argsort()
    outputs = encoder(source[order], lengths[order])[0][back]
    state = encoder(source[order], lengths[order])[1][back]
    return outputs, state


# %% correct: rows copied to where they came from

def encode_longest_first(encoder, source: Tensor, lengths: Tensor) -> tuple[Tensor, Tensor]:
    by_length = sorted(range(len(source)), key=lambda row: -int(lengths[row]))
    outputs, state = encoder(torch.stack([source[row] for row in by_length]), lengths[by_length])
    to = torch.tensor(by_length, device=outputs.device)
    return torch.zeros_like(outputs).index_copy(0, to, outputs), torch.zeros_like(state).index_copy(0, to, state)


# %% correct: the inverse as a table, filled by scatter

def encode_longest_first(encoder, source: Tensor, lengths: Tensor) -> tuple[Tensor, Tensor]:
    falling, order = lengths.sort(descending=True, stable=True)
    outputs, state = encoder(source.index_select(0, order.to(source.device)), falling)
    table = torch.empty_like(order).scatter_(0, order, torch.arange(len(order), device=order.device))
    return tuple(result.index_select(0, table.to(result.device)) for result in (outputs, state))
