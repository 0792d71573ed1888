# %% wrong: applies the order twice
# Followed by hand on a rotation of three sentences, the order applied twice more brings everyone home. For most
# permutations (two rows swapped, or four in a ring) it does not.

def encode_longest_first(encoder, source: Tensor, lengths: Tensor) -> tuple[Tensor, Tensor]:
    order = lengths.argsort(descending=True)
    outputs, state = encoder(source[order], lengths[order])
    back = order[order]
    return outputs[back], state[back]


# %% wrong: finds each sentence again by its length
# The first row of the right length is taken: two sentences of equal length get the same row.

def encode_longest_first(encoder, source: Tensor, lengths: Tensor) -> tuple[Tensor, Tensor]:
    in_order, order = lengths.sort(descending=True)
    outputs, state = encoder(source[order], in_order)
    in_order = in_order.tolist()
    back = torch.tensor([in_order.index(length) for length in lengths.tolist()], device=source.device)
    return outputs[back], state[back]


# %% wrong: brings back the outputs alone
# The state stays in the encoder's order, longest first. Shows where lengths are not sorted already.

def encode_longest_first(encoder, source: Tensor, lengths: Tensor) -> tuple[Tensor, Tensor]:
    order = lengths.argsort(descending=True)
    outputs, state = encoder(source[order], lengths[order])
    return outputs[order.argsort()], state


# %% wrong: the lengths stay unsorted
# The way back is mended, but the encoder is given the caller's lengths with the sorted rows: not falling, and each
# row is read to the length of another one. Shows for lengths that are not sorted, such as 2, 5, 3.

def encode_longest_first(encoder, source: Tensor, lengths: Tensor) -> tuple[Tensor, Tensor]:
    order = lengths.argsort(descending=True)
    outputs, state = encoder(source[order], lengths)
    back = order.argsort()
    return outputs[back], state[back]


# %% correct: rows laid into their places in a list

def encode_longest_first(encoder, source: Tensor, lengths: Tensor) -> tuple[Tensor, Tensor]:
    known = lengths.tolist()
    order = sorted(range(len(known)), key=lambda b: -known[b])
    outputs, state = encoder(
        torch.stack([source[b] for b in order]), torch.stack([lengths[b] for b in order])
    )
    place = {b: i for i, b in enumerate(order)}
    own_outputs = [outputs[place[b]] for b in range(len(known))]
    return torch.stack(own_outputs), torch.stack([state[place[b]] for b in range(len(known))])


# %% correct: index_copy into new tensors

def encode_longest_first(encoder, source: Tensor, lengths: Tensor) -> tuple[Tensor, Tensor]:
    falling, order = torch.sort(lengths, descending=True, stable=True)
    encoded = encoder(source.index_select(0, order), falling)
    outputs, state = (torch.zeros_like(part).index_copy(0, order, part) for part in encoded)
    return outputs, state
