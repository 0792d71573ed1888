# %% wrong: PyTorch's causal mask turned into booleans
# generate_square_subsequent_mask holds 0 where one may look and minus infinity elsewhere; as booleans that is False where
# one may look. Every length shows it, 1 included (False in place of True).

def causal_mask(length: int) -> Tensor:
    return nn.Transformer.generate_square_subsequent_mask(length).bool()


def padding_mask(lengths: Tensor, max_length: int) -> Tensor:
    places = torch.arange(max_length, device=lengths.device)
    return (places < lengths.unsqueeze(1)).unsqueeze(1)


# %% wrong: padding counted from the end
# The last max_length - n keys are hidden by a slice from -(max_length - n). For a sequence of full length that is -0, the
# slice begins at the front, and the whole sequence is hidden.

def causal_mask(length: int) -> Tensor:
    return torch.ones(length, length, dtype=torch.bool).tril()


def padding_mask(lengths: Tensor, max_length: int) -> Tensor:
    mask = torch.ones(
        len(lengths), 1, max_length, dtype=torch.bool, device=lengths.device
    )
    for b, n in enumerate(lengths.tolist()):
        pads = max_length - n
        mask[b, 0, -pads:] = False
    return mask


# %% wrong: the end marked by one-hot, for which full length has no place
# The key at place lengths[b] is marked and everything from there on hidden. A sequence with lengths[b] == max_length has no
# such place: one_hot raises a RuntimeError.

def causal_mask(length: int) -> Tensor:
    places = torch.arange(length)
    return places[None, :] <= places[:, None]


def padding_mask(lengths: Tensor, max_length: int) -> Tensor:
    end = F.one_hot(lengths, max_length)  # (B, max_length)
    return (end.cumsum(dim=1) == 0).unsqueeze(1)


# %% wrong: the caller's lengths get two more axes
# unsqueeze_ works in place: the mask is right, but after the call lengths is (B, 1, 1), and a second call with it gives a
# mask of five axes.

def causal_mask(length: int) -> Tensor:
    return torch.tril(torch.ones(length, length)).bool()


def padding_mask(lengths: Tensor, max_length: int) -> Tensor:
    lengths = lengths.unsqueeze_(1).unsqueeze_(2)
    return torch.arange(max_length, device=lengths.device) < lengths


# %% correct: running sums

def causal_mask(length: int) -> Tensor:
    # once key s has had its turn as a query, it stays visible to all the rows below
    return torch.eye(length, dtype=torch.int64).cumsum(dim=0) > 0


def padding_mask(lengths: Tensor, max_length: int) -> Tensor:
    ones = torch.ones(
        len(lengths), 1, max_length, dtype=torch.int64, device=lengths.device
    )
    left = lengths.view(-1, 1, 1) - ones.cumsum(dim=2)
    return left.ge(0)


# %% correct: lists of truth values

def causal_mask(length: int) -> Tensor:
    rows = [[True] * (t + 1) + [False] * (length - t - 1) for t in range(length)]
    return torch.tensor(rows, dtype=torch.bool, device="cpu").reshape(length, length)


def padding_mask(lengths: Tensor, max_length: int) -> Tensor:
    rows = [[[s < n for s in range(max_length)]] for n in lengths.tolist()]
    mask = torch.tensor(rows, dtype=torch.bool, device=lengths.device)
    return mask.reshape(len(rows), 1, max_length)
