# %% wrong: rows of W_O
# Sets rows h d to (h + 1) d of W_O.weight to zero. A head's features come in by the columns; the rows are outputs. It shows for
# any head that is switched off.

def ablate_heads(attention: MultiHeadAttention, heads: Iterable[int]) -> MultiHeadAttention:
    changed = copy.deepcopy(attention)
    d = changed.W_O.weight.shape[0] // changed.num_heads
    with torch.no_grad():
        for h in heads:
            if not 0 <= h < changed.num_heads:
                raise ValueError(f"no head {h}")
            changed.W_O.weight[h * d : (h + 1) * d] = 0
    return changed


# %% wrong: a shallow copy
# copy.copy makes a new module around the same W_O: its columns are set to zero in the attention that was given, too.

def ablate_heads(attention: MultiHeadAttention, heads: Iterable[int]) -> MultiHeadAttention:
    changed = copy.copy(attention)
    d = changed.W_O.in_features // changed.num_heads
    with torch.no_grad():
        for h in heads:
            if h < 0 or h >= changed.num_heads:
                raise ValueError(f"no head {h}")
            changed.W_O.weight[:, h * d : (h + 1) * d] = 0
    return changed


# %% wrong: the values' bias stays
# Switches off the rows of W_V.weight, but not those of its bias: the head still adds W_O times that bias. It shows where
# W_V.bias is not zero.

def ablate_heads(attention: MultiHeadAttention, heads: Iterable[int]) -> MultiHeadAttention:
    heads = list(heads)
    if any(h not in range(attention.num_heads) for h in heads):
        raise ValueError("no such head")
    changed = copy.deepcopy(attention)
    d = changed.W_V.out_features // changed.num_heads
    for h in heads:
        changed.W_V.weight.data[h * d : (h + 1) * d].zero_()
    return changed


# %% wrong: a generator is used up by the check
# First goes through heads to check them, then again to switch them off. A generator is empty the second time, and nothing is
# switched off.

def ablate_heads(attention: MultiHeadAttention, heads: Iterable[int]) -> MultiHeadAttention:
    if any(h < 0 or h >= attention.num_heads for h in heads):
        raise ValueError("the attention does not have that head")
    changed = copy.deepcopy(attention)
    d = changed.W_O.in_features // changed.num_heads
    with torch.no_grad():
        for h in heads:
            changed.W_O.weight[:, h * d : h * d + d] = 0.0
    return changed


# %% correct: a mask over the columns

def ablate_heads(attention: MultiHeadAttention, heads: Iterable[int]) -> MultiHeadAttention:
    number = attention.num_heads
    on = [True] * number
    for h in heads:
        if h < 0 or h >= number:
            raise ValueError(f"there are {number} heads, and {h} is none of them")
        on[h] = False
    twin = copy.deepcopy(attention)
    kept = torch.tensor(on, device=twin.W_O.weight.device).repeat_interleave(twin.W_O.weight.shape[1] // number)
    with torch.no_grad():
        twin.W_O.weight.masked_fill_(~kept, 0)
    return twin


# %% correct: heads that find nothing

def ablate_heads(attention: MultiHeadAttention, heads: Iterable[int]) -> MultiHeadAttention:
    """The rows of W_V and of its bias that belong to a head are zero: the head's mean is zero."""
    chosen = set(heads)
    if chosen - set(range(attention.num_heads)):
        raise ValueError(f"no such heads: {sorted(chosen - set(range(attention.num_heads)))}")
    silent = copy.deepcopy(attention)
    for parameter in (silent.W_V.weight, silent.W_V.bias):
        parts = parameter.detach().unflatten(0, (silent.num_heads, -1))  # a view
        for h in chosen:
            parts[h].zero_()
    return silent
