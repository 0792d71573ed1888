# %% wrong: the values' bias is forgotten
# The head's rows of W_V are set to zero, but not its biases: the head still gives b_V to every query that may look at something, and W_O passes it on. With
# biases of zero nothing shows.

def ablate_heads(attention: MultiHeadAttention, heads: Iterable[int]) -> MultiHeadAttention:
    ablated = copy.deepcopy(attention)
    width = ablated.W_V.weight.shape[0] // ablated.num_heads
    for head in heads:
        if not 0 <= head < ablated.num_heads:
            raise ValueError(f"there is no head {head}")
        with torch.no_grad():
            ablated.W_V.weight[head * width : (head + 1) * width] = 0
    return ablated

# %% wrong: the heads are read twice
# The first look at heads, for the ValueError, uses a generator up; the loop that sets the columns to zero gets nothing. A list works, a generator
# ablates no head at all.

def ablate_heads(attention: MultiHeadAttention, heads: Iterable[int]) -> MultiHeadAttention:
    if any(head < 0 or head >= attention.num_heads for head in heads):
        raise ValueError("no such head")
    ablated = copy.deepcopy(attention)
    d_head = ablated.W_O.weight.shape[1] // ablated.num_heads
    with torch.no_grad():
        for head in heads:
            ablated.W_O.weight[:, head * d_head : (head + 1) * d_head].zero_()
    return ablated

# %% wrong: made anew as a MultiHeadAttention
# The copy is a new MultiHeadAttention with the old numbers. An attention of another class loses what its own forward does, or its state cannot be
# loaded; and of a float64 module the copy is float32.

def ablate_heads(attention: MultiHeadAttention, heads: Iterable[int]) -> MultiHeadAttention:
    d_model = attention.W_O.out_features
    ablated = MultiHeadAttention(d_model, attention.num_heads)
    ablated.load_state_dict(attention.state_dict())
    d_head = d_model // attention.num_heads
    for head in heads:
        if head not in range(attention.num_heads):
            raise ValueError(f"head {head} of {attention.num_heads}")
        ablated.W_O.weight.data[:, head * d_head : (head + 1) * d_head] = 0.0
    return ablated

# %% wrong: a shallow copy
# copy.copy makes a new module around the same four maps: the columns are set to zero in the attention that was given too. Shows for every non-empty
# choice of heads.

def ablate_heads(attention: MultiHeadAttention, heads: Iterable[int]) -> MultiHeadAttention:
    ablated = copy.copy(attention)
    heads = list(heads)
    for head in heads:
        if head < 0 or head >= attention.num_heads:
            raise ValueError(f"no head {head}")
    columns = ablated.W_O.weight.data.unflatten(1, (attention.num_heads, -1))
    columns[:, heads] = 0
    return ablated

# %% correct: the head's values, weight and bias, are silenced

def ablate_heads(attention: MultiHeadAttention, heads: Iterable[int]) -> MultiHeadAttention:
    silent = set(heads)
    if silent - set(range(attention.num_heads)):
        raise ValueError(f"heads are numbered from 0 to {attention.num_heads - 1}, got {sorted(silent)}")
    ablated = copy.deepcopy(attention)
    with torch.no_grad():
        for numbers in (ablated.W_V.weight, ablated.W_V.bias):
            by_head = numbers.unflatten(0, (attention.num_heads, -1))
            for head in silent:
                by_head[head] = 0
    return ablated

# %% correct: a new output matrix, column by column

def ablate_heads(attention: MultiHeadAttention, heads: Iterable[int]) -> MultiHeadAttention:
    count = attention.num_heads
    speaks = [True] * count
    for head in heads:
        if head < 0 or head >= count:
            raise ValueError(f"this attention has no head {head}")
        speaks[head] = False
    ablated = copy.deepcopy(attention)
    old = attention.W_O.weight.detach()
    width = old.shape[1] // count
    columns = [
        old[:, f] if speaks[f // width] else torch.zeros_like(old[:, f]) for f in range(old.shape[1])
    ]
    state = ablated.W_O.state_dict() | {"weight": torch.stack(columns, dim=1)}
    ablated.W_O.load_state_dict(state)
    return ablated
