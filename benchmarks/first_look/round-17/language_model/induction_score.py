# %% wrong: roll goes round, so the last token stands before the first
# tokens.roll(1) puts the last token in front of place 0. A query with the same token as the last place counts although it
# did not occur before, and its weight on place 0 counts: tokens a, b, b, a, where queries 0 and 3 both get key 0.

def induction_score(weights: Tensor, tokens: Tensor) -> Tensor:
    length = tokens.shape[1]
    before = tokens.roll(1, dims=1)
    place = torch.arange(length, device=tokens.device)
    follows = (before.unsqueeze(1) == tokens.unsqueeze(2)) & (place <= place.unsqueeze(1))
    counted = follows.any(dim=2)
    if not counted.any():
        raise ValueError("no token occurs a second time")
    share = (weights * follows.unsqueeze(1)).sum(dim=3)
    return share.transpose(0, 1)[:, counted].mean(dim=1)


# %% wrong: a query counts where its share is not zero
# "Occurred before" is read off the weights. A query whose token did occur but which gives its copies nothing is left out,
# not counted as 0. Shows for hard attention: tokens a, b, b, a, each with all its weight on itself, give 1, not 1/2.

def induction_score(weights: Tensor, tokens: Tensor) -> Tensor:
    same = tokens.unsqueeze(2) == tokens.unsqueeze(1)  # (B, T, T): query, key
    earlier = same.tril(-1)
    if not earlier.any():
        raise ValueError("no token occurs a second time")
    after = torch.zeros_like(earlier)
    after[:, :, 1:] = earlier[:, :, :-1]
    share = (weights * after.unsqueeze(1)).sum(dim=3)  # (B, H, T)
    counted = share > 0
    return share.sum(dim=(0, 2)) / counted.sum(dim=(0, 2)).clamp(min=1)


# %% wrong: the query itself taken for an earlier occurrence
# j - 1 <= t in place of j - 1 < t. The extra key t + 1 has no weight, but now every query except the last counts, which
# makes the mean too small; and without any repeat there is no ValueError. Shows for almost every input.

def induction_score(weights: Tensor, tokens: Tensor) -> Tensor:
    place = torch.arange(tokens.shape[1], device=tokens.device)
    known = tokens[:, :-1]  # the token before key 1, 2, ...
    hit = (known.unsqueeze(1) == tokens.unsqueeze(2)) & (place[:-1] <= place.unsqueeze(1))
    counted = hit.any(dim=2)
    if not counted.any():
        raise ValueError("no token occurs a second time")
    share = torch.einsum("bhtj,btj->bht", weights[..., 1:], hit.to(weights.dtype))
    return (share * counted.unsqueeze(1)).sum(dim=(0, 2)) / counted.sum()


# %% wrong: only the last earlier occurrence
# A dictionary remembers where each token stood last, so of several earlier copies only the nearest counts. Shows where a
# token occurs three times and the query attends to what followed the first.

def induction_score(weights: Tensor, tokens: Tensor) -> Tensor:
    shares = []
    for b, sentence in enumerate(tokens.tolist()):
        last_seen = {}
        for t, token in enumerate(sentence):
            if token in last_seen:
                shares.append(weights[b, :, t, last_seen[token] + 1])
            last_seen[token] = t
    if not shares:
        raise ValueError("no token occurs a second time")
    return torch.stack(shares).mean(dim=0)


# %% correct: lists of earlier places, query by query

def induction_score(weights: Tensor, tokens: Tensor) -> Tensor:
    total, count = weights.new_zeros(weights.shape[1]), 0
    for b, sentence in enumerate(tokens.tolist()):
        seen = {}
        for t, token in enumerate(sentence):
            keys = seen.setdefault(token, [])
            if keys:
                total = total + weights[b, :, t, keys].sum(dim=-1)
                count += 1
            keys.append(t + 1)
    if count == 0:
        raise ValueError("no token of the batch occurs a second time")
    return total / count


# %% correct: distance by distance along the diagonals

def induction_score(weights: Tensor, tokens: Tensor) -> Tensor:
    length = tokens.shape[1]
    occurred = torch.zeros_like(tokens, dtype=torch.bool)
    total = torch.zeros(weights.shape[1], dtype=weights.dtype, device=weights.device)
    for back in range(1, length):  # the copy stands `back` places before the query
        again = tokens[:, back:] == tokens[:, :-back]
        occurred[:, back:] |= again
        # queries back .. T - 1 with the keys 1 .. T - back: a diagonal
        looked = weights.diagonal(1 - back, dim1=2, dim2=3)[..., 1:]
        total = total + (looked * again.unsqueeze(1)).sum(dim=(0, 2))
    if not occurred.any():
        raise ValueError("nothing is repeated")
    return total / occurred.sum()
