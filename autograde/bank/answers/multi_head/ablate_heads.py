# %% wrong: rows of W_O instead of columns
# A block of output features is silent instead of a head: the rows of W_O.weight are its outputs. What comes from a
# head enters by columns.

# --- before
            without.W_O.weight[:, head * d_head : (head + 1) * d_head] = 0.0
# --- after
            without.W_O.weight[head * d_head : (head + 1) * d_head] = 0.0

# %% wrong: the attention that was given is changed
# The attention that was given has lost its head too: it was changed itself, or its copy shares its parameters. Make a
# copy that owns all it has.

# --- before
    without = copy.deepcopy(attention)
# --- after
    without = attention

# %% wrong: the bias of W_O goes too
# The output lacks W_O's bias, which belongs to no head. Silence the head's columns alone.

# --- before
            without.W_O.weight[:, head * d_head : (head + 1) * d_head] = 0.0
# --- after
            without.W_O.weight[:, head * d_head : (head + 1) * d_head] = 0.0
    with torch.no_grad():
        without.W_O.bias.zero_()

# %% wrong: the values' bias stays
# The head still adds something: its values are no longer made of the input, but their bias is left, and goes through
# W_O. Silence the head where it enters W_O.

# --- before
            without.W_O.weight[:, head * d_head : (head + 1) * d_head] = 0.0
# --- after
            without.W_V.weight[head * d_head : (head + 1) * d_head] = 0.0

# %% wrong: only these heads are left
# The heads that were named are the only ones left. They are the ones to be switched off.

# --- before
        for head in heads:
            if not 0 <= head < attention.num_heads:
# --- after
        for head in sorted(set(range(attention.num_heads)) - set(heads)):
            if not set(heads) <= set(range(attention.num_heads)):

# %% wrong: heads count from one
# The head before the one that was named was switched off. Heads count from 0.

# --- before
            without.W_O.weight[:, head * d_head : (head + 1) * d_head] = 0.0
# --- after
            without.W_O.weight[:, (head - 1) * d_head : head * d_head] = 0.0

# %% wrong: a head that is not there is let through
# For a head that does not exist nothing happened, in silence: a slice beyond the end is empty. The docstring asks for
# an error there.

# --- before
            if not 0 <= head < attention.num_heads:
# --- after
            if False:

# %% wrong: heads that can be gone through once are gone through twice
# Heads that came from a generator were used up by the first loop, so the second switched nothing off. Make a list of
# them first, or go through them once.

# --- before
    """
# --- after
    """
    for head in heads:
        if not 0 <= head < attention.num_heads:
            raise ValueError(head)

# %% correct: columns multiplied by zero or one
def ablate_heads(attention, heads):
    heads, H = list(heads), attention.num_heads
    if any(h < 0 or h >= H for h in heads):
        raise ValueError(heads)
    alive = torch.tensor([float(h not in heads) for h in range(H)])
    new = copy.deepcopy(attention)
    new.W_O.weight.data *= alive.repeat_interleave(new.W_O.in_features // H)
    return new

# %% correct: a view with an axis for the heads
def ablate_heads(attention, heads):
    new = copy.deepcopy(attention)
    by_head = new.W_O.weight.detach().view(new.W_O.out_features, new.num_heads, -1)
    for h in heads:
        if h not in range(new.num_heads):
            raise ValueError(f"no head {h}")
        by_head[:, h] = 0
    return new

# %% correct: values and their bias silenced
def ablate_heads(attention, heads):
    new = copy.deepcopy(attention)
    d = new.W_V.out_features // new.num_heads
    for h in heads:
        if not (0 <= h <= new.num_heads - 1):
            raise ValueError(f"head {h} of {new.num_heads}")
        new.W_V.weight.data[h * d : h * d + d].zero_()
        new.W_V.bias.data[h * d : h * d + d].zero_()
    return new

# %% correct: the state taken out and put in
def ablate_heads(attention, heads):
    state = {name: value.clone() for name, value in attention.state_dict().items()}
    blocks = list(state["W_O.weight"].chunk(attention.num_heads, dim=1))
    for h in heads:
        if h >= len(blocks) or h < 0:
            raise ValueError(f"no head {h}")
        blocks[h] = torch.zeros_like(blocks[h])
    state["W_O.weight"] = torch.cat(blocks, dim=1)
    new = copy.deepcopy(attention)
    new.load_state_dict(state)
    return new

# %% correct: a hook that silences what W_O is given
def ablate_heads(attention, heads):
    heads = list(heads)
    for h in heads:
        if not 0 <= h < attention.num_heads:
            raise ValueError(h)
    new = copy.deepcopy(attention)
    d = new.W_O.in_features // new.num_heads

    def hook(module, given):
        x = given[0].clone()
        for h in heads:
            x[..., h * d : (h + 1) * d] = 0
        return (x,)

    new.W_O.register_forward_pre_hook(hook)
    return new
