# %% wrong: a query does not see its own position
# The causal mask keeps what lies strictly before the diagonal. Query 0 then sees nothing at all, and no query sees its own key.
# Hint: read "the keys 0 to t, itself included" for t = 0.

def causal_mask(length: int) -> Tensor:
    return torch.tril(torch.ones(length, length, dtype=torch.bool), diagonal=-1)


def padding_mask(lengths: Tensor, max_length: int) -> Tensor:
    positions = torch.arange(max_length, device=lengths.device)
    return (positions < lengths.unsqueeze(1)).unsqueeze(1)


# %% wrong: true marks what is forbidden
# Both masks are True where a query may not attend, as some functions of PyTorch want them. In this course True means "may attend", so every query sees the future and the padding alone.
# Hint: print both masks for a length of three, and read off what True means in row 0.

def causal_mask(length: int) -> Tensor:
    return torch.triu(torch.ones(length, length, dtype=torch.bool), diagonal=1)


def padding_mask(lengths: Tensor, max_length: int) -> Tensor:
    positions = torch.arange(max_length, device=lengths.device)
    return (positions[None, :] >= lengths[:, None])[:, None, :]


# %% wrong: the first pad is allowed
# The comparison is "less or equal", so a sequence of length n keeps n + 1 keys, of which the last is padding.
# Hint: how many True should there be for a length of 2?

def causal_mask(length: int) -> Tensor:
    positions = torch.arange(length)
    return positions.unsqueeze(0) <= positions.unsqueeze(1)


def padding_mask(lengths: Tensor, max_length: int) -> Tensor:
    positions = torch.arange(max_length, device=lengths.device)
    return (positions <= lengths.unsqueeze(-1)).unsqueeze(1)


# %% wrong: the mask is as wide as the longest length
# The padding mask is as wide as the longest of the lengths, and max_length is not used. Where the batch is padded further than its longest sequence, the mask does not fit.
# Hint: ask for max_length 6 with the lengths 2 and 4.

def causal_mask(length: int) -> Tensor:
    return torch.ones(length, length).tril().bool()


def padding_mask(lengths: Tensor, max_length: int) -> Tensor:
    longest = int(lengths.max())
    mask = torch.arange(longest, device=lengths.device)[None, :] < lengths[:, None]
    return mask[:, None, :]


# %% wrong: the axis of length one stands at the keys
# The padding mask is (B, max_length, 1). Against scores (B, T, T) it forbids the rows of padded queries and lets everybody attend to padded keys.
# Hint: which axis of the scores is the keys', and which one is to be repeated?

def causal_mask(length: int) -> Tensor:
    return torch.tril(torch.ones((length, length), dtype=torch.bool))


def padding_mask(lengths: Tensor, max_length: int) -> Tensor:
    positions = torch.arange(max_length, device=lengths.device)
    return (positions < lengths.unsqueeze(1)).unsqueeze(2)


# %% correct: a running sum of the unit matrix and slices filled one by one

def causal_mask(length: int) -> Tensor:
    return torch.eye(length).cumsum(dim=0).bool()


def padding_mask(lengths: Tensor, max_length: int) -> Tensor:
    mask = torch.zeros(len(lengths), 1, max_length, dtype=torch.bool, device=lengths.device)
    for b, length in enumerate(lengths.tolist()):
        mask[b, :, :length] = True
    return mask


# %% correct: the complement of the future and a comparison of three axes

def causal_mask(length: int) -> Tensor:
    future = torch.ones(length, length, dtype=torch.bool).triu(diagonal=1)
    return future.logical_not()


def padding_mask(lengths: Tensor, max_length: int) -> Tensor:
    keys = torch.arange(max_length, dtype=lengths.dtype, device=lengths.device).view(1, 1, -1)
    return torch.gt(lengths.view(-1, 1, 1), keys)
