# %% wrong: a number as index keeps its axis
# key[:, -1] is (B, D): a single number removes its axis. Shows for all sizes.

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


# %% wrong: the batch stays in the einsum
# b does not stand after the arrow, so it is summed over: (T, S). Shows for all sizes, B = 1 included.

def predict_shapes(B: int, T: int, S: int, D: int) -> dict[str, tuple[int, ...]]:
    query, key, scores = (B, T, D), (B, S, D), (B, T, S)
    return {
        "mean_query": (query[0], query[2]),
        "kept_axis": (*query[:2], 1),
        "last_key": (key[0], key[2]),
        "joined": (B, T + S, D),
        "scores": scores,
        "differences": (*scores, D),
        "is_real": (B, S),
        "summed": scores,
    }


# %% wrong: the two unsqueezed axes change places
# query.unsqueeze(2) is (B, T, 1, D), so the queries' axis comes first. Shows wherever T and S differ.

def predict_shapes(B: int, T: int, S: int, D: int) -> dict[str, tuple[int, ...]]:
    shapes = {
        "mean_query": (B, D),
        "kept_axis": (B, T, 1),
        "last_key": (B, D),
        "joined": (B, T + S, D),
        "scores": (B, T, S),
    }
    # query gets an axis as number 2, key one as number 1: (B, 1, T, D) and (B, S, 1, D)
    shapes["differences"] = (B, S, T, D)
    shapes["is_real"] = (B, S)
    shapes["summed"] = (T, S)
    return shapes


# %% wrong: measured on the notebook's tensors
# It reads the shapes off the query and key of section 0.2 and never looks at its arguments: wrong for
# any sizes but B, T, S, D = 2, 3, 4, 5.

def predict_shapes(B: int, T: int, S: int, D: int) -> dict[str, tuple[int, ...]]:
    query, key = torch.randn(2, 3, 5), torch.randn(2, 4, 5)
    lengths = torch.tensor([4, 2])
    tensors = {
        "mean_query": query.mean(dim=1),
        "kept_axis": query.sum(dim=-1, keepdim=True),
        "last_key": key[:, -1],
        "joined": torch.cat([query, key], dim=1),
        "scores": query @ key.transpose(1, 2),
        "differences": query.unsqueeze(2) - key.unsqueeze(1),
        "is_real": torch.arange(4) < lengths.unsqueeze(1),
        "summed": torch.einsum("btd,bsd->ts", query, key),
    }
    return {name: tuple(tensor.shape) for name, tensor in tensors.items()}


# %% correct: asked of tensors without data

def predict_shapes(B: int, T: int, S: int, D: int) -> dict[str, tuple[int, ...]]:
    query = torch.empty(B, T, D, device="meta")
    key = torch.empty(B, S, D, device="meta")
    lengths = torch.empty(B, dtype=torch.int64, device="meta")
    tensors = [
        ("mean_query", query.mean(dim=1)),
        ("kept_axis", query.sum(dim=-1, keepdim=True)),
        ("last_key", key.select(1, -1)),
        ("joined", torch.cat([query, key], dim=1)),
        ("scores", query @ key.transpose(1, 2)),
        ("differences", query.unsqueeze(2) - key.unsqueeze(1)),
        ("is_real", torch.arange(S, device="meta") < lengths.unsqueeze(1)),
        ("summed", (query @ key.transpose(1, 2)).sum(0)),
    ]
    return {name: tuple(tensor.shape) for name, tensor in tensors}


# %% correct: the rules as small functions on lists

def _stretched(a, b):
    width = max(len(a), len(b))
    a, b = [1] * (width - len(a)) + a, [1] * (width - len(b)) + b
    return [n if m == 1 else m for m, n in zip(a, b)]


def _without(shape, axis):
    return shape[:axis] + shape[axis + 1 :]


def _with_one(shape, axis):
    return shape[:axis] + [1] + shape[axis:]


def predict_shapes(B: int, T: int, S: int, D: int) -> dict[str, tuple[int, ...]]:
    sizes = {"b": B, "t": T, "s": S, "d": D}

    def spelled(letters):
        return [sizes[letter] for letter in letters]

    query, key = spelled("btd"), spelled("bsd")
    joined = spelled("btd")
    joined[1] += key[1]
    return {
        "mean_query": _without(query, 1),
        "kept_axis": query[:-1] + [1],
        "last_key": _without(key, 1),
        "joined": joined,
        "scores": spelled("bts"),
        "differences": _stretched(_with_one(query, 2), _with_one(key, 1)),
        "is_real": _stretched([S], _with_one([B], 1)),
        "summed": spelled("ts"),
    }
