# %% wrong: roll goes around
# torch.roll puts the last token before the first, so key 0 counts for queries that equal the last token. Shows for
# the weight of the last query on key 0, for example with tokens [[5, 7, 5]].

def induction_score(weights: Tensor, tokens: Tensor) -> Tensor:
    length = tokens.shape[1]
    before = tokens.roll(1, dims=1)  # tokens[j - 1]
    same = tokens.unsqueeze(2) == before.unsqueeze(1)  # (B, query, key)
    keys = same & torch.ones(length, length, dtype=torch.bool, device=tokens.device).tril()
    queries = keys[:, :, 1:].any(dim=2)
    if not queries.any():
        raise ValueError("no token occurs a second time")
    share = (weights * keys.unsqueeze(1)).sum(dim=3)  # (B, H, T)
    return (share * queries.unsqueeze(1)).sum(dim=(0, 2)) / queries.sum()


# %% wrong: only the latest earlier occurrence
# Takes the place after the last earlier occurrence and no other; the docstring counts all j. Shows for a token that
# stands three times, as in [[3, 1, 3, 2, 3]].

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


# %% wrong: the query's own place does not count
# Asks for j < t instead of j - 1 < t: where the token just before is the same, the query's own place has to count.
# Shows for tokens with a pair of equal neighbors, [[4, 4, 2]].

def induction_score(weights: Tensor, tokens: Tensor) -> Tensor:
    length = tokens.shape[1]
    here = torch.arange(length, device=tokens.device)
    same = tokens.unsqueeze(2) == tokens.unsqueeze(1)  # (B, t, i): the same token
    earlier = same & (here < here.unsqueeze(1))
    queries = earlier.any(dim=2)
    if not queries.any():
        raise ValueError("no token of the batch occurs a second time")
    after = torch.zeros_like(earlier)
    after[:, :, 1:] = earlier[:, :, :-1]
    after = after & (here < here.unsqueeze(1))  # what came after it, and before the query
    share = torch.einsum("bhtj,btj->bht", weights, after.to(weights.dtype))
    return (share * queries.unsqueeze(1)).sum(dim=(0, 2)) / queries.sum()


# %% wrong: a mean of the sentences' means
# Averages within each sentence and then over the sentences that repeat something; all counted queries of the batch
# weigh the same. Shows for two sentences with different numbers of repeats.

def induction_score(weights: Tensor, tokens: Tensor) -> Tensor:
    means = []
    for sentence, row in zip(weights, tokens.tolist(), strict=True):
        shares = []
        for t in range(len(row)):
            keys = [i + 1 for i in range(t) if row[i] == row[t]]
            if keys:
                shares.append(sentence[:, t, keys].sum(dim=1))
        if shares:
            means.append(torch.stack(shares).mean(dim=0))
    if not means:
        raise ValueError("no token of the batch occurs a second time")
    return torch.stack(means).mean(dim=0)


# %% correct: a dictionary of the places to look at
def induction_score(weights: Tensor, tokens: Tensor) -> Tensor:
    total, counted = weights.new_zeros(weights.shape[1]), 0
    for b, sentence in enumerate(tokens.tolist()):
        after = {}  # token -> the places right after its occurrences so far
        for t, token in enumerate(sentence):
            if token in after:
                total = total + sum(weights[b, :, t, j] for j in after[token])
                counted += 1
            after.setdefault(token, []).append(t + 1)
    if not counted:
        raise ValueError("no token of the batch occurs a second time")
    return total / counted


# %% correct: diagonal by diagonal, by the distance between query and key
def induction_score(weights: Tensor, tokens: Tensor) -> Tensor:
    batch, heads, length, _ = weights.shape
    share = weights.new_zeros(heads)
    met = torch.zeros_like(tokens, dtype=torch.bool)
    for back in range(1, length):  # the earlier occurrence stands `back` places before the query
        same = tokens[:, back:] == tokens[:, :-back]
        met[:, back:] |= same
        # the key after it is back - 1 places before the query; its first query is back - 1, which has no occurrence
        on_key = weights.diagonal(1 - back, dim1=2, dim2=3)[..., 1:]  # (B, H, length - back)
        share = share + on_key.masked_fill(~same.unsqueeze(1), 0).sum(dim=(0, 2))
    if not met.any():
        raise ValueError("no token of the batch occurs a second time")
    return share / met.sum()
