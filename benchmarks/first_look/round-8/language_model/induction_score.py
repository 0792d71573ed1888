# %% wrong: a mean over all queries
# Queries whose token did not occur before count as zeros: sum and mask are right, the division is by B * T. Shows
# always, for the first query of a sentence never has an earlier occurrence.

def induction_score(weights: Tensor, tokens: Tensor) -> Tensor:
    B, H, T, _ = weights.shape
    t = torch.arange(T, device=tokens.device)
    same = (tokens[:, :, None] == tokens[:, None, :]) & (t[:, None] > t)  # (B, query, place before)
    if not same.any():
        raise ValueError("no token occurs a second time")
    after = F.pad(same, (1, 0))[:, :, :T]  # the key is one further
    return (weights * after[:, None]).sum(dim=3).mean(dim=(0, 2))


# %% wrong: round the corner
# roll puts the last token before the first key: a query with the same token as the last place counts its weight on
# key 0. Shows where the last token of a sentence stood before and key 0 has weight.

def induction_score(weights: Tensor, tokens: Tensor) -> Tensor:
    T = tokens.shape[1]
    before = tokens.roll(1, dims=1)  # (B, T): what stood one place before each key
    causal = torch.ones(T, T, dtype=torch.bool, device=tokens.device).tril()
    counts = (before.unsqueeze(1) == tokens.unsqueeze(2)) & causal  # (B, T, T), key j at most t: j - 1 < t
    earlier = (tokens.unsqueeze(1) == tokens.unsqueeze(2)) & causal.tril(-1)
    asked = earlier.any(dim=2)  # (B, T)
    if not asked.any():
        raise ValueError("nothing repeats")
    share = (weights * counts.unsqueeze(1)).sum(dim=3)  # (B, H, T)
    return share.transpose(0, 1)[:, asked].mean(dim=1)


# %% wrong: keys before the query only
# Takes j < t where the docstring has j - 1 < t: the query's own place, which comes right after an equal token in
# `a a`, does not count. Shows where a token stands twice in a row and has weight on itself.

def induction_score(weights: Tensor, tokens: Tensor) -> Tensor:
    B, H, T, _ = weights.shape
    keys = torch.zeros(B, T, T, dtype=torch.bool, device=tokens.device)
    seen = torch.zeros(B, T, dtype=torch.bool, device=tokens.device)
    for t in range(T):
        seen[:, t] = (tokens[:, :t] == tokens[:, t : t + 1]).any(dim=1)
        for j in range(1, t):
            keys[:, t, j] = tokens[:, j - 1] == tokens[:, t]
    if not seen.any():
        raise ValueError("no token of the batch occurs a second time")
    share = (weights * keys.unsqueeze(1)).sum(dim=-1)
    return (share * seen.unsqueeze(1)).sum(dim=(0, 2)) / seen.sum()


# %% wrong: sentence by sentence
# Takes the mean within each sentence and then over the sentences, so that a query of a sentence with few repetitions
# counts more. Shows for batches whose sentences have unequal numbers of such queries.

def induction_score(weights: Tensor, tokens: Tensor) -> Tensor:
    scores = []
    for weight, sentence in zip(weights, tokens, strict=True):  # (H, T, T), (T,)
        T = len(sentence)
        earlier = (sentence.unsqueeze(1) == sentence).tril(-1)
        asked = earlier.any(dim=1)
        if asked.any():
            share = (weight[:, :, 1:] * earlier[:, : T - 1]).sum(dim=2)
            scores.append(share[:, asked].mean(dim=1))
    if not scores:
        raise ValueError("no token occurs twice in any sentence")
    return torch.stack(scores).mean(dim=0)


# %% correct: a diary of where each token stood

def induction_score(weights: Tensor, tokens: Tensor) -> Tensor:
    shares = []
    for b, sentence in enumerate(tokens.tolist()):
        stood = {}
        for t, token in enumerate(sentence):
            if token in stood:
                after = torch.tensor(stood[token], device=weights.device) + 1
                shares.append(weights[b, :, t].index_select(1, after).sum(dim=1))
            stood.setdefault(token, []).append(t)
    if not shares:
        raise ValueError("every token of the batch occurs once")
    return sum(shares) / len(shares)


# %% correct: products of one-hot vectors

def induction_score(weights: Tensor, tokens: Tensor) -> Tensor:
    kinds, number = torch.unique(tokens, return_inverse=True)
    hot = F.one_hot(number, len(kinds)).to(weights.dtype)  # (B, T, kinds)
    met = hot.cumsum(dim=1) - hot  # how often each kind stood before a place
    counts = ((met * hot).sum(dim=2) > 0).to(weights.dtype)  # (B, T): the queries that count
    if counts.sum() == 0:
        raise ValueError("no token of the batch occurs a second time")
    came_before = F.pad(hot, (0, 0, 1, 0))[:, :-1]  # at key j: what stood at j - 1, nothing at key 0
    to_kinds = torch.einsum("bhts,bsv->bhtv", weights.tril(), came_before)
    return torch.einsum("bhtv,btv,bt->h", to_kinds, hot, counts) / counts.sum()
