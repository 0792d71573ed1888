# %% wrong: a query that may attend to nothing may attend to all
# Where the padding and the pattern together leave a query no key, its row must stay all False. What becomes of such a
# row is decided later, in the softmax. See section 0.5.

# --- before
    return padding.unsqueeze(1) & pattern  # (B, 1, S) with (T, S) -> (B, T, S)
# --- after
    allowed = padding.unsqueeze(1) & pattern
    return allowed | ~allowed.any(dim=-1, keepdim=True)

# %% wrong: either is enough
# A pair passes as soon as one of the two masks allows it. Both must: the key is real, and the pattern allows it. See
# section 0.5.

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
# (B, S) against (T, S) lines up sentences with queries. For most sizes that is an error; where B equals T it is a wrong
# mask without one. Give the padding an axis for the queries. See section 0.5.

# --- before
    return padding.unsqueeze(1) & pattern  # (B, 1, S) with (T, S) -> (B, T, S)
# --- after
    return padding & pattern  # (B, 1, S) with (T, S) -> (B, T, S)

# %% wrong: the padding on the queries
# The new axis comes after S, so the padding runs along the queries. It belongs to the keys: put the new axis between
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
# The mask came back as numbers. Later chapters fill in scores where a mask is False, and that needs booleans: combine
# the two with `&`. See section 0.5.

# --- before
    return padding.unsqueeze(1) & pattern  # (B, 1, S) with (T, S) -> (B, T, S)
# --- after
    return padding.unsqueeze(1).float() * pattern.float()  # (B, 1, S) with (T, S) -> (B, T, S)

# %% wrong: no guard
# The mask is right, but the stub's first lines, which raise ValueError, are gone. Put them back.

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
