# %% wrong: padding cut off from the end, where minus zero is zero
# The last max_length - n keys are set to False by a negative index. For a sentence of full length the slice is [-0:],
# that is all of it: lengths = [max_length] gives a row without a single True.

def causal_mask(length: int) -> Tensor:
    return torch.ones(length, length, dtype=torch.bool).tril()


def padding_mask(lengths: Tensor, max_length: int) -> Tensor:
    mask = torch.ones(len(lengths), 1, max_length, dtype=torch.bool, device=lengths.device)
    for b, n in enumerate(lengths.tolist()):
        padding = max_length - n
        mask[b, 0, -padding:] = False
    return mask


# %% wrong: padding mask looked up among the rows of the causal mask
# Row n - 1 of the causal mask has n times True, so it is what a sentence of length n needs; but a length of 0 asks for
# row -1, the last one, and may see every key instead of none.

def causal_mask(length: int) -> Tensor:
    positions = torch.arange(length)
    return positions.unsqueeze(1) >= positions


def padding_mask(lengths: Tensor, max_length: int) -> Tensor:
    rows = causal_mask(max_length).to(lengths.device)
    return rows[lengths - 1].unsqueeze(1)


# %% wrong: summed along the keys
# The running sum of the identity goes along the row, so that query t may see the keys t and later: the transpose.
# Shows for every length above 1.

def causal_mask(length: int) -> Tensor:
    return torch.eye(length, dtype=torch.int64).cumsum(dim=1) > 0


def padding_mask(lengths: Tensor, max_length: int) -> Tensor:
    return (torch.arange(max_length, device=lengths.device) < lengths.unsqueeze(1)).unsqueeze(1)


# %% wrong: padded queries may see nothing either
# Every pair of two real positions is allowed, (B, max_length, max_length), where (B, 1, max_length) with one row for
# all queries is asked for. Shape wrong for every max_length above 1; a padded query sees nothing.

def causal_mask(length: int) -> Tensor:
    return torch.tril(torch.ones(length, length)).bool()


def padding_mask(lengths: Tensor, max_length: int) -> Tensor:
    real = torch.arange(max_length, device=lengths.device) < lengths[:, None]
    return real[:, None, :] & real[:, :, None]


# %% correct: running sums of a single one

def causal_mask(length: int) -> Tensor:
    return torch.eye(length, dtype=torch.int64).cumsum(dim=0).bool()


def padding_mask(lengths: Tensor, max_length: int) -> Tensor:
    steps = torch.zeros(len(lengths), max_length + 1, dtype=torch.int64, device=lengths.device)
    steps = steps.scatter(1, lengths.unsqueeze(1), 1)  # a one at the first place of padding
    return (steps.cumsum(dim=1) == 0)[:, None, :-1]


# %% correct: slices set in Python loops

def causal_mask(length: int) -> Tensor:
    mask = torch.zeros(length, length, dtype=torch.bool)
    for t in range(length):
        mask[t, : t + 1] = True
    return mask


def padding_mask(lengths: Tensor, max_length: int) -> Tensor:
    rows = [[True] * n + [False] * (max_length - n) for n in lengths.tolist()]
    mask = torch.tensor(rows, dtype=torch.bool, device=lengths.device)
    return mask.reshape(len(lengths), 1, max_length)
