# %% wrong: a query that may attend to nothing may attend to all
# Where padding and pattern leave a query nothing, its row is all False: what is then to be done is the softmax's affair.

# --- before
    return padding.unsqueeze(1) & pattern  # (B, 1, S) with (T, S) -> (B, T, S)
# --- after
    allowed = padding.unsqueeze(1) & pattern
    return allowed | ~allowed.any(dim=-1, keepdim=True)

# %% wrong: either is enough
# A pair passes as soon as one of the two masks lets it. A key must be real and allowed. See section 0.5.

# --- before
    return padding.unsqueeze(1) & pattern  # (B, 1, S) with (T, S) -> (B, T, S)
# --- after
    return padding.unsqueeze(1) | pattern  # (B, 1, S) with (T, S) -> (B, T, S)

# %% wrong: True blocks
# Everything is the wrong way round: True stands for what may not attend. In this course True means "may attend". See
# section 0.5.

# --- before
    return padding.unsqueeze(1) & pattern  # (B, 1, S) with (T, S) -> (B, T, S)
# --- after
    return ~(padding.unsqueeze(1) & pattern)  # (B, 1, S) with (T, S) -> (B, T, S)

# %% wrong: no axis for the queries
# (B, S) against (T, S) lines sentences up with queries, which is an error, or worse: where B equals T it is none. Give
# the padding an axis for the queries. See section 0.5.

# --- before
    return padding.unsqueeze(1) & pattern  # (B, 1, S) with (T, S) -> (B, T, S)
# --- after
    return padding & pattern  # (B, 1, S) with (T, S) -> (B, T, S)

# %% wrong: the padding on the queries
# The new axis stands behind S, so the padding runs along the queries. It belongs to the keys: put the new axis between
# the two. See section 0.5.

# --- before
    return padding.unsqueeze(1) & pattern  # (B, 1, S) with (T, S) -> (B, T, S)
# --- after
    return padding.unsqueeze(2) & pattern  # (B, 1, S) with (T, S) -> (B, T, S)

# %% wrong: the pattern forgotten
# Every real key is allowed to every query: the pattern plays no part. See section 0.5.

# --- before
    return padding.unsqueeze(1) & pattern  # (B, 1, S) with (T, S) -> (B, T, S)
# --- after
    return padding.unsqueeze(1).expand(-1, pattern.shape[0], -1)  # (B, 1, S) with (T, S) -> (B, T, S)

# %% wrong: the padding forgotten
# Padded keys are let in wherever the pattern allows: the padding plays no part. See section 0.5.

# --- before
    return padding.unsqueeze(1) & pattern  # (B, 1, S) with (T, S) -> (B, T, S)
# --- after
    return pattern.expand(padding.shape[0], -1, -1)  # (B, 1, S) with (T, S) -> (B, T, S)

# %% wrong: numbers instead of truth values
# The mask came back as numbers. Later chapters fill where a mask is False, and that needs booleans. See section 0.5.

# --- before
    return padding.unsqueeze(1) & pattern  # (B, 1, S) with (T, S) -> (B, T, S)
# --- after
    return padding.unsqueeze(1).float() * pattern.float()  # (B, 1, S) with (T, S) -> (B, T, S)

# %% wrong: no guard
# The mask is right, but the guard is gone that stood in the first lines of the stub. Put it back.

def broadcast_mask(padding, pattern):
    return padding.unsqueeze(1) & pattern

# %% correct: indexing with None
# --- before
    return padding.unsqueeze(1) & pattern  # (B, 1, S) with (T, S) -> (B, T, S)
# --- after
    return padding[:, None, :] & pattern[None]  # (B, 1, S) with (T, S) -> (B, T, S)

# %% correct: einsum on numbers, then back
# --- before
    return padding.unsqueeze(1) & pattern  # (B, 1, S) with (T, S) -> (B, T, S)
# --- after
    return torch.einsum("bs,ts->bts", padding.int(), pattern.int()).bool()  # (B, 1, S) with (T, S) -> (B, T, S)

# %% correct: sentence by sentence
# --- before
    return padding.unsqueeze(1) & pattern  # (B, 1, S) with (T, S) -> (B, T, S)
# --- after
    return torch.stack([row & pattern for row in padding])  # (B, 1, S) with (T, S) -> (B, T, S)
