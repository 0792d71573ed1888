# %% wrong: the values' matrix without its bias
# Rows of W_V's weight are set to zero, its bias not: the head still adds W_O of its part of b_V to every output. Shows
# wherever W_V has a bias other than zero there.

def ablate_heads(attention: MultiHeadAttention, heads: Iterable[int]) -> MultiHeadAttention:
    heads = list(heads)
    for h in heads:
        if not 0 <= h < attention.num_heads:
            raise ValueError(f"there is no head {h}")
    changed = copy.deepcopy(attention)
    d = changed.W_V.weight.shape[0] // changed.num_heads
    with torch.no_grad():
        for h in heads:
            changed.W_V.weight[h * d : (h + 1) * d] = 0
    return changed


# %% wrong: the check eats the heads
# `heads` is any iterable: a generator is used up by the check, and the loop after it switches nothing off. Right for lists,
# tuples and ranges.

def ablate_heads(attention: MultiHeadAttention, heads: Iterable[int]) -> MultiHeadAttention:
    if any(h < 0 or h >= attention.num_heads for h in heads):
        raise ValueError("no such head")
    changed = copy.deepcopy(attention)
    d = changed.W_O.weight.shape[1] // changed.num_heads
    with torch.no_grad():
        for h in heads:
            changed.W_O.weight[:, h * d : (h + 1) * d] = 0
    return changed


# %% wrong: a negative head is let through
# Only the upper end is checked. Head -1 is one that the attention does not have (numbers count from 0): it must raise
# ValueError, and here the slice -d : 0 is empty and nothing happens.

def ablate_heads(attention: MultiHeadAttention, heads: Iterable[int]) -> MultiHeadAttention:
    changed = copy.deepcopy(attention)
    d = changed.W_O.in_features // changed.num_heads
    for h in heads:
        if h >= changed.num_heads:
            raise ValueError(f"head {h} of {changed.num_heads}")
        changed.W_O.weight.data[:, h * d : (h + 1) * d] = 0.0
    return changed


# %% wrong: a new module, in float32
# The copy is built anew and its parameters are copied in: that makes float32 of a float64 attention, whose copy then
# refuses float64 inputs (and a module in eval mode gets a copy in training mode).

def ablate_heads(attention: MultiHeadAttention, heads: Iterable[int]) -> MultiHeadAttention:
    heads = list(heads)
    if any(h not in range(attention.num_heads) for h in heads):
        raise ValueError("there is no such head")
    D = attention.W_O.weight.shape[0]
    d = D // attention.num_heads
    changed = MultiHeadAttention(D, attention.num_heads)
    changed.load_state_dict(attention.state_dict())
    with torch.no_grad():
        for h in heads:
            changed.W_O.weight[:, h * d : (h + 1) * d].zero_()
    return changed


# %% correct: the silent heads get values of zero

def ablate_heads(attention: MultiHeadAttention, heads: Iterable[int]) -> MultiHeadAttention:
    off = set(heads)
    if off - set(range(attention.num_heads)):
        raise ValueError(f"heads go from 0 to {attention.num_heads - 1}, got {sorted(off)}")
    silent = copy.deepcopy(attention)
    with torch.no_grad():
        for parameter in (silent.W_V.weight, silent.W_V.bias):
            for h, rows in enumerate(parameter.chunk(silent.num_heads)):
                if h in off:
                    rows.zero_()
    return silent


# %% correct: W_O's columns filled by number

def ablate_heads(attention: MultiHeadAttention, heads: Iterable[int]) -> MultiHeadAttention:
    columns = torch.arange(attention.W_O.weight.shape[1], device=attention.W_O.weight.device)
    table = dict(enumerate(columns.view(attention.num_heads, -1)))
    try:
        chosen = [table[h] for h in heads]
    except KeyError as error:
        raise ValueError(f"the attention has no head {error}") from None
    result = copy.deepcopy(attention)
    for own in chosen:
        result.W_O.weight.data.index_fill_(1, own, 0)
    return result
