# %% wrong: rows of W_O instead of columns
# W_O.weight is (out, in), and a head's features go in: its part are columns. Zeroing rows switches output features off,
# and the head's contribution stays. Shows for every head.

def ablate_heads(attention: MultiHeadAttention, heads: Iterable[int]) -> MultiHeadAttention:
    changed = copy.deepcopy(attention)
    d_head = changed.W_O.weight.shape[0] // changed.num_heads
    with torch.no_grad():
        for h in heads:
            if not 0 <= h < changed.num_heads:
                raise ValueError(f"no head {h} among {changed.num_heads}")
            changed.W_O.weight[h * d_head : (h + 1) * d_head] = 0.0
    return changed


# %% wrong: a shallow copy
# copy.copy makes a new module around the same W_O: the given attention loses its heads too, for any head that is
# switched off.

def ablate_heads(attention: MultiHeadAttention, heads: Iterable[int]) -> MultiHeadAttention:
    heads = list(heads)
    if any(h < 0 or h >= attention.num_heads for h in heads):
        raise ValueError(f"heads are numbered 0 to {attention.num_heads - 1}, got {heads}")
    ablated = copy.copy(attention)
    d_head = ablated.W_O.in_features // ablated.num_heads
    with torch.no_grad():
        for h in heads:
            ablated.W_O.weight[:, h * d_head : (h + 1) * d_head] = 0
    return ablated


# %% wrong: values without their weights but with their bias
# The rows of W_V are zeroed and W_V.bias is forgotten: the head still adds its bias through W_O at each position that
# may attend to something. Shows wherever that part of the bias is not zero, as nn.Linear begins.

def ablate_heads(attention: MultiHeadAttention, heads: Iterable[int]) -> MultiHeadAttention:
    silent = copy.deepcopy(attention)
    d = len(silent.W_V.weight) // silent.num_heads
    for h in heads:
        if h not in range(silent.num_heads):
            raise ValueError(f"no head {h}")
        silent.W_V.weight.data[h * d : (h + 1) * d].zero_()
    return silent


# %% wrong: the iterable is used up by the check
# `heads` is gone through twice. A generator, a map or an iterator is empty after the check, and nothing is switched
# off; a list or a range works.

def ablate_heads(attention: MultiHeadAttention, heads: Iterable[int]) -> MultiHeadAttention:
    for h in heads:
        if h < 0 or h >= attention.num_heads:
            raise ValueError(f"head {h} does not exist: there are {attention.num_heads}")
    result = copy.deepcopy(attention)
    width = result.W_O.weight.shape[1] // result.num_heads
    with torch.no_grad():
        for h in heads:
            result.W_O.weight[:, h * width : (h + 1) * width].zero_()
    return result


# %% correct: silent values

def ablate_heads(attention: MultiHeadAttention, heads: Iterable[int]) -> MultiHeadAttention:
    off = {int(h) for h in heads}
    unknown = off.difference(range(attention.num_heads))
    if unknown:
        raise ValueError(f"there are {attention.num_heads} heads, and no {sorted(unknown)}")
    ablated = copy.deepcopy(attention)
    with torch.no_grad():
        for numbers in (ablated.W_V.weight, ablated.W_V.bias):
            by_head = numbers.view(ablated.num_heads, -1)  # a head's rows lie one after the other
            for h in off:
                by_head[h].zero_()
    return ablated


# %% correct: W_O times a row of ones and zeros

def ablate_heads(attention: MultiHeadAttention, heads: Iterable[int]) -> MultiHeadAttention:
    stays = [True] * attention.num_heads
    for h in heads:
        if h < 0 or h >= len(stays):
            raise ValueError(f"num_heads is {len(stays)}: no head {h}")
        stays[h] = False
    old = attention.W_O
    width = old.in_features // attention.num_heads
    keep = torch.tensor(stays, device=old.weight.device).repeat_interleave(width)  # (D,)
    new = copy.deepcopy(attention)
    parameters = new.state_dict()
    parameters["W_O.weight"] = torch.where(keep, old.weight.detach(), torch.zeros_like(old.weight))
    new.load_state_dict(parameters)
    return new
