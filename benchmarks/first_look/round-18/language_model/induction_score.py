# %% wrong: the query's own place never counts
# Keys before the query only: with a token doubled ("a a"), the place right after the first is the query's own and must count.

def induction_score(weights: Tensor, tokens: Tensor) -> Tensor:
    T = tokens.shape[1]
    same = tokens.unsqueeze(2) == tokens.unsqueeze(1)  # (B, T query, T key)
    after = F.pad(same[:, :, :-1], (1, 0))  # key j: tokens[j - 1]
    after = after & torch.ones(T, T, dtype=torch.bool, device=tokens.device).tril(-1)
    counted = (same & torch.ones(T, T, dtype=torch.bool, device=tokens.device).tril(-1)).any(2)
    if not counted.any():
        raise ValueError("no token occurs twice")
    share = (weights * after.unsqueeze(1)).sum(3)  # (B, H, T)
    return (share * counted.unsqueeze(1)).sum((0, 2)) / counted.sum()


# %% wrong: a mean of the sentences' means
# Every sentence weighs the same: wrong for a batch whose sentences have different numbers of repeats.

def induction_score(weights: Tensor, tokens: Tensor) -> Tensor:
    T = tokens.shape[1]
    same = tokens.unsqueeze(2) == tokens.unsqueeze(1)
    earlier = same & torch.ones(T, T, dtype=torch.bool, device=tokens.device).tril(-1)
    after = F.pad(earlier[:, :, :-1], (1, 0))
    counted = earlier.any(2)
    if not counted.any():
        raise ValueError("no token occurs twice")
    share = (weights * after.unsqueeze(1)).sum(3)
    has = counted.any(1)
    per_sentence = (share * counted.unsqueeze(1)).sum(2)[has] / counted.sum(1)[has].unsqueeze(1)
    return per_sentence.mean(0)


# %% wrong: torch.roll lets the last token stand before the first
# Rolled round, key 0 counts as "after the last token": wrong where the last token is that of an earlier query, as in "a b a c a".

def induction_score(weights: Tensor, tokens: Tensor) -> Tensor:
    T = tokens.shape[1]
    before = tokens.roll(1, dims=1)
    hit = tokens.unsqueeze(2) == before.unsqueeze(1)
    hit = hit & torch.ones(T, T, dtype=torch.bool, device=tokens.device).tril()
    counted = hit.any(dim=2)
    if not counted.any():
        raise ValueError("no token occurs a second time")
    share = (weights * hit.unsqueeze(1)).sum(dim=3)
    return share.transpose(0, 1)[:, counted].mean(dim=1)


# %% wrong: only the latest earlier occurrence
# Counts the place after the most recent copy alone: a token that occurs three times has two such places at its third.

def induction_score(weights: Tensor, tokens: Tensor) -> Tensor:
    shares = []
    for b in range(len(tokens)):
        latest = {}
        for t, token in enumerate(tokens[b].tolist()):
            if token in latest:
                shares.append(weights[b, :, t, latest[token] + 1])
            latest[token] = t
    if not shares:
        raise ValueError("no token occurs a second time")
    return torch.stack(shares).mean(dim=0)


# %% correct: dictionaries of places

def induction_score(weights: Tensor, tokens: Tensor) -> Tensor:
    shares = []
    for sentence, maps in zip(tokens.tolist(), weights, strict=True):
        followers = {}
        for t, token in enumerate(sentence):
            keys = followers.setdefault(token, [])
            if keys:
                shares.append(maps[:, t, keys].sum(dim=1))
            keys.append(t + 1)
    if not shares:
        raise ValueError("no token of the batch occurs a second time")
    return sum(shares) / len(shares)


# %% correct: a product of one-hot vectors

def induction_score(weights: Tensor, tokens: Tensor) -> Tensor:
    kinds, number = tokens.unique(return_inverse=True)
    hot = F.one_hot(number, len(kinds)).to(weights.dtype)
    earlier = torch.einsum("btv,bsv->bts", hot, hot).tril(-1)  # (B, T, T): 1 at earlier copies
    again = (earlier.sum(dim=2) > 0).to(weights.dtype)
    if not again.any():
        raise ValueError("no token of the batch occurs a second time")
    moved = weights[..., 1:]  # column s now holds key s + 1
    share = torch.einsum("bhts,bts,bt->h", moved, earlier[..., :-1], again)
    return share / again.sum()
