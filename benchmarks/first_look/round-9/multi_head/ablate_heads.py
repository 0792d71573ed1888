# %% wrong: a shallow copy
# copy.copy shares the modules with the original, so that W_O of the given attention is overwritten too.
# Shows for every head that is switched off: the original's output changes.

def ablate_heads(attention: MultiHeadAttention, heads: Iterable[int]) -> MultiHeadAttention:
    new = copy.copy(attention)
    H = attention.num_heads
    d = attention.W_O.in_features // H
    for h in heads:
        if not 0 <= h < H:
            raise ValueError(f"there is no head {h}")
        with torch.no_grad():
            new.W_O.weight[:, h * d : (h + 1) * d] = 0
    return new


# %% wrong: heads is read twice
# The check goes through heads once, and the loop once more. From a generator nothing is left the second time.
# Shows for heads = (h for h in [0, 1]): no head is switched off.

def ablate_heads(attention: MultiHeadAttention, heads: Iterable[int]) -> MultiHeadAttention:
    H = attention.num_heads
    if any(h < 0 or h >= H for h in heads):
        raise ValueError(f"heads are numbered from 0 to {H - 1}")
    ablated = copy.deepcopy(attention)
    d = ablated.W_O.weight.shape[1] // H
    with torch.no_grad():
        for h in heads:
            ablated.W_O.weight[:, h * d : (h + 1) * d].zero_()
    return ablated


# %% wrong: head -1 passes
# Only numbers that are too large are refused. For heads = [-1] no ValueError is raised: the slice from -d to 0 is
# empty, and the copy is the whole attention.

def ablate_heads(attention: MultiHeadAttention, heads: Iterable[int]) -> MultiHeadAttention:
    result = copy.deepcopy(attention)
    d_head = result.W_O.in_features // result.num_heads
    for head in heads:
        if head >= result.num_heads:
            raise ValueError(f"head {head} does not exist, there are {result.num_heads}")
        result.W_O.weight.data[:, head * d_head : (head + 1) * d_head] = 0.0
    return result


# %% wrong: the values' matrix without their bias
# The head's rows of W_V are zero, but its part of W_V's bias still passes through W_O.
# Shows where W_V's bias is not zero, as nn.Linear makes it: the head still adds a constant.

def ablate_heads(attention: MultiHeadAttention, heads: Iterable[int]) -> MultiHeadAttention:
    off = copy.deepcopy(attention)
    d = off.W_V.out_features // off.num_heads
    for h in heads:
        if h not in range(off.num_heads):
            raise ValueError(f"no head {h}")
        with torch.no_grad():
            off.W_V.weight[h * d : (h + 1) * d, :] = 0  # no values, nothing to add
    return off


# %% correct: heads with nothing to say

def ablate_heads(attention: MultiHeadAttention, heads: Iterable[int]) -> MultiHeadAttention:
    silent = set(heads)
    strangers = silent.difference(range(attention.num_heads))
    if strangers:
        raise ValueError(f"there are {attention.num_heads} heads, asked for {sorted(strangers)}")
    twin = copy.deepcopy(attention)
    with torch.no_grad():
        matrices = twin.W_V.weight.chunk(twin.num_heads)  # views: the rows and the bias of each head's values
        biases = twin.W_V.bias.chunk(twin.num_heads)
        for h in silent:
            matrices[h].zero_()
            biases[h].zero_()
    return twin


# %% correct: the columns picked by the head they belong to

def ablate_heads(attention: MultiHeadAttention, heads: Iterable[int]) -> MultiHeadAttention:
    keep = [True] * attention.num_heads
    for h in heads:
        if h < 0 or h >= len(keep):
            raise ValueError(f"no head {h} among {len(keep)}")
        keep[h] = False
    changed = copy.deepcopy(attention)
    old = changed.W_O.weight
    owner = torch.arange(old.shape[1], device=old.device) * attention.num_heads // old.shape[1]
    column = torch.tensor(keep, device=old.device)[owner]  # (D,)
    new = torch.where(column, old.detach(), torch.zeros_like(old))
    changed.W_O.weight = nn.Parameter(new, requires_grad=old.requires_grad)
    return changed
