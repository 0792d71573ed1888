# %% wrong: the causal mask is not boolean
# A lower triangle of float32 ones: the docstring promises booleans, and masked_softmax refuses it. Shows for any length,
# 1 included.

def causal_mask(length: int) -> Tensor:
    return torch.tril(torch.ones(length, length))


def padding_mask(lengths: Tensor, max_length: int) -> Tensor:
    positions = torch.arange(max_length, device=lengths.device)
    return positions[None, None, :] < lengths[:, None, None]


# %% wrong: blanks the padding from the end
# A sequence of full length has zero pads, and [-0:] is the whole row: it loses all its keys. Shows for
# lengths [3, 5], max_length 5.

def causal_mask(length: int) -> Tensor:
    return torch.ones(length, length, dtype=torch.bool).tril()


def padding_mask(lengths: Tensor, max_length: int) -> Tensor:
    mask = torch.ones(len(lengths), 1, max_length, dtype=torch.bool, device=lengths.device)
    for b, n in enumerate(lengths.tolist()):
        pads = max_length - n
        mask[b, 0, -pads:] = False
    return mask


# %% wrong: as wide as the longest sequence
# Ignores max_length. Shows where no sequence is that long: lengths [2, 3], max_length 5 gives (2, 1, 3).

def causal_mask(length: int) -> Tensor:
    t = torch.arange(length)
    return t[:, None] >= t[None, :]


def padding_mask(lengths: Tensor, max_length: int) -> Tensor:
    max_length = int(lengths.max())
    return (torch.arange(max_length, device=lengths.device) < lengths.unsqueeze(1)).unsqueeze(1)


# %% wrong: the axis of length one on the keys' side
# The padding mask is (B, max_length, 1): it would let padded queries see nothing instead of hiding padded keys.
# Shows wherever max_length is more than 1.

def causal_mask(length: int) -> Tensor:
    return torch.ones(length, length).tril().bool()


def padding_mask(lengths: Tensor, max_length: int) -> Tensor:
    positions = torch.arange(max_length, device=lengths.device).expand(len(lengths), -1)
    mask = positions < lengths.unsqueeze(1)  # (B, max_length)
    return mask.unsqueeze(-1)


# %% correct: by running sums
def causal_mask(length: int) -> Tensor:
    # column s of the identity turns from 0 to 1 at row s
    return torch.eye(length, dtype=torch.int64).cumsum(dim=0) > 0


def padding_mask(lengths: Tensor, max_length: int) -> Tensor:
    ends = F.one_hot(lengths, max_length + 1)  # one at the first place that is padding
    return (ends.cumsum(dim=1)[:, None, :max_length]) == 0


# %% correct: filled row by row
def causal_mask(length: int) -> Tensor:
    mask = torch.zeros((length, length), dtype=torch.bool)
    for t in range(length):
        mask[t, : t + 1] = True
    return mask


def padding_mask(lengths: Tensor, max_length: int) -> Tensor:
    mask = torch.zeros((lengths.numel(), 1, max_length), dtype=torch.bool, device=lengths.device)
    for row, n in zip(mask, lengths.tolist(), strict=True):
        row[:, :n] = True
    return mask
