# %% wrong: the value map's rows are zeroed, its bias is not
# Without its rows of W_V.weight a head's values are all its part of W_V.bias. The weights sum to one, so that bias goes on through W_O, and the
# head still adds a constant vector wherever the bias is not zero.

def ablate_heads(attention: MultiHeadAttention, heads: Iterable[int]) -> MultiHeadAttention:
    changed = copy.deepcopy(attention)
    d = changed.W_V.weight.shape[0] // changed.num_heads
    with torch.no_grad():
        for h in heads:
            if not 0 <= h < changed.num_heads:
                raise ValueError(f"there is no head {h}")
            changed.W_V.weight[h * d : (h + 1) * d] = 0
    return changed


# %% wrong: checked first, and the generator is then empty
# The loop that looks for wrong numbers reads a generator to its end, so that no head is left for the second loop. With a list nothing shows.

def ablate_heads(attention: MultiHeadAttention, heads: Iterable[int]) -> MultiHeadAttention:
    if any(h < 0 or h >= attention.num_heads for h in heads):
        raise ValueError(f"heads are numbered from 0 to {attention.num_heads - 1}")
    without = copy.deepcopy(attention)
    width = without.W_O.in_features // without.num_heads
    with torch.no_grad():
        for h in heads:
            without.W_O.weight[:, h * width : (h + 1) * width].zero_()
    return without


# %% wrong: built anew instead of copied
# A module of another class with the same four maps comes back as a MultiHeadAttention, and one in float64 or in evaluation mode as one in float32
# and in training mode.

def ablate_heads(attention: MultiHeadAttention, heads: Iterable[int]) -> MultiHeadAttention:
    d_model = attention.W_O.weight.shape[0]
    result = MultiHeadAttention(d_model, attention.num_heads)
    result.load_state_dict(attention.state_dict())
    d_head = d_model // attention.num_heads
    for h in heads:
        if h < 0 or h >= attention.num_heads:
            raise ValueError(f"no head {h} in {attention.num_heads}")
        result.W_O.weight.data[:, h * d_head : (h + 1) * d_head] = 0.0
    return result


# %% wrong: negative numbers count from the end
# A number that is too large is refused, a negative one is not: -1 silently switches off nothing (an empty slice), -2 the last head but one, where a
# ValueError is due.

def ablate_heads(attention: MultiHeadAttention, heads: Iterable[int]) -> MultiHeadAttention:
    copied = copy.deepcopy(attention)
    d = copied.W_O.weight.shape[1] // copied.num_heads
    for h in heads:
        if h >= copied.num_heads:
            raise ValueError(f"head {h} of {copied.num_heads}")
        with torch.no_grad():
            copied.W_O.weight[:, h * d : (h + 1) * d] = 0
    return copied


# %% correct: the head's values are zero, bias and all

def ablate_heads(attention: MultiHeadAttention, heads: Iterable[int]) -> MultiHeadAttention:
    chosen = set(heads)
    unknown = chosen - set(range(attention.num_heads))
    if unknown:
        raise ValueError(f"no heads {sorted(unknown)} among {attention.num_heads}")
    silent = copy.deepcopy(attention)
    with torch.no_grad():
        rows = silent.W_V.weight.view(attention.num_heads, -1, silent.W_V.in_features)
        for h in chosen:
            rows[h].zero_()
            if silent.W_V.bias is not None:
                silent.W_V.bias.view(attention.num_heads, -1)[h].zero_()
    return silent


# %% correct: the columns of W_O times ones and zeros

def ablate_heads(attention: MultiHeadAttention, heads: Iterable[int]) -> MultiHeadAttention:
    matrix = attention.W_O.weight.detach()
    stays = [1.0] * attention.num_heads
    for h in heads:
        if h not in range(attention.num_heads):
            raise ValueError(f"no head {h}")
        stays[h] = 0.0
    columns = torch.tensor(stays, dtype=matrix.dtype, device=matrix.device)
    columns = columns.repeat_interleave(matrix.shape[1] // attention.num_heads)
    result = copy.deepcopy(attention)
    with torch.no_grad():
        result.W_O.weight.copy_(torch.where(columns > 0, matrix, 0.0))
    return result
