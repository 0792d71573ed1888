# %% wrong: the averaged axis stays
# A mean over an axis takes that axis away, unless keepdim=True asks to keep it with size 1. Cross the axis off. See
# section 0.2.

# --- before
        "mean_query": (B, D),
# --- after
        "mean_query": (B, 1, D),

# %% wrong: keepdim overlooked
# keepdim=True leaves the axis that was summed in its place, with size 1. See section 0.2.

# --- before
        "kept_axis": (B, T, 1),
# --- after
        "kept_axis": (B, T),

# %% wrong: a single index keeps its axis
# A single number as index takes its axis away; a slice such as -1: would have kept it. See section 0.2.

# --- before
        "last_key": (B, D),
# --- after
        "last_key": (B, 1, D),

# %% wrong: joined along the features
# torch.cat adds the sizes along the axis that `dim` names, and `dim=1` is the second. See section 0.2.

# --- before
        "joined": (B, T + S, D),
# --- after
        "joined": (B, T, 2 * D),

# %% wrong: keys before queries
# A matrix product keeps the rows of the left factor and the columns of the right one, in this order. Write both shapes
# down side by side. See section 0.2.

# --- before
        "scores": (B, T, S),
# --- after
        "scores": (B, S, T),

# %% wrong: differences summed over the features
# A difference sums nothing: every axis of the two sides is still there. See section 0.2.

# --- before
        "differences": (B, T, S, D),
# --- after
        "differences": (B, T, S),

# %% wrong: one truth value a sentence
# A comparison broadcasts as a sum does: (S,) against (B, 1). See section 0.2.

# --- before
        "is_real": (B, S),
# --- after
        "is_real": (B,),

# %% wrong: einsum keeps the batch
# In an einsum, a letter that does not stand after the arrow is summed over, and b does not. See section 0.2.

# --- before
        "summed": (T, S),
# --- after
        "summed": (B, T, S),

# %% correct: measured on tensors
def predict_shapes(B, T, S, D):
    query, key, lengths = torch.zeros(B, T, D), torch.zeros(B, S, D), torch.ones(B, dtype=torch.int64)
    tensors = {
        "mean_query": query.mean(dim=1),
        "kept_axis": query.sum(dim=-1, keepdim=True),
        "last_key": key[:, -1],
        "joined": torch.cat([query, key], dim=1),
        "scores": query @ key.transpose(1, 2),
        "differences": query.unsqueeze(2) - key.unsqueeze(1),
        "is_real": torch.arange(S) < lengths.unsqueeze(1),
        "summed": torch.einsum("btd,bsd->ts", query, key),
    }
    return {name: tensor.shape for name, tensor in tensors.items()}

# %% correct: lists
def predict_shapes(B, T, S, D):
    return {"mean_query": [B, D], "kept_axis": [B, T, 1], "last_key": [B, D], "joined": [B, T + S, D],
            "scores": [B, T, S], "differences": [B, T, S, D], "is_real": [B, S], "summed": [T, S]}

# %% correct: built step by step
def predict_shapes(B, T, S, D):
    query, key = (B, T, D), (B, S, D)
    shapes = dict(summed=(T, S), is_real=(B, S))
    shapes["mean_query"] = query[:1] + query[2:]
    shapes["kept_axis"] = query[:-1] + (1,)
    shapes["last_key"] = key[:1] + key[2:]
    shapes["joined"] = (B, query[1] + key[1], D)
    shapes["scores"] = query[:2] + key[1:2]
    shapes["differences"] = (*query[:2], *key[1:])
    return shapes
