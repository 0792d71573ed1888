# %% wrong: a token twice in a row
# j < t is asked for instead of j - 1 < t: where tokens[t - 1] equals tokens[t] the place t itself counts, and here it does not
# (and that query is dropped where this was the only earlier occurrence).

def induction_score(weights: Tensor, tokens: Tensor) -> Tensor:
    T = tokens.shape[1]
    previous = F.pad(tokens[:, :-1], (1, 0), value=-1)
    counts = tokens.unsqueeze(2) == previous.unsqueeze(1)  # (B, T, T): query t, key j
    counts = counts & torch.ones(T, T, dtype=torch.bool, device=tokens.device).tril(-1)
    asked = counts.any(dim=2)
    if not asked.any():
        raise ValueError("no token occurs a second time")
    shares = (weights * counts.unsqueeze(1)).sum(dim=3)  # (B, H, T)
    return (shares * asked.unsqueeze(1)).sum(dim=(0, 2)) / asked.sum()


# %% wrong: a mean of the sentences' means
# Each sentence's mean counts the same, however many queries it has; the promise is the mean over all queries. Shows where the
# sentences differ in how many tokens come again.

def induction_score(weights: Tensor, tokens: Tensor) -> Tensor:
    T = tokens.shape[1]
    counts = torch.zeros(len(tokens), T, T, dtype=torch.bool, device=tokens.device)
    counts[:, :, 1:] = tokens.unsqueeze(2) == tokens[:, :-1].unsqueeze(1)
    counts = counts.tril()
    asked = counts.any(dim=2)
    if not asked.any():
        raise ValueError("no token occurs a second time")
    means = []
    for b in range(len(tokens)):
        if asked[b].any():
            share = (weights[b] * counts[b]).sum(dim=2)  # (H, T)
            means.append(share[:, asked[b]].mean(dim=1))
    return torch.stack(means).mean(dim=0)


# %% wrong: rolled round the end
# roll puts the last token before place 0: key 0 counts for every query whose token is the sentence's last one, and such a query
# counts though its token did not occur before. Shows unless the weights on key 0 are zero and the last token is new.

def induction_score(weights: Tensor, tokens: Tensor) -> Tensor:
    T = tokens.shape[1]
    previous = tokens.roll(1, dims=1)
    counts = (tokens[:, :, None] == previous[:, None, :]) & torch.ones(T, T, dtype=torch.bool, device=tokens.device).tril()
    asked = counts.any(dim=2)
    if not asked.any():
        raise ValueError("nothing repeats")
    share = torch.where(counts[:, None], weights, 0.0).sum(dim=3)
    return share.transpose(1, 2)[asked].mean(dim=0)


# %% wrong: only what followed the last time
# Only the latest earlier occurrence counts, and all of them should: too small wherever a token has occurred twice before and a head
# looks back further.

def induction_score(weights: Tensor, tokens: Tensor) -> Tensor:
    shares = []
    for b, row in enumerate(tokens.tolist()):
        last = {}
        for t, token in enumerate(row):
            if token in last:
                shares.append(weights[b, :, t, last[token] + 1])
            last[token] = t
    if not shares:
        raise ValueError("no token of the batch occurs a second time")
    return torch.stack(shares).mean(dim=0)


# %% correct: a diary of places for each token

def induction_score(weights: Tensor, tokens: Tensor) -> Tensor:
    total, queries = weights.new_zeros(weights.shape[1]), 0
    for b, row in enumerate(tokens.tolist()):
        after = {}
        for t, token in enumerate(row):
            keys = after.setdefault(token, [])
            if keys:
                total = total + weights[b, :, t, keys].sum(dim=1)
                queries += 1
            keys.append(t + 1)
    if queries == 0:
        raise ValueError("every token stands alone in its sentence")
    return total / queries


# %% correct: a list of pairs of equal tokens

def induction_score(weights: Tensor, tokens: Tensor) -> Tensor:
    same = (tokens.unsqueeze(2) == tokens.unsqueeze(1)).tril(-1)  # query t, earlier place i
    sentence, query, earlier = same.nonzero(as_tuple=True)
    if len(query) == 0:
        raise ValueError("no token occurs a second time")
    asked = torch.unique(sentence * tokens.shape[1] + query).numel()
    return weights[sentence, :, query, earlier + 1].sum(dim=0) / asked
