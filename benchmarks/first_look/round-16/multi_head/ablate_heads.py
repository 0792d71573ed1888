# %% wrong: values without their bias
# The head's rows of W_V.weight are set to zero, but those of W_V.bias stay: as its weights sum to one, the head still
# adds its bias, through W_O, to every output. Shows wherever that part of W_V.bias is not zero.

def ablate_heads(attention: MultiHeadAttention, heads: Iterable[int]) -> MultiHeadAttention:
    ablated = copy.deepcopy(attention)
    d = ablated.W_V.weight.shape[0] // ablated.num_heads
    for head in heads:
        if not 0 <= head < ablated.num_heads:
            raise ValueError(f"no head {head}")
        with torch.no_grad():
            ablated.W_V.weight[head * d : (head + 1) * d] = 0
    return ablated


# %% wrong: built anew as a MultiHeadAttention
# The numbers are loaded into a fresh MultiHeadAttention. An attention of another class with the same four maps (one
# that scales its scores otherwise, say) loses its own forward, and so does its training mode.

def ablate_heads(attention: MultiHeadAttention, heads: Iterable[int]) -> MultiHeadAttention:
    d_model = attention.W_Q.weight.shape[0]
    ablated = MultiHeadAttention(d_model, attention.num_heads)
    ablated.load_state_dict(attention.state_dict())
    d_head = d_model // attention.num_heads
    for head in heads:
        if head < 0 or head >= attention.num_heads:
            raise ValueError(f"there is no head {head}")
        ablated.W_O.weight.data[:, head * d_head : (head + 1) * d_head] = 0.0
    return ablated


# %% wrong: a shallow copy with a W_O of its own
# copy.copy shares the dictionary of submodules with the original, so the new W_O is the original's too: the attention
# that was given loses its heads as well. Shows for every head.

def ablate_heads(attention: MultiHeadAttention, heads: Iterable[int]) -> MultiHeadAttention:
    heads = list(heads)
    if any(head not in range(attention.num_heads) for head in heads):
        raise ValueError("no such head")
    ablated = copy.copy(attention)
    ablated.W_O = copy.deepcopy(attention.W_O)  # the only part that changes
    d = ablated.W_O.in_features // attention.num_heads
    with torch.no_grad():
        for head in heads:
            ablated.W_O.weight[:, head * d : (head + 1) * d] = 0
    return ablated


# %% wrong: the smallest and the largest of no heads
# heads may be empty, and min() of an empty list raises a ValueError of its own, where a plain copy is asked for.
# Shows for heads = [].

def ablate_heads(attention: MultiHeadAttention, heads: Iterable[int]) -> MultiHeadAttention:
    heads = sorted(heads)
    if min(heads) < 0 or max(heads) >= attention.num_heads:
        raise ValueError(f"heads run from 0 to {attention.num_heads - 1}")
    ablated = copy.deepcopy(attention)
    d_head = ablated.W_O.weight.shape[1] // ablated.num_heads
    with torch.no_grad():
        for h in heads:
            ablated.W_O.weight[:, h * d_head : (h + 1) * d_head].zero_()
    return ablated


# %% correct: columns multiplied by one or zero

def ablate_heads(attention: MultiHeadAttention, heads: Iterable[int]) -> MultiHeadAttention:
    H = attention.num_heads
    off = set(heads)
    if off - set(range(H)):
        raise ValueError(f"heads {sorted(off - set(range(H)))} do not exist")
    ablated = copy.deepcopy(attention)
    old = ablated.W_O.weight
    keep = torch.tensor([h not in off for h in range(H)], device=old.device)
    keep = keep.repeat_interleave(old.shape[1] // H)
    new = torch.where(keep, old.detach(), torch.zeros_like(old))
    ablated.W_O.weight = nn.Parameter(new, requires_grad=old.requires_grad)
    return ablated


# %% correct: by way of the state, column after column

def ablate_heads(attention: MultiHeadAttention, heads: Iterable[int]) -> MultiHeadAttention:
    ablated = copy.deepcopy(attention)
    state = {name: tensor.clone() for name, tensor in ablated.state_dict().items()}
    columns = state["W_O.weight"].T  # a view: row f is what feature f of the merged heads adds
    d = len(columns) // attention.num_heads
    for head in heads:
        if head < 0 or head >= attention.num_heads:
            raise ValueError(f"no head {head} among {attention.num_heads}")
        for feature in range(d):
            columns[head * d + feature].fill_(0)
    ablated.load_state_dict(state)
    return ablated
