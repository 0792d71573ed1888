# %% wrong: the earlier occurrence itself
# Counts the weight on the places where the same token stood, and not on those after them. It shows for nearly every input
# with a repetition.

def induction_score(weights: Tensor, tokens: Tensor) -> Tensor:
    same = tokens.unsqueeze(2) == tokens.unsqueeze(1)
    earlier = same.tril(-1)  # (B, T, T): key j holds the query's token, j < t
    counted = earlier.any(dim=2)
    if not counted.any():
        raise ValueError("no token occurs a second time")
    share = (weights * earlier.unsqueeze(1)).sum(dim=3)
    return share.transpose(0, 1)[:, counted].mean(dim=1)


# %% wrong: the query's own place is left out
# Wants j < t, although j - 1 < t allows j = t: where the token just before the query is the same, the place after it is
# the query's own and counts. It shows for "a a".

def induction_score(weights: Tensor, tokens: Tensor) -> Tensor:
    T = tokens.shape[1]
    same = (tokens.unsqueeze(2) == tokens.unsqueeze(1)).tril(-1)
    counted = same.any(dim=2)
    if not counted.any():
        raise ValueError("no token occurs a second time")
    after = F.pad(same, (1, 0))[:, :, :T].tril(-1)
    share = (weights * after.unsqueeze(1)).sum(dim=3)
    return share.transpose(0, 1)[:, counted].mean(dim=1)


# %% wrong: a mean of the sentences' means
# Takes each sentence's mean and then the mean over the sentences. It shows where two sentences have different numbers of
# repeated tokens.

def induction_score(weights: Tensor, tokens: Tensor) -> Tensor:
    T = tokens.shape[1]
    means = []
    for weight, token in zip(weights, tokens, strict=True):
        same = (token.unsqueeze(1) == token).tril(-1)
        counted = same.any(dim=1)
        if counted.any():
            after = F.pad(same, (1, 0))[:, :T]
            means.append((weight * after).sum(dim=2)[:, counted].mean(dim=1))
    if not means:
        raise ValueError("no token occurs a second time")
    return torch.stack(means).mean(dim=0)


# %% wrong: rolled round the end
# tokens.roll(1) gives the token before each place, and at place 0 the last of the sentence, which is taken for the one before
# it. Where a query has the last token of its sentence, key 0 counts (and the query, even without an earlier occurrence).

def induction_score(weights: Tensor, tokens: Tensor) -> Tensor:
    before = tokens.roll(1, dims=1)
    after = (tokens.unsqueeze(2) == before.unsqueeze(1)).tril()
    counted = after.any(dim=2)
    if not counted.any():
        raise ValueError("no token occurs a second time")
    share = (weights * after.unsqueeze(1)).sum(dim=3)
    return share.transpose(0, 1)[:, counted].mean(dim=1)


# %% correct: a list of places for each token met

def induction_score(weights: Tensor, tokens: Tensor) -> Tensor:
    shares = []
    for b, sentence in enumerate(tokens.tolist()):
        follows: dict[int, list[int]] = {}  # where something came after this token
        for t, token in enumerate(sentence):
            if token in follows:
                shares.append(weights[b, :, t, follows[token]].sum(dim=1))
            follows.setdefault(token, []).append(t + 1)
    if not shares:
        raise ValueError("in no sentence does a token come back")
    return torch.stack(shares).mean(dim=0)


# %% correct: along the diagonals

def induction_score(weights: Tensor, tokens: Tensor) -> Tensor:
    """A token that came back after `distance` places: query t = s + distance, key s + 1."""
    batch, heads, length, _ = weights.shape
    total = weights.new_zeros(heads)
    repeated = torch.zeros(batch, length, dtype=torch.bool, device=tokens.device)
    for distance in range(1, length):
        came_back = tokens[:, distance:] == tokens[:, :-distance]  # (B, T - distance)
        repeated[:, distance:] |= came_back
        looks = weights.diagonal(1 - distance, dim1=2, dim2=3)[:, :, 1:]
        total = total + torch.einsum("bhn,bn->h", looks, came_back.to(weights.dtype))
    if not bool(repeated.any()):
        raise ValueError("in no sentence does a token come back")
    return total / repeated.sum()
