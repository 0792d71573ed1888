# %% wrong: positions in eight bits
# The positions are kept as uint8 to save memory: from a length of 257 on they begin again at 0 (or cannot be made), and
# so do the lengths, so that both masks are wrong for long sequences.

def causal_mask(length: int) -> Tensor:
    positions = torch.arange(length).to(torch.uint8)
    return positions[None, :] <= positions[:, None]


def padding_mask(lengths: Tensor, max_length: int) -> Tensor:
    positions = torch.arange(max_length, device=lengths.device).to(torch.uint8)
    return (positions[None, :] < lengths.to(torch.uint8)[:, None]).unsqueeze(1)


# %% wrong: reshaped where it should be transposed
# The padding mask is compared with the keys in the first axis, (max_length, B), and then only reshaped: with one
# sentence, as in the example, it is right, with several the sentences are mixed up.

def causal_mask(length: int) -> Tensor:
    return torch.ones(length, length, dtype=torch.bool).tril()


def padding_mask(lengths: Tensor, max_length: int) -> Tensor:
    positions = torch.arange(max_length, device=lengths.device).unsqueeze(1)
    real = positions < lengths
    return real.reshape(len(lengths), 1, max_length)


# %% wrong: the lengths get new axes in place
# The mask is right, but unsqueeze_ changes the tensor of the caller: afterwards their lengths have the shape (B, 1, 1),
# and a second call with the same lengths gives a mask with five axes.

def causal_mask(length: int) -> Tensor:
    t = torch.arange(length)
    return t.unsqueeze(1) >= t


def padding_mask(lengths: Tensor, max_length: int) -> Tensor:
    lengths.unsqueeze_(-1).unsqueeze_(-1)
    return torch.arange(max_length, device=lengths.device) < lengths


# %% wrong: an empty sequence has no last key
# The padding mask marks the last real key with one_hot and fills up everything before it: for a length of 0 there is no
# last key, and one_hot refuses the index -1.

def causal_mask(length: int) -> Tensor:
    return torch.triu(torch.ones(length, length), diagonal=1) == 0


def padding_mask(lengths: Tensor, max_length: int) -> Tensor:
    last = F.one_hot(lengths - 1, max_length)
    return last.flip(1).cumsum(dim=1).flip(1).bool().unsqueeze(1)


# %% wrong: only what came before, and the first itself
# The causal mask leaves out the query's own position; since row 0 would be empty it is given its own key, and nothing
# looks broken. Query t must see the key t too.

def causal_mask(length: int) -> Tensor:
    mask = torch.ones(length, length, dtype=torch.bool).tril(diagonal=-1)
    if length > 0:
        mask[0, 0] = True  # otherwise the first word would have nothing to look at
    return mask


def padding_mask(lengths: Tensor, max_length: int) -> Tensor:
    keys = torch.arange(max_length, device=lengths.device)
    return (keys.unsqueeze(0) < lengths.unsqueeze(1)).unsqueeze(1)


# %% correct: indices of the triangle and running counts

def causal_mask(length: int) -> Tensor:
    allowed = torch.zeros(length, length, dtype=torch.bool)
    rows, columns = torch.tril_indices(length, length)
    allowed[rows, columns] = True
    return allowed


def padding_mask(lengths: Tensor, max_length: int) -> Tensor:
    ones = torch.ones(lengths.shape[0], 1, max_length, dtype=torch.int64, device=lengths.device)
    return ones.cumsum(dim=2).le(lengths.view(-1, 1, 1))


# %% correct: a running sum of the unit matrix

def _first(how_many: Tensor, size: int) -> Tensor:
    places = torch.arange(size, device=how_many.device)
    return torch.logical_not(places.ge(how_many[..., None]))


def causal_mask(length: int) -> Tensor:
    return torch.eye(length, dtype=torch.int64).cumsum(dim=0).ne(0)


def padding_mask(lengths: Tensor, max_length: int) -> Tensor:
    return _first(lengths[:, None], max_length)
