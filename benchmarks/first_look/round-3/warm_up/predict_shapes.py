# %% wrong: keepdim taken for a plain sum
# kept_axis is given as (B, T), as if the summed axis vanished, but keepdim=True leaves it behind with size 1.
# Breaks the entry "kept_axis", which is (B, T, 1). Hint: read the keyword in that expression once more; what does it keep?

def predict_shapes(B: int, T: int, S: int, D: int) -> dict[str, tuple[int, ...]]:
    return {
        "mean_query": (B, D),
        "kept_axis": (B, T),
        "last_key": (B, D),
        "joined": (B, T + S, D),
        "scores": (B, T, S),
        "differences": (B, T, S, D),
        "is_real": (B, S),
        "summed": (T, S),
    }


# %% wrong: an index taken for a slice
# last_key is given as (B, 1, D), which would be key[:, -1:]; a single number as index removes its axis.
# Breaks the entry "last_key", which is (B, D). Hint: is -1 here a number or a slice, and which of the two removes an axis?

def predict_shapes(B: int, T: int, S: int, D: int) -> dict[str, tuple[int, ...]]:
    return dict(
        mean_query=(B, D),
        kept_axis=(B, T, 1),
        last_key=(B, 1, D),
        joined=(B, T + S, D),
        scores=(B, T, S),
        differences=(B, T, S, D),
        is_real=(B, S),
        summed=(T, S),
    )


# %% wrong: the batch survives the einsum
# summed is given as (B, T, S), because b stands in both inputs; but b is not behind the arrow, so it is summed over.
# Breaks the entry "summed", which is (T, S). Hint: the letters behind the arrow are the shape; which letter is missing there?

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


# %% wrong: the two new axes change places
# differences is given as (B, S, T, D): unsqueeze(2) of the query was read as a new axis before T in place of behind it.
# Breaks the entry "differences", which is (B, T, S, D). Hint: write (B, T, 1, D) and (B, 1, S, D) under each other.

def predict_shapes(B: int, T: int, S: int, D: int) -> dict[str, tuple[int, ...]]:
    query, key = (B, 1, T, D), (B, S, 1, D)
    return {
        "mean_query": (B, D),
        "kept_axis": (B, T, 1),
        "last_key": (B, D),
        "joined": (B, T + S, D),
        "scores": (B, T, S),
        "differences": tuple(max(q, k) for q, k in zip(query, key, strict=True)),
        "is_real": (B, S),
        "summed": (T, S),
    }


# %% correct: words of letters looked up

def predict_shapes(B: int, T: int, S: int, D: int) -> dict[str, tuple[int, ...]]:
    sizes = {"b": B, "t": T, "s": S, "d": D, "1": 1, "j": T + S}
    words = {
        "mean_query": "bd",
        "kept_axis": "bt1",
        "last_key": "bd",
        "joined": "bjd",
        "scores": "bts",
        "differences": "btsd",
        "is_real": "bs",
        "summed": "ts",
    }
    return {name: tuple(sizes[letter] for letter in word) for name, word in words.items()}


# %% correct: helpers that follow the rules

def _without(shape, axis):
    axis %= len(shape)
    return shape[:axis] + shape[axis + 1 :]


def _with_one(shape, axis):
    return shape[:axis] + (1,) + shape[axis:]


def _stretched(one, other):
    length = max(len(one), len(other))
    one, other = (1,) * (length - len(one)) + one, (1,) * (length - len(other)) + other
    return tuple(b if a == 1 else a for a, b in zip(one, other))


def predict_shapes(B: int, T: int, S: int, D: int) -> dict[str, tuple[int, ...]]:
    query, key, lengths = (B, T, D), (B, S, D), (B,)
    shapes = {}
    shapes["mean_query"] = _without(query, 1)
    shapes["kept_axis"] = _without(query, -1) + (1,)
    shapes["last_key"] = _without(key, 1)
    shapes["joined"] = (B, query[1] + key[1], D)
    shapes["scores"] = query[:2] + key[1:2]
    shapes["differences"] = _stretched(_with_one(query, 2), _with_one(key, 1))
    shapes["is_real"] = _stretched((S,), _with_one(lengths, 1))
    shapes["summed"] = (query[1], key[1])
    return shapes
