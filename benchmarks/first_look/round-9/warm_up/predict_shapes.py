# %% wrong: the batch letter comes back
# "summed" is given as (B, T, S), as if b stood behind the arrow; b is summed over, so it is (T, S).
# Shows for any sizes, B = 1 included: the tuple has three entries in place of two.

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

# %% wrong: an index taken for a slice
# key[:, -1] is one number as index and removes its axis, but "last_key" is given as (B, 1, D).
# Shows for every size.

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

# %% wrong: a difference read as a score
# "differences" is thought to be one number for each pair, (B, T, S); nothing sums over D, it is (B, T, S, D).
# Shows for every size.

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

# %% wrong: asks the tensors of the notebook
# Takes the shapes from query and key of the cells above, whose sizes are 2, 3, 4 and 5, and not from the arguments.
# Right for (2, 3, 4, 5), wrong for any other sizes.

def predict_shapes(B: int, T: int, S: int, D: int) -> dict[str, tuple[int, ...]]:
    lengths = torch.ones(B, dtype=torch.int64)
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

# %% correct: words of letters, spelled out

def predict_shapes(B: int, T: int, S: int, D: int) -> dict[str, tuple[int, ...]]:
    size = {"B": B, "T": T, "S": S, "D": D, "1": 1, "J": T + S}
    words = (
        "mean_query BD  kept_axis BT1  last_key BD  joined BJD  scores BTS  differences BTSD  is_real BS  summed TS"
    ).split()
    return {name: tuple(size[letter] for letter in word) for name, word in zip(words[::2], words[1::2], strict=True)}

# %% correct: tensors without data

def predict_shapes(B: int, T: int, S: int, D: int) -> dict[str, tuple[int, ...]]:
    asks, asked = torch.empty(B, T, D, device="meta"), torch.empty(B, S, D, device="meta")
    lengths = torch.empty(B, dtype=torch.int64, device="meta")
    made = {
        "mean_query": asks.mean(dim=1),
        "kept_axis": asks.sum(dim=-1, keepdim=True),
        "last_key": asked[:, -1],
        "joined": torch.cat([asks, asked], dim=1),
        "scores": asks @ asked.transpose(1, 2),
        "differences": asks.unsqueeze(2) - asked.unsqueeze(1),
        "is_real": torch.arange(S, device="meta") < lengths.unsqueeze(1),
        "summed": torch.einsum("btd,bsd->ts", asks, asked),
    }
    return {name: tuple(int(n) for n in tensor.shape) for name, tensor in made.items()}
