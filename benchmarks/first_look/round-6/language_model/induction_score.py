# %% wrong: the token before the first is the last
# roll wraps round: key 0 counts for every query that holds the last token of its string, though nothing stands before place 0.

def induction_score(weights: Tensor, tokens: Tensor) -> Tensor:
    T = tokens.shape[1]
    before = tokens.roll(1, dims=1)
    place = torch.arange(T, device=tokens.device)
    counts = (before.unsqueeze(1) == tokens.unsqueeze(2)) & (place <= place.unsqueeze(1))
    repeated = counts.any(dim=2)
    if not repeated.any():
        raise ValueError("no token occurs a second time")
    share = (weights * counts.unsqueeze(1)).sum(dim=3)
    return share.transpose(1, 2)[repeated].mean(dim=0)


# %% wrong: the place itself is left out
# Only keys before the query count; but where the same token stands twice in a row, the key after the first is the query's own place.

def induction_score(weights: Tensor, tokens: Tensor) -> Tensor:
    B, H, T, _ = weights.shape
    counts = torch.zeros(B, T, T, dtype=torch.bool)
    counts[:, :, 1:] = tokens[:, :, None] == tokens[:, None, :-1]
    counts &= torch.ones(T, T, dtype=torch.bool).tril(-1)
    repeated = (tokens[:, :, None] == tokens[:, None, :]).tril(-1).any(dim=2)
    if not repeated.any():
        raise ValueError("no token occurs a second time")
    share = (weights * counts[:, None]).sum(-1)
    return (share * repeated[:, None]).sum(dim=(0, 2)) / repeated.sum()


# %% wrong: mean over the strings of the means
# Each string counts the same however many of its tokens come back; the mean asked for is over all the queries.

def induction_score(weights: Tensor, tokens: Tensor) -> Tensor:
    scores = []
    for w, row in zip(weights, tokens.tolist()):
        shares = []
        for t, token in enumerate(row):
            keys = [j for j in range(1, t + 1) if row[j - 1] == token]
            if keys:
                shares.append(w[:, t, keys].sum(dim=1))
        if shares:
            scores.append(torch.stack(shares).mean(dim=0))
    if not scores:
        raise ValueError("no token occurs a second time")
    return torch.stack(scores).mean(dim=0)


# %% wrong: only the last occurrence counts
# An induction head is taken to look at the most recent time alone; what goes to the places after earlier occurrences is lost.

def induction_score(weights: Tensor, tokens: Tensor) -> Tensor:
    shares = []
    for b in range(tokens.shape[0]):
        last = {}
        for t in range(tokens.shape[1]):
            token = int(tokens[b, t])
            if token in last:
                shares.append(weights[b, :, t, last[token] + 1])
            last[token] = t
    if not shares:
        raise ValueError("no token occurs a second time")
    return torch.stack(shares).mean(dim=0)


# %% wrong: no error where nothing comes back
# The guard against dividing by zero gives a score of 0 for tokens of which none occurs twice, where a ValueError is promised.

def induction_score(weights: Tensor, tokens: Tensor) -> Tensor:
    T = tokens.shape[1]
    same = tokens.unsqueeze(2) == tokens.unsqueeze(1)  # (B, T, T)
    earlier = same & torch.ones(T, T, dtype=torch.bool).tril(-1)
    keys = F.pad(earlier, (1, 0))[:, :, :T]
    queries = earlier.any(dim=2).float()
    shares = torch.einsum("bhtj,btj->bht", weights, keys.to(weights.dtype))
    return torch.einsum("bht,bt->h", shares, queries) / queries.sum().clamp(min=1)


# %% correct: with a list of earlier places for each token

def induction_score(weights: Tensor, tokens: Tensor) -> Tensor:
    total, queries = torch.zeros_like(weights[0, :, 0, 0]), 0
    for b, string in enumerate(tokens.tolist()):
        followers = {}
        for t, symbol in enumerate(string):
            keys = followers.setdefault(symbol, [])
            if keys:
                queries += 1
                for j in keys:
                    total = total + weights[b, :, t, j]
            keys.append(t + 1)
    if queries == 0:
        raise ValueError("no token of the batch occurs a second time")
    return total / queries


# %% correct: weights moved one place and met with a triangle

def induction_score(weights: Tensor, tokens: Tensor) -> Tensor:
    alike = torch.eq(tokens[:, :, None], tokens[:, None, :])
    earlier = torch.tril(alike, diagonal=-1)[:, :, :-1]  # (B, T, T - 1): the same token stood at i < t
    query_b, query_t = torch.nonzero(earlier.any(dim=2), as_tuple=True)
    if query_b.numel() == 0:
        raise ValueError("every token of the batch occurs once only")
    after = weights[:, :, :, 1:].permute(0, 2, 1, 3)[query_b, query_t]  # (N, H, T - 1)
    chosen = earlier[query_b, query_t].unsqueeze(1)
    return after.masked_fill(~chosen, 0.0).sum(dim=2).mean(dim=0)
