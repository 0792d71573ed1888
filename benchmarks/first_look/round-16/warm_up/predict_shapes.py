# %% wrong: asks the notebook's own query and key
# Measures the shapes of the tensors of the cell above, with sizes 2, 3, 4, 5, and never looks at its arguments. Wrong
# for every other set of sizes.

def predict_shapes(B: int, T: int, S: int, D: int) -> dict[str, tuple[int, ...]]:
    lengths = torch.ones(query.shape[0], dtype=torch.long)
    results = {
        "mean_query": query.mean(dim=1),
        "kept_axis": query.sum(dim=-1, keepdim=True),
        "last_key": key[:, -1],
        "joined": torch.cat([query, key], dim=1),
        "scores": query @ key.transpose(1, 2),
        "differences": query.unsqueeze(2) - key.unsqueeze(1),
        "is_real": torch.arange(key.shape[1]) < lengths.unsqueeze(1),
        "summed": torch.einsum("btd,bsd->ts", query, key),
    }
    return {name: tuple(result.shape) for name, result in results.items()}


# %% wrong: axes counted from one
# The student takes dim=1 for the first axis, so that the mean over it leaves (T, D). Wrong for all sizes with B != T.

def predict_shapes(B: int, T: int, S: int, D: int) -> dict[str, tuple[int, ...]]:
    return {
        "mean_query": (T, D),
        "kept_axis": (B, T, 1),
        "last_key": (B, D),
        "joined": (B, T + S, D),
        "scores": (B, T, S),
        "differences": (B, T, S, D),
        "is_real": (B, S),
        "summed": (T, S),
    }


# %% wrong: one truth value for each sentence
# Takes arange(S) < lengths for one comparison a sentence, as a Python `if` would make it: (B,) in place of (B, S).

def predict_shapes(B: int, T: int, S: int, D: int) -> dict[str, tuple[int, ...]]:
    return {
        "mean_query": (B, D),
        "kept_axis": (B, T, 1),
        "last_key": (B, D),
        "joined": (B, T + S, D),
        "scores": (B, T, S),
        "differences": (B, T, S, D),
        "is_real": (B,),
        "summed": (T, S),
    }


# %% wrong: joined at equal length
# Believes that torch.cat pads the shorter of the two and lays them side by side along the width: (B, max(T, S), 2 * D)
# in place of (B, T + S, D). Right by chance for no sizes from 1 up.

def predict_shapes(B: int, T: int, S: int, D: int) -> dict[str, tuple[int, ...]]:
    longer = max(T, S)
    return {
        "mean_query": (B, D),
        "kept_axis": (B, T, 1),
        "last_key": (B, D),
        "joined": (B, longer, 2 * D),
        "scores": (B, T, S),
        "differences": (B, T, S, D),
        "is_real": (B, S),
        "summed": (T, S),
    }


# %% correct: runs the operations on tensors without data

def predict_shapes(B: int, T: int, S: int, D: int) -> dict[str, tuple[int, ...]]:
    q = torch.empty(B, T, D, device="meta")
    k = torch.empty(B, S, D, device="meta")
    n = torch.empty(B, dtype=torch.long, device="meta")
    tried = dict(
        mean_query=q.mean(dim=1),
        kept_axis=q.sum(dim=-1, keepdim=True),
        last_key=k[:, -1],
        joined=torch.cat([q, k], dim=1),
        scores=q @ k.transpose(1, 2),
        differences=q.unsqueeze(2) - k.unsqueeze(1),
        is_real=torch.arange(S, device="meta") < n.unsqueeze(1),
        summed=torch.einsum("btd,bsd->ts", q, k),
    )
    return {name: tuple(tensor.shape) for name, tensor in tried.items()}


# %% correct: letters looked up, lists for shapes

def predict_shapes(B: int, T: int, S: int, D: int) -> dict[str, tuple[int, ...]]:
    size = {"b": B, "t": T, "s": S, "d": D, "1": 1, "+": T + S}
    letters_of = {
        "mean_query": "bd",
        "kept_axis": "bt1",
        "last_key": "bd",
        "joined": "b+d",
        "scores": "bts",
        "differences": "btsd",
        "is_real": "bs",
        "summed": "ts",
    }
    return {name: [size[letter] for letter in word] for name, word in letters_of.items()}
