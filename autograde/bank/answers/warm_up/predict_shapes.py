# %% wrong: the averaged axis stays
# A mean over an axis takes that axis away, unless keepdim=True asks to keep it with size 1. Cross the axis off. See
# section 0.2.

# --- before
        "mean_query": (B, D),
# --- after
        "mean_query": (B, 1, D),

# %% wrong: the wrong axis averaged
# Axes are counted from zero, so dim=1 is the second of the three. Count again. See section 0.2.

# --- before
        "mean_query": (B, D),
# --- after
        "mean_query": (B, T),

# %% wrong: keepdim overlooked
# keepdim=True leaves the axis that was summed in its place, with size 1. See section 0.2.

# --- before
        "kept_axis": (B, T, 1),
# --- after
        "kept_axis": (B, T),

# %% wrong: keepdim keeps the size
# keepdim=True keeps the axis, not its size: all its entries have become one sum. See section 0.2.

# --- before
        "kept_axis": (B, T, 1),
# --- after
        "kept_axis": (B, T, D),

# %% wrong: a single index keeps its axis
# A single number as index takes its axis away; a slice such as -1: would have kept it. See section 0.2.

# --- before
        "last_key": (B, D),
# --- after
        "last_key": (B, 1, D),

# %% wrong: the last of the features
# In key[:, -1] the -1 stands in the second place, so it picks along the second axis. See section 0.2.

# --- before
        "last_key": (B, D),
# --- after
        "last_key": (B, S),

# %% wrong: joined along the features
# torch.cat adds the sizes along the axis it is given, and here that is the second. See section 0.2.

# --- before
        "joined": (B, T + S, D),
# --- after
        "joined": (B, T, 2 * D),

# %% wrong: joined by broadcasting
# torch.cat repeats nothing: it lays the two end to end, so their sizes add up along that axis. See section 0.2.

# --- before
        "joined": (B, T + S, D),
# --- after
        "joined": (B, max(T, S), D),

# %% wrong: keys before queries
# A matrix product keeps the rows of the left factor and the columns of the right one, in this order. Write both shapes
# down side by side. See section 0.2.

# --- before
        "scores": (B, T, S),
# --- after
        "scores": (B, S, T),

# %% wrong: a matrix product keeps the features
# A matrix product sums over the axis that the two factors share, so D is gone. See section 0.2.

# --- before
        "scores": (B, T, S),
# --- after
        "scores": (B, T, S, D),

# %% wrong: differences summed over the features
# A difference sums nothing: every axis of the two sides is still there. See section 0.2.

# --- before
        "differences": (B, T, S, D),
# --- after
        "differences": (B, T, S),

# %% wrong: the axis of size one stays
# Against a larger axis, an axis of size 1 is repeated to that size. Line the two shapes up from the right. See section
# 0.2.

# --- before
        "differences": (B, T, S, D),
# --- after
        "differences": (B, T, 1, D),

# %% wrong: one truth value a sentence
# A comparison broadcasts as a sum does: (S,) against (B, 1). See section 0.2.

# --- before
        "is_real": (B, S),
# --- after
        "is_real": (B,),

# %% wrong: the comparison the other way round
# Line (S,) and (B, 1) up from the right: S stands over the 1. See section 0.2.

# --- before
        "is_real": (B, S),
# --- after
        "is_real": (S, B),

# %% wrong: einsum keeps the batch
# In an einsum, a letter that does not stand after the arrow is summed over, and b does not. See section 0.2.

# --- before
        "summed": (T, S),
# --- after
        "summed": (B, T, S),

# %% wrong: the summed axis is another
# dim=-1 is the last axis, and that is the one left with size 1. See section 0.2.

# --- before
        "kept_axis": (B, T, 1),
# --- after
        "kept_axis": (B, 1, D),

# %% wrong: joined along the batch
# Axes are counted from zero: dim=1 is the second, and its two sizes are added. See section 0.2.

# --- before
        "joined": (B, T + S, D),
# --- after
        "joined": (2 * B, T, D),

# %% wrong: the scores keep the query's shape
# A matrix product sums over the axis that the two factors share, here D, and keeps the columns of the right one. See
# section 0.2.

# --- before
        "scores": (B, T, S),
# --- after
        "scores": (B, T, D),

# %% wrong: the difference of two tensors of three axes
# Each unsqueeze adds an axis, so four axes meet four. Write both shapes down first. See section 0.2.

# --- before
        "differences": (B, T, S, D),
# --- after
        "differences": (B, T, D),

# %% wrong: the batch of the lengths overlooked
# The right side is (B, 1), and its B is not lost: line the two up from the right. See section 0.2.

# --- before
        "is_real": (B, S),
# --- after
        "is_real": (S,),

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
