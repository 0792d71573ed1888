# %% wrong: the batch survives in the einsum
# "summed" is (B, T, S), as in "scores"; but b does not stand behind the arrow, so the shape is (T, S).
# Shows for every B.

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

# %% wrong: a single index taken for a slice
# "last_key" is (B, 1, D), as key[:, -1:] would be; key[:, -1] removes the axis and is (B, D).

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

# %% wrong: the difference is summed over D already
# "differences" is (B, T, S), as a table of distances would be; nothing sums over D, so it is (B, T, S, D).

def predict_shapes(B: int, T: int, S: int, D: int) -> dict[str, tuple[int, ...]]:
    pairs = (B, T, S)
    return dict(
        mean_query=(B, D),
        kept_axis=(B, T, 1),
        last_key=(B, D),
        joined=(B, T + S, D),
        scores=pairs,
        differences=pairs,
        is_real=(B, S),
        summed=(T, S),
    )

# %% wrong: axes of size one dropped
# Asks PyTorch, and squeezes "to get rid of the ones" in all but kept_axis: right for sizes above 1, but
# with B, T, S or D equal to 1 an axis is missing, as in mean_query with B = 1: (D,) in place of (1, D).

def predict_shapes(B: int, T: int, S: int, D: int) -> dict[str, tuple[int, ...]]:
    query, key = torch.zeros(B, T, D), torch.zeros(B, S, D)
    lengths = torch.ones(B)
    tensors = {
        "mean_query": query.mean(dim=1, keepdim=True).squeeze(),
        "kept_axis": query.sum(dim=-1, keepdim=True),
        "last_key": key[:, -1:].squeeze(),
        "joined": torch.cat([query, key], dim=1),
        "scores": query @ key.transpose(1, 2),
        "differences": (query.unsqueeze(2) - key.unsqueeze(1)).squeeze(),
        "is_real": (torch.arange(S) < lengths.unsqueeze(1)).squeeze(),
        "summed": torch.einsum("btd,bsd->ts", query, key),
    }
    return {name: tuple(tensor.shape) for name, tensor in tensors.items()}

# %% correct: tensors without data on the meta device

def predict_shapes(B: int, T: int, S: int, D: int) -> dict[str, tuple[int, ...]]:
    query, key = (torch.empty(B, places, D, device="meta") for places in (T, S))
    lengths = torch.empty(B, dtype=torch.int64, device="meta")
    found = {
        "mean_query": query.mean(dim=1),
        "kept_axis": query.sum(dim=-1, keepdim=True),
        "last_key": key[:, -1],
        "joined": torch.cat([query, key], dim=1),
        "scores": query @ key.transpose(1, 2),
        "differences": query.unsqueeze(2) - key.unsqueeze(1),
        "is_real": torch.arange(S, device="meta") < lengths.unsqueeze(1),
        "summed": torch.einsum("btd,bsd->ts", query, key),
    }
    return {name: tuple(int(size) for size in tensor.shape) for name, tensor in found.items()}

# %% correct: a table of letters, and a few rules on tuples

def predict_shapes(B: int, T: int, S: int, D: int) -> dict[str, tuple[int, ...]]:
    query, key, lengths = (B, T, D), (B, S, D), (B,)

    def without(shape, axis):
        return tuple(size for i, size in enumerate(shape) if i != axis % len(shape))

    def with_one(shape, axis):
        return shape[:axis] + (1,) + shape[axis:]

    def broadcast(one, other):
        longest = max(len(one), len(other))
        one, other = ((1,) * (longest - len(shape)) + shape for shape in (one, other))
        return tuple(b if a == 1 else a for a, b in zip(one, other))

    def by_letters(letters):
        return tuple({"b": B, "t": T, "s": S, "d": D}[letter] for letter in letters)

    return {
        "mean_query": without(query, 1),
        "kept_axis": query[:-1] + (1,),
        "last_key": without(key, 1),
        "joined": (B, query[1] + key[1], D),
        "scores": query[:-1] + key[1:2],
        "differences": broadcast(with_one(query, 2), with_one(key, 1)),
        "is_real": broadcast((S,), with_one(lengths, 1)),
        "summed": by_letters("ts"),
    }
