# %% wrong: one key too many
# The padding mask compares with <=, as the causal one does: lengths[b] + 1 keys are open. It shows for every length below max_length, most
# plainly for 0, where one key is open and none should be.


def causal_mask(length: int) -> Tensor:
    positions = torch.arange(length)
    return positions <= positions.unsqueeze(1)


def padding_mask(lengths: Tensor, max_length: int) -> Tensor:
    positions = torch.arange(max_length, device=lengths.device)
    return positions <= lengths.view(-1, 1, 1)


# %% wrong: a causal mask of ones and zeros
# tril of torch.ones is float32: right to look at, but boolean is promised. `~mask` and `mask & padding` raise on it. It shows for all lengths.


def causal_mask(length: int) -> Tensor:
    return torch.tril(torch.ones(length, length))


def padding_mask(lengths: Tensor, max_length: int) -> Tensor:
    return (torch.arange(max_length, device=lengths.device) < lengths.unsqueeze(1)).unsqueeze(1)


# %% wrong: the positions of the padding stay on the CPU
# torch.arange without a device lives on the CPU. With lengths on a GPU the comparison raises (two devices meet); the mask has to live on the
# device of lengths. On the CPU nothing is to be seen.


def causal_mask(length: int) -> Tensor:
    return torch.ones(length, length, dtype=torch.bool).tril()


def padding_mask(lengths: Tensor, max_length: int) -> Tensor:
    positions = torch.arange(max_length).view(1, 1, max_length)
    return positions < lengths.view(-1, 1, 1)


# %% wrong: the padding is cut off from behind
# The last max_length - lengths[b] keys are closed with a negative slice. For a full sequence that is mask[b, 0, -0:], which is all of them:
# the longest sentence may not be attended to at all. It shows where a length equals max_length.


def causal_mask(length: int) -> Tensor:
    mask = torch.zeros(length, length, dtype=torch.bool)
    for t in range(length):
        mask[t, : t + 1] = True
    return mask


def padding_mask(lengths: Tensor, max_length: int) -> Tensor:
    mask = torch.ones(len(lengths), 1, max_length, dtype=torch.bool, device=lengths.device)
    for b, n in enumerate(lengths.tolist()):
        pads = max_length - n
        mask[b, 0, -pads:] = False
    return mask


# %% correct: numbered squares, and what is left of each length


def causal_mask(length: int) -> Tensor:
    square = torch.arange(length * length, device="cpu").reshape(length, length)
    return square % length <= torch.div(square, length, rounding_mode="floor")


def padding_mask(lengths: Tensor, max_length: int) -> Tensor:
    left = lengths[:, None, None] - torch.arange(max_length, device=lengths.device)
    return left.clamp(min=0).bool()


# %% correct: Python lists, and a running sum of marks


def causal_mask(length: int) -> Tensor:
    rows = [[True] * (t + 1) + [False] * (length - t - 1) for t in range(length)]
    return torch.tensor(rows, dtype=torch.bool, device="cpu").reshape(length, length)


def padding_mask(lengths: Tensor, max_length: int) -> Tensor:
    marks = torch.zeros(len(lengths), max_length + 1, dtype=torch.int64, device=lengths.device)
    marks.scatter_(1, lengths.unsqueeze(1), 1)  # a mark at the first place that is no key
    return (marks.cumsum(dim=1) == 0)[:, None, :max_length]
