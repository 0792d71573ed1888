# %% wrong: a shallow copy that shares its table of parts
# copy.copy of a module shares the dictionary of its parts with the original: the new W_O replaces the original's as well, so
# the attention that was given is ablated too. Any head shows it.

def ablate_heads(attention: MultiHeadAttention, heads: Iterable[int]) -> MultiHeadAttention:
    heads = list(heads)
    for h in heads:
        if not 0 <= h < attention.num_heads:
            raise ValueError(f"there is no head {h}")
    ablated = copy.copy(attention)
    ablated.W_O = copy.deepcopy(attention.W_O)  # the only map that changes
    d = ablated.W_O.in_features // attention.num_heads
    with torch.no_grad():
        for h in heads:
            ablated.W_O.weight[:, h * d : (h + 1) * d] = 0.0
    return ablated


# %% wrong: the largest of no heads
# Checks min(heads) and max(heads). heads may be empty, and the minimum of nothing raises a ValueError: a copy with all its
# heads should come back.

def ablate_heads(attention: MultiHeadAttention, heads: Iterable[int]) -> MultiHeadAttention:
    heads = sorted(heads)
    if min(heads) < 0 or max(heads) >= attention.num_heads:
        raise ValueError(f"heads must be from 0 to {attention.num_heads - 1}")
    ablated = copy.deepcopy(attention)
    width = ablated.W_O.weight.shape[1] // ablated.num_heads
    for h in heads:
        ablated.W_O.weight.data[:, h * width : (h + 1) * width] = 0
    return ablated


# %% wrong: values without their matrix, but with their bias
# The head's rows of W_V.weight are set to zero. Its values are then all W_V's bias, and W_O still reads that. Shows wherever
# that part of the bias is not zero.

def ablate_heads(attention: MultiHeadAttention, heads: Iterable[int]) -> MultiHeadAttention:
    ablated = copy.deepcopy(attention)
    d_head = ablated.W_V.out_features // ablated.num_heads
    with torch.no_grad():
        for h in heads:
            if h < 0 or h >= ablated.num_heads:
                raise ValueError(f"no head {h}: there are {ablated.num_heads}")
            ablated.W_V.weight[h * d_head : (h + 1) * d_head].zero_()
    return ablated


# %% wrong: every H-th column
# Head h is taken to have the features h, h + H, h + 2H ... of the merged vector; it has d of them in one block. Parts of
# several heads are switched off wherever H and d are both above 1.

def ablate_heads(attention: MultiHeadAttention, heads: Iterable[int]) -> MultiHeadAttention:
    ablated = copy.deepcopy(attention)
    H = attention.num_heads
    for h in heads:
        if h not in range(H):
            raise ValueError(f"head {h} of {H}")
        with torch.no_grad():
            ablated.W_O.weight[:, h::H] = 0.0
    return ablated


# %% correct: values of zero

def ablate_heads(attention: MultiHeadAttention, heads: Iterable[int]) -> MultiHeadAttention:
    ablated = copy.deepcopy(attention)
    H = ablated.num_heads
    with torch.no_grad():
        weight = ablated.W_V.weight.view(H, -1, ablated.W_V.weight.shape[1])
        bias = ablated.W_V.bias.view(H, -1)
        for h in heads:
            if not 0 <= h < H:
                raise ValueError(f"there is no head {h}, only 0 to {H - 1}")
            weight[h] = 0.0
            bias[h] = 0.0
    return ablated


# %% correct: W_O times a row of ones and zeros

def ablate_heads(attention: MultiHeadAttention, heads: Iterable[int]) -> MultiHeadAttention:
    H = attention.num_heads
    off = set(heads)
    if not off <= set(range(H)):
        raise ValueError(f"unknown heads: {sorted(off - set(range(H)))}")
    ablated = copy.deepcopy(attention)
    old = ablated.W_O.weight
    d = old.shape[1] // H
    keeps = [column // d not in off for column in range(old.shape[1])]
    keeps = torch.tensor(keeps, device=old.device)
    with torch.no_grad():
        old.copy_(torch.where(keeps, old, torch.zeros_like(old)))
    return ablated
