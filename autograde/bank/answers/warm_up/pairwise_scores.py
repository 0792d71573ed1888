# %% wrong: keys by queries
# The rows are the keys and the columns the queries. Swap the last two letters behind the arrow, or transpose the other
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
# query @ key sums the query's features against the key's positions. The sum must run over d in both. See section 0.3.

# --- before
    return torch.einsum("btd,bsd->bts", query, key)
# --- after
    return query @ key

# %% wrong: all axes turned round
# .T turns all axes round, the batch as well. Only the last two should change places. See section 0.3.

# --- before
    return torch.einsum("btd,bsd->bts", query, key)
# --- after
    return query @ key.T

# %% wrong: summed over the batch
# The letter b does not stand behind the arrow, so the scores of all sentences were added up. Keep it. See section 0.3.

# --- before
    return torch.einsum("btd,bsd->bts", query, key)
# --- after
    return torch.einsum("btd,bsd->ts", query, key)

# %% wrong: every sentence with every other
# Two different letters for the batch pair every sentence with every other one. One letter in both places pairs each
# with itself. See section 0.3.

# --- before
    return torch.einsum("btd,bsd->bts", query, key)
# --- after
    return torch.einsum("btd,csd->btcs", query, key)

# %% wrong: the products are not summed
# These are the products of single features. A dot product is their sum over d. See section 0.3.

# --- before
    return torch.einsum("btd,bsd->bts", query, key)
# --- after
    return query.unsqueeze(2) * key.unsqueeze(1)

# %% wrong: the mean instead of the sum
# Every score is D times too small: the products were averaged over d, and a dot product adds them up. See section 0.3.

# --- before
    return torch.einsum("btd,bsd->bts", query, key)
# --- after
    return (query.unsqueeze(2) * key.unsqueeze(1)).mean(-1)

# %% wrong: divided by the root of D
# Every score is too small by the root of D. That scaling has its place in chapter 04, not yet here: leave it out. See
# section 0.3.

# --- before
    return torch.einsum("btd,bsd->bts", query, key)
# --- after
    return torch.einsum("btd,bsd->bts", query, key) / query.shape[-1] ** 0.5

# %% wrong: no error where sizes disagree
# A key of batch size 1 was repeated for every sentence without a word, as in section 0.1. Put the guard back that
# stood in the first lines of the stub.

def pairwise_scores(query, key):
    return torch.einsum("btd,bsd->bts", query, key)

# %% wrong: no guard before the matrix product
# A key of batch size 1 was repeated for every sentence without a word, as in section 0.1; a wrong width stopped at
# PyTorch's own error. Put the guard back that stood in the first lines of the stub.

def pairwise_scores(query, key):
    return query @ key.transpose(1, 2)

# %% wrong: summed over the sentences of the key
# The key's batch has a letter of its own, which does not stand behind the arrow: the keys of all sentences were added
# up. One letter in both places pairs each sentence with itself. See section 0.3.

# --- before
    return torch.einsum("btd,bsd->bts", query, key)
# --- after
    return torch.einsum("btd,csd->bts", query, key)

# %% wrong: two letters for the width
# With two different letters for the width, query and key are summed each by itself and the sums multiplied. One letter
# in both places multiplies first. See section 0.3.

# --- before
    return torch.einsum("btd,bsd->bts", query, key)
# --- after
    return torch.einsum("btd,bse->bts", query, key)

# %% wrong: computed in NumPy
# Stay with tensors to the end. See section 0.3.

# --- before
    return torch.einsum("btd,bsd->bts", query, key)
# --- after
    return torch.einsum("btd,bsd->bts", query, key).detach().numpy()

# %% wrong: cut off from the gradients
# The scores were cut off from what they were made of, by detach, no_grad or a new tensor made of their numbers;
# nothing could be learnt through them. Leave that out. See section 0.6.

# --- before
    return torch.einsum("btd,bsd->bts", query, key)
# --- after
    return torch.einsum("btd,bsd->bts", query, key).detach()

# %% correct: matrix product

# --- before
    return torch.einsum("btd,bsd->bts", query, key)
# --- after
    return query @ key.transpose(1, 2)

# %% correct: batched matrix product

# --- before
    return torch.einsum("btd,bsd->bts", query, key)
# --- after
    return torch.bmm(query, key.mT)

# %% correct: broadcast and sum

# --- before
    return torch.einsum("btd,bsd->bts", query, key)
# --- after
    return (query[:, :, None, :] * key[:, None, :, :]).sum(dim=-1)

# %% correct: the loop

def pairwise_scores(query, key):
    if query.dim() != 3 or key.dim() != 3 or query.shape[0] != key.shape[0] or query.shape[2] != key.shape[2]:
        raise ValueError(f"need query (B, T, D) and key (B, S, D), got {tuple(query.shape)} and {tuple(key.shape)}")

    scores = torch.zeros(query.shape[0], query.shape[1], key.shape[1])
    for b in range(query.shape[0]):
        for t in range(query.shape[1]):
            for s in range(key.shape[1]):
                scores[b, t, s] = sum(query[b, t, d] * key[b, s, d] for d in range(query.shape[2]))
    return scores

# %% correct: assertions by shape, another spelling of the product

def pairwise_scores(query, key):
    (B, T, D), (B2, S, D2) = query.shape, key.shape
    if (B, D) != (B2, D2):
        raise ValueError(f"batch {B} and {B2}, width {D} and {D2}")
    return torch.matmul(key, query.transpose(-1, -2)).transpose(-1, -2)
