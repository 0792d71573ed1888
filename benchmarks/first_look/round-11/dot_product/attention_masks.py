# %% wrong: the causal mask is one of numbers
# tril of ones is float32, not boolean, so masked_softmax and scaled_dot_product_attention refuse
# it. It shows for every length by the dtype.

def causal_mask(length: int) -> Tensor:
    return torch.tril(torch.ones(length, length))


def padding_mask(lengths: Tensor, max_length: int) -> Tensor:
    return (torch.arange(max_length, device=lengths.device) < lengths.unsqueeze(1)).unsqueeze(1)

# %% wrong: as wide as the longest sequence
# The padding mask has lengths.max() columns and ignores max_length. It shows where no sequence of
# the batch is as long as max_length, e.g. lengths [2, 3] and max_length 5.

def causal_mask(length: int) -> Tensor:
    t = torch.arange(length)
    return t[:, None] >= t[None, :]


def padding_mask(lengths: Tensor, max_length: int) -> Tensor:
    positions = torch.arange(int(lengths.max()), device=lengths.device)
    return positions[None, None, :] < lengths[:, None, None]

# %% wrong: an empty sequence keeps its first key
# "So that no softmax is empty" a length of 0 is raised to 1. It shows where lengths has a 0: key 0
# is True and should be False.

def causal_mask(length: int) -> Tensor:
    return torch.ones(length, length, dtype=torch.bool).tril()


def padding_mask(lengths: Tensor, max_length: int) -> Tensor:
    positions = torch.arange(max_length, device=lengths.device)
    return positions < lengths.clamp(min=1).view(-1, 1, 1)

# %% wrong: the axis of length one stands last
# (B, max_length, 1) is the mask of the padded queries: with scores (B, T, S) it allows a query all
# keys or none. It shows for every max_length above 1.

def causal_mask(length: int) -> Tensor:
    return ~torch.ones(length, length, dtype=torch.bool).triu(diagonal=1)


def padding_mask(lengths: Tensor, max_length: int) -> Tensor:
    mask = torch.arange(max_length, device=lengths.device).unsqueeze(0) < lengths.unsqueeze(1)
    return mask.unsqueeze(-1)

# %% correct: running sums of an identity and of the ends
def causal_mask(length: int) -> Tensor:
    return torch.eye(length, dtype=torch.int64).cumsum(dim=0) > 0


def padding_mask(lengths: Tensor, max_length: int) -> Tensor:
    ends = torch.zeros(len(lengths), max_length + 1, dtype=torch.int64, device=lengths.device)
    ends = ends.scatter(1, lengths.unsqueeze(1), 1)
    return (ends.cumsum(dim=1)[:, :max_length] == 0).unsqueeze(1)

# %% correct: filled in row by row in Python
def causal_mask(length: int) -> Tensor:
    mask = torch.zeros(length, length, dtype=torch.bool)
    for query in range(length):
        mask[query].narrow(0, 0, query + 1).fill_(True)
    return mask


def padding_mask(lengths: Tensor, max_length: int) -> Tensor:
    mask = torch.zeros(lengths.shape[0], 1, max_length, dtype=torch.bool, device=lengths.device)
    for row, length in zip(mask, lengths, strict=True):
        row[:, : int(length)] = True
    return mask
