# %% wrong: roll brings the last token to the front
# torch.roll goes round: place 0 is taken to follow the last token, so key 0 counts wherever the query is that token.

def induction_score(weights: Tensor, tokens: Tensor) -> Tensor:
    T = tokens.shape[1]
    before = torch.roll(tokens, 1, dims=1)  # before[:, j] is tokens[:, j - 1]
    hits = (before.unsqueeze(1) == tokens.unsqueeze(2)) & torch.ones(T, T, dtype=torch.bool).tril()
    counted = hits.any(dim=2)  # (B, T)
    if not counted.any():
        raise ValueError("no token occurs a second time")
    share = (weights * hits.unsqueeze(1)).sum(dim=3)  # (B, H, T)
    return (share * counted.unsqueeze(1)).sum(dim=(0, 2)) / counted.sum()


# %% wrong: the place itself is left out
# j may be t itself (when the token before was the same): j - 1 < t is asked for, and not j < t.

def induction_score(weights: Tensor, tokens: Tensor) -> Tensor:
    B, H, T, _ = weights.shape
    hits = torch.zeros(B, T, T, dtype=torch.bool)
    seen_before = torch.zeros(B, T, dtype=torch.bool)
    for t in range(1, T):
        seen_before[:, t] = (tokens[:, :t] == tokens[:, t : t + 1]).any(dim=1)
        for j in range(1, t):
            hits[:, t, j] = tokens[:, j - 1] == tokens[:, t]
    if not seen_before.any():
        raise ValueError("no token occurs a second time")
    share = (weights * hits.unsqueeze(1)).sum(dim=-1)
    return share.transpose(0, 1)[:, seen_before].mean(dim=1)


# %% wrong: only the most recent occurrence
# Where a token stood several times before, the places after its older occurrences are left out.

def induction_score(weights: Tensor, tokens: Tensor) -> Tensor:
    B, H, T, _ = weights.shape
    shares = []
    for b in range(B):
        last = {}
        for t in range(T):
            token = tokens[b, t].item()
            if token in last:
                shares.append(weights[b, :, t, last[token] + 1])
            last[token] = t
    if not shares:
        raise ValueError("nothing repeats")
    return torch.stack(shares).mean(dim=0)


# %% wrong: a mean for each string first
# Every string counts the same, however many of its queries count; it should be every query.

def induction_score(weights: Tensor, tokens: Tensor) -> Tensor:
    T = tokens.shape[1]
    same = tokens.unsqueeze(2) == tokens.unsqueeze(1)
    earlier = same & torch.ones(T, T, dtype=torch.bool).tril(-1)
    after = F.pad(earlier, (1, 0))[:, :, :-1]
    valid = earlier.any(dim=2)
    if not valid.any():
        raise ValueError("no repeated token")
    share = (weights * after[:, None]).sum(dim=3)
    per_string = (share * valid[:, None]).sum(dim=2) / valid.sum(dim=1, keepdim=True).clamp(min=1)
    return per_string[valid.any(dim=1)].mean(dim=0)


# %% wrong: an error as soon as one string has no repetition
# ValueError is for a batch in which no token at all occurs again; here one string without repetition is enough.

def induction_score(weights: Tensor, tokens: Tensor) -> Tensor:
    B, T = tokens.shape
    total, queries = torch.zeros(weights.shape[1], dtype=weights.dtype), 0
    for b in range(B):
        row = tokens[b].tolist()
        if len(set(row)) == len(row):
            raise ValueError(f"no token occurs twice in string {b}")
        for t in range(T):
            places = [j for j in range(1, t + 1) if row[j - 1] == row[t]]
            if places:
                total += weights[b, :, t, places].sum(dim=-1)
                queries += 1
    return total / queries


# %% correct: with a dictionary of what stood where

from collections import defaultdict


def induction_score(weights: Tensor, tokens: Tensor) -> Tensor:
    total, queries = weights.new_zeros(weights.shape[1]), 0
    for table, row in zip(weights, tokens.tolist(), strict=True):
        followers = defaultdict(list)  # token -> the places right after its occurrences so far
        for t, token in enumerate(row):
            if followers[token]:
                queries += 1
                for j in followers[token]:
                    total = total + table[:, t, j]
            followers[token].append(t + 1)
    if queries == 0:
        raise ValueError("no token of the batch occurs a second time")
    return total / queries


# %% correct: one diagonal after the other

def induction_score(weights: Tensor, tokens: Tensor) -> Tensor:
    B, H, T, _ = weights.shape
    share = torch.zeros(B, H, T, dtype=weights.dtype, device=weights.device)
    repeats = torch.zeros(B, T, dtype=torch.bool, device=tokens.device)
    for back in range(1, T):  # the earlier occurrence stands `back` places before the query
        same = tokens[:, back:] == tokens[:, :-back]  # (B, T - back), for the queries back, back + 1, ...
        repeats[:, back:] |= same
        looked = weights.diagonal(1 - back, dim1=2, dim2=3)[..., -(T - back) :]  # weights[t, t - back + 1]
        share[:, :, back:] = share[:, :, back:] + torch.where(same.unsqueeze(1), looked, torch.zeros_like(looked))
    if not bool(repeats.any()):
        raise ValueError("there is no repetition in these tokens")
    b, t = repeats.nonzero(as_tuple=True)
    return share[b, :, t].mean(dim=0)
