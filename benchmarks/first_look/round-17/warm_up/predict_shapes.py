# %% wrong: axes counted from one
# dim=1 is taken for the first axis: the mean removes B, and cat joins along B. Shows in mean_query and joined for B, T, S, D all different.

def predict_shapes(B: int, T: int, S: int, D: int) -> dict[str, tuple[int, ...]]:
    return {
        "mean_query": (T, D),
        "kept_axis": (B, T, 1),
        "last_key": (B, D),
        "joined": (B + B, T, D),
        "scores": (B, T, S),
        "differences": (B, T, S, D),
        "is_real": (B, S),
        "summed": (T, S),
    }

# %% wrong: cat stretches to the longer one
# cat is taken for a kind of broadcasting: the joined axis is as long as the longer of the two. Shows in joined for every T and S.

def predict_shapes(B: int, T: int, S: int, D: int) -> dict[str, tuple[int, ...]]:
    def stretched(a, b):
        return tuple(max(i, j) for i, j in zip(a, b))

    query, key = (B, T, D), (B, S, D)
    return {
        "mean_query": (B, D),
        "kept_axis": (B, T, 1),
        "last_key": (B, D),
        "joined": stretched(query, key),
        "scores": (B, T, S),
        "differences": stretched((B, T, 1, D), (B, 1, S, D)),
        "is_real": stretched((1, S), (B, 1)),
        "summed": (T, S),
    }

# %% wrong: last column as in a table, and keepdim keeps D
# key[:, -1] is read as "the last column", as in a table of two axes, so D goes and S stays; keepdim=True is read as "the axis stays as it
# is". Shows in last_key where S differs from D and in kept_axis for D above 1.

def predict_shapes(B: int, T: int, S: int, D: int) -> dict[str, tuple[int, ...]]:
    return dict(
        mean_query=(B, D),
        kept_axis=(B, T, D),
        last_key=(B, S),
        joined=(B, T + S, D),
        scores=(B, T, S),
        differences=(B, T, S, D),
        is_real=(B, S),
        summed=(T, S),
    )

# %% wrong: rows and columns of the two comparisons exchanged
# unsqueeze(1) is thought to make lengths a row (1, B) and arange a column; unsqueeze(2) to put the new axis before T. Shows in is_real
# (S, B) for B != S and in differences (B, S, T, D) for T != S.

def predict_shapes(B: int, T: int, S: int, D: int) -> dict[str, tuple[int, ...]]:
    shapes = {}
    shapes["mean_query"] = (B, D)
    shapes["kept_axis"] = (B, T, 1)
    shapes["last_key"] = (B, D)
    shapes["joined"] = (B, T + S, D)
    shapes["scores"] = (B, T, S)
    shapes["differences"] = (B, S, T, D)
    shapes["is_real"] = (S, B)
    shapes["summed"] = (T, S)
    return shapes

# %% correct: asked of tensors on the meta device, which hold no data

def predict_shapes(B: int, T: int, S: int, D: int) -> dict[str, tuple[int, ...]]:
    query = torch.empty(B, T, D, device="meta")
    key = torch.empty(B, S, D, device="meta")
    lengths = torch.empty(B, dtype=torch.int64, device="meta")
    answers = {
        "mean_query": query.mean(dim=1),
        "kept_axis": query.sum(dim=-1, keepdim=True),
        "last_key": key[:, -1],
        "joined": torch.cat([query, key], dim=1),
        "scores": query @ key.transpose(1, 2),
        "differences": query.unsqueeze(2) - key.unsqueeze(1),
        "is_real": torch.arange(S, device="meta") < lengths.unsqueeze(1),
        "summed": torch.einsum("btd,bsd->ts", query, key),
    }
    return {name: tuple(tensor.shape) for name, tensor in answers.items()}

# %% correct: rules on lists of sizes

def predict_shapes(B: int, T: int, S: int, D: int) -> dict[str, tuple[int, ...]]:
    query, key, lengths = [B, T, D], [B, S, D], [B]

    def without(shape, axis):
        return shape[:axis] + shape[axis + 1 :]

    def with_one(shape, axis):
        return shape[:axis] + [1] + shape[axis:]

    def broadcast(a, b):
        while len(a) < len(b):
            a = [1] + a
        while len(b) < len(a):
            b = [1] + b
        return [j if i == 1 else i for i, j in zip(a, b)]

    sizes = {"b": B, "t": T, "s": S, "d": D}
    return {
        "mean_query": without(query, 1),
        "kept_axis": with_one(without(query, 2), 2),
        "last_key": without(key, 1),
        "joined": [query[0], query[1] + key[1], query[2]],
        "scores": [*query[:2], key[1]],
        "differences": broadcast(with_one(query, 2), with_one(key, 1)),
        "is_real": broadcast([S], with_one(lengths, 1)),
        "summed": [sizes[letter] for letter in "ts"],
    }
