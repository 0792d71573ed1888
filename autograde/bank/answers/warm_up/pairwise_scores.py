# %% wrong: keys by queries
# The rows are the keys and the columns the queries. Swap the last two letters after the arrow, or transpose the other
# factor. See section 0.3.

# --- before
    return torch.einsum("btd,bsd->bts", query, key)
# --- after
    return torch.einsum("btd,bsd->bst", query, key)

# %% wrong: the key is reshaped, not transposed
# The shape is right and the numbers are mixed up: reshape reads the same numbers row after row into another shape and
# moves no axis. Transpose, or name the axes in an einsum. See section 0.3.

# --- before
    return torch.einsum("btd,bsd->bts", query, key)
# --- after
    return query @ key.reshape(key.shape[0], key.shape[2], key.shape[1])

# %% wrong: the transpose is missing
# query @ key multiplies the query's features with the key's positions. The sum must run over d in both. See section
# 0.3.

# --- before
    return torch.einsum("btd,bsd->bts", query, key)
# --- after
    return query @ key

# %% wrong: all axes turned round
# .T reverses all the axes, the batch's as well. Only the last two should change places. See section 0.3.

# --- before
    return torch.einsum("btd,bsd->bts", query, key)
# --- after
    return query @ key.T

# %% wrong: summed over the batch
# The letter b does not stand after the arrow, so the scores of all sentences were added up. Keep it. See section 0.3.

# --- before
    return torch.einsum("btd,bsd->bts", query, key)
# --- after
    return torch.einsum("btd,bsd->ts", query, key)

# %% wrong: divided by the root of D
# Every score is too small by the root of D. That scaling has its place in chapter 04, not yet here: leave it out. See
# section 0.3.

# --- before
    return torch.einsum("btd,bsd->bts", query, key)
# --- after
    return torch.einsum("btd,bsd->bts", query, key) / query.shape[-1] ** 0.5

# %% wrong: no error where sizes disagree
# A key of batch size 1 was repeated for every sentence without a word, as in section 0.1. Put back the stub's first
# lines, which raise ValueError.

def pairwise_scores(query, key):
    return torch.einsum("btd,bsd->bts", query, key)

# %% wrong: computed in NumPy
# No gradient flows back through NumPy, and later code expects a tensor. Stay with tensors to the end. See section 0.3.

# --- before
    return torch.einsum("btd,bsd->bts", query, key)
# --- after
    return torch.einsum("btd,bsd->bts", query, key).detach().numpy()

# %% correct: matrix product
# --- before
    return torch.einsum("btd,bsd->bts", query, key)
# --- after
    return query @ key.transpose(1, 2)

# %% correct: broadcast and sum
# --- before
    return torch.einsum("btd,bsd->bts", query, key)
# --- after
    return (query[:, :, None, :] * key[:, None, :, :]).sum(dim=-1)

# %% correct: the loop
def pairwise_scores(query, key):
    if query.dim() != 3 or key.dim() != 3 or query.shape[0] != key.shape[0] or query.shape[2] != key.shape[2]:
        raise ValueError(f"need query (B, T, D) and key (B, S, D), got {tuple(query.shape)} and {tuple(key.shape)}")

    scores = query.new_zeros(query.shape[0], query.shape[1], key.shape[1])
    for b in range(query.shape[0]):
        for t in range(query.shape[1]):
            for s in range(key.shape[1]):
                scores[b, t, s] = sum(query[b, t, d] * key[b, s, d] for d in range(query.shape[2]))
    return scores
