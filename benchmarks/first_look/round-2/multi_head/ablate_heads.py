# %% wrong: the iterator is used up by the check
# any(...) over heads runs through it once; a generator is empty afterwards and no head is switched off, without an error. With a list it works. A good message: "heads=iter([1]): the output is that of the whole attention".

def ablate_heads(attention: MultiHeadAttention, heads: Iterable[int]) -> MultiHeadAttention:
    if any(not 0 <= head < attention.num_heads for head in heads):
        raise ValueError("no such head")
    ablated = copy.deepcopy(attention)
    d = ablated.W_O.in_features // ablated.num_heads
    with torch.no_grad():
        for head in heads:
            ablated.W_O.weight[:, head * d : (head + 1) * d] = 0
    return ablated

# %% wrong: silent values with a bias
# The head's rows of W_V's weight are zeroed, its part of W_V's bias is not: the head still adds a constant vector. With fresh biases of zero nothing would show. A good message: "the head still adds W_O's columns times W_V's bias".

def ablate_heads(attention: MultiHeadAttention, heads: Iterable[int]) -> MultiHeadAttention:
    heads = list(heads)
    ablated = copy.deepcopy(attention)
    d = attention.W_V.out_features // attention.num_heads
    for h in heads:
        if h not in range(attention.num_heads):
            raise ValueError(f"head {h}?")
        ablated.W_V.weight.data[h * d : (h + 1) * d].zero_()
    return ablated

# %% wrong: a shallow copy, and -1 counts from the end
# copy.copy shares the maps, so the given attention loses its heads too; and a negative number is taken for the last head instead of raising. A good message: "the attention that was given has changed".

def ablate_heads(attention: MultiHeadAttention, heads: Iterable[int]) -> MultiHeadAttention:
    ablated = copy.copy(attention)
    H = attention.num_heads
    with torch.no_grad():
        blocks = ablated.W_O.weight.view(ablated.W_O.out_features, H, -1)
        for head in heads:
            if head >= H:
                raise ValueError(f"there are only {H} heads")
            blocks[:, head] = 0
    return ablated

# %% correct: a new W_O weight, times what is kept

def ablate_heads(attention: MultiHeadAttention, heads: Iterable[int]) -> MultiHeadAttention:
    off = set(heads)
    unknown = off - set(range(attention.num_heads))
    if unknown:
        raise ValueError(f"no heads {sorted(unknown)} among {attention.num_heads}")
    ablated = copy.deepcopy(attention)
    weight = ablated.W_O.weight
    keep = torch.tensor([float(h not in off) for h in range(attention.num_heads)]).to(weight)
    ablated.W_O.weight = nn.Parameter(weight.detach() * keep.repeat_interleave(weight.shape[1] // len(keep)), requires_grad=weight.requires_grad)
    return ablated

# %% correct: the values fall silent, bias included

def ablate_heads(attention: MultiHeadAttention, heads: Iterable[int]) -> MultiHeadAttention:
    ablated = copy.deepcopy(attention)
    width = ablated.W_V.out_features // ablated.num_heads
    for head in heads:
        if not 0 <= head < ablated.num_heads:
            raise ValueError(f"head {head} of {ablated.num_heads}")
        for parameter in (ablated.W_V.weight, ablated.W_V.bias):
            parameter.data.narrow(0, head * width, width).zero_()
    return ablated
