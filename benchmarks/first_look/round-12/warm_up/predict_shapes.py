# %% wrong: the last key keeps its axis
# key[:, -1] is read like key[:, -1:]: a single number as index removes its axis, so it is (B, D) and not (B, 1, D).
# Shows for every input, in "last_key".

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

# %% wrong: the einsum keeps its batch
# "btd,bsd->ts" is taken for the scores of exercise 0.2: b does not stand right of the arrow, so it is summed over, too.
# Shows for every input, in "summed".

def predict_shapes(B: int, T: int, S: int, D: int) -> dict[str, tuple[int, ...]]:
    scores = (B, T, S)
    return {
        "mean_query": (B, D),
        "kept_axis": (B, T, 1),
        "last_key": (B, D),
        "joined": (B, T + S, D),
        "scores": scores,
        "differences": (*scores, D),
        "is_real": (B, S),
        "summed": scores,
    }

# %% wrong: a comparison with lengths stays a column
# lengths.unsqueeze(1) is (B, 1), and the row arange(S) is thought to be looked up in it: "is_real" becomes (B, 1).
# Shows wherever S is not 1.

def predict_shapes(B: int, T: int, S: int, D: int) -> dict[str, tuple[int, ...]]:
    shapes = {}
    shapes["mean_query"] = (B, D)
    shapes["kept_axis"] = (B, T, 1)
    shapes["last_key"] = (B, D)
    shapes["joined"] = (B, T + S, D)
    shapes["scores"] = (B, T, S)
    shapes["differences"] = (B, T, S, D)
    shapes["is_real"] = (B, 1)
    shapes["summed"] = (T, S)
    return shapes

# %% wrong: measures the notebook's own tensors
# Takes the shapes of the query and key that the cell above made (2, 3, 4, 5), whatever sizes are asked for.
# Shows for any sizes other than B, T, S, D = 2, 3, 4, 5.

def predict_shapes(B: int, T: int, S: int, D: int) -> dict[str, tuple[int, ...]]:
    lengths = torch.ones(query.shape[0], dtype=torch.int64)
    tensors = {
        "mean_query": query.mean(dim=1),
        "kept_axis": query.sum(dim=-1, keepdim=True),
        "last_key": key[:, -1],
        "joined": torch.cat([query, key], dim=1),
        "scores": query @ key.transpose(1, 2),
        "differences": query.unsqueeze(2) - key.unsqueeze(1),
        "is_real": torch.arange(key.shape[1]) < lengths.unsqueeze(1),
        "summed": torch.einsum("btd,bsd->ts", query, key),
    }
    return {name: tuple(tensor.shape) for name, tensor in tensors.items()}

# %% correct: tensors without memory on the meta device

def predict_shapes(B: int, T: int, S: int, D: int) -> dict[str, tuple[int, ...]]:
    q = torch.empty(B, T, D, device="meta")
    k = torch.empty(B, S, D, device="meta")
    n = torch.empty(B, dtype=torch.int64, device="meta")
    found = dict(
        mean_query=q.mean(dim=1),
        kept_axis=q.sum(dim=-1, keepdim=True),
        last_key=k[:, -1],
        joined=torch.cat([q, k], dim=1),
        scores=q @ k.transpose(1, 2),
        differences=q.unsqueeze(2) - k.unsqueeze(1),
        is_real=torch.arange(S, device="meta") < n.unsqueeze(1),
        summed=torch.einsum("btd,bsd->ts", q, k),
    )
    return {name: tuple(tensor.shape) for name, tensor in found.items()}

# %% correct: a small calculus of shapes

# The rules themselves as code: drop an axis, insert an axis, stretch two shapes.

def _without(shape, axis):
    return shape[:axis] + shape[axis + 1 :]


def _with_one(shape, axis):
    return shape[:axis] + (1,) + shape[axis:]


def _stretched(first, second):
    width = max(len(first), len(second))
    first, second = ((1,) * (width - len(s)) + s for s in (first, second))
    return tuple(b if a == 1 else a for a, b in zip(first, second, strict=True))


def predict_shapes(B: int, T: int, S: int, D: int) -> dict[str, tuple[int, ...]]:
    q, k = (B, T, D), (B, S, D)
    letters_of = {"b": B, "t": T, "s": S, "d": D}
    return {
        "mean_query": _without(q, 1),
        "kept_axis": _with_one(_without(q, 2), 2),
        "last_key": _without(k, 1),
        "joined": tuple(a + b if i == 1 else a for i, (a, b) in enumerate(zip(q, k, strict=True))),
        "scores": _without(q, 2) + (k[1],),
        "differences": _stretched(_with_one(q, 2), _with_one(k, 1)),
        "is_real": _stretched((S,), _with_one((B,), 1)),
        "summed": tuple(letters_of[letter] for letter in "btd,bsd->ts".split("->")[1]),
    }
