# %% wrong: only the latest earlier occurrence
# Of several earlier copies only the last is looked at; "all j" are asked for. Shows where a token
# stands for the third time.

def induction_score(weights: Tensor, tokens: Tensor) -> Tensor:
    shares = []
    for b, sentence in enumerate(tokens.tolist()):
        last = {}
        for t, token in enumerate(sentence):
            if token in last:
                shares.append(weights[b, :, t, last[token] + 1])
            last[token] = t
    if not shares:
        raise ValueError("no token occurs a second time")
    return torch.stack(shares).mean(dim=0)


# %% wrong: a query counts where some weight falls on its keys
# The number of queries is taken from the shares above zero, for each head. A query with a repeated
# token that gives all of its weight elsewhere is left out, and a head that never looks there is nan.

def induction_score(weights: Tensor, tokens: Tensor) -> Tensor:
    same = tokens.unsqueeze(2) == tokens.unsqueeze(1)
    if not same.tril(-1).any():
        raise ValueError("no token occurs a second time")
    after = F.pad(same, (1, 0))[:, :, :-1].tril()
    share = (weights * after.unsqueeze(1)).sum(dim=3)  # (B, H, T)
    return share.sum(dim=(0, 2)) / (share > 0).sum(dim=(0, 2))


# %% wrong: torch.roll wraps around
# Shifted by roll, key 0 gets the last token as its predecessor. Where a query's token is also the
# sentence's last one, weight on key 0 counts; the last query itself then always counts.

def induction_score(weights: Tensor, tokens: Tensor) -> Tensor:
    before = tokens.roll(1, dims=1)  # what stood before each key
    length = tokens.shape[1]
    causal = torch.ones(length, length, dtype=torch.bool, device=tokens.device).tril()
    after = (before.unsqueeze(1) == tokens.unsqueeze(2)) & causal  # (B, T, T)
    counted = after.any(dim=2)
    if not counted.any():
        raise ValueError("no token occurs a second time")
    share = (weights * after.unsqueeze(1)).sum(dim=3)
    return share.transpose(0, 1)[:, counted].mean(dim=1)


# %% wrong: an error where a single sentence has no repetition
# The error is for a batch without any. A batch of two sentences, one of which repeats nothing,
# should be scored on the other.

def induction_score(weights: Tensor, tokens: Tensor) -> Tensor:
    same = tokens.unsqueeze(2) == tokens.unsqueeze(1)
    earlier = same.tril(-1)
    after = F.pad(earlier, (1, 0))[:, :, :-1]
    counted = earlier.any(dim=2)  # (B, T)
    if (counted.sum(dim=1) == 0).any():
        raise ValueError("no token occurs a second time")
    share = (weights * after.unsqueeze(1)).sum(dim=3)
    return (share * counted.unsqueeze(1)).sum(dim=(0, 2)) / counted.sum()


# %% correct: a dictionary of places, read from left to right

def induction_score(weights: Tensor, tokens: Tensor) -> Tensor:
    shares = []
    for b, sentence in enumerate(tokens.tolist()):
        after: dict[int, list[int]] = {}
        for t, token in enumerate(sentence):
            if token in after:
                shares.append(weights[b, :, t, after[token]].sum(dim=-1))
            after.setdefault(token, []).append(t + 1)
    if not shares:
        raise ValueError("every token of the batch stands there for the first time")
    return torch.stack(shares).mean(dim=0)


# %% correct: pairs of places as a list of indices, summed by index_add

def induction_score(weights: Tensor, tokens: Tensor) -> Tensor:
    length = tokens.shape[1]
    place = torch.arange(length, device=tokens.device)
    same = (tokens[:, :, None] == tokens[:, None, :]) & (place[None, :] < place[:, None])
    sentence, query, copy = same.nonzero(as_tuple=True)
    if sentence.numel() == 0:
        raise ValueError("no token occurs twice")
    which, rows = torch.unique(sentence * length + query, return_inverse=True)
    found = weights[sentence, :, query, copy + 1]  # (pairs, H)
    shares = found.new_zeros(len(which), found.shape[1]).index_add(0, rows, found)
    return shares.sum(dim=0) / len(which)
