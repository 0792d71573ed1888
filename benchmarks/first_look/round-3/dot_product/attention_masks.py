# %% wrong: not its own position
# The diagonal is left out, so a query may not see its own position, and query 0 may see nothing at all.
# Hint: "itself included": what is in row 0 of your mask?

def causal_mask(length: int) -> Tensor:
    return torch.tril(torch.ones(length, length, dtype=torch.bool), diagonal=-1)


def padding_mask(lengths: Tensor, max_length: int) -> Tensor:
    positions = torch.arange(max_length, device=lengths.device)
    return (positions < lengths.unsqueeze(1)).unsqueeze(1)


# %% wrong: ones and zeros in place of True and False
# torch.ones makes floats, so the causal mask is of numbers and not boolean; ~ and masked_softmax refuse it.
# Hint: print the dtype of your mask.

def causal_mask(length: int) -> Tensor:
    return torch.tril(torch.ones(length, length))


def padding_mask(lengths: Tensor, max_length: int) -> Tensor:
    return (torch.arange(max_length, device=lengths.device) < lengths[:, None])[:, None, :]


# %% wrong: the queries are masked
# The axis of length one stands at the end, (B, max_length, 1): whole rows of queries are forbidden, and padded keys are seen by the rest.
# Hint: write (B, T, S) under the shape of your mask; which axis meets the keys?

def causal_mask(length: int) -> Tensor:
    positions = torch.arange(length)
    return positions[None, :] <= positions[:, None]


def padding_mask(lengths: Tensor, max_length: int) -> Tensor:
    allowed = torch.arange(max_length, device=lengths.device)[None, :] < lengths[:, None]
    return allowed.unsqueeze(-1)


# %% wrong: as wide as the longest of the batch
# The width is taken from lengths.max() and not from max_length: too narrow where all sequences of the batch are shorter than the scores are wide.
# Hint: what shape comes back for lengths 2 and 3 with max_length 5?

def causal_mask(length: int) -> Tensor:
    return torch.ones(length, length, dtype=torch.bool).tril()


def padding_mask(lengths: Tensor, max_length: int) -> Tensor:
    longest = int(lengths.max())
    positions = torch.arange(longest, device=lengths.device)
    return positions.view(1, 1, longest) < lengths.view(-1, 1, 1)


# %% correct: from what is forbidden

def causal_mask(length: int) -> Tensor:
    later = torch.triu(torch.full((length, length), True), diagonal=1)
    return later.logical_not()


def padding_mask(lengths: Tensor, max_length: int) -> Tensor:
    beyond = torch.ge(torch.arange(max_length, device=lengths.device), lengths.reshape(-1, 1, 1))
    return torch.logical_not(beyond)
