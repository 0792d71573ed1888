# %% wrong: the same token, not the one after it
# The keys counted are j with tokens[j] equal to tokens[t], the earlier occurrence itself. A good message: "the key that counts stands one place to the right of the earlier occurrence".

def induction_score(weights: Tensor, tokens: Tensor) -> Tensor:
    same = (tokens[:, :, None] == tokens[:, None, :]).tril(-1)
    counts = same.any(dim=2)
    if not counts.any():
        raise ValueError("no token occurs twice")
    share = (weights * same.unsqueeze(1)).sum(dim=3)
    return share.transpose(0, 1)[:, counts].mean(dim=1)

# %% wrong: only the latest occurrence
# A loop that looks back and stops at the first find: with three occurrences the keys after the older ones are left out. A good message: "with tokens a b a c a the last a has two keys that count".

def induction_score(weights: Tensor, tokens: Tensor) -> Tensor:
    shares = []
    for b, row in enumerate(tokens.tolist()):
        for t in range(len(row)):
            for i in range(t - 1, -1, -1):
                if row[i] == row[t]:
                    shares.append(weights[b, :, t, i + 1])
                    break
    if not shares:
        raise ValueError("no token occurs a second time")
    return torch.stack(shares).mean(dim=0)

# %% wrong: rolled round the corner, averaged sentence by sentence
# tokens.roll(1) puts the last token before the first, so key 0 counts where it should not; and each sentence's mean counts the same, however many queries it has (a sentence without any gives NaN). A good message: "key 0 comes after nothing"; "the mean is over all queries of the batch".

def induction_score(weights: Tensor, tokens: Tensor) -> Tensor:
    T = tokens.shape[1]
    before = tokens.roll(1, dims=1)
    wanted = (before[:, None, :] == tokens[:, :, None]).tril()
    queries = (tokens[:, None, :] == tokens[:, :, None]).tril(-1).any(dim=2)
    if not queries.any():
        raise ValueError("nothing repeats")
    share = torch.einsum("bhts,bts->bht", weights, wanted.to(weights.dtype)) * queries.unsqueeze(1)
    return (share.sum(dim=2) / queries.sum(dim=1, keepdim=True)).mean(dim=0)

# %% correct: weights moved one to the left

def induction_score(weights: Tensor, tokens: Tensor) -> Tensor:
    earlier = torch.eq(tokens.unsqueeze(2), tokens.unsqueeze(1)).tril(diagonal=-1)  # (B, t, j - 1)
    queries = earlier.any(dim=-1)
    if not queries.any():
        raise ValueError("no token of the batch occurs a second time")
    after = F.pad(weights[..., 1:], (0, 1))  # at j - 1 the weight of j
    share = torch.where(earlier[:, None], after, after.new_zeros(())).sum(dim=-1)  # (B, H, T)
    return share.permute(1, 0, 2)[:, queries].mean(dim=1)
