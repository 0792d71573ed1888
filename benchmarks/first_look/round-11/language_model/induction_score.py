# %% wrong: the earlier occurrence itself
# Counts the weight on the earlier places of the same token, not on the places right after them. It
# shows for [a b a b] with all the weight on one of the two.

def induction_score(weights: Tensor, tokens: Tensor) -> Tensor:
    same = (tokens.unsqueeze(2) == tokens.unsqueeze(1)).tril(diagonal=-1)  # (B, T, T)
    counted = same.any(dim=2)
    if not counted.any():
        raise ValueError("no token of the batch occurs a second time")
    shares = (weights * same.unsqueeze(1)).sum(dim=3)  # (B, H, T)
    return shares.transpose(0, 1)[:, counted].mean(dim=1)

# %% wrong: roll wraps round
# tokens.roll(1) puts the last token before place 0, so key 0 counts where the query's token is the
# sentence's last one. It shows for [a b a]: the query at 2 also gets its weight on place 0.

def induction_score(weights: Tensor, tokens: Tensor) -> Tensor:
    length = tokens.shape[1]
    before = tokens.roll(1, dims=1)
    causal = torch.ones(length, length, dtype=torch.bool, device=tokens.device).tril()
    same = (tokens.unsqueeze(2) == tokens.unsqueeze(1)) & causal.tril(-1)
    counted = same.any(dim=2)
    if not counted.any():
        raise ValueError("no token of the batch occurs a second time")
    wanted = (tokens.unsqueeze(2) == before.unsqueeze(1)) & causal
    shares = (weights * wanted.unsqueeze(1)).sum(dim=-1)
    return shares.transpose(0, 1)[:, counted].mean(dim=1)

# %% wrong: the query's own place never counts
# Keys have to lie before the query. It shows where a token stands twice in a row, [a a]: the place
# after the first a is the query's own, and its weight is left out.

def induction_score(weights: Tensor, tokens: Tensor) -> Tensor:
    follows = torch.zeros_like(weights[:, 0], dtype=torch.bool)
    follows[:, :, 1:] = tokens.unsqueeze(2) == tokens[:, :-1].unsqueeze(1)
    seen = (tokens.unsqueeze(2) == tokens.unsqueeze(1)).tril(-1).any(dim=2)
    if not seen.any():
        raise ValueError("no token of the batch occurs a second time")
    shares = (weights * follows.tril(-1).unsqueeze(1)).sum(dim=3)
    return (shares * seen.unsqueeze(1)).sum(dim=(0, 2)) / seen.sum()

# %% wrong: every sentence must repeat a token
# Raises as soon as one sentence of the batch has no repeat. It shows for the batch [a b a], [a b c],
# whose score is that of its first sentence.

def induction_score(weights: Tensor, tokens: Tensor) -> Tensor:
    shares = []
    for weight, sentence in zip(weights, tokens, strict=True):
        same = (sentence.unsqueeze(1) == sentence).tril(-1)
        counted = same.any(dim=1)
        if not counted.any():
            raise ValueError("no token occurs a second time")
        keys = F.pad(same, (1, 0))[:, :-1]
        shares.append((weight * keys).sum(dim=2)[:, counted])
    return torch.cat(shares, dim=1).mean(dim=1)

# %% correct: along the diagonals, a distance at a time
def induction_score(weights: Tensor, tokens: Tensor) -> Tensor:
    length = tokens.shape[1]
    total = weights.new_zeros(weights.shape[1])
    counted = torch.zeros_like(tokens, dtype=torch.bool)
    for back in range(1, length):
        same = tokens[:, back:] == tokens[:, :-back]  # (B, length - back)
        counted[:, back:] |= same
        # the place after the one `back` before the query lies back - 1 before it
        stripe = weights.diagonal(1 - back, dim1=2, dim2=3)[..., 1:]
        total = total + torch.einsum("bht,bt->h", stripe, same.to(weights.dtype))
    if not counted.any():
        raise ValueError("no token of the batch occurs a second time")
    return total / counted.sum()

# %% correct: a dictionary of places, read from left to right
def induction_score(weights: Tensor, tokens: Tensor) -> Tensor:
    shares = []
    for b, sentence in enumerate(tokens.tolist()):
        after = {}  # token -> the places right after it so far
        for t, token in enumerate(sentence):
            if token in after:
                shares.append(weights[b, :, t, after[token]].sum(dim=1))
            after.setdefault(token, []).append(t + 1)
    if not shares:
        raise ValueError("no token of the batch occurs a second time")
    return sum(shares) / len(shares)
