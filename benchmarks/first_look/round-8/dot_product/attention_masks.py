# %% wrong: a query may not see itself
# > in place of >=: the key at the query's own place is forbidden, and query 0 may attend to nothing. Shows on the
# diagonal, for every length.

def causal_mask(length: int) -> Tensor:
    positions = torch.arange(length)
    return positions.unsqueeze(1) > positions


def padding_mask(lengths: Tensor, max_length: int) -> Tensor:
    positions = torch.arange(max_length, device=lengths.device)
    return (positions < lengths.unsqueeze(1)).unsqueeze(1)

# %% wrong: a mask of ones and zeros
# torch.ones without dtype=torch.bool: causal_mask is float32, where a boolean mask was promised (and it cannot be combined with
# the other by &).

def causal_mask(length: int) -> Tensor:
    return torch.tril(torch.ones(length, length))


def padding_mask(lengths: Tensor, max_length: int) -> Tensor:
    return torch.arange(max_length, device=lengths.device) < lengths[:, None, None]

# %% wrong: the axis of one behind the keys
# padding_mask is (B, max_length, 1): in scores (B, T, S) it forbids the padded queries and not the padded keys.

def causal_mask(length: int) -> Tensor:
    return torch.ones(length, length, dtype=torch.bool).tril()


def padding_mask(lengths: Tensor, max_length: int) -> Tensor:
    mask = torch.arange(max_length, device=lengths.device) < lengths.unsqueeze(1)  # (B, S)
    return mask.unsqueeze(-1)

# %% wrong: the positions are counted on the CPU
# torch.arange without a device: with lengths on another device the comparison of the two raises.

def causal_mask(length: int) -> Tensor:
    return torch.ones(length, length, dtype=torch.bool).tril()


def padding_mask(lengths: Tensor, max_length: int) -> Tensor:
    return torch.arange(max_length).view(1, 1, -1) < lengths.view(-1, 1, 1)

# %% correct: lists of lists

def causal_mask(length: int) -> Tensor:
    rows = [[True] * (t + 1) + [False] * (length - t - 1) for t in range(length)]
    return torch.tensor(rows, dtype=torch.bool, device="cpu").reshape(length, length)


def padding_mask(lengths: Tensor, max_length: int) -> Tensor:
    rows = [[[s < length for s in range(max_length)]] for length in lengths.tolist()]
    return torch.tensor(rows, dtype=torch.bool, device=lengths.device).reshape(len(lengths), 1, max_length)

# %% correct: the places of the lower triangle, and an end that is summed up

def causal_mask(length: int) -> Tensor:
    mask = torch.zeros(length, length, dtype=torch.bool, device="cpu")
    rows, columns = torch.tril_indices(length, length, device="cpu")
    mask[rows, columns] = True
    return mask


def padding_mask(lengths: Tensor, max_length: int) -> Tensor:
    ends = torch.zeros(lengths.shape[0], 1, max_length + 1, dtype=torch.int64, device=lengths.device)
    ends = ends.scatter(2, lengths.clamp(max=max_length)[:, None, None], 1)  # a one at the first key too many
    return ends.cumsum(dim=2)[..., :max_length] == 0
