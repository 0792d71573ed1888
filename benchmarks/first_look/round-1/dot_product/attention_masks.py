# %% wrong: numbers in place of truth values
# torch.ones(...).tril() is float: as an index or behind ~ it fails, and attention refuses it. The padding mask is right. A good message: "the causal mask's dtype is float32 and must be bool".

def causal_mask(length: int) -> Tensor:
    return torch.ones(length, length).tril()


def padding_mask(lengths: Tensor, max_length: int) -> Tensor:
    return (torch.arange(max_length, device=lengths.device) < lengths.unsqueeze(1)).unsqueeze(1)

# %% wrong: as wide as the longest
# The padding mask is made for lengths.max() keys and max_length is not used: right as long as the longest sentence fills the batch. A good message: "(B, 1, 4) for max_length = 6".

def causal_mask(length: int) -> Tensor:
    return torch.tril(torch.ones(length, length, dtype=torch.bool))


def padding_mask(lengths: Tensor, max_length: int) -> Tensor:
    places = torch.arange(lengths.max().item(), device=lengths.device)
    return places[None, None, :] < lengths[:, None, None]

# %% wrong: the new axis behind the keys
# (B, max_length, 1) is a mask of queries: with T = S it broadcasts silently and forbids padded queries everything while padded keys stay open. A good message: "the axis of one is that of the queries: (B, 1, max_length)".

def causal_mask(length: int) -> Tensor:
    return ~torch.triu(torch.ones(length, length, dtype=torch.bool), diagonal=1)


def padding_mask(lengths: Tensor, max_length: int) -> Tensor:
    mask = torch.arange(max_length, device=lengths.device) < lengths[:, None]
    return mask.unsqueeze(-1)

# %% wrong: made on the CPU in either case, and one key too many
# The places come from the CPU whatever the device of lengths, and <= counts one padded key as real; the causal mask leaves the own position out. A good message: "lengths[b] keys, not one more; query t may see key t; device=lengths.device".

def causal_mask(length: int) -> Tensor:
    return torch.ones(length, length).tril(diagonal=-1).bool()


def padding_mask(lengths: Tensor, max_length: int) -> Tensor:
    return (torch.arange(max_length) <= lengths.view(-1, 1)).view(-1, 1, max_length)

# %% correct: places compared

def causal_mask(length: int) -> Tensor:
    place = torch.arange(length, device="cpu")
    return torch.ge(place.view(-1, 1), place)


def padding_mask(lengths: Tensor, max_length: int) -> Tensor:
    counted = torch.ones(len(lengths), 1, max_length, dtype=torch.int64, device=lengths.device).cumsum(dim=2)
    return counted.le(lengths.reshape(-1, 1, 1))

# %% correct: written by slices

def causal_mask(length: int) -> Tensor:
    mask = torch.full((length, length), False, device=torch.device("cpu"))
    for t in range(length):
        mask[t, : t + 1] = True
    return mask


def padding_mask(lengths: Tensor, max_length: int) -> Tensor:
    mask = torch.zeros(lengths.shape[0], 1, max_length, dtype=torch.bool, device=lengths.device)
    for row, n in zip(mask, lengths.tolist(), strict=True):
        row[:, :n].fill_(True)
    return mask
