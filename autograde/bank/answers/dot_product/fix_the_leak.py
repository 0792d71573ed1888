# %% wrong: as it was found
# The columns sum to one: each key is shared out among the queries, later ones included, and that is how the future
# comes in. Which axis are the keys?

# --- before
    weights = torch.softmax(scores, dim=2)
# --- after
    weights = torch.softmax(scores, dim=1)

# %% wrong: the rows are divided by their sums afterwards
# The rows sum to one now, and the leak is still there: each number was divided by a sum over queries, later ones
# included. Take the softmax over the keys instead.

# --- before
    weights = torch.softmax(scores, dim=2)
# --- after
    weights = torch.softmax(scores, dim=1)
    weights = weights / weights.sum(dim=2, keepdim=True)

# %% wrong: the mask is sharpened instead
# A position may no longer see itself, and the leak is still there. The mask was right: look at what comes after it.

# --- before
    later = torch.triu(ones, diagonal=1)  # True where the key comes after the query
# --- after
    later = torch.triu(ones, diagonal=0)
# --- before
    weights = torch.softmax(scores, dim=2)
# --- after
    weights = torch.softmax(scores, dim=1)

# %% wrong: a second softmax, over the keys
# The rows sum to one, and there are weights above the diagonal: a softmax was taken of weights, in which a forbidden
# key is a zero like any other. One softmax is enough, over the right axis.

# --- before
    weights = torch.softmax(scores, dim=2)
# --- after
    weights = torch.softmax(torch.softmax(scores, dim=1), dim=2)

# %% wrong: the mask is transposed along with the softmax
# The rows sum to one, and now each position sees its future in place of its past. The mask was right.

# --- before
    later = torch.triu(ones, diagonal=1)  # True where the key comes after the query
# --- after
    later = torch.tril(ones, diagonal=-1)

# %% wrong: the mask is lost
# The rows sum to one, and there is no mask any more: every position sees the future. Put the mask back.

# --- before
    scores = scores.masked_fill(later, float("-inf"))
# --- after

# %% wrong: the mask after the softmax
# The softmax still sums over later keys before they are removed, so the future leaks in by that sum. Mask the scores
# first.

# --- before
    scores = scores.masked_fill(later, float("-inf"))
    weights = torch.softmax(scores, dim=2)
# --- after
    weights = torch.softmax(scores, dim=2).masked_fill(later, 0.0)

# %% wrong: later scores are lowered by a hundred
# A later score was lowered, and not made minus infinity: if it is large enough, it comes through all the same. Leave
# the mask as it was.

# --- before
    scores = scores.masked_fill(later, float("-inf"))
# --- after
    scores = scores - 100 * later

# %% wrong: the row's largest score comes from the future
# The score that is subtracted first may be that of a later key, or of another row. Where it is far above all that the
# row may see, these vanish, and the row is 0/0. Subtract the largest of those that the row may see.

# --- before
    scores = scores.masked_fill(later, float("-inf"))
    weights = torch.softmax(scores, dim=2)
# --- after
    e = torch.exp(scores - scores.amax(dim=2, keepdim=True)).tril()
    weights = e / e.sum(dim=2, keepdim=True)

# %% correct: your own attention and mask
def attend_to_the_past(query, key, value):
    return scaled_dot_product_attention(query, key, value, causal_mask(query.shape[1]).to(query.device))

# %% correct: the last axis
# --- before
    weights = torch.softmax(scores, dim=2)
# --- after
    weights = torch.softmax(scores, dim=-1)

# %% correct: one position at a time
def attend_to_the_past(query, key, value):
    outputs, rows = [], []
    for t in range(query.shape[1]):
        output, weights = scaled_dot_product_attention(query[:, t : t + 1], key[:, : t + 1], value[:, : t + 1])
        outputs.append(output)
        rows.append(torch.cat([weights, query.new_zeros(len(query), 1, query.shape[1] - t - 1)], dim=2))
    return torch.cat(outputs, dim=1), torch.cat(rows, dim=1)

# %% correct: keys in the rows, and the softmax over them
def attend_to_the_past(query, key, value):
    scores = key @ query.transpose(1, 2) / query.shape[2] ** 0.5  # (B, S, T)
    allowed = torch.ones_like(scores[0]).triu().bool()
    weights = torch.softmax(scores.masked_fill(~allowed, float("-inf")), dim=1)
    return torch.einsum("bst,bsd->btd", weights, value), weights.transpose(1, 2)

# %% correct: exponentials by hand
def attend_to_the_past(query, key, value):
    scores = torch.einsum("btd,bsd->bts", query, key) * query.shape[2] ** -0.5
    later = torch.ones_like(scores).triu(1).bool()
    e = (scores - scores.masked_fill(later, -torch.inf).amax(2, keepdim=True).detach()).masked_fill(later, -1e30).exp()
    weights = e / e.sum(2, keepdim=True)
    return weights @ value, weights
