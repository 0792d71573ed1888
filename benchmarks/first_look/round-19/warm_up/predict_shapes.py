# %% wrong: a mean leaves an axis of size one behind
# mean_query comes out as (B, 1, D): the axis is thought to stay, as with keepdim=True. Shows for every input,
# e.g. B, T, S, D = 2, 3, 4, 5.

def predict_shapes(B: int, T: int, S: int, D: int) -> dict[str, tuple[int, ...]]:
    return {
        "mean_query": (B, 1, D),
        "kept_axis": (B, T, 1),
        "last_key": (B, D),
        "joined": (B, T + S, D),
        "scores": (B, T, S),
        "differences": (B, T, S, D),
        "is_real": (B, S),
        "summed": (T, S),
    }


# %% wrong: a matrix product that multiplies out the batch
# scores is taken for a product of all rows with all rows, (B, T, B, S), as np.dot does it; @ works in each entry of
# the batch. Shows for every input, e.g. 2, 3, 4, 5.

def predict_shapes(B: int, T: int, S: int, D: int) -> dict[str, tuple[int, ...]]:
    query_shape, key_shape = [B, T, D], [B, S, D]
    shapes = {}
    shapes["mean_query"] = (query_shape[0], query_shape[2])
    shapes["kept_axis"] = (*query_shape[:2], 1)
    shapes["last_key"] = (key_shape[0], key_shape[2])
    shapes["joined"] = (B, query_shape[1] + key_shape[1], D)
    shapes["scores"] = (*query_shape[:2], *key_shape[:2])
    shapes["differences"] = (B, T, S, D)
    shapes["is_real"] = (B, S)
    shapes["summed"] = (T, S)
    return shapes


# %% wrong: the axes of the differences in the order of the inserted ones
# unsqueeze(2) and unsqueeze(1) are read as "S goes to 1, T goes to 2", which gives (B, S, T, D). Shows where T and S
# differ, e.g. 2, 3, 4, 5.

def predict_shapes(B: int, T: int, S: int, D: int) -> dict[str, tuple[int, ...]]:
    return dict(
        mean_query=(B, D),
        kept_axis=(B, T, 1),
        last_key=(B, D),
        joined=(B, T + S, D),
        scores=(B, T, S),
        differences=(B, S, T, D),
        is_real=(B, S),
        summed=(T, S),
    )


# %% wrong: the mask with an axis too many
# is_real is given as (B, 1, S): lengths.unsqueeze(1) is (B, 1) and S is put behind it, instead of broadcasting the 1
# to S. Shows for every input, e.g. 2, 3, 4, 5.

def predict_shapes(B: int, T: int, S: int, D: int) -> dict[str, tuple[int, ...]]:
    lengths_column = (B, 1)
    return {
        "mean_query": (B, D),
        "kept_axis": (B, T, 1),
        "last_key": (B, D),
        "joined": (B, T + S, D),
        "scores": (B, T, S),
        "differences": (B, T, S, D),
        "is_real": lengths_column + (S,),
        "summed": (T, S),
    }


# %% correct: tensors without data are asked for their shapes
def predict_shapes(B: int, T: int, S: int, D: int) -> dict[str, tuple[int, ...]]:
    query = torch.empty(B, T, D, device="meta")
    key = torch.empty(B, S, D, device="meta")
    lengths = torch.empty(B, dtype=torch.int64, device="meta")
    results = {
        "mean_query": query.mean(dim=1),
        "kept_axis": query.sum(dim=-1, keepdim=True),
        "last_key": key[:, -1],
        "joined": torch.cat([query, key], dim=1),
        "scores": query @ key.transpose(1, 2),
        "differences": query.unsqueeze(2) - key.unsqueeze(1),
        "is_real": torch.arange(S, device="meta") < lengths.unsqueeze(1),
        "summed": torch.einsum("btd,bsd->ts", query, key),
    }
    return {name: tuple(tensor.shape) for name, tensor in results.items()}


# %% correct: a small algebra of shapes
def predict_shapes(B: int, T: int, S: int, D: int) -> dict[str, tuple[int, ...]]:
    sizes = {"B": B, "T": T, "S": S, "D": D, "1": 1}

    def shape(letters):
        return [sizes[letter] for letter in letters]

    def without(axes, i):
        return axes[:i] + axes[i + 1 :]

    def stretched(one, other):
        one, other = ([1] * (max(len(one), len(other)) - len(a)) + a for a in (one, other))
        return [b if a == 1 else a for a, b in zip(one, other, strict=True)]

    query, key = shape("BTD"), shape("BSD")
    return {
        "mean_query": without(query, 1),
        "kept_axis": query[:2] + shape("1"),
        "last_key": without(key, 1),
        "joined": [B, query[1] + key[1], D],
        "scores": query[:2] + [key[1]],
        "differences": stretched(shape("BT1D"), shape("B1SD")),
        "is_real": stretched(shape("S"), shape("B1")),
        "summed": shape("TS"),
    }
