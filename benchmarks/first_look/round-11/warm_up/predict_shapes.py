# %% wrong: the einsum keeps the batch
# "btd,bsd->ts" has no b after the arrow, so b is summed over: "summed" must be (T, S), here it is (B, T, S). Shows for
# every input.

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

# %% wrong: a difference taken for a score
# The difference of two vectors of D numbers has D numbers, nothing sums them: "differences" must be (B, T, S, D), here
# it is (B, T, S). Shows for every input.

def predict_shapes(B: int, T: int, S: int, D: int) -> dict[str, tuple[int, ...]]:
    pairs = (B, T, S)  # every query with every key
    return {
        "mean_query": (B, D),
        "kept_axis": (B, T, 1),
        "last_key": (B, D),
        "joined": (B, T + S, D),
        "scores": pairs,
        "differences": pairs,
        "is_real": (B, S),
        "summed": (T, S),
    }

# %% wrong: the joined axis taken for the last one
# dim=1 joins T and S places; the notebook's own line joined along dim=2. "joined" must be (B, T + S, D), here it is
# (B, T, 2 * D). Shows for every input.

def predict_shapes(B: int, T: int, S: int, D: int) -> dict[str, tuple[int, ...]]:
    query, key = (B, T, D), (B, S, D)
    return {
        "mean_query": (query[0], query[2]),
        "kept_axis": (*query[:-1], 1),
        "last_key": (key[0], key[2]),
        "joined": (B, T, query[-1] + key[-1]),
        "scores": (B, T, S),
        "differences": (B, T, S, D),
        "is_real": (B, S),
        "summed": (T, S),
    }

# %% wrong: measured on the notebook's tensors
# query and key are those of section 0.2, with B, T, S, D = 2, 3, 4, 5, whatever sizes go in: right for these four sizes
# alone, wrong for (3, 4, 5, 6).

def predict_shapes(B: int, T: int, S: int, D: int) -> dict[str, tuple[int, ...]]:
    lengths = torch.tensor([2, 4])
    return {
        "mean_query": tuple(query.mean(dim=1).shape),
        "kept_axis": tuple(query.sum(dim=-1, keepdim=True).shape),
        "last_key": tuple(key[:, -1].shape),
        "joined": tuple(torch.cat([query, key], dim=1).shape),
        "scores": tuple((query @ key.transpose(1, 2)).shape),
        "differences": tuple((query.unsqueeze(2) - key.unsqueeze(1)).shape),
        "is_real": tuple((torch.arange(key.shape[1]) < lengths.unsqueeze(1)).shape),
        "summed": tuple(torch.einsum("btd,bsd->ts", query, key).shape),
    }

# %% correct: run on tensors without data

def predict_shapes(B: int, T: int, S: int, D: int) -> dict[str, tuple[int, ...]]:
    query = torch.empty(B, T, D, device="meta")
    key = torch.empty(B, S, D, device="meta")
    lengths = torch.empty(B, device="meta")
    results = {
        "mean_query": query.mean(dim=1),
        "kept_axis": query.sum(dim=-1, keepdim=True),
        "last_key": key[:, -1],
        "joined": torch.cat([query, key], dim=1),
        "scores": query @ key.transpose(1, 2),
        "differences": query.unsqueeze(2) - key.unsqueeze(1),
        "is_real": torch.arange(S, device="meta") < lengths.unsqueeze(1),
        "summed": torch.einsum("btd,bsd->ts", query, key),
    }
    return {name: list(result.shape) for name, result in results.items()}

# %% correct: the rules themselves, on tuples

def stretched(left, right):
    width = max(len(left), len(right))
    left = (1,) * (width - len(left)) + tuple(left)
    right = (1,) * (width - len(right)) + tuple(right)
    return tuple(b if a == 1 else a for a, b in zip(left, right, strict=True))


def with_axis(shape, place):
    return (*shape[:place], 1, *shape[place:])


def without_axis(shape, place):
    return tuple(size for i, size in enumerate(shape) if i != place % len(shape))


def by_letters(rule, *shapes):
    before, after = rule.split("->")
    sizes = {}
    for letters_of, shape in zip(before.split(","), shapes, strict=True):
        sizes.update(zip(letters_of, shape, strict=True))
    return tuple(sizes[letter] for letter in after)


def predict_shapes(B: int, T: int, S: int, D: int) -> dict[str, tuple[int, ...]]:
    q, k, n = (B, T, D), (B, S, D), (B,)
    return dict(
        mean_query=without_axis(q, 1),
        kept_axis=q[:-1] + (1,),
        last_key=without_axis(k, 1),
        joined=tuple(a + b if i == 1 else a for i, (a, b) in enumerate(zip(q, k, strict=True))),
        scores=by_letters("btd,bsd->bts", q, k),
        differences=stretched(with_axis(q, 2), with_axis(k, 1)),
        is_real=stretched((S,), with_axis(n, 1)),
        summed=by_letters("btd,bsd->ts", q, k),
    )
