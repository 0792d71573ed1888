# %% wrong: the bias of the values goes on
# The rows of W_V's weight are set to zero and its bias is forgotten: the head still adds its bias, times its part of W_O,
# to every output.

def ablate_heads(attention: MultiHeadAttention, heads: Iterable[int]) -> MultiHeadAttention:
    changed = copy.deepcopy(attention)
    d = attention.W_V.out_features // attention.num_heads
    with torch.no_grad():
        for h in heads:
            if not 0 <= h < attention.num_heads:
                raise ValueError(f"there is no head {h}")
            changed.W_V.weight[h * d : (h + 1) * d] = 0
    return changed


# %% wrong: a shallow copy
# copy.copy makes a new module around the same parameters: what is set to zero in the copy is zero in the attention that
# was given too.

def ablate_heads(attention: MultiHeadAttention, heads: Iterable[int]) -> MultiHeadAttention:
    heads = list(heads)
    if any(h not in range(attention.num_heads) for h in heads):
        raise ValueError("no such head")
    ablated = copy.copy(attention)
    d = ablated.W_O.in_features // ablated.num_heads
    for h in heads:
        ablated.W_O.weight.data[:, h * d : (h + 1) * d] = 0.0
    return ablated


# %% wrong: negative numbers pass
# Only numbers that are too large are refused: head -1, which the attention does not have, switches off nothing or, as an
# index from the end, another head.

def ablate_heads(attention: MultiHeadAttention, heads: Iterable[int]) -> MultiHeadAttention:
    ablated = copy.deepcopy(attention)
    H = attention.num_heads
    with torch.no_grad():
        columns = ablated.W_O.weight.view(ablated.W_O.out_features, H, -1)  # (D, H, d)
        for h in heads:
            if h >= H:
                raise ValueError(f"head {h} of {H}")
            columns[:, h] = 0
    return ablated


# %% wrong: the heads are gone through twice
# The test for unknown heads uses up the iterable: with a list all is well, with a generator nothing is left for the loop,
# and no head is switched off.

def ablate_heads(attention: MultiHeadAttention, heads: Iterable[int]) -> MultiHeadAttention:
    if not all(0 <= h < attention.num_heads for h in heads):
        raise ValueError(f"heads go from 0 to {attention.num_heads - 1}")
    ablated = copy.deepcopy(attention)
    width = ablated.W_O.in_features // ablated.num_heads
    with torch.no_grad():
        for h in heads:
            ablated.W_O.weight[:, h * width : (h + 1) * width].zero_()
    return ablated


# %% wrong: all that belongs to the head is set to zero
# Besides the values the head's queries and keys are zeroed too: it adds nothing, but its weights are now all alike, and
# the weights of all heads should be as before.

def ablate_heads(attention: MultiHeadAttention, heads: Iterable[int]) -> MultiHeadAttention:
    ablated = copy.deepcopy(attention)
    d = attention.W_Q.out_features // attention.num_heads
    for h in heads:
        if h < 0 or h >= attention.num_heads:
            raise ValueError(f"the attention has no head {h}")
        own = slice(h * d, (h + 1) * d)
        for linear in (ablated.W_Q, ablated.W_K, ablated.W_V):
            linear.weight.data[own] = 0
            linear.bias.data[own] = 0
    return ablated


# %% correct: values that are zero, bias included

def ablate_heads(attention: MultiHeadAttention, heads: Iterable[int]) -> MultiHeadAttention:
    silent = set()
    for h in heads:
        if h < 0 or h >= attention.num_heads:
            raise ValueError(f"head {h} is not one of {attention.num_heads}")
        silent.add(int(h))
    twin = copy.deepcopy(attention)
    size = twin.W_V.out_features // twin.num_heads
    with torch.no_grad():
        for feature in range(twin.W_V.out_features):
            if feature // size in silent:
                twin.W_V.weight[feature].fill_(0.0)
                twin.W_V.bias[feature].fill_(0.0)
    return twin


# %% correct: columns kept by a factor of one or zero

def _checked(heads: Iterable[int], number: int) -> list[int]:
    found = [int(h) for h in heads]
    unknown = sorted(set(found) - set(range(number)))
    if unknown:
        raise ValueError(f"no heads {unknown} among {number}")
    return found


def ablate_heads(attention: MultiHeadAttention, heads: Iterable[int]) -> MultiHeadAttention:
    off = _checked(heads, attention.num_heads)
    keep = [0.0 if h in off else 1.0 for h in range(attention.num_heads)]
    before = attention.W_O.weight
    factor = torch.tensor(keep, dtype=before.dtype, device=before.device)
    factor = factor.repeat_interleave(before.shape[1] // attention.num_heads)
    result = copy.deepcopy(attention)
    result.W_O.weight = nn.Parameter(before.detach() * factor, requires_grad=before.requires_grad)
    return result
