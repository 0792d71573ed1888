# %% wrong: the shift wraps round
# torch.roll puts the last token before place 0, so key 0 counts for every query whose token is
# also the last one of the string (place 0 is never right after anything).

def induction_score(weights: Tensor, tokens: Tensor) -> Tensor:
    T = tokens.shape[1]
    same = tokens.unsqueeze(2) == tokens.unsqueeze(1)  # (B, T, T)
    earlier = torch.ones(T, T, dtype=torch.bool, device=tokens.device).tril(-1)
    counted = (same & earlier).any(dim=2)
    if not counted.any():
        raise ValueError("no token occurs twice")
    before = torch.roll(tokens, 1, dims=1)
    target = (tokens.unsqueeze(2) == before.unsqueeze(1)) & earlier.new_ones(T, T).tril()
    shares = (weights * target.unsqueeze(1)).sum(dim=3)  # (B, H, T)
    return (shares * counted.unsqueeze(1)).sum(dim=(0, 2)) / counted.sum()

# %% wrong: a mean of the sentences' means
# Each sentence weighs the same. Shows where two sentences of the batch have different numbers of
# repeats; with equal numbers, or one sentence, it is right.

def induction_score(weights: Tensor, tokens: Tensor) -> Tensor:
    means = []
    T = tokens.shape[1]
    for w, row in zip(weights, tokens):
        same = (row.unsqueeze(1) == row.unsqueeze(0)).tril(-1)  # (T, T): earlier and the same
        counted = same.any(dim=1)
        if not counted.any():
            continue
        after = F.pad(same, (1, 0))[:, :T]
        shares = (w * after).sum(dim=2)  # (H, T)
        means.append(shares[:, counted].mean(dim=1))
    if not means:
        raise ValueError("no token of the batch occurs a second time")
    return torch.stack(means).mean(dim=0)

# %% wrong: queries without weight there are left out
# "Counted" is read off the share itself: a query whose token did occur before, but whose weight
# on those keys is exactly zero, drops out of the mean. Shows for weights with zeros (a causal
# head that looks at one place, say), and gives one in place of a small share.

def induction_score(weights: Tensor, tokens: Tensor) -> Tensor:
    B, H, T, _ = weights.shape
    same = (tokens[:, :, None] == tokens[:, None, :]).tril(-1)
    if not same.any():
        raise ValueError("no token occurs a second time")
    after = torch.zeros_like(same)
    after[:, :, 1:] = same[:, :, :-1]
    shares = (weights * after[:, None]).sum(dim=-1).transpose(0, 1).reshape(H, B * T)
    return shares.sum(dim=1) / (shares > 0).sum(dim=1).clamp(min=1)

# %% wrong: only the latest earlier occurrence
# The key after the last earlier copy alone counts, those after older copies do not. Shows where a
# token occurs for the third time and some weight lies after its first copy.

def induction_score(weights: Tensor, tokens: Tensor) -> Tensor:
    shares = []
    for b, row in enumerate(tokens.tolist()):
        last_seen = {}
        for t, token in enumerate(row):
            if token in last_seen:
                shares.append(weights[b, :, t, last_seen[token] + 1])
            last_seen[token] = t
    if not shares:
        raise ValueError("no token of the batch occurs a second time")
    return torch.stack(shares).mean(dim=0)

# %% correct: dictionaries of places, query by query

def induction_score(weights: Tensor, tokens: Tensor) -> Tensor:
    total, count = weights.new_zeros(weights.shape[1]), 0
    for maps, row in zip(weights, tokens.tolist()):
        after = {}  # token -> the places right after it, so far
        for t, token in enumerate(row):
            keys = after.setdefault(token, [])
            if keys:
                total = total + maps[:, t, keys].sum(dim=-1)
                count += 1
            keys.append(t + 1)
    if count == 0:
        raise ValueError("no token of the batch occurs a second time")
    return total / count

# %% correct: a loop over distances, by diagonals

def induction_score(weights: Tensor, tokens: Tensor) -> Tensor:
    B, H, T, _ = weights.shape
    counted = torch.zeros(B, T, dtype=torch.bool, device=tokens.device)
    total = weights.new_zeros(H)
    for distance in range(1, T):  # the earlier copy stands `distance` places back
        hit = tokens[:, distance:] == tokens[:, : T - distance]  # (B, T - distance)
        counted[:, distance:] |= hit
        # the weight of query t on key t - distance + 1
        carried = weights.diagonal(1 - distance, dim1=2, dim2=3)[..., -(T - distance) :]
        total = total + torch.where(hit.unsqueeze(1), carried, 0).sum(dim=(0, 2))
    if not bool(counted.any()):
        raise ValueError("no token of the batch occurs a second time")
    return total / counted.sum()
