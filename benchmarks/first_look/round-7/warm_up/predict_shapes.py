# %% wrong: last key keeps its axis
# key[:, -1] is read like the slice key[:, -1:], so "last_key" is (B, 1, D) in place of (B, D). Shows for every input.

def predict_shapes(B: int, T: int, S: int, D: int) -> dict[str, tuple[int, ...]]:
    return {
        "mean_query": (B, D),
        "kept_axis": (B, T, 1),
        "last_key": (B, 1, D),
        "joined": (B, T + S, D),
        "scores": (B, T, S),
        "differences": (B, T, S, D),
        "is_real": (B, S),
        "summed": (T, S),
    }


# %% wrong: batch kept in the einsum
# "btd,bsd->ts" is taken for the scores again: b is missing behind the arrow, so it is summed too. Shows for every input.

def predict_shapes(B: int, T: int, S: int, D: int) -> dict[str, tuple[int, ...]]:
    scores = (B, T, S)
    return {
        "mean_query": (B, D),
        "kept_axis": (B, T, 1),
        "last_key": (B, D),
        "joined": (B, T + S, D),
        "scores": scores,
        "differences": (B, T, S, D),
        "is_real": (B, S),
        "summed": scores,
    }


# %% wrong: differences with T and S exchanged
# unsqueeze(2) on query is thought to make room in front of T: (B, S, T, D) in place of (B, T, S, D). Shows where T and S differ.

def predict_shapes(B: int, T: int, S: int, D: int) -> dict[str, tuple[int, ...]]:
    shapes = {}
    shapes["mean_query"] = (B, D)
    shapes["kept_axis"] = (B, T, 1)
    shapes["last_key"] = (B, D)
    shapes["joined"] = (B, T + S, D)
    shapes["scores"] = (B, T, S)
    shapes["differences"] = (B, S, T, D)  # (B, 1, T, D) - (B, S, 1, D)
    shapes["is_real"] = (B, S)
    shapes["summed"] = (T, S)
    return shapes


# %% wrong: shapes of the notebook's own tensors
# Asks the query and key of the cells above, whatever B, T, S, D are: right for (2, 3, 4, 5) alone.

def predict_shapes(B: int, T: int, S: int, D: int) -> dict[str, tuple[int, ...]]:
    lengths = torch.tensor([1, 2])
    return {
        "mean_query": tuple(query.mean(dim=1).shape),
        "kept_axis": tuple(query.sum(dim=-1, keepdim=True).shape),
        "last_key": tuple(key[:, -1].shape),
        "joined": tuple(torch.cat([query, key], dim=1).shape),
        "scores": tuple((query @ key.transpose(1, 2)).shape),
        "differences": tuple((query.unsqueeze(2) - key.unsqueeze(1)).shape),
        "is_real": tuple((torch.arange(key.shape[1]) < lengths.unsqueeze(1)).shape),
        "summed": tuple(torch.einsum("btd,bsd->ts", query, key).shape),
    }


# %% correct: letters looked up

def predict_shapes(B: int, T: int, S: int, D: int) -> dict[str, tuple[int, ...]]:
    sizes = {"b": B, "t": T, "s": S, "d": D, "1": 1, "j": T + S}
    words = "mean_query:bd kept_axis:bt1 last_key:bd joined:bjd scores:bts differences:btsd is_real:bs summed:ts"
    pairs = (word.split(":") for word in words.split())
    return {name: tuple(map(sizes.__getitem__, axes)) for name, axes in pairs}


# %% correct: the rules as small functions

def predict_shapes(B: int, T: int, S: int, D: int) -> dict[str, tuple[int, ...]]:
    def without(shape, axis):
        return shape[:axis] + shape[axis + 1 :]

    def with_one(shape, axis):
        return shape[:axis] + (1,) + shape[axis:]

    def stretched(left, right):
        width = max(len(left), len(right))
        left, right = (1,) * (width - len(left)) + left, (1,) * (width - len(right)) + right
        return tuple(b if a == 1 else a for a, b in zip(left, right))

    q, k, n = (B, T, D), (B, S, D), (B,)
    products = {"b": B, "t": T, "s": S}
    return dict(
        mean_query=without(q, 1),
        kept_axis=without(q, 2) + (1,),
        last_key=without(k, 1),
        joined=(q[0], q[1] + k[1], q[2]),
        scores=q[:2] + k[1:2],
        differences=stretched(with_one(q, 2), with_one(k, 1)),
        is_real=stretched((S,), with_one(n, 1)),
        summed=tuple(products[letter] for letter in "ts"),
    )
