# %% wrong: the einsum keeps its batch
# The letter b is missing behind the arrow and so is summed over; the answer gives (B, T, S) as for the scores.

def predict_shapes(B: int, T: int, S: int, D: int) -> dict[str, tuple[int, ...]]:
    pairs = (B, T, S)
    return {
        "mean_query": (B, D),
        "kept_axis": (B, T, 1),
        "last_key": (B, D),
        "joined": (B, T + S, D),
        "scores": pairs,
        "differences": pairs + (D,),
        "is_real": (B, S),
        "summed": pairs,
    }


# %% wrong: shapes written as text
# Each shape is a string with the letters in it and not a tuple of sizes.

def predict_shapes(B: int, T: int, S: int, D: int) -> dict[str, tuple[int, ...]]:
    return {
        "mean_query": "(B, D)",
        "kept_axis": "(B, T, 1)",
        "last_key": "(B, D)",
        "joined": "(B, T + S, D)",
        "scores": "(B, T, S)",
        "differences": "(B, T, S, D)",
        "is_real": "(B, S)",
        "summed": "(T, S)",
    }


# %% wrong: asks the tensors of the notebook
# The shapes come from the notebook's own query and key (2, 3, 4, 5), whatever sizes are given.

def predict_shapes(B: int, T: int, S: int, D: int) -> dict[str, tuple[int, ...]]:
    lengths = torch.tensor([4, 2])
    query, key = torch.randn(2, 3, 5), torch.randn(2, 4, 5)
    S = key.shape[1]
    tensors = {
        "mean_query": query.mean(dim=1),
        "kept_axis": query.sum(dim=-1, keepdim=True),
        "last_key": key[:, -1],
        "joined": torch.cat([query, key], dim=1),
        "scores": query @ key.transpose(1, 2),
        "differences": query.unsqueeze(2) - key.unsqueeze(1),
        "is_real": torch.arange(S) < lengths.unsqueeze(1),
        "summed": torch.einsum("btd,bsd->ts", query, key),
    }
    return {name: tuple(tensor.shape) for name, tensor in tensors.items()}


# %% wrong: the lengths lie along the wrong axis
# The comparison of (S,) with (B, 1) is taken for one of (S, 1) with (B,): is_real comes out as (S, B).

def predict_shapes(B: int, T: int, S: int, D: int) -> dict[str, tuple[int, ...]]:
    shapes = {}
    shapes["mean_query"] = (B, D)
    shapes["kept_axis"] = (B, T, 1)
    shapes["last_key"] = (B, D)
    shapes["joined"] = (B, T + S, D)
    shapes["scores"] = (B, T, S)
    shapes["differences"] = (B, T, S, D)
    shapes["is_real"] = (S, B)
    shapes["summed"] = (T, S)
    return shapes


# %% wrong: axis minus one read as axis one
# The sum over dim=-1 is taken over the places, so that kept_axis becomes (B, 1, D).

def predict_shapes(B: int, T: int, S: int, D: int) -> dict[str, tuple[int, ...]]:
    return dict(
        mean_query=(B, D),
        kept_axis=(B, 1, D),
        last_key=(B, D),
        joined=(B, T + S, D),
        scores=(B, T, S),
        differences=(B, T, S, D),
        is_real=(B, S),
        summed=(T, S),
    )


# %% correct: asks pytorch on the meta device

def predict_shapes(B: int, T: int, S: int, D: int) -> dict[str, tuple[int, ...]]:
    nowhere = torch.device("meta")
    q = torch.empty(B, T, D, device=nowhere)
    k = torch.empty(B, S, D, device=nowhere)
    n = torch.empty(B, device=nowhere)
    made = {
        "mean_query": q.mean(dim=1),
        "kept_axis": q.sum(dim=-1, keepdim=True),
        "last_key": k[:, -1],
        "joined": torch.cat([q, k], dim=1),
        "scores": q @ k.transpose(1, 2),
        "differences": q.unsqueeze(2) - k.unsqueeze(1),
        "is_real": torch.arange(S, device=nowhere) < n.unsqueeze(1),
        "summed": torch.einsum("btd,bsd->ts", q, k),
    }
    return {name: tuple(int(size) for size in tensor.shape) for name, tensor in made.items()}


# %% correct: spelt in letters and looked up

def predict_shapes(B: int, T: int, S: int, D: int) -> dict[str, tuple[int, ...]]:
    size_of = {"b": B, "t": T, "s": S, "d": D, "1": 1, "+": T + S}
    spelling = "mean_query bd kept_axis bt1 last_key bd joined b+d scores bts differences btsd is_real bs summed ts"
    words = iter(spelling.split())
    result = {}
    for name in words:
        result[name] = tuple(map(size_of.__getitem__, next(words)))
    return result
