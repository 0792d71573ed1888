# %% wrong: rows for columns
# Zeroes the rows of W_O's matrix that belong to the head: those are features of the output; what W_O reads of a head are columns.
# Hint: nn.Linear keeps its matrix as (out, in); on which side do the merged heads come in?

def ablate_heads(attention: MultiHeadAttention, heads: Iterable[int]) -> MultiHeadAttention:
    changed = copy.deepcopy(attention)
    d_head = changed.W_O.weight.shape[1] // changed.num_heads
    with torch.no_grad():
        for h in heads:
            if not 0 <= h < changed.num_heads:
                raise ValueError(f"no head {h}")
            changed.W_O.weight[h * d_head : (h + 1) * d_head] = 0
    return changed


# %% wrong: a shallow copy
# copy.copy makes a new module that shares W_O with the old one: the attention that was given loses its heads too.
# Hint: compare the original's W_O.weight before and after the call.

def ablate_heads(attention: MultiHeadAttention, heads: Iterable[int]) -> MultiHeadAttention:
    heads = list(heads)
    for h in heads:
        if h < 0 or h >= attention.num_heads:
            raise ValueError(f"head {h} of {attention.num_heads}")
    changed = copy.copy(attention)
    d_head = attention.W_O.in_features // attention.num_heads
    with torch.no_grad():
        for h in heads:
            changed.W_O.weight[:, h * d_head : (h + 1) * d_head].zero_()
    return changed


# %% wrong: an iterable read twice
# The heads are read once to look for mistakes and once more to switch them off; a generator is empty the second time, and no
# head is off. Hint: call it with (h for h in [0, 1]).

def ablate_heads(attention: MultiHeadAttention, heads: Iterable[int]) -> MultiHeadAttention:
    if any(h not in range(attention.num_heads) for h in heads):
        raise ValueError(f"heads must be from 0 to {attention.num_heads - 1}")
    changed = copy.deepcopy(attention)
    d_head = attention.W_O.in_features // attention.num_heads
    with torch.no_grad():
        for h in heads:
            changed.W_O.weight[:, h * d_head : (h + 1) * d_head] = 0.0
    return changed


# %% wrong: the value bias stays
# Zeroes the head's rows of W_V's matrix but not of its bias: the head still adds W_O times that bias at every position.
# Hint: what does a linear map with a matrix of zeros give?

def ablate_heads(attention: MultiHeadAttention, heads: Iterable[int]) -> MultiHeadAttention:
    changed = copy.deepcopy(attention)
    d_head = attention.W_V.out_features // attention.num_heads
    with torch.no_grad():
        for h in heads:
            if h < 0 or h >= attention.num_heads:
                raise ValueError(f"there is no head {h}")
            changed.W_V.weight[h * d_head : (h + 1) * d_head] = 0
    return changed


# %% correct: a mask over the columns of W_O

def ablate_heads(attention: MultiHeadAttention, heads: Iterable[int]) -> MultiHeadAttention:
    off = set(heads)
    unknown = off - set(range(attention.num_heads))
    if unknown:
        raise ValueError(f"no such heads: {sorted(unknown)}")
    silent = copy.deepcopy(attention)
    W = silent.W_O.weight
    keep = torch.tensor([h not in off for h in range(attention.num_heads)], device=W.device)
    by_head = W.detach().unflatten(1, (attention.num_heads, -1))  # (D, H, d)
    with torch.no_grad():
        W.copy_(torch.where(keep[:, None], by_head, torch.zeros_like(by_head)).flatten(1))
    return silent


# %% correct: heads with nothing to say

def ablate_heads(attention: MultiHeadAttention, heads: Iterable[int]) -> MultiHeadAttention:
    twin = copy.deepcopy(attention)
    numbers = twin.state_dict()
    for head in tuple(heads):
        if not (0 <= head < attention.num_heads):
            raise ValueError(f"head {head} is not one of {attention.num_heads}")
        for name in ("W_V.weight", "W_V.bias"):  # its values are zero, and so is any mixture of them
            numbers[name].tensor_split(attention.num_heads)[head].zero_()
    return twin
