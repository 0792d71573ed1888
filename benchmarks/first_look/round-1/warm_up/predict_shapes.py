# %% wrong: a single index keeps its axis
# Thinks that key[:, -1] keeps an axis of size 1 (as a slice would) and that einsum keeps the batch although b does not stand after the arrow. A good message: "a single number as index removes its axis; letters that do not come back after the arrow are summed over".

def predict_shapes(B: int, T: int, S: int, D: int) -> dict[str, tuple[int, ...]]:
    return {
        "mean_query": (B, D),
        "kept_axis": (B, T, 1),
        "last_key": (B, 1, D),
        "joined": (B, T + S, D),
        "scores": (B, T, S),
        "differences": (B, T, S, D),
        "is_real": (B, S),
        "summed": (B, T, S),
    }

# %% wrong: the notebook's sizes set again
# Copies the line B, T, S, D = 2, 3, 4, 5 from above into the function, so that the arguments are overwritten. A good message: "the shapes do not follow the sizes that came in: are they fixed numbers?"

def predict_shapes(B: int, T: int, S: int, D: int) -> dict[str, tuple[int, ...]]:
    B, T, S, D = 2, 3, 4, 5
    shapes = {}
    shapes["mean_query"] = (B, D)
    shapes["kept_axis"] = (B, T, 1)
    shapes["last_key"] = (B, D)
    shapes["joined"] = (B, T + S, D)
    shapes["scores"] = (B, T, S)
    shapes["differences"] = (B, T, S, D)
    shapes["is_real"] = (B, S)
    shapes["summed"] = (T, S)
    return shapes

# %% wrong: one number without the comma, mask by broadcasting the wrong way
# Writes (S) for a tuple and believes that arange(S) < lengths.unsqueeze(1) stays as long as arange; also joins T and S as a product. A good message: "(S) is a number and no tuple; (S,) against (B, 1) gives (B, S); cat adds the lengths".

def predict_shapes(B: int, T: int, S: int, D: int) -> dict[str, tuple[int, ...]]:
    return dict(
        mean_query=(B, D),
        kept_axis=(B, T, 1),
        last_key=(B, D),
        joined=(B, T * S, D),
        scores=(B, T, S),
        differences=(B, T, S, D),
        is_real=(S),
        summed=(T, S),
    )

# %% correct: asks PyTorch on the meta device

def predict_shapes(B: int, T: int, S: int, D: int) -> dict[str, tuple[int, ...]]:
    q = torch.empty(B, T, D, device="meta")
    k = torch.empty(B, S, D, device="meta")
    n = torch.empty(B, device="meta")
    tensors = {
        "mean_query": q.mean(dim=1),
        "kept_axis": q.sum(dim=-1, keepdim=True),
        "last_key": k[:, -1],
        "joined": torch.cat([q, k], dim=1),
        "scores": q @ k.transpose(1, 2),
        "differences": q.unsqueeze(2) - k.unsqueeze(1),
        "is_real": torch.arange(S, device="meta") < n.unsqueeze(1),
        "summed": torch.einsum("btd,bsd->ts", q, k),
    }
    return {name: tuple(t.shape) for name, t in tensors.items()}

# %% correct: torch.Size out of a table of letters

def predict_shapes(B: int, T: int, S: int, D: int) -> dict[str, tuple[int, ...]]:
    table = """
    summed       T S
    is_real      B S
    differences  B T S D
    scores       B T S
    joined       B TS D
    last_key     B D
    kept_axis    B T 1
    mean_query   B D
    """
    size = {"B": B, "T": T, "S": S, "D": D, "1": 1, "TS": T + S}
    lines = (line.split() for line in table.strip().splitlines())
    return {name: torch.Size(size[letter] for letter in letters) for name, *letters in lines}
