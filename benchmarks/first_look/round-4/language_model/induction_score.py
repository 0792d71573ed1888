# %% wrong: each string's mean first
# Takes the mean over the queries of each string and then the mean over the strings. A string with one query that
# counts then weighs as much as a string with ten; strings with none count as zero.
# Hint: put a string with two repetitions beside one with ten. Over how many queries is the mean to be taken?

def induction_score(weights: Tensor, tokens: Tensor) -> Tensor:
    length = tokens.shape[1]
    same = (tokens.unsqueeze(2) == tokens.unsqueeze(1)).tril(-1)  # (B, T, T)
    counts = same.any(dim=2)  # (B, T)
    if not counts.any():
        raise ValueError("no token occurs a second time")
    target = torch.zeros_like(same)
    target[:, :, 1:] = same[:, :, : length - 1]
    share = (weights * target.unsqueeze(1)).sum(dim=3)  # (B, H, T)
    share = share * counts.unsqueeze(1)
    of_string = share.sum(dim=2) / counts.sum(dim=1, keepdim=True).clamp(min=1)
    return of_string.mean(dim=0)


# %% wrong: only the last earlier occurrence
# Counts the weight on what came after the latest occurrence alone. Where a token occurred twice before, the weight on
# what followed the first time is lost, though all of them count.
# Hint: tokens a b a c a: for the last a, which keys count by the docstring?

def induction_score(weights: Tensor, tokens: Tensor) -> Tensor:
    batch, length = tokens.shape
    shares = []
    for b in range(batch):
        last_place = {}
        for t, token in enumerate(tokens[b].tolist()):
            if token in last_place:
                shares.append(weights[b, :, t, last_place[token] + 1])
            last_place[token] = t
    if not shares:
        raise ValueError("no token occurs a second time")
    return torch.stack(shares).mean(dim=0)


# %% wrong: the token before place 0 taken from the end
# torch.roll gives place 0 the last token of the string as its predecessor. Key 0 then counts for every query that
# holds that last token, though nothing stands before it.
# Hint: print tokens.roll(1, dims=1) for one string. What stands in the first column?

def induction_score(weights: Tensor, tokens: Tensor) -> Tensor:
    length = tokens.shape[1]
    before = tokens.roll(1, dims=1)
    causal = torch.ones(length, length, dtype=torch.bool, device=tokens.device).tril()
    target = (before.unsqueeze(1) == tokens.unsqueeze(2)) & causal  # (B, T, T), j - 1 < t
    occurred = (tokens.unsqueeze(1) == tokens.unsqueeze(2)).tril(-1).any(dim=2)
    if not occurred.any():
        raise ValueError("no token occurs a second time")
    share = (weights * target.unsqueeze(1)).sum(dim=3)
    return share.transpose(1, 2)[occurred].mean(dim=0)


# %% wrong: the place itself left out
# Demands j < t where the docstring says j - 1 < t. Where a token follows itself, the place after its earlier
# occurrence is the query's own place, and the weight there is not counted.
# Hint: tokens a a: which key counts for the second a?

def induction_score(weights: Tensor, tokens: Tensor) -> Tensor:
    batch, heads, length, _ = weights.shape
    total, count = torch.zeros(heads, dtype=weights.dtype, device=weights.device), 0
    for b in range(batch):
        for t in range(length):
            earlier = [i for i in range(t) if tokens[b, i] == tokens[b, t]]
            if not earlier:
                continue
            for i in earlier:
                if i + 1 < t:
                    total = total + weights[b, :, t, i + 1]
            count += 1
    if count == 0:
        raise ValueError("no token occurs a second time")
    return total / count


# %% wrong: first occurrences counted where the token comes again later
# A query counts here if its token stands anywhere else in the string, also later. First occurrences have a share of
# zero and pull the mean down.
# Hint: in a string with period 7, which is the first query that should count?

def induction_score(weights: Tensor, tokens: Tensor) -> Tensor:
    equal = tokens.unsqueeze(2) == tokens.unsqueeze(1)  # (B, T, T)
    counts = equal.sum(dim=2) > 1
    if not counts.any():
        raise ValueError("no token occurs a second time")
    target = F.pad(equal.tril(-1)[:, :, :-1], (1, 0))
    share = (weights * target.unsqueeze(1)).sum(dim=3)  # (B, H, T)
    return (share * counts.unsqueeze(1)).sum(dim=(0, 2)) / counts.sum()


# %% correct: a dictionary of places, query by query

def induction_score(weights: Tensor, tokens: Tensor) -> Tensor:
    shares = []
    for of_string, string in zip(weights, tokens.tolist(), strict=True):
        seen = {}
        for t, token in enumerate(string):
            if token in seen:
                shares.append(sum(of_string[:, t, place + 1] for place in seen[token]))
            seen.setdefault(token, []).append(t)
    if not shares:
        raise ValueError("no token of the batch occurs twice")
    return torch.stack(shares).mean(dim=0)


# %% correct: einsum over a shifted table of matches

def induction_score(weights: Tensor, tokens: Tensor) -> Tensor:
    place = torch.arange(tokens.shape[1], device=tokens.device)
    match = (tokens[:, :, None] == tokens[:, None, :]) & (place[None, :] < place[:, None])  # query t, place i < t
    after = torch.cat([torch.zeros_like(match[:, :, :1]), match[:, :, :-1]], dim=2)  # query t, key j = i + 1
    queries = match.any(dim=2)
    how_many = int(queries.sum())
    if how_many == 0:
        raise ValueError("every token is new")
    after = after.to(device=weights.device, dtype=weights.dtype)
    return torch.einsum("bhtj,btj->h", weights, after) / how_many
