# %% wrong: rows of W_O instead of columns
# The rows of W_O.weight are what it gives, its columns what it reads. With the rows at zero some features of the output
# are missing, and every head still adds to the others.
# Hint: nn.Linear computes x @ weight.T. Which axis of weight meets the merged heads?

def ablate_heads(attention: MultiHeadAttention, heads: Iterable[int]) -> MultiHeadAttention:
    changed = copy.deepcopy(attention)
    d_head = changed.W_O.in_features // changed.num_heads
    for h in heads:
        if not 0 <= h < changed.num_heads:
            raise ValueError(f"no head {h}: there are {changed.num_heads}")
        with torch.no_grad():
            changed.W_O.weight[h * d_head : (h + 1) * d_head] = 0
    return changed


# %% wrong: a shallow copy
# copy.copy makes a new module around the same parameters, so the attention that was given loses the heads as well.
# Hint: compare the given attention's W_O.weight before and after the call.

def ablate_heads(attention: MultiHeadAttention, heads: Iterable[int]) -> MultiHeadAttention:
    heads = list(heads)
    if any(h < 0 or h >= attention.num_heads for h in heads):
        raise ValueError(f"heads are numbered from 0 to {attention.num_heads - 1}")
    ablated = copy.copy(attention)
    d = ablated.W_O.weight.shape[1] // ablated.num_heads
    with torch.no_grad():
        for h in heads:
            ablated.W_O.weight[:, h * d : (h + 1) * d].zero_()
    return ablated


# %% wrong: the values' weights at zero, and their bias left
# A head without W_V's rows still has W_V's bias for every value, and adds it through W_O at every position. A new layer of
# torch's attention has biases of zero, and hides it; nn.Linear's and trained ones have not.
# Hint: switch off all heads, and compare the output with W_O's bias.

def ablate_heads(attention: MultiHeadAttention, heads: Iterable[int]) -> MultiHeadAttention:
    off = copy.deepcopy(attention)
    width = off.W_V.out_features // off.num_heads
    with torch.no_grad():
        for head in heads:
            if head not in range(off.num_heads):
                raise ValueError(f"this attention has {off.num_heads} heads, and no head {head}")
            off.W_V.weight[head * width : (head + 1) * width, :] = 0.0
    return off


# %% wrong: negative numbers accepted
# Only numbers that are too large are refused. Head -1 gives the slice from -d to 0, which is empty: nothing is switched
# off and nothing is said.
# Hint: heads are numbers from 0. Try ablate_heads(attention, [-1]).

def ablate_heads(attention: MultiHeadAttention, heads: Iterable[int]) -> MultiHeadAttention:
    result = copy.deepcopy(attention)
    d_head = result.W_O.in_features // result.num_heads
    with torch.no_grad():
        for h in heads:
            if h >= result.num_heads:
                raise ValueError(f"head {h} of {result.num_heads}")
            result.W_O.weight[:, h * d_head : (h + 1) * d_head] = 0
    return result


# %% wrong: heads gone through twice
# The check uses the iterable up. With a list both loops run; with a generator, or map, or iter, the second finds nothing
# and no head is switched off.
# Hint: the argument is an Iterable. Call it with iter([0]), and think of what the first loop leaves.

def ablate_heads(attention: MultiHeadAttention, heads: Iterable[int]) -> MultiHeadAttention:
    if not all(0 <= h < attention.num_heads for h in heads):
        raise ValueError("no such head")
    changed = copy.deepcopy(attention)
    d_head = changed.W_O.in_features // changed.num_heads
    for h in heads:
        changed.W_O.weight.data[:, h * d_head : (h + 1) * d_head] = 0
    return changed


# %% correct: a mask over W_O's columns

def ablate_heads(attention: MultiHeadAttention, heads: Iterable[int]) -> MultiHeadAttention:
    silent = [False] * attention.num_heads
    for head in heads:
        if head < 0 or head >= attention.num_heads:
            raise ValueError(f"head {head}: this attention has the heads 0 to {attention.num_heads - 1}")
        silent[head] = True
    ablated = copy.deepcopy(attention)
    weight = ablated.W_O.weight
    columns = torch.tensor(silent, device=weight.device).repeat_interleave(weight.shape[1] // ablated.num_heads)
    with torch.no_grad():
        weight.masked_fill_(columns, 0.0)
    return ablated


# %% correct: a hook that silences the heads in front of W_O

def ablate_heads(attention: MultiHeadAttention, heads: Iterable[int]) -> MultiHeadAttention:
    num_heads = attention.num_heads
    off = frozenset(int(head) for head in heads)
    unknown = off - frozenset(range(num_heads))
    if unknown:
        raise ValueError(f"no heads {sorted(unknown)} among {num_heads}")

    def silence(W_O: nn.Module, arguments: tuple) -> tuple:
        merged = arguments[0].clone()
        by_head = merged.unflatten(-1, (num_heads, -1))
        for head in off:
            by_head[..., head, :] = 0
        return (merged,)

    ablated = copy.deepcopy(attention)
    ablated.W_O.register_forward_pre_hook(silence)
    return ablated
