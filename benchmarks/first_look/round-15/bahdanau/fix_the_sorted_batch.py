# %% wrong: the way back is looked up by the length
# Each row takes the first sorted row of its own length. Two sentences of equal length both get the states of the first of
# them. With all lengths different it is right.

def encode_longest_first(encoder, source: Tensor, lengths: Tensor) -> tuple[Tensor, Tensor]:
    order = lengths.argsort(descending=True)
    outputs, state = encoder(source[order], lengths[order])
    in_order = lengths[order].tolist()
    back = torch.tensor([in_order.index(length) for length in lengths.tolist()], device=outputs.device)
    return outputs[back], state[back]


# %% wrong: sorted back by rising length
# Going back is thought to be the opposite sort. lengths.argsort() says where each row of the caller comes in rising order;
# lengths (3, 5, 4, 2), for one, come back in other rows.

def encode_longest_first(encoder, source: Tensor, lengths: Tensor) -> tuple[Tensor, Tensor]:
    order = lengths.argsort(descending=True)
    outputs, state = encoder(source[order], lengths[order])
    back = lengths.argsort()
    return outputs[back], state[back]


# %% wrong: only the outputs go back
# The state stays in the order of the lengths, so that a decoder starts from another sentence. It shows wherever the batch
# does not come longest first.

def encode_longest_first(encoder, source: Tensor, lengths: Tensor) -> tuple[Tensor, Tensor]:
    order = lengths.argsort(descending=True)
    outputs, state = encoder(source[order], lengths[order])
    back = order.argsort()
    return outputs[back], state


# %% wrong: the encoder gets the shortest sentence first
# The way there and back fits together, but `descending` was dropped on the way. An encoder that wants falling lengths, as
# pack_padded_sequence does, raises; one that does not gives the right rows.

def encode_longest_first(encoder, source: Tensor, lengths: Tensor) -> tuple[Tensor, Tensor]:
    order = lengths.argsort()
    outputs, state = encoder(source[order], lengths[order])
    back = order.argsort()
    return outputs[back], state[back]


# %% correct: every row is put where it came from

def encode_longest_first(encoder, source: Tensor, lengths: Tensor) -> tuple[Tensor, Tensor]:
    falling, order = lengths.sort(descending=True)
    outputs, state = encoder(source.index_select(0, order.to(source.device)), falling)
    home = order.to(outputs.device)
    return (
        torch.zeros_like(outputs).index_copy(0, home, outputs),
        torch.zeros_like(state).index_copy(0, home, state),
    )


# %% correct: Python's sort, and rows picked up one by one

def encode_longest_first(encoder, source: Tensor, lengths: Tensor) -> tuple[Tensor, Tensor]:
    order = sorted(range(len(lengths)), key=lengths.tolist().__getitem__, reverse=True)
    outputs, state = encoder(
        torch.stack([source[b] for b in order]), torch.stack([lengths[b] for b in order])
    )
    place = {b: i for i, b in enumerate(order)}
    rows = [place[b] for b in range(len(order))]
    return torch.stack([outputs[i] for i in rows]), torch.stack([state[i] for i in rows])
