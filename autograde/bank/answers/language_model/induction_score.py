# %% wrong: no token repeats, and nothing is said
# Where no token occurs a second time there is nothing to average, and the docstring promises a ValueError.

# --- before
    if not asked.any():
        raise ValueError(f"no token of {tuple(tokens.shape)} occurs a second time")
# --- after

# %% wrong: the earlier occurrence itself
# You measured the weight on the earlier occurrences of the token. An induction head looks one place further, at what
# came after them.

# --- before
    after = F.pad(earlier[:, :, :-1], (1, 0))  # one place to the right of each
# --- after
    after = earlier  # one place to the right of each

# %% wrong: the token counts as its own earlier occurrence
# A query's own place, or a later one, was taken for an earlier occurrence of its token, so queries without one counted
# too. Earlier means before the query.

# --- before
    earlier = (tokens.unsqueeze(2) == tokens.unsqueeze(1)).tril(-1)
# --- after
    earlier = (tokens.unsqueeze(2) == tokens.unsqueeze(1)).tril()

# %% wrong: the mean over all queries
# Queries whose token did not occur before took part in the mean with a share of zero. They count nowhere.

# --- before
    return shares.transpose(1, 2)[asked].mean(dim=0)
# --- after
    return shares.mean(dim=(0, 2))

# %% wrong: a mean of the sentences' means
# Each sentence counts the same here. Every query whose token occurred before counts the same, whichever sentence it
# stands in.

# --- before
    return shares.transpose(1, 2)[asked].mean(dim=0)
# --- after
    return ((shares * asked.unsqueeze(1)).sum(2) / asked.sum(1, keepdim=True).clamp(min=1)).mean(0)

# %% wrong: only the last earlier occurrence
# Only the place after the latest occurrence was counted. The docstring counts the places after all earlier ones.

# --- before
    after = F.pad(earlier[:, :, :-1], (1, 0))  # one place to the right of each
# --- after
    after = F.pad(earlier[:, :, :-1], (1, 0))
    after &= after.flip(2).cumsum(2).flip(2) == 1  # one place to the right of each

# %% wrong: queries and keys change places
# Rows and columns of the weights were taken for one another: rows are queries, and each row sums to one.

# --- before
    shares = (weights * after.unsqueeze(1)).sum(dim=3)  # (B, H, T)
# --- after
    shares = (weights.transpose(2, 3) * after.unsqueeze(1)).sum(dim=3)  # (B, H, T)

# %% wrong: one number for all heads
# The heads were averaged away. Return one number for each head.

# --- before
    return shares.transpose(1, 2)[asked].mean(dim=0)
# --- after
    return shares.transpose(1, 2)[asked].mean()

# %% correct: loops, as the docstring reads
def induction_score(weights, tokens):
    B, H, T, _ = weights.shape
    shares = []
    for b in range(B):
        for t in range(T):
            places = [j for j in range(1, t + 1) if tokens[b, j - 1] == tokens[b, t] and j - 1 < t]
            if places:
                shares.append(sum(weights[b, :, t, j] for j in places))
    if not shares:
        raise ValueError("nothing occurs twice")
    return torch.stack(shares).mean(dim=0)

# %% correct: torch.roll and an einsum
def induction_score(weights, tokens):
    T = tokens.shape[1]
    same = tokens[:, :, None] == tokens[:, None, :]
    same = same & torch.ones_like(same).tril(-1)
    after = torch.roll(same, 1, dims=2)
    after[:, :, 0] = False
    count = after.any(2).sum()
    if count == 0:
        raise ValueError(f"tokens {tuple(tokens.shape)} hold no repeat")
    return torch.einsum("bhts,bts->h", weights, after.to(weights.dtype)) / count

# %% correct: the tokens shifted instead of the mask
def induction_score(weights, tokens):
    previous = torch.cat([torch.full_like(tokens[:, :1], -1), tokens[:, :-1]], dim=1)
    T = tokens.shape[1]
    hits = (previous[:, None, :] == tokens[:, :, None]) & torch.ones(T, T, dtype=torch.bool, device=tokens.device).tril()
    rows = hits.any(-1)
    if rows.sum() == 0:
        raise ValueError("no repeats")
    on = (weights * hits[:, None]).sum(-1)
    return (on * rows[:, None]).sum((0, 2)) / rows.sum()

# %% correct: head by head
def induction_score(weights, tokens):
    earlier = torch.tril(tokens[..., None] == tokens[:, None], diagonal=-1)
    after = torch.zeros_like(earlier)
    after[:, :, 1:] = earlier[:, :, :-1]
    asked = earlier[:, :, :].any(-1)
    if not bool(asked.any()):
        raise ValueError("no token twice")
    return torch.stack([weights[:, h].masked_fill(~after, 0).sum(-1)[asked].mean() for h in range(weights.shape[1])])

# %% correct: masked_select by sentence
def induction_score(weights, tokens):
    total, count = weights.new_zeros(weights.shape[1]), 0
    for w, row in zip(weights, tokens):
        seen = {}
        for t, token in enumerate(row.tolist()):
            if token in seen:
                total = total + w[:, t, [place + 1 for place in seen[token]]].sum(dim=1)
                count += 1
            seen.setdefault(token, []).append(t)
    if not count:
        raise ValueError("all tokens differ")
    return total / count
