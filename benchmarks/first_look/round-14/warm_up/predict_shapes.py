# %% wrong: a comparison has the shape of its right side
# Says that is_real is (B, 1), as lengths.unsqueeze(1) is, and forgets that arange(S) stretches it. Shows for every S above 1.

def predict_shapes(B: int, T: int, S: int, D: int) -> dict[str, tuple[int, ...]]:
    return {
        "mean_query": (B, D),
        "kept_axis": (B, T, 1),
        "last_key": (B, D),
        "joined": (B, T + S, D),
        "scores": (B, T, S),
        "differences": (B, T, S, D),
        "is_real": (B, 1),
        "summed": (T, S),
    }


# %% wrong: numbers read off the cell above
# 7 and 5 are T + S and D of the notebook's example, not of the sizes that come in. Shows for all other sizes.

def predict_shapes(B: int, T: int, S: int, D: int) -> dict[str, tuple[int, ...]]:
    return {
        "mean_query": (B, 5),
        "kept_axis": (B, T, 1),
        "last_key": (B, 5),
        "joined": (B, 7, 5),
        "scores": (B, T, S),
        "differences": (B, T, S, D),
        "is_real": (B, S),
        "summed": (T, S),
    }


# %% wrong: einsum keeps the batch
# Says (B, T, S) for "btd,bsd->ts", as if the batch stayed by itself. b does not stand after the arrow, so it is summed over.
# Shows for all sizes.

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


# %% wrong: the new axis behind the old one
# Reads query.unsqueeze(2) as a new axis in front of T, so differences comes out as (B, S, T, D). Shows wherever S is not T.

def predict_shapes(B: int, T: int, S: int, D: int) -> dict[str, tuple[int, ...]]:
    return {
        "mean_query": (B, D),
        "kept_axis": (B, T, 1),
        "last_key": (B, D),
        "joined": (B, T + S, D),
        "scores": (B, T, S),
        "differences": (B, S, T, D),
        "is_real": (B, S),
        "summed": (T, S),
    }


# %% correct: the operations themselves, on tensors without numbers

def predict_shapes(B: int, T: int, S: int, D: int) -> dict[str, tuple[int, ...]]:
    query = torch.empty(B, T, D, device="meta")
    key = torch.empty(B, S, D, device="meta")
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


# %% correct: the rules as small functions on lists

def predict_shapes(B: int, T: int, S: int, D: int) -> dict[str, tuple[int, ...]]:
    query, key = [B, T, D], [B, S, D]

    def without(shape, axis):
        shape = list(shape)
        del shape[axis]
        return shape

    def with_one(shape, axis):
        return [*shape[:axis], 1, *shape[axis:]]

    def stretched(first, second):
        length = max(len(first), len(second))
        first = [1] * (length - len(first)) + list(first)
        second = [1] * (length - len(second)) + list(second)
        return [b if a == 1 else a for a, b in zip(first, second, strict=True)]

    size = {"b": B, "t": T, "s": S, "d": D}
    return {
        "mean_query": without(query, 1),
        "kept_axis": [*without(query, -1), 1],
        "last_key": without(key, 1),
        "joined": [B, query[1] + key[1], D],
        "scores": [*query[:2], key[1]],
        "differences": stretched(with_one(query, 2), with_one(key, 1)),
        "is_real": stretched([S], with_one([B], 1)),
        "summed": [size[letter] for letter in "ts"],
    }
