# %% wrong: roll brings the last token to the front
# tokens.roll(1) puts the last token before place 0, so that key 0 counts where the query's token is the last one's.
# Shows for tokens [a, b, a] with a query at 2 that gives weight to key 0.

def induction_score(weights: Tensor, tokens: Tensor) -> Tensor:
    T = tokens.shape[1]
    previous = tokens.roll(1, dims=1)  # previous[j] = tokens[j - 1]
    same = tokens.unsqueeze(2) == previous.unsqueeze(1)  # (B, T, T)
    same = same & torch.ones(T, T, dtype=torch.bool, device=tokens.device).tril()
    earlier = (tokens.unsqueeze(2) == tokens.unsqueeze(1)).tril(-1).any(dim=2)  # (B, T)
    if not earlier.any():
        raise ValueError("no token occurs twice")
    share = (weights * same.unsqueeze(1)).sum(dim=3)  # (B, H, T)
    return share.transpose(0, 1)[:, earlier].mean(dim=1)


# %% wrong: the key must lie before the query
# j < t in place of j - 1 < t: where a token comes twice in a row, the key that counts is the query's own place,
# and it is left out. Shows for tokens [a, a]: the query at 1 has the key 1.

def induction_score(weights: Tensor, tokens: Tensor) -> Tensor:
    B, H, T, _ = weights.shape
    counts = torch.zeros(B, T, T, dtype=torch.bool, device=tokens.device)
    counts[:, :, 1:] = tokens[:, :, None] == tokens[:, None, :-1]
    counts = counts.tril(-1)
    occurred = (tokens[:, :, None] == tokens[:, None, :]).tril(-1).any(dim=2)
    if occurred.sum() == 0:
        raise ValueError("every token occurs once only")
    share = (weights * counts[:, None]).sum(dim=3)
    return (share * occurred[:, None]).sum(dim=(0, 2)) / occurred.sum()


# %% wrong: queries that give nothing are not counted
# A query is recognised by a share above zero, not by its token having occurred. One whose token did occur, and
# which gives no weight there, drops out of the mean. Shows for weights with exact zeros, the identity for example.

def induction_score(weights: Tensor, tokens: Tensor) -> Tensor:
    T = tokens.shape[1]
    match = tokens[:, :, None] == tokens[:, None, :]  # (B, T, T)
    match = match & torch.ones(T, T, device=tokens.device).tril(-1).bool()
    if not match.any():
        raise ValueError("no token occurs a second time")
    after = F.pad(match, (1, 0))[:, :, :-1]  # what came after
    share = (weights * after.unsqueeze(1)).sum(dim=3)  # (B, H, T)
    counted = (share > 0).sum(dim=(0, 2)).clamp(min=1)
    return share.sum(dim=(0, 2)) / counted


# %% wrong: a mean of the sentences' means
# Each sentence is averaged by itself, and the sentences then count the same, however many queries they have.
# Shows for a batch whose sentences have different numbers of repeated tokens.

def induction_score(weights: Tensor, tokens: Tensor) -> Tensor:
    sentences = []
    for w, row in zip(weights, tokens):
        same = (row[:, None] == row[None, :]).tril(-1)
        again = same.any(dim=1)
        if not again.any():
            continue
        keys = F.pad(same, (1, 0))[:, :-1]
        sentences.append((w * keys).sum(dim=2)[:, again].mean(dim=1))
    if not sentences:
        raise ValueError("no token of the batch occurs a second time")
    return torch.stack(sentences).mean(dim=0)


# %% correct: a notebook of where each token stood

def induction_score(weights: Tensor, tokens: Tensor) -> Tensor:
    shares = []
    for look, text in zip(weights, tokens.tolist()):
        followers = {}  # token -> the places right after it
        for t, token in enumerate(text):
            if token in followers:
                shares.append(look[:, t, followers[token]].sum(dim=1))
            followers.setdefault(token, []).append(t + 1)
    if not shares:
        raise ValueError("nothing occurs twice in any text of the batch")
    return torch.stack(shares, dim=1).mean(dim=1)


# %% correct: the weight gathered by what stood before each key

def induction_score(weights: Tensor, tokens: Tensor) -> Tensor:
    B, H, T, _ = weights.shape
    kinds, numbered = tokens.unique(return_inverse=True)  # (B, T), from 0
    stands = F.one_hot(numbered, len(kinds))  # (B, T, V)
    seen_before = (stands.cumsum(dim=1) - stands).gather(2, numbered.unsqueeze(2)).squeeze(2) > 0  # (B, T)
    if not bool(seen_before.any()):
        raise ValueError("no token occurs a second time")
    looks = weights.tril()[:, :, :, 1:]  # key j at column j - 1
    by_kind = looks @ stands[:, None, :-1].to(weights.dtype)  # (B, H, T, V): weight on what follows each kind
    own = by_kind.gather(3, numbered[:, None, :, None].expand(B, H, T, 1)).squeeze(3)
    return torch.stack([head[seen_before].mean() for head in own.unbind(dim=1)])
