# %% wrong: the values' weights go, their bias stays
# The rows of W_V.weight are set to zero and W_V.bias is forgotten: the head still gives its bias to every
# query that may look at something. Shows wherever the bias of W_V is not zero in that head.

def ablate_heads(attention: MultiHeadAttention, heads: Iterable[int]) -> MultiHeadAttention:
    heads = list(heads)
    if any(h < 0 or h >= attention.num_heads for h in heads):
        raise ValueError("no such head")
    changed = copy.deepcopy(attention)
    d = changed.W_V.weight.shape[0] // changed.num_heads
    with torch.no_grad():
        for h in heads:
            changed.W_V.weight[h * d : (h + 1) * d] = 0
    return changed

# %% wrong: a shallow copy
# copy.copy makes a new module with the same parameters in it, so the attention that was given loses its
# heads too. Shows for every head that is switched off.

def ablate_heads(attention: MultiHeadAttention, heads: Iterable[int]) -> MultiHeadAttention:
    heads = list(heads)
    changed = copy.copy(attention)
    d = changed.W_O.in_features // changed.num_heads
    for h in heads:
        if not 0 <= h < changed.num_heads:
            raise ValueError(f"there is no head {h}")
        changed.W_O.weight.data[:, h * d : (h + 1) * d] = 0.0
    return changed

# %% wrong: the check uses the generator up
# `heads` is read twice. A list may be; of a generator the second loop gets nothing, and the copy still has all
# its heads: ablate_heads(attention, (h for h in [1])).

def ablate_heads(attention: MultiHeadAttention, heads: Iterable[int]) -> MultiHeadAttention:
    if not all(0 <= h < attention.num_heads for h in heads):
        raise ValueError(f"heads are numbered from 0 to {attention.num_heads - 1}")
    changed = copy.deepcopy(attention)
    d = changed.W_O.weight.shape[1] // changed.num_heads
    with torch.no_grad():
        for h in heads:
            changed.W_O.weight[:, h * d : (h + 1) * d].zero_()
    return changed

# %% wrong: a new MultiHeadAttention with the old numbers
# The module that was given may be of another class (load_state_dict fails where it has more parameters, and its
# own forward is lost), and one in float64 comes back in float32.

def ablate_heads(attention: MultiHeadAttention, heads: Iterable[int]) -> MultiHeadAttention:
    d_model = attention.W_O.weight.shape[0]
    changed = MultiHeadAttention(d_model, attention.num_heads)
    changed.load_state_dict(attention.state_dict())
    d = d_model // attention.num_heads
    for h in heads:
        if h < 0 or h >= attention.num_heads:
            raise ValueError(f"no head {h}")
        with torch.no_grad():
            changed.W_O.weight[:, h * d : h * d + d] = 0
    return changed

# %% correct: W_O's columns, chosen by where

def ablate_heads(attention: MultiHeadAttention, heads: Iterable[int]) -> MultiHeadAttention:
    off = frozenset(heads)
    if not off <= set(range(attention.num_heads)):
        raise ValueError(f"heads are 0 to {attention.num_heads - 1}, got {sorted(off)}")
    changed = copy.deepcopy(attention)
    old = changed.W_O.weight
    on = torch.tensor([h not in off for h in range(attention.num_heads)], device=old.device)
    columns = on.repeat_interleave(old.shape[1] // attention.num_heads)
    kept = torch.where(columns, old.detach(), torch.zeros_like(old))
    changed.W_O.weight = nn.Parameter(kept, requires_grad=old.requires_grad)
    return changed

# %% correct: values of zero, weight and bias

def ablate_heads(attention: MultiHeadAttention, heads: Iterable[int]) -> MultiHeadAttention:
    changed = copy.deepcopy(attention)
    numbers = range(changed.num_heads)
    for head in heads:
        if head not in numbers:
            raise ValueError(f"no head {head} among {changed.num_heads}")
        for parameter in changed.W_V.parameters():
            with torch.no_grad():
                parameter.unflatten(0, (changed.num_heads, -1))[head].zero_()
    return changed
