# %% wrong: ones and zeros instead of True and False
# torch.tril of torch.ones gives a float matrix, not a boolean one: wrong dtype for every length, and attention refuses it.

def causal_mask(length: int) -> Tensor:
    return torch.tril(torch.ones(length, length))


def padding_mask(lengths: Tensor, max_length: int) -> Tensor:
    positions = torch.arange(max_length, device=lengths.device)
    return (positions < lengths.unsqueeze(1)).unsqueeze(1)

# %% wrong: as wide as the longest sentence
# The padding mask is lengths.max() wide and max_length is not used: too narrow where every sequence is shorter than
# max_length.

def causal_mask(length: int) -> Tensor:
    return torch.ones(length, length, dtype=torch.bool).tril()


def padding_mask(lengths: Tensor, max_length: int) -> Tensor:
    positions = torch.arange(int(lengths.max()), device=lengths.device)
    return (positions.unsqueeze(0) < lengths.unsqueeze(1)).unsqueeze(1)

# %% wrong: at least one key for everybody
# So that no row is left empty, a length of 0 is raised to 1. An empty sequence then has its first key allowed.

def causal_mask(length: int) -> Tensor:
    positions = torch.arange(length)
    return positions.unsqueeze(1) >= positions


def padding_mask(lengths: Tensor, max_length: int) -> Tensor:
    positions = torch.arange(max_length, device=lengths.device)
    return positions < lengths.clamp_min(1).view(-1, 1, 1)

# %% wrong: the axis of length one at the end
# (B, max_length, 1) in place of (B, 1, max_length): it meets the queries of scores (B, T, S), and hides queries, not keys.

def causal_mask(length: int) -> Tensor:
    return torch.ones(length, length, dtype=torch.bool).tril(diagonal=0)


def padding_mask(lengths: Tensor, max_length: int) -> Tensor:
    positions = torch.arange(max_length, device=lengths.device)
    return (positions.unsqueeze(0) < lengths.unsqueeze(1)).unsqueeze(2)

# %% correct: running sums of one-hot rows

def causal_mask(length: int) -> Tensor:
    return torch.eye(length, dtype=torch.int64).cumsum(dim=0).bool()


def padding_mask(lengths: Tensor, max_length: int) -> Tensor:
    ended = F.one_hot(lengths, max_length + 1).cumsum(dim=1)  # 1 from place lengths[b] on
    return (ended[:, :max_length] == 0)[:, None, :]

# %% correct: filled row by row

def causal_mask(length: int) -> Tensor:
    mask = torch.zeros(length, length, dtype=torch.bool)
    for t in range(length):
        mask[t, : t + 1] = True
    return mask


def padding_mask(lengths: Tensor, max_length: int) -> Tensor:
    mask = torch.zeros(len(lengths), 1, max_length, dtype=torch.bool, device=lengths.device)
    for row, length in zip(mask, lengths.tolist(), strict=True):
        row[:, :length] = True
    return mask
