# %% wrong: the rows of W_O
# W_O.weight is (out, in): the heads' features are its columns. Zeros in the rows take features of the output away, of all
# heads. Shows for any head where num_heads is 2 or more.

def ablate_heads(attention: MultiHeadAttention, heads: Iterable[int]) -> MultiHeadAttention:
    heads = list(heads)
    for h in heads:
        if not 0 <= h < attention.num_heads:
            raise ValueError(f"no head {h}")
    changed = copy.deepcopy(attention)
    d_head = changed.W_O.weight.shape[0] // changed.num_heads
    with torch.no_grad():
        for h in heads:
            changed.W_O.weight[h * d_head : (h + 1) * d_head] = 0
    return changed


# %% wrong: the values' matrix without their bias
# With W_V.weight zero a head's values are its part of W_V's bias, and that still goes through W_O. Shows where W_V.bias is not
# zero, as in every freshly made module.

def ablate_heads(attention: MultiHeadAttention, heads: Iterable[int]) -> MultiHeadAttention:
    changed = copy.deepcopy(attention)
    d_head = changed.W_V.weight.shape[0] // changed.num_heads
    for h in heads:
        if h < 0 or h >= changed.num_heads:
            raise ValueError(f"there is no head {h}")
        with torch.no_grad():
            changed.W_V.weight[h * d_head : (h + 1) * d_head].zero_()
    return changed


# %% wrong: reads the heads twice
# The check uses up a generator, and the loop below finds nothing left: no head is switched off. Shows for
# heads = (h for h in [0, 1]).

def ablate_heads(attention: MultiHeadAttention, heads: Iterable[int]) -> MultiHeadAttention:
    if any(h < 0 or h >= attention.num_heads for h in heads):
        raise ValueError(f"heads are numbered from 0 to {attention.num_heads - 1}")
    changed = copy.deepcopy(attention)
    d_head = changed.W_O.in_features // changed.num_heads
    with torch.no_grad():
        for h in heads:
            changed.W_O.weight[:, h * d_head : (h + 1) * d_head] = 0.0
    return changed


# %% wrong: a shallow copy with a W_O of its own
# copy.copy shares the dictionary of submodules, so the new W_O is put into the given attention too. Shows when its W_O.weight
# is looked at after the call, for any head.

def ablate_heads(attention: MultiHeadAttention, heads: Iterable[int]) -> MultiHeadAttention:
    heads = list(heads)
    if any(h not in range(attention.num_heads) for h in heads):
        raise ValueError(f"heads must be from 0 to {attention.num_heads - 1}")
    changed = copy.copy(attention)
    changed.W_O = copy.deepcopy(attention.W_O)  # only this one is to change
    with torch.no_grad():
        columns = changed.W_O.weight.unflatten(1, (attention.num_heads, -1))
        columns[:, heads] = 0.0
    return changed


# %% correct: a factor of zero or one for each column
def ablate_heads(attention: MultiHeadAttention, heads: Iterable[int]) -> MultiHeadAttention:
    off = set(heads)
    if not off <= set(range(attention.num_heads)):
        raise ValueError(f"no such heads: {sorted(off - set(range(attention.num_heads)))}")
    twin = copy.deepcopy(attention)
    with torch.no_grad():
        weight = twin.W_O.weight
        column = torch.arange(weight.shape[1], device=weight.device)
        head_of = column // (weight.shape[1] // attention.num_heads)
        for h in off:
            weight.masked_fill_(head_of == h, 0.0)
    return twin


# %% correct: a changed state, loaded into the copy
def ablate_heads(attention: MultiHeadAttention, heads: Iterable[int]) -> MultiHeadAttention:
    keep = [True] * attention.num_heads
    for h in heads:
        if h < 0 or h >= len(keep):
            raise ValueError(f"there are {len(keep)} heads, none has the number {h}")
        keep[h] = False
    new = copy.deepcopy(attention.W_O)
    parts = new.weight.detach().tensor_split(len(keep), dim=1)
    columns = [part if kept else torch.zeros_like(part) for part, kept in zip(parts, keep, strict=True)]
    twin = copy.deepcopy(attention)
    twin.W_O.load_state_dict({**new.state_dict(), "weight": torch.cat(columns, dim=1)})
    return twin
