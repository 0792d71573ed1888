# %% wrong: the values' bias stays
# The head's rows of W_V.weight are zeroed, but not those of W_V.bias: the head still adds a constant.
# It shows wherever W_V.bias is not zero, and nn.Linear does not start it as zeros.

def ablate_heads(attention: MultiHeadAttention, heads: Iterable[int]) -> MultiHeadAttention:
    changed = copy.deepcopy(attention)
    d = changed.W_V.weight.shape[0] // changed.num_heads
    with torch.no_grad():
        for h in heads:
            if not 0 <= h < changed.num_heads:
                raise ValueError(f"no head {h}")
            changed.W_V.weight[h * d : (h + 1) * d] = 0
    return changed

# %% wrong: the check uses the heads up
# any() goes through `heads` before the loop does. A generator is empty then, and no head is switched
# off. It shows for heads = (h for h in [0]).

def ablate_heads(attention: MultiHeadAttention, heads: Iterable[int]) -> MultiHeadAttention:
    if any(h < 0 or h >= attention.num_heads for h in heads):
        raise ValueError(f"heads go from 0 to {attention.num_heads - 1}")
    changed = copy.deepcopy(attention)
    d = changed.W_O.weight.shape[1] // changed.num_heads
    with torch.no_grad():
        for h in heads:
            changed.W_O.weight[:, h * d : (h + 1) * d].zero_()
    return changed

# %% wrong: counts from the end
# -1 is no head, but only numbers that are too large are refused. It shows for heads = [-1], which
# returns a copy without its last head where a ValueError is promised.

def ablate_heads(attention: MultiHeadAttention, heads: Iterable[int]) -> MultiHeadAttention:
    changed = copy.deepcopy(attention)
    d = changed.W_O.in_features // changed.num_heads
    keep = torch.ones(changed.num_heads, d)
    for h in heads:
        if h >= changed.num_heads:
            raise ValueError(f"there are {changed.num_heads} heads, got {h}")
        keep[h] = 0
    with torch.no_grad():
        changed.W_O.weight.mul_(keep.flatten().to(changed.W_O.weight))
    return changed

# %% wrong: a new module with the old numbers
# A fresh MultiHeadAttention is built and loaded. It is float32 where the given one is float64, and no
# copy of a module of another class, whose forward is lost. Shows for either of the two.

def ablate_heads(attention: MultiHeadAttention, heads: Iterable[int]) -> MultiHeadAttention:
    d_model, num_heads = attention.W_Q.in_features, attention.num_heads
    changed = MultiHeadAttention(d_model, num_heads)
    changed.load_state_dict(attention.state_dict())
    with torch.no_grad():
        columns = changed.W_O.weight.view(d_model, num_heads, -1)
        for h in heads:
            if h not in range(num_heads):
                raise ValueError(f"head {h} does not exist")
            columns[:, h] = 0
    return changed

# %% correct: another output matrix, loaded into the copy
def ablate_heads(attention: MultiHeadAttention, heads: Iterable[int]) -> MultiHeadAttention:
    off = set(heads)
    if not off <= set(range(attention.num_heads)):
        raise ValueError(f"heads go from 0 to {attention.num_heads - 1}, got {sorted(off)}")
    weight = attention.W_O.weight.detach()
    parts = [
        torch.zeros_like(part) if h in off else part
        for h, part in enumerate(weight.tensor_split(attention.num_heads, dim=1))
    ]
    changed = copy.deepcopy(attention)
    changed.W_O.load_state_dict(attention.W_O.state_dict() | {"weight": torch.cat(parts, dim=1)})
    return changed

# %% correct: a mask over the columns, by the number of each column's head
def ablate_heads(attention: MultiHeadAttention, heads: Iterable[int]) -> MultiHeadAttention:
    twin = copy.deepcopy(attention)
    matrix = twin.W_O.weight
    head_of = torch.arange(matrix.shape[1], device=matrix.device) * twin.num_heads // matrix.shape[1]
    gone = torch.zeros_like(head_of, dtype=torch.bool)
    for h in heads:
        mine = head_of == h
        if not mine.any():
            raise ValueError(f"the attention has {twin.num_heads} heads, and no head {h}")
        gone |= mine
    matrix.requires_grad_(False).masked_fill_(gone, 0.0)
    matrix.requires_grad_(attention.W_O.weight.requires_grad)
    return twin
