# %% wrong: the shift goes round the end
# torch.roll puts the string's last token before place 0, and key 0 counts for every query that has this token: the
# weight on place 0 is added although nothing stands before it. Shows where the last token occurs earlier as well.

def induction_score(weights: Tensor, tokens: Tensor) -> Tensor:
    T = tokens.shape[1]
    before = tokens.roll(1, dims=1)  # what stood before each key
    after_same = before.unsqueeze(1) == tokens.unsqueeze(2)  # (B, T queries, T keys)
    counts = after_same & torch.ones(T, T, dtype=torch.bool).tril()  # j - 1 < t
    asked = counts.any(dim=2)  # (B, T)
    if not asked.any():
        raise ValueError("no token occurs a second time")
    share = (weights * counts.unsqueeze(1)).sum(dim=3)  # (B, H, T)
    return (share * asked.unsqueeze(1)).sum(dim=(0, 2)) / asked.sum()


# %% wrong: the query's own place left out
# Keys are taken with j < t, but j - 1 < t allows j = t too: where the same token stands twice in a row the second one
# is what came after the first. Shows for tokens like a a b a.

def induction_score(weights: Tensor, tokens: Tensor) -> Tensor:
    B, T = tokens.shape
    same = tokens.unsqueeze(2) == tokens.unsqueeze(1)  # (B, T, T): query t, earlier place i
    earlier = torch.ones(T, T, dtype=torch.bool).tril(-1)
    occurred = (same & earlier).any(dim=2)
    if not occurred.any():
        raise ValueError("no token of the batch occurs a second time")
    target = torch.zeros(B, T, T, dtype=torch.bool)
    target[:, :, 1:] = same[:, :, :-1]
    target = target & earlier
    share = (weights * target.unsqueeze(1)).sum(dim=-1)  # (B, H, T)
    return share.transpose(0, 1)[:, occurred].mean(dim=1)


# %% wrong: all queries in the mean
# Queries whose token is new have a share of zero and are counted with the others: too small wherever some token stands
# for the first time, that is always.

def induction_score(weights: Tensor, tokens: Tensor) -> Tensor:
    T = tokens.shape[1]
    target = torch.zeros(len(tokens), T, T, dtype=torch.bool)
    for t in range(T):
        for j in range(1, t + 1):
            target[:, t, j] = tokens[:, j - 1] == tokens[:, t]
    if not target.any():
        raise ValueError("no token occurs twice")
    share = (weights * target.unsqueeze(1)).sum(dim=3)
    return share.mean(dim=(0, 2))


# %% wrong: string by string, then over strings
# The mean is taken in each string first: a string with one repeated token weighs as much as one with twenty (and one
# with none counts as zero). Shows where strings have different numbers of such queries.

def induction_score(weights: Tensor, tokens: Tensor) -> Tensor:
    B, T = tokens.shape
    previous = F.pad(tokens[:, :-1], (1, 0), value=-1)
    target = (previous.unsqueeze(1) == tokens.unsqueeze(2)) & causal_mask(T)
    asked = target.any(dim=2)  # (B, T)
    if not asked.any():
        raise ValueError("nothing repeats")
    share = (weights * target.unsqueeze(1)).sum(dim=3)  # zero where nothing is asked
    per_string = share.sum(dim=2) / asked.sum(dim=1, keepdim=True).clamp(min=1)  # (B, H)
    return per_string.mean(dim=0)


# %% correct: a dictionary of places, read from left to right

def induction_score(weights: Tensor, tokens: Tensor) -> Tensor:
    shares = []
    for look, string in zip(weights, tokens.tolist(), strict=True):  # look (H, T, T)
        places_after: dict[int, list[int]] = {}
        for t, token in enumerate(string):
            if token in places_after:
                shares.append(look[:, t, places_after[token]].sum(dim=1))  # (H,)
            places_after.setdefault(token, []).append(t + 1)
    if not shares:
        raise ValueError("no token of the batch occurs a second time")
    return torch.stack(shares).mean(dim=0)


# %% correct: distance by distance along the diagonals

def induction_score(weights: Tensor, tokens: Tensor) -> Tensor:
    B, H, T, _ = weights.shape
    total = weights.new_zeros(H)
    repeated = torch.zeros(B, T, dtype=torch.bool, device=tokens.device)
    for back in range(1, T):  # the earlier occurrence at t - back, the key at t - back + 1
        same = tokens[:, back:] == tokens[:, :-back]  # (B, T - back), for the queries from `back` on
        repeated[:, back:] |= same
        stripe = weights.diagonal(1 - back, dim1=2, dim2=3)[..., -(T - back) :]  # the queries from `back` on
        total = total + torch.where(same.unsqueeze(1), stripe, torch.zeros_like(stripe)).sum(dim=(0, 2))
    if not bool(repeated.any()):
        raise ValueError("every token is new: there is nothing to look up")
    return total / repeated.sum()
