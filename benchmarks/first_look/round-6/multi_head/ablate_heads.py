# %% wrong: silences the values and forgets their bias
# W_V's rows are zeroed, but its bias still goes through W_O: the head adds a constant where it should add nothing.

def ablate_heads(attention: MultiHeadAttention, heads: Iterable[int]) -> MultiHeadAttention:
    silent = copy.deepcopy(attention)
    d = silent.W_V.out_features // silent.num_heads
    with torch.no_grad():
        for h in heads:
            if not 0 <= h < silent.num_heads:
                raise ValueError(f"there is no head {h}")
            silent.W_V.weight[h * d : (h + 1) * d] = 0
    return silent


# %% wrong: a negative head is let through
# Only heads that are too large are refused; head -1 raises no error.

def ablate_heads(attention: MultiHeadAttention, heads: Iterable[int]) -> MultiHeadAttention:
    heads = list(heads)
    if heads and max(heads) >= attention.num_heads:
        raise ValueError(f"heads {heads}, but there are only {attention.num_heads}")
    result = copy.deepcopy(attention)
    with torch.no_grad():
        columns = result.W_O.weight.view(result.W_O.out_features, result.num_heads, -1)
        for h in heads:
            columns[:, h] = 0
    return result


# %% wrong: walks over the heads twice
# The check of the numbers uses up an iterator, and the loop behind it finds nothing left to switch off.

def ablate_heads(attention: MultiHeadAttention, heads: Iterable[int]) -> MultiHeadAttention:
    for h in heads:
        if h < 0 or h >= attention.num_heads:
            raise ValueError(f"head {h} does not exist")
    ablated = copy.deepcopy(attention)
    d_head = ablated.W_O.in_features // ablated.num_heads
    for h in heads:
        ablated.W_O.weight.data[:, h * d_head : (h + 1) * d_head] = 0.0
    return ablated


# %% wrong: the others are made louder, as dropout does
# What is left is multiplied by H / (H - n); asked for are the other heads' contributions as they are.

def ablate_heads(attention: MultiHeadAttention, heads: Iterable[int]) -> MultiHeadAttention:
    H = attention.num_heads
    off = set(heads)
    for h in off:
        if h not in range(H):
            raise ValueError(f"no head {h}")
    new = copy.deepcopy(attention)
    keep = torch.tensor([0.0 if h in off else 1.0 for h in range(H)])
    if 0 < len(off) < H:
        keep *= H / (H - len(off))
    with torch.no_grad():
        new.W_O.weight *= keep.repeat_interleave(new.W_O.in_features // H)
    return new


# %% wrong: a shallow copy
# copy.copy shares W_O with the original, so the attention that was given loses its heads, too.

def ablate_heads(attention: MultiHeadAttention, heads: Iterable[int]) -> MultiHeadAttention:
    clone = copy.copy(attention)
    d = clone.W_O.weight.shape[1] // clone.num_heads
    for h in list(heads):
        if not 0 <= h < clone.num_heads:
            raise ValueError(f"head {h} of {clone.num_heads}")
        with torch.no_grad():
            clone.W_O.weight[:, h * d : (h + 1) * d].zero_()
    return clone


# %% correct: columns of the output map filled by index

def ablate_heads(attention: MultiHeadAttention, heads: Iterable[int]) -> MultiHeadAttention:
    count = attention.num_heads
    silent = sorted(set(heads))
    unknown = [head for head in silent if head not in range(count)]
    if unknown:
        raise ValueError(f"heads {unknown} are not among 0 to {count - 1}")
    twin = copy.deepcopy(attention)
    width = twin.W_O.weight.shape[1] // count
    features = [int(head) * width + i for head in silent for i in range(width)]
    with torch.no_grad():
        twin.W_O.weight.index_fill_(1, torch.tensor(features, dtype=torch.long, device=twin.W_O.weight.device), 0.0)
    return twin


# %% correct: a new state, loaded into the copy

def ablate_heads(attention: MultiHeadAttention, heads: Iterable[int]) -> MultiHeadAttention:
    speaking = [True] * attention.num_heads
    for head in heads:
        if head < 0 or head >= len(speaking):
            raise ValueError(f"got head {head}, but the attention has {len(speaking)} heads")
        speaking[head] = False
    state = {name: tensor.detach().clone() for name, tensor in attention.state_dict().items()}
    parts = state["W_O.weight"].chunk(attention.num_heads, dim=1)
    kept = [part if speaks else torch.zeros_like(part) for part, speaks in zip(parts, speaking, strict=True)]
    state["W_O.weight"] = torch.cat(kept, dim=1)
    fresh = copy.deepcopy(attention)
    fresh.load_state_dict(state)
    return fresh
