# %% wrong: numbers, not truth values
# tril of ones is float32: 1 and 0 in the right places, but no boolean mask, and & and ~ refuse it. Shows for every length.

def causal_mask(length: int) -> Tensor:
    return torch.tril(torch.ones(length, length))


def padding_mask(lengths: Tensor, max_length: int) -> Tensor:
    return (torch.arange(max_length, device=lengths.device) < lengths.unsqueeze(1)).unsqueeze(1)


# %% wrong: a query may not see itself
# "The past" taken strictly: the diagonal is False, and query 0 sees nothing. Shows for every length from 1 on.

def causal_mask(length: int) -> Tensor:
    place = torch.arange(length)
    return place.unsqueeze(1) > place.unsqueeze(0)


def padding_mask(lengths: Tensor, max_length: int) -> Tensor:
    keys = torch.arange(max_length, device=lengths.device)
    return keys.view(1, 1, -1) < lengths.view(-1, 1, 1)


# %% wrong: the axis of length one at the end
# (B, max_length, 1) masks queries in place of keys when it meets scores (B, T, S). Shows in the shape unless max_length is 1.

def causal_mask(length: int) -> Tensor:
    return torch.ones(length, length, dtype=torch.bool).tril()


def padding_mask(lengths: Tensor, max_length: int) -> Tensor:
    real = torch.arange(max_length, device=lengths.device) < lengths[:, None]  # (B, max_length)
    return real.unsqueeze(-1)


# %% wrong: as long as the longest of the batch
# max_length is not used: where all sequences are shorter than it, the mask has too few keys and does not meet the scores.

def causal_mask(length: int) -> Tensor:
    return ~torch.triu(torch.ones(length, length, dtype=torch.bool), diagonal=1)


def padding_mask(lengths: Tensor, max_length: int) -> Tensor:
    longest = int(lengths.max())
    return torch.arange(longest, device=lengths.device)[None, None, :] < lengths[:, None, None]


# %% correct: running sums

def causal_mask(length: int) -> Tensor:
    return torch.eye(length, dtype=torch.int64, device="cpu").cumsum(dim=0).bool()


def padding_mask(lengths: Tensor, max_length: int) -> Tensor:
    ends = F.one_hot(lengths.clamp(max=max_length), max_length + 1)  # (B, max_length + 1): a one where the padding begins
    return (ends.cumsum(dim=1) == 0)[:, None, :-1]


# %% correct: row by row

def causal_mask(length: int) -> Tensor:
    rows = [[True] * (t + 1) + [False] * (length - t - 1) for t in range(length)]
    return torch.tensor(rows, dtype=torch.bool, device="cpu").reshape(length, length)


def padding_mask(lengths: Tensor, max_length: int) -> Tensor:
    mask = torch.zeros(len(lengths), 1, max_length, dtype=torch.bool, device=lengths.device)
    for row, count in zip(mask, lengths.tolist()):
        row[:, :count] = True
    return mask
