# %% wrong: the batch is thought to survive any einsum
# "summed" keeps b, though no b stands after the arrow: it should be (T, S). Any sizes.

def predict_shapes(B: int, T: int, S: int, D: int) -> dict[str, tuple[int, ...]]:
    return {
        "mean_query": (B, D),
        "kept_axis": (B, T, 1),
        "last_key": (B, D),
        "joined": (B, T + S, D),
        "scores": (B, T, S),
        "differences": (B, T, S, D),
        "is_real": (B, S),
        "summed": (B, T, S),
    }


# %% wrong: a number as index is taken for a slice
# `key[:, -1]` removes its axis; (B, 1, D) would be `key[:, -1:]`. Any sizes.

def predict_shapes(B: int, T: int, S: int, D: int) -> dict[str, tuple[int, ...]]:
    shapes = {}
    shapes["mean_query"] = (B, D)
    shapes["kept_axis"] = (B, T, 1)
    shapes["last_key"] = (B, 1, D)
    shapes["joined"] = (B, T + S, D)
    shapes["scores"] = (B, T, S)
    shapes["differences"] = (B, T, S, D)
    shapes["is_real"] = (B, S)
    shapes["summed"] = (T, S)
    return shapes


# %% wrong: the mask gets a query axis
# lengths.unsqueeze(1) is (B, 1) and arange(S) is (S,): two axes in all. (B, 1, S) is the shape that a mask needs later,
# before it meets scores. Any sizes.

def predict_shapes(B: int, T: int, S: int, D: int) -> dict[str, tuple[int, ...]]:
    names = "mean_query kept_axis last_key joined scores differences is_real summed".split()
    shapes = [(B, D), (B, T, 1), (B, D), (B, T + S, D), (B, T, S), (B, T, S, D), (B, 1, S), (T, S)]
    return dict(zip(names, shapes, strict=True))


# %% wrong: unsqueeze(2) is read as an axis at the end
# As if query became (B, T, D, 1) and key (B, 1, S, D): the stretched difference is then thought to be (B, T, D, S). It is
# (B, T, S, D). It shows where S and D differ.

def predict_shapes(B: int, T: int, S: int, D: int) -> dict[str, tuple[int, ...]]:
    return {
        "mean_query": (B, D),
        "kept_axis": (B, T, 1),
        "last_key": (B, D),
        "joined": (B, T + S, D),
        "scores": (B, T, S),
        "differences": (B, T, D, S),
        "is_real": (B, S),
        "summed": (T, S),
    }


# %% correct: asked of tensors without data

def predict_shapes(B: int, T: int, S: int, D: int) -> dict[str, tuple[int, ...]]:
    query, key = torch.empty(B, T, D, device="meta"), torch.empty(B, S, D, device="meta")
    lengths = torch.empty(B, dtype=torch.int64, device="meta")
    tensors = {
        "mean_query": query.mean(dim=1),
        "kept_axis": query.sum(dim=-1, keepdim=True),
        "last_key": key[:, -1],
        "joined": torch.cat([query, key], dim=1),
        "scores": query @ key.transpose(1, 2),
        "differences": query.unsqueeze(2) - key.unsqueeze(1),
        "is_real": torch.arange(S, device="meta") < lengths.unsqueeze(1),
        "summed": torch.einsum("btd,bsd->ts", query, key),
    }
    return {name: tuple(tensor.shape) for name, tensor in tensors.items()}


# %% correct: spelled in letters

def predict_shapes(B: int, T: int, S: int, D: int) -> dict[str, tuple[int, ...]]:
    size = {"B": B, "T": T, "S": S, "D": D, "1": 1, "+": T + S}
    spelled = {
        "mean_query": "BD",
        "kept_axis": "BT1",
        "last_key": "BD",
        "joined": "B+D",
        "scores": "BTS",
        "differences": "BTSD",
        "is_real": "BS",
        "summed": "TS",
    }
    return {name: [size[letter] for letter in letters] for name, letters in spelled.items()}
