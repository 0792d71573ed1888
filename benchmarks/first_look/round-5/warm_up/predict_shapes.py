# %% wrong: minus one read as all but the last
# key[:, -1] is taken for key[:, :-1], so that last_key keeps its axis of keys, one shorter, in place of losing it.

def predict_shapes(B: int, T: int, S: int, D: int) -> dict[str, tuple[int, ...]]:
    return {
        "mean_query": (B, D),
        "kept_axis": (B, T, 1),
        "last_key": (B, S - 1, D),
        "joined": (B, T + S, D),
        "scores": (B, T, S),
        "differences": (B, T, S, D),
        "is_real": (B, S),
        "summed": (T, S),
    }


# %% wrong: keepdim taken to keep the size
# keepdim=True is read as leaving the width D as it is; the axis stays, but with size 1.

def predict_shapes(B: int, T: int, S: int, D: int) -> dict[str, tuple[int, ...]]:
    query, key = (B, T, D), (B, S, D)
    shapes = {}
    shapes["mean_query"] = (query[0], query[2])
    shapes["kept_axis"] = query
    shapes["last_key"] = (key[0], key[2])
    shapes["joined"] = (B, query[1] + key[1], D)
    shapes["scores"] = query[:2] + (key[1],)
    shapes["differences"] = (B, T, S, D)
    shapes["is_real"] = (B, S)
    shapes["summed"] = (T, S)
    return shapes


# %% wrong: asks the tensors of the notebook
# The shapes are those of the notebook's own query and key, whatever sizes the function is called with.

def predict_shapes(B: int, T: int, S: int, D: int) -> dict[str, tuple[int, ...]]:
    lengths = torch.ones(len(query), dtype=torch.int64)
    places = key.shape[1]
    tensors = {
        "mean_query": query.mean(dim=1),
        "kept_axis": query.sum(dim=-1, keepdim=True),
        "last_key": key[:, -1],
        "joined": torch.cat([query, key], dim=1),
        "scores": query @ key.transpose(1, 2),
        "differences": query.unsqueeze(2) - key.unsqueeze(1),
        "is_real": torch.arange(places) < lengths.unsqueeze(1),
        "summed": torch.einsum("btd,bsd->ts", query, key),
    }
    return {name: tuple(tensor.shape) for name, tensor in tensors.items()}


# %% wrong: returns from inside the loop
# The return stands one level too deep: the dictionary comes back after its first entry, seven shapes are missing.

def predict_shapes(B: int, T: int, S: int, D: int) -> dict[str, tuple[int, ...]]:
    query, key, lengths = torch.zeros(B, T, D), torch.zeros(B, S, D), torch.zeros(B)
    expressions = {
        "mean_query": lambda: query.mean(dim=1),
        "kept_axis": lambda: query.sum(dim=-1, keepdim=True),
        "last_key": lambda: key[:, -1],
        "joined": lambda: torch.cat([query, key], dim=1),
        "scores": lambda: query @ key.transpose(1, 2),
        "differences": lambda: query.unsqueeze(2) - key.unsqueeze(1),
        "is_real": lambda: torch.arange(S) < lengths.unsqueeze(1),
        "summed": lambda: torch.einsum("btd,bsd->ts", query, key),
    }
    shapes = {}
    for name, expression in expressions.items():
        shapes[name] = tuple(expression().shape)
        return shapes


# %% wrong: joined on top of each other, and lengths as a row
# cat is taken for a stack in the width, so D doubles and T + S is lost; and the comparison is thought to be (S, B).

def predict_shapes(B: int, T: int, S: int, D: int) -> dict[str, tuple[int, ...]]:
    return dict(
        mean_query=(B, D),
        kept_axis=(B, T, 1),
        last_key=(B, D),
        joined=(B, max(T, S), 2 * D),
        scores=(B, T, S),
        differences=(B, T, S, D),
        is_real=(S, B),
        summed=(T, S),
    )


# %% correct: tensors without data on the meta device

def predict_shapes(B: int, T: int, S: int, D: int) -> dict[str, tuple[int, ...]]:
    with torch.device("meta"):
        asks, asked, counts = torch.empty(B, T, D), torch.empty(B, S, D), torch.empty(B)
        results = [
            ("mean_query", asks.mean(dim=1)),
            ("kept_axis", asks.sum(dim=-1, keepdim=True)),
            ("last_key", asked[:, -1]),
            ("joined", torch.cat([asks, asked], dim=1)),
            ("scores", asks @ asked.transpose(1, 2)),
            ("differences", asks.unsqueeze(2) - asked.unsqueeze(1)),
            ("is_real", torch.arange(S) < counts.unsqueeze(1)),
            ("summed", torch.einsum("btd,bsd->ts", asks, asked)),
        ]
    answer = {}
    for name, tensor in results:
        answer[name] = tuple(int(size) for size in tensor.shape)
    return answer


# %% correct: a table in letters, looked up letter by letter

SHAPES_IN_LETTERS = """
    mean_query   B D
    kept_axis    B T 1
    last_key     B D
    joined       B T+S D
    scores       B T S
    differences  B T S D
    is_real      B S
    summed       T S
"""


def predict_shapes(B: int, T: int, S: int, D: int) -> dict[str, tuple[int, ...]]:
    sizes = {"B": B, "T": T, "S": S, "D": D, "1": 1}

    def size_of(term: str) -> int:
        return sum(sizes[letter] for letter in term.split("+"))

    lines = (line.split() for line in SHAPES_IN_LETTERS.strip().splitlines())
    return {name: tuple(map(size_of, terms)) for name, *terms in lines}
