# %% wrong: looked up by its length
# Finds each row's place by its length in the sorted list, and index returns the first of equal lengths. Shows where two
# sentences are equally long: both get the outputs of one.

def encode_longest_first(encoder, source: Tensor, lengths: Tensor) -> tuple[Tensor, Tensor]:
    order = lengths.argsort(descending=True)
    outputs, state = encoder(source[order], lengths[order])
    sorted_lengths = lengths[order].tolist()
    back = [sorted_lengths.index(length) for length in lengths.tolist()]
    return outputs[back], state[back]


# %% wrong: the state stays sorted
# Brings the outputs back by the inverse order and leaves the state in the encoder's. Shows for every batch that is not
# sorted already.

def encode_longest_first(encoder, source: Tensor, lengths: Tensor) -> tuple[Tensor, Tensor]:
    order = lengths.argsort(descending=True)
    outputs, state = encoder(source[order], lengths[order])
    back = order.argsort()
    return outputs[back], state


# %% wrong: the order backwards
# Undoes the sorting by turning the order round, as if the way back were the same stops in reverse. Shows for two
# sentences already, and for lengths [2, 5, 3, 4].

def encode_longest_first(encoder, source: Tensor, lengths: Tensor) -> tuple[Tensor, Tensor]:
    order = lengths.argsort(descending=True)
    outputs, state = encoder(source[order], lengths[order])
    back = order.flip(0)
    return outputs[back], state[back]


# %% wrong: no sorting, no bug
# Calls the encoder with the rows as they came. An encoder that needs no sorting gives the right rows; the promised one
# wants the longest first and raises, or reads wrongly. Shows for lengths that rise.

def encode_longest_first(encoder, source: Tensor, lengths: Tensor) -> tuple[Tensor, Tensor]:
    outputs, state = encoder(source, lengths)
    return outputs, state


# %% correct: a row for each name in a dictionary

def encode_longest_first(encoder, source: Tensor, lengths: Tensor) -> tuple[Tensor, Tensor]:
    numbers = lengths.tolist()
    order = sorted(range(len(numbers)), key=lambda b: -numbers[b])
    outputs, state = encoder(source[order], lengths[order])
    place = {b: i for i, b in enumerate(order)}
    mine = [place[b] for b in range(len(numbers))]
    return torch.stack([outputs[i] for i in mine]), torch.stack([state[i] for i in mine])


# %% correct: every row copied to where it came from

def encode_longest_first(encoder, source: Tensor, lengths: Tensor) -> tuple[Tensor, Tensor]:
    ranked, order = torch.sort(lengths, descending=True, stable=True)
    outputs, state = encoder(source.index_select(0, order.to(source.device)), ranked)

    def home(rows: Tensor) -> Tensor:
        return torch.zeros_like(rows).index_copy(0, order.to(rows.device), rows)

    return home(outputs), home(state)
