# %% wrong: does without the sorting
# Nothing is out of order if nothing is sorted, and the notebook runs; but the encoder wants the longest sentence first.

def encode_longest_first(encoder, source: Tensor, lengths: Tensor) -> tuple[Tensor, Tensor]:
    outputs, state = encoder(source, lengths)
    return outputs, state


# %% wrong: finds the way back by the length
# Each sentence is looked up by its length in the sorted lengths: of several equally long ones all get the rows of the first.

def encode_longest_first(encoder, source: Tensor, lengths: Tensor) -> tuple[Tensor, Tensor]:
    order = lengths.argsort(descending=True)
    sorted_lengths = lengths[order]
    outputs, state = encoder(source[order], sorted_lengths)
    found = sorted_lengths.tolist()
    back = torch.tensor([found.index(n) for n in lengths.tolist()])
    return outputs[back], state[back]


# %% wrong: the state stays sorted
# Only the outputs are put back in the order of the caller; the state still belongs to the sorted rows.

def encode_longest_first(encoder, source: Tensor, lengths: Tensor) -> tuple[Tensor, Tensor]:
    order = lengths.argsort(descending=True)
    outputs, state = encoder(source[order], lengths[order])
    restored = torch.zeros_like(outputs)
    restored[order] = outputs
    return restored, state


# %% wrong: sorts the batch of the caller
# The rows of source and lengths are exchanged in place, so the caller finds the own batch in another order.

def encode_longest_first(encoder, source: Tensor, lengths: Tensor) -> tuple[Tensor, Tensor]:
    order = torch.argsort(lengths, descending=True)
    source[:] = source[order]
    lengths[:] = lengths[order]
    outputs, state = encoder(source, lengths)
    back = torch.argsort(order)
    return outputs[back], state[back]


# %% wrong: turns the way back round once more
# The inverse is right, but it is flipped because the order was a falling one: row b gets what belongs to row B - 1 - b.

def encode_longest_first(encoder, source: Tensor, lengths: Tensor) -> tuple[Tensor, Tensor]:
    order = lengths.argsort(descending=True)
    outputs, state = encoder(source[order], lengths[order])
    back = order.argsort().flip(0)
    return outputs[back], state[back]


# %% correct: the inverse written into its places

def encode_longest_first(encoder, source: Tensor, lengths: Tensor) -> tuple[Tensor, Tensor]:
    falling, order = torch.sort(lengths, descending=True, stable=True)
    outputs, state = encoder(source.index_select(0, order), falling)
    back = torch.empty_like(order)
    back[order] = torch.arange(len(order), device=order.device)
    return outputs.index_select(0, back), state.index_select(0, back)


# %% correct: rows dealt out from a list

def encode_longest_first(encoder, source: Tensor, lengths: Tensor) -> tuple[Tensor, Tensor]:
    sizes = lengths.tolist()
    order = sorted(range(len(sizes)), key=lambda b: -sizes[b])
    outputs, state = encoder(torch.stack([source[b] for b in order]), torch.stack([lengths[b] for b in order]))
    place_of = {b: place for place, b in enumerate(order)}
    own = [place_of[b] for b in range(len(sizes))]
    return torch.stack([outputs[i] for i in own]), torch.stack([state[i] for i in own])
