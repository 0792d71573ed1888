# %% wrong: the causal mask holds numbers
# torch.ones gives float32, so the causal mask is a matrix of 1.0 and 0.0 and not boolean, at every length.

def causal_mask(length: int) -> Tensor:
    return torch.tril(torch.ones(length, length))


def padding_mask(lengths: Tensor, max_length: int) -> Tensor:
    positions = torch.arange(max_length, device=lengths.device)
    return (positions < lengths.unsqueeze(1)).unsqueeze(1)

# %% wrong: the padding is struck out from behind
# A full sequence has no padding, and a slice from -0 is a slice from 0: where lengths[b] == max_length the whole row becomes
# False instead of True.

def causal_mask(length: int) -> Tensor:
    return torch.ones(length, length, dtype=torch.bool).tril()


def padding_mask(lengths: Tensor, max_length: int) -> Tensor:
    mask = torch.ones(len(lengths), 1, max_length, dtype=torch.bool, device=lengths.device)
    for b, length in enumerate(lengths.tolist()):
        padding = max_length - length
        mask[b, 0, -padding:] = False
    return mask

# %% wrong: as wide as the longest sequence
# The width is that of the longest sequence in the batch. Where lengths.max() is less than max_length the mask is too
# narrow.

def causal_mask(length: int) -> Tensor:
    t = torch.arange(length)
    return t[:, None] >= t[None, :]


def padding_mask(lengths: Tensor, max_length: int) -> Tensor:
    longest = int(lengths.max())
    keys = torch.arange(min(longest, max_length), device=lengths.device)
    return keys[None, None, :] < lengths[:, None, None]

# %% wrong: the axis of length one is the keys'
# The mask is (B, max_length, 1): padded queries are struck out and every key stays allowed for the others. Shows in the shape for
# max_length above 1.

def causal_mask(length: int) -> Tensor:
    t = torch.arange(length)
    return t.unsqueeze(0) <= t.unsqueeze(1)


def padding_mask(lengths: Tensor, max_length: int) -> Tensor:
    real = torch.arange(max_length, device=lengths.device) < lengths.unsqueeze(1)
    return real.unsqueeze(-1)

# %% correct: running sums

def causal_mask(length: int) -> Tensor:
    # each key's own query, and every query below it
    return torch.eye(length, dtype=torch.long).cumsum(dim=0) > 0


def padding_mask(lengths: Tensor, max_length: int) -> Tensor:
    # a mark where each sequence's padding begins, one place behind the last key for a full one
    marks = torch.zeros(len(lengths), max_length + 1, dtype=torch.long, device=lengths.device)
    marks.scatter_(1, lengths.unsqueeze(1), 1)
    return (marks.cumsum(dim=1) == 0)[:, None, :max_length]

# %% correct: a table with a row for every length there can be

def rows_by_length(rows: int, columns: int, first: int) -> list[list[bool]]:
    return [[s < first + r for s in range(columns)] for r in range(rows)]


def causal_mask(length: int) -> Tensor:
    return torch.tensor(rows_by_length(length, length, 1), dtype=torch.bool, device="cpu")


def padding_mask(lengths: Tensor, max_length: int) -> Tensor:
    table = torch.tensor(rows_by_length(max_length + 1, max_length, 0), dtype=torch.bool)
    return table.to(lengths.device)[lengths].unsqueeze(1)
