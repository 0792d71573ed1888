# %% wrong: the mean keeps the axis that it runs over
# It reads `mean(dim=1)` as "one mean for each place", so it says (B, T) for mean_query where T is the axis that goes.
# Hint: an axis that you sum or average over is the one that disappears; which letter stands at place 1 of (B, T, D)?

def predict_shapes(B: int, T: int, S: int, D: int) -> dict[str, tuple[int, ...]]:
    return {
        "mean_query": (B, T),
        "kept_axis": (B, T, 1),
        "last_key": (B, D),
        "joined": (B, T + S, D),
        "scores": (B, T, S),
        "differences": (B, T, S, D),
        "is_real": (B, S),
        "summed": (T, S),
    }


# %% wrong: a single index leaves an axis of size one
# It treats `key[:, -1]` like the slice `key[:, -1:]` and says (B, 1, D), though a single number removes its axis.
# Hint: compare query[0] and query[0:1] in the cell of section 0.2.

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


# %% wrong: the einsum is taken to keep the batch
# It gives (B, T, S) for summed, as if it were the batch of score matrices; the letter b is missing behind the arrow,
# so the batch is summed over as well.
# Hint: read off the letters behind the arrow, one by one, and nothing else.

def predict_shapes(B: int, T: int, S: int, D: int) -> dict[str, tuple[int, ...]]:
    query, key = (B, T, D), (B, S, D)
    scores = (query[0], query[1], key[1])
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


# %% wrong: differences taken for distances and the mask for the one of the queries
# It drops D from the differences, though nothing is summed there, and puts T in the place of S in is_real.
# Hint: write the two shapes of each expression under each other, right ends aligned, and go through them place by place.

def predict_shapes(B: int, T: int, S: int, D: int) -> dict[str, tuple[int, ...]]:
    return {
        "mean_query": (B, D),
        "kept_axis": (B, T, 1),
        "last_key": (B, D),
        "joined": (B, T + S, D),
        "scores": (B, T, S),
        "differences": (B, T, S),
        "is_real": (B, T),
        "summed": (T, S),
    }


# %% correct: the expressions run on tensors without data

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


# %% correct: small helpers for removing axes and for broadcasting

def without(shape, place):
    rest = list(shape)
    del rest[place]
    return tuple(rest)


def stretched(one, other):
    width = max(len(one), len(other))
    one = (1,) * (width - len(one)) + tuple(one)
    other = (1,) * (width - len(other)) + tuple(other)
    return tuple(b if a == 1 else a for a, b in zip(one, other, strict=True))


def predict_shapes(B: int, T: int, S: int, D: int) -> dict[str, tuple[int, ...]]:
    query, key = (B, T, D), (B, S, D)
    return dict(
        mean_query=without(query, 1),
        kept_axis=without(query, 2) + (1,),
        last_key=without(key, 1),
        joined=(B, query[1] + key[1], D),
        scores=without(query, 2) + (key[1],),
        differences=stretched((B, T, 1, D), (B, 1, S, D)),
        is_real=stretched((S,), (B, 1)),
        summed=(query[1], key[1]),
    )
