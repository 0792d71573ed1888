# %% wrong: a shallow copy
# copy.copy makes a new module around the same four maps, so W_O of the attention that was given loses the
# head's columns too. Shows for every head that is switched off: the given attention's output changes.

def ablate_heads(attention: MultiHeadAttention, heads: Iterable[int]) -> MultiHeadAttention:
    changed = copy.copy(attention)
    d = attention.W_O.in_features // attention.num_heads
    with torch.no_grad():
        for h in heads:
            if not 0 <= h < attention.num_heads:
                raise ValueError(f"no head {h}")
            changed.W_O.weight[:, h * d : (h + 1) * d] = 0.0
    return changed


# %% wrong: the bias of the values stays
# Sets the head's rows of W_V to zero and forgets its part of W_V's bias: the head still adds that, times the
# sum of its weights. Shows wherever the bias is not zero.

def ablate_heads(attention: MultiHeadAttention, heads: Iterable[int]) -> MultiHeadAttention:
    heads = list(heads)
    if any(h < 0 or h >= attention.num_heads for h in heads):
        raise ValueError(f"heads must be from 0 to {attention.num_heads - 1}")
    ablated = copy.deepcopy(attention)
    width = ablated.W_V.out_features // ablated.num_heads
    for h in heads:
        ablated.W_V.weight.data[h * width : (h + 1) * width] = 0
    return ablated


# %% wrong: the heads gone through twice
# The check reads `heads` and uses it up: where it is an iterator, as from a generator expression or map, the
# second loop finds nothing and no head is switched off. Right for lists.

def ablate_heads(attention: MultiHeadAttention, heads: Iterable[int]) -> MultiHeadAttention:
    for head in heads:
        if head not in range(attention.num_heads):
            raise ValueError(f"this attention has no head {head}")
    silent = copy.deepcopy(attention)
    d_head = silent.W_O.weight.shape[1] // silent.num_heads
    with torch.no_grad():
        for head in heads:
            silent.W_O.weight[:, head * d_head : (head + 1) * d_head].zero_()
    return silent


# %% wrong: counted from the end
# Asks only whether a head's number is too large. Head -1 raises no ValueError: viewed as (D, H, d), the
# columns of the last head are set to zero.

def ablate_heads(attention: MultiHeadAttention, heads: Iterable[int]) -> MultiHeadAttention:
    result = copy.deepcopy(attention)
    H = attention.num_heads
    with torch.no_grad():
        columns = result.W_O.weight.view(-1, H, result.W_O.weight.shape[1] // H)
        for h in heads:
            if h >= H:
                raise ValueError(f"head {h} of {H}")
            columns[:, h] = 0
    return result


# %% correct: heads that find nothing

def ablate_heads(attention: MultiHeadAttention, heads: Iterable[int]) -> MultiHeadAttention:
    off = {int(h) for h in heads}
    unknown = off - set(range(attention.num_heads))
    if unknown:
        raise ValueError(f"the heads are 0 to {attention.num_heads - 1}, not {sorted(unknown)}")
    found = copy.deepcopy(attention)
    silent = torch.tensor([h in off for h in range(found.num_heads)], device=found.W_V.weight.device)
    rows = silent.repeat_interleave(found.W_V.out_features // found.num_heads)
    with torch.no_grad():  # values that are zero, weight and bias, are zero in every mean
        found.W_V.weight.masked_fill_(rows.unsqueeze(1), 0.0)
        found.W_V.bias.masked_fill_(rows, 0.0)
    return found


# %% correct: W_O put together from the heads that stay

def ablate_heads(attention: MultiHeadAttention, heads: Iterable[int]) -> MultiHeadAttention:
    stays = [True] * attention.num_heads
    for h in heads:
        if h < 0 or h >= len(stays):
            raise ValueError(f"head {h} of {len(stays)} heads")
        stays[h] = False
    state = {name: tensor.detach().clone() for name, tensor in attention.state_dict().items()}
    parts = state["W_O.weight"].chunk(len(stays), dim=1)
    state["W_O.weight"] = torch.cat(
        [part if stay else torch.zeros_like(part) for part, stay in zip(parts, stays, strict=True)], dim=1
    )
    twin = copy.deepcopy(attention)
    twin.load_state_dict(state)
    return twin
