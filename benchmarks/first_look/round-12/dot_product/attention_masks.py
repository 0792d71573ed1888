# %% wrong: no look at itself
# The diagonal is left out: query t sees the keys 0 to t - 1, and query 0 none at all.
# Shows in the causal mask of every length.

def causal_mask(length: int) -> Tensor:
    positions = torch.arange(length)
    return positions.unsqueeze(1) > positions


def padding_mask(lengths: Tensor, max_length: int) -> Tensor:
    return (torch.arange(max_length, device=lengths.device) < lengths.unsqueeze(1)).unsqueeze(1)

# %% wrong: as wide as the longest sequence
# The padding mask takes its width from lengths.max() and not from max_length.
# Shows where no sequence is max_length long.

def causal_mask(length: int) -> Tensor:
    return torch.ones(length, length, dtype=torch.bool).tril()


def padding_mask(lengths: Tensor, max_length: int) -> Tensor:
    positions = torch.arange(int(lengths.max()), device=lengths.device)
    return positions < lengths[:, None, None]

# %% wrong: a lower triangle of numbers
# tril of ones is float32: 1.0 and 0.0 in place of True and False.
# Shows in the dtype of the causal mask, which exercise 4.1 refuses.

def causal_mask(length: int) -> Tensor:
    return torch.tril(torch.ones(length, length))


def padding_mask(lengths: Tensor, max_length: int) -> Tensor:
    return torch.arange(max_length, device=lengths.device)[None, None, :] < lengths[:, None, None]

# %% wrong: padded queries are shut out as well
# The padding mask is a square, real queries by real keys; all queries were to attend to the same keys, in an axis of one.
# Shows in the shape for every max_length above 1, and in the rows of padding.

def causal_mask(length: int) -> Tensor:
    return torch.ones(length, length).tril().bool()


def padding_mask(lengths: Tensor, max_length: int) -> Tensor:
    real = torch.arange(max_length, device=lengths.device) < lengths.unsqueeze(1)  # (B, max_length)
    return real.unsqueeze(1) & real.unsqueeze(2)

# %% correct: running sums

# The identity summed up along the keys' past, and a count of places that must not go beyond the length.

def causal_mask(length: int) -> Tensor:
    return torch.eye(length, dtype=torch.int64).cumsum(dim=0).bool()


def padding_mask(lengths: Tensor, max_length: int) -> Tensor:
    count = lengths.new_ones(lengths.shape[0], 1, max_length).cumsum(dim=-1)
    return ~(count > lengths.view(-1, 1, 1))

# %% correct: rows from lists

def causal_mask(length: int) -> Tensor:
    rows = [[key <= query for key in range(length)] for query in range(length)]
    return torch.tensor(rows, dtype=torch.bool).view(length, length)


def padding_mask(lengths: Tensor, max_length: int) -> Tensor:
    mask = torch.zeros(len(lengths), 1, max_length, dtype=torch.bool, device=lengths.device)
    for row, length in zip(mask, lengths.tolist(), strict=True):
        row[0, :length] = True
    return mask
