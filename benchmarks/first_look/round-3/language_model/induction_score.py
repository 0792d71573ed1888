# %% wrong: the earlier occurrence itself
# Counts the weight on the places where the query's token stood before, not on the places right after them.
# Breaks "all j with tokens[j - 1] equal to tokens[t]". Hint: what does an induction head want to copy, the same token or the next one?

def induction_score(weights: Tensor, tokens: Tensor) -> Tensor:
    counts = (tokens.unsqueeze(2) == tokens.unsqueeze(1)).tril(-1)  # (B, T, T)
    asked = counts.any(dim=2)
    if not asked.any():
        raise ValueError("no token occurs a second time")
    share = (weights * counts.unsqueeze(1)).sum(dim=3)
    return (share * asked.unsqueeze(1)).sum(dim=(0, 2)) / asked.sum()


# %% wrong: nan where nothing repeats
# The division by the number of queries is made without a look whether there is any.
# Breaks "Raises ValueError where no token of the batch occurs a second time": it gives nan. Hint: try five different tokens.

def induction_score(weights: Tensor, tokens: Tensor) -> Tensor:
    earlier = (tokens.unsqueeze(2) == tokens.unsqueeze(1)).tril(-1)
    counts = F.pad(earlier[:, :, :-1], (1, 0))
    asked = counts.any(dim=2)
    share = (weights * counts.unsqueeze(1)).sum(dim=3)
    return (share * asked.unsqueeze(1)).sum(dim=(0, 2)) / asked.sum()


# %% wrong: only the last occurrence
# For each query only the place after the most recent occurrence counts.
# Breaks "the keys that count are ALL j": weight that goes to earlier rounds is lost. Hint: what if a token stood there three times?

def induction_score(weights: Tensor, tokens: Tensor) -> Tensor:
    total, queries = torch.zeros(weights.shape[1], dtype=weights.dtype, device=weights.device), 0
    for b, row in enumerate(tokens.tolist()):
        after = {}
        for t, token in enumerate(row):
            if token in after:
                total = total + weights[b, :, t, after[token]]
                queries += 1
            after[token] = t + 1
    if queries == 0:
        raise ValueError("no token occurs a second time")
    return total / queries


# %% wrong: a mean over sequences of means
# Each sequence's mean is taken first, and then the mean of these.
# Breaks "mean share over all other queries": a sequence with few repetitions counts as much as one with many. Hint: how many queries does each sequence bring?

def induction_score(weights: Tensor, tokens: Tensor) -> Tensor:
    earlier = (tokens.unsqueeze(2) == tokens.unsqueeze(1)).tril(-1)
    counts = F.pad(earlier[:, :, :-1], (1, 0))
    asked = counts.any(dim=2)  # (B, T)
    if not asked.any():
        raise ValueError("no token occurs a second time")
    share = (weights * counts.unsqueeze(1)).sum(dim=3)
    of_each = (share * asked.unsqueeze(1)).sum(dim=2) / asked.sum(dim=1, keepdim=True).clamp(min=1)
    return of_each[asked.any(dim=1)].mean(dim=0)


# %% correct: loops and a dictionary

def induction_score(weights: Tensor, tokens: Tensor) -> Tensor:
    shares = []
    for b, row in enumerate(tokens.tolist()):
        after: dict[int, list[int]] = {}
        for t, token in enumerate(row):
            if token in after:
                shares.append(weights[b, :, t, after[token]].sum(dim=1))
            after.setdefault(token, []).append(t + 1)
    if not shares:
        raise ValueError("no token of the batch occurs a second time")
    return torch.stack(shares).mean(dim=0)


# %% correct: tokens moved by one, and einsum

def induction_score(weights: Tensor, tokens: Tensor) -> Tensor:
    places = torch.arange(tokens.shape[1], device=tokens.device)
    before = tokens.roll(1, dims=1)  # at j the token of j - 1; place 0 is ruled out below
    allowed = (places[None, :] >= 1) & (places[None, :] <= places[:, None])
    matches = (before[:, None, :] == tokens[:, :, None]) & allowed
    asked = matches.sum(dim=2) > 0
    if not bool(asked.any()):
        raise ValueError("no token of the batch occurs a second time")
    return torch.einsum("bhts,bts->h", weights, matches.to(weights.dtype)) / asked.sum()
