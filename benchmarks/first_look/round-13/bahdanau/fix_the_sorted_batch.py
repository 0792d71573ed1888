# %% wrong: only the outputs go back
# The outputs are put back with the inverse, the state still with the order of the way there: from three sentences on,
# unless the order is its own inverse, row b of the state belongs to another sentence.

def encode_longest_first(encoder, source: Tensor, lengths: Tensor) -> tuple[Tensor, Tensor]:
    order = lengths.argsort(descending=True)
    outputs, state = encoder(source[order], lengths[order])
    back = order.argsort()
    return outputs[back], state[order]

# %% wrong: rows found again by their length
# Every row is looked up by its length among the sorted ones. Two sentences of equal length both get the row of the
# first of them.

def encode_longest_first(encoder, source: Tensor, lengths: Tensor) -> tuple[Tensor, Tensor]:
    order = lengths.argsort(descending=True)
    outputs, state = encoder(source[order], lengths[order])
    falling = lengths[order].tolist()
    back = torch.tensor([falling.index(length) for length in lengths.tolist()])
    return outputs[back], state[back]

# %% wrong: sorted down, then up
# To undo a falling sort, the lengths are sorted rising. That is not the inverse: lengths 5, 3, 1 come in falling order,
# and the rows go back reversed.

def encode_longest_first(encoder, source: Tensor, lengths: Tensor) -> tuple[Tensor, Tensor]:
    order = lengths.argsort(descending=True)
    outputs, state = encoder(source[order], lengths[order])
    back = lengths.argsort()
    return outputs[back], state[back]

# %% wrong: the order applied once more
# Tried out on three sentences in a circle, lengths 2, 1, 3, where three rounds lead home. Two sentences that have to
# swap, lengths 1 and 2, come back in the other's place.

def encode_longest_first(encoder, source: Tensor, lengths: Tensor) -> tuple[Tensor, Tensor]:
    order = lengths.argsort(descending=True)
    outputs, state = encoder(source[order], lengths[order])
    back = order[order]
    return outputs[back], state[back]

# %% correct: written into the rows they came from

def encode_longest_first(encoder, source: Tensor, lengths: Tensor) -> tuple[Tensor, Tensor]:
    order = torch.sort(lengths, descending=True, stable=True).indices
    outputs, state = encoder(source[order], lengths[order])
    home = []
    for rows in (outputs, state):
        place = order.to(rows.device)
        home.append(torch.zeros_like(rows).index_copy(0, place, rows))
    return home[0], home[1]

# %% correct: a dictionary from row to place, in plain Python

def encode_longest_first(encoder, source: Tensor, lengths: Tensor) -> tuple[Tensor, Tensor]:
    long = lengths.tolist()
    order = sorted(range(len(long)), key=lambda b: (-long[b], b))
    place_of = {row: place for place, row in enumerate(order)}
    outputs, state = encoder(
        torch.stack([source[b] for b in order]), torch.stack([lengths[b] for b in order])
    )
    mine = [place_of[b] for b in range(len(long))]
    return torch.stack([outputs[p] for p in mine]), torch.stack([state[p] for p in mine])
