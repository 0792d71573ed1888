# %% wrong: the earlier occurrence itself
# Counts the keys that hold the same token as the query, not the ones right after them. Shows for a b a: the query
# at place 2 should count key 1, here it counts key 0.


def induction_score(weights: Tensor, tokens: Tensor) -> Tensor:
    T = tokens.shape[1]
    same = tokens.unsqueeze(2) == tokens.unsqueeze(1)  # (B, T, T)
    earlier = torch.ones(T, T, dtype=torch.bool, device=tokens.device).tril(-1)
    counts = same & earlier
    queries = counts.any(dim=2)
    if not queries.any():
        raise ValueError("no token occurs twice")
    shares = (weights * counts.unsqueeze(1)).sum(dim=3)  # (B, H, T)
    return shares.transpose(0, 1)[:, queries].mean(dim=1)


# %% wrong: the query's own place never counts
# Only keys strictly before the query are allowed. In a a the key after the first a is the query's own place, and
# by the text it counts; here it does not.


def induction_score(weights: Tensor, tokens: Tensor) -> Tensor:
    B, T = tokens.shape
    same = tokens[:, :, None] == tokens[:, None, :]
    after = torch.zeros_like(same)
    after[:, :, 1:] = same[:, :, :-1]
    counts = after & torch.ones(T, T, dtype=torch.bool, device=tokens.device).tril(-1)
    repeats = (same & torch.ones_like(same[0]).tril(-1)).any(dim=2)  # (B, T)
    if not repeats.any():
        raise ValueError("no token occurs twice")
    shares = (weights * counts[:, None]).sum(dim=-1)
    return (shares * repeats[:, None]).sum(dim=(0, 2)) / repeats.sum()


# %% wrong: a mean of the sentences' means
# Each sentence's mean share first, then the mean over the sentences. The text wants all counted queries of the
# batch together: shows where two sentences have different numbers of repeats.


def induction_score(weights: Tensor, tokens: Tensor) -> Tensor:
    B, H, T, _ = weights.shape
    scores = []
    for b in range(B):
        same = tokens[b].unsqueeze(1) == tokens[b].unsqueeze(0)
        keys = F.pad(same, (1, 0))[:, :-1].tril()  # j counts where j - 1 has the token
        queries = keys.any(dim=1)
        if queries.any():
            scores.append((weights[b] * keys).sum(dim=2)[:, queries].mean(dim=1))
    if not scores:
        raise ValueError("no token occurs twice")
    return torch.stack(scores).mean(dim=0)


# %% wrong: torch.roll brings the last token to the front
# roll puts the last token before place 0, so key 0 counts for every query with the last token. Shows for a b a b,
# where key 0 counts for both b's, and for a b c, which should raise ValueError and gives a number.


def induction_score(weights: Tensor, tokens: Tensor) -> Tensor:
    before = tokens.roll(1, dims=1)  # the token before each key
    counts = tokens.unsqueeze(2) == before.unsqueeze(1)
    counts = counts & causal_mask(tokens.shape[1]).to(tokens.device)
    queries = counts.any(dim=2)
    if not queries.any():
        raise ValueError("no token occurs twice")
    shares = (weights * counts.unsqueeze(1)).sum(dim=3)
    return (shares * queries.unsqueeze(1)).sum(dim=(0, 2)) / queries.sum()


# %% correct: a walk along each sentence, with a list of places for each token


def induction_score(weights: Tensor, tokens: Tensor) -> Tensor:
    total, queries = weights.new_zeros(weights.shape[1]), 0
    for sentence, of_heads in zip(tokens.tolist(), weights, strict=True):
        places = {}
        for t, token in enumerate(sentence):
            following = [j + 1 for j in places.get(token, [])]
            if following:
                total = total + of_heads[:, t, following].sum(dim=1)
                queries += 1
            places.setdefault(token, []).append(t)
    if queries == 0:
        raise ValueError("no token of the batch occurs a second time")
    return total / queries


# %% correct: the weights shifted onto the earlier places and summed by token


def induction_score(weights: Tensor, tokens: Tensor) -> Tensor:
    T = tokens.shape[1]
    kinds, ids = torch.unique(tokens, return_inverse=True)
    here = F.one_hot(ids, len(kinds)).to(weights.dtype)  # (B, T, V)
    met = here.cumsum(dim=1) - here  # how often each token stood before
    queries = torch.einsum("btv,btv->bt", met, here) > 0
    if not bool(queries.any()):
        raise ValueError("no token of the batch occurs a second time")
    moved = F.pad(weights.tril()[..., 1:], (0, 1))  # weight of j + 1, at place j
    by_token = torch.einsum("bhtj,bjv->bhtv", moved, here)
    shares = torch.einsum("bhtv,btv->bht", by_token, here)
    return shares.permute(1, 0, 2)[:, queries].mean(dim=1)
