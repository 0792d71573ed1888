# %% wrong: keepdim forgotten
# "kept_axis" is told as (B, T), but query.sum(dim=-1, keepdim=True) leaves the summed axis behind: (B, T, 1). The docstring promises
# the shape of that very expression; it shows for all sizes.


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


# %% wrong: the batch stays in the einsum
# "summed" is told as (B, T, S), as if the arrow said bts: the letter b does not come back after the arrow, so it is summed over and the
# shape is (T, S). It shows for all sizes (for B = 1 in the number of axes alone).


def predict_shapes(B: int, T: int, S: int, D: int) -> dict[str, tuple[int, ...]]:
    query, key = (B, T, D), (B, S, D)
    scores = query[:2] + key[1:2]
    return {
        "mean_query": (query[0], query[2]),
        "kept_axis": (*query[:2], 1),
        "last_key": (key[0], key[2]),
        "joined": (B, query[1] + key[1], D),
        "scores": scores,
        "differences": (*scores, D),
        "is_real": (B, S),
        "summed": scores,
    }


# %% wrong: the new axes in the wrong places
# unsqueeze(2) of query is read as a new axis BEFORE the places, so "differences" comes out as (B, S, T, D) in place of (B, T, S, D).
# It shows wherever T and S differ, and hides where they are equal.


def predict_shapes(B: int, T: int, S: int, D: int) -> dict[str, tuple[int, ...]]:
    def stretched(a, b):
        return tuple(max(m, n) for m, n in zip(a, b, strict=True))

    query_with_axis, key_with_axis = (B, 1, T, D), (B, S, 1, D)
    return {
        "mean_query": (B, D),
        "kept_axis": (B, T, 1),
        "last_key": (B, D),
        "joined": (B, T + S, D),
        "scores": (B, T, S),
        "differences": stretched(query_with_axis, key_with_axis),
        "is_real": stretched((1, S), (B, 1)),
        "summed": (T, S),
    }


# %% wrong: the last key by a slice and a squeeze
# key[:, -1] is taken as key[:, -1:] with all axes of size 1 thrown away afterwards. For B = 1 or D = 1 that throws away more than the
# axis of the places: "last_key" is (D,), (B,) or () in place of (B, D).


def predict_shapes(B: int, T: int, S: int, D: int) -> dict[str, tuple[int, ...]]:
    query, key = torch.zeros(B, T, D), torch.zeros(B, S, D)
    lengths = torch.zeros(B, dtype=torch.int64)
    tensors = {
        "mean_query": query.mean(dim=1),
        "kept_axis": query.sum(dim=-1, keepdim=True),
        "last_key": key[:, -1:].squeeze(),
        "joined": torch.cat([query, key], dim=1),
        "scores": query @ key.transpose(1, 2),
        "differences": query.unsqueeze(2) - key.unsqueeze(1),
        "is_real": torch.arange(S) < lengths.unsqueeze(1),
        "summed": torch.einsum("btd,bsd->ts", query, key),
    }
    return {name: tuple(tensor.shape) for name, tensor in tensors.items()}


# %% correct: asked of tensors without data


def predict_shapes(B: int, T: int, S: int, D: int) -> dict[str, tuple[int, ...]]:
    def hollow(*sizes):
        return torch.empty(sizes, device="meta")

    query, key, lengths = hollow(B, T, D), hollow(B, S, D), hollow(B)
    return {
        "mean_query": tuple(query.mean(dim=1).shape),
        "kept_axis": tuple(query.sum(dim=-1, keepdim=True).shape),
        "last_key": tuple(key[:, -1].shape),
        "joined": tuple(torch.cat([query, key], dim=1).shape),
        "scores": tuple((query @ key.transpose(1, 2)).shape),
        "differences": tuple((query.unsqueeze(2) - key.unsqueeze(1)).shape),
        "is_real": tuple((torch.arange(S, device="meta") < lengths.unsqueeze(1)).shape),
        "summed": tuple(torch.einsum("btd,bsd->ts", query, key).shape),
    }


# %% correct: letters looked up in a table


def predict_shapes(B: int, T: int, S: int, D: int) -> dict[str, tuple[int, ...]]:
    size = {"B": B, "T": T, "S": S, "D": D, "J": T + S, "1": 1}
    told = "mean_query BD, kept_axis BT1, last_key BD, joined BJD, scores BTS, differences BTSD, is_real BS, summed TS"
    answer = {}
    for line in told.split(", "):
        name, axes = line.split()
        answer[name] = [size[axis] for axis in axes]
    return answer
