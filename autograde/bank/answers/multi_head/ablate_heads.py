# %% wrong: rows of W_O instead of columns
# A block of output features is silent instead of a head: the rows of W_O.weight are its outputs. What comes from a
# head enters by columns.

# --- before
            without.W_O.weight[:, head * d_head : (head + 1) * d_head] = 0.0  # what this head's features become
# --- after
            without.W_O.weight[head * d_head : (head + 1) * d_head] = 0.0  # what this head's features become

# %% wrong: every H-th column
# Every H-th feature was silenced, a part of each head. A head's features stand side by side.

# --- before
            without.W_O.weight[:, head * d_head : (head + 1) * d_head] = 0.0  # what this head's features become
# --- after
            without.W_O.weight[:, head :: attention.num_heads] = 0.0  # what this head's features become

# %% wrong: a block as wide as there are heads
# The block that was silenced is num_heads wide. A head has D / H features.

# --- before
    d_head = attention.W_O.in_features // attention.num_heads
# --- after
    d_head = attention.num_heads

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
            without.W_O.weight[:, head * d_head : (head + 1) * d_head] = 0.0  # what this head's features become
# --- after
            without.W_O.weight[:, head * d_head : (head + 1) * d_head] = 0.0  # what this head's features become
    with torch.no_grad():
        without.W_O.bias.zero_()

# %% wrong: the values' bias stays
# The head still adds something: its values are no longer made of the input, but their bias is left, and goes through
# W_O. Silence the head where it enters W_O.

# --- before
            without.W_O.weight[:, head * d_head : (head + 1) * d_head] = 0.0  # what this head's features become
# --- after
            without.W_V.weight[head * d_head : (head + 1) * d_head] = 0.0  # what this head's features become

# %% wrong: the head looks everywhere alike
# Without a query the head looks everywhere alike and adds the mean of its values: it is blind and not silent, and its
# weights have changed. Silence what it adds.

# --- before
            without.W_O.weight[:, head * d_head : (head + 1) * d_head] = 0.0  # what this head's features become
# --- after
            without.W_Q.weight[head * d_head : (head + 1) * d_head] = 0.0
            without.W_Q.bias[head * d_head : (head + 1) * d_head] = 0.0  # what this head's features become

# %% wrong: only these heads are left
# The heads that were named are the only ones left. They are the ones to be switched off.

# --- before
        for head in heads:
            if not 0 <= head < attention.num_heads:
                raise ValueError(f"there are heads 0 to {attention.num_heads - 1}, got {head}")
# --- after
        for head in sorted(set(range(attention.num_heads)) - set(heads)):
            if not set(heads) <= set(range(attention.num_heads)):
                raise ValueError(max(heads))

# %% wrong: only the first of the heads
# Only the first head of the list was switched off. Go through all of them.

# --- before
        for head in heads:
# --- after
        for head in list(heads)[:1]:

# %% wrong: heads count from one
# The head before the one that was named was switched off. Heads count from 0.

# --- before
            without.W_O.weight[:, head * d_head : (head + 1) * d_head] = 0.0  # what this head's features become
# --- after
            without.W_O.weight[:, (head - 1) * d_head : head * d_head] = 0.0  # what this head's features become

# %% wrong: the heads that are left are made louder
# The other heads' contributions were scaled up, as dropout does. They are to stay as they were.

# --- before
            without.W_O.weight[:, head * d_head : (head + 1) * d_head] = 0.0  # what this head's features become
# --- after
            without.W_O.weight[:, head * d_head : (head + 1) * d_head] = 0.0  # what this head's features become
    left = attention.num_heads - len(set(heads))
    with torch.no_grad():
        without.W_O.weight *= attention.num_heads / max(left, 1)

# %% wrong: a head that is not there is let through
# For a head that does not exist nothing happened, in silence: a slice beyond the end is empty. The docstring asks for
# an error there.

# --- before
            if not 0 <= head < attention.num_heads:
                raise ValueError(f"there are heads 0 to {attention.num_heads - 1}, got {head}")
# --- after

# %% wrong: a negative number is let through
# Head -1 was let through: its slice is empty, or it is another head's. There are heads 0 to H - 1.

# --- before
            if not 0 <= head < attention.num_heads:
# --- after
            if head >= attention.num_heads:

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

# %% wrong: only the last of the heads
# Only the last head of the list was switched off. Go through all of them.

# --- before
        for head in heads:
# --- after
        for head in list(heads)[-1:]:

# %% wrong: its queries, keys and values go too
# The output is right, and the head's weights have become even: the weights must stay as they were. Silence the head
# where it enters W_O, and nothing else.

# --- before
            without.W_O.weight[:, head * d_head : (head + 1) * d_head] = 0.0  # what this head's features become
# --- after
            own = slice(head * d_head, (head + 1) * d_head)
            for W in (without.W_Q, without.W_K, without.W_V):
                W.weight[own] = 0.0
                W.bias[own] = 0.0
            without.W_O.weight[:, own] = 0.0  # what this head's features become

# %% correct: columns multiplied by zero or one

def ablate_heads(attention, heads):
    heads = list(heads)
    if any(h < 0 or h >= attention.num_heads for h in heads):
        raise ValueError(heads)
    alive = torch.tensor([float(h not in heads) for h in range(attention.num_heads)])
    new = copy.deepcopy(attention)
    new.W_O.weight.data = attention.W_O.weight.data * alive.repeat_interleave(
        attention.W_O.weight.shape[1] // attention.num_heads
    )
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

# %% correct: a module that takes the heads' share away afterwards

def ablate_heads(attention, heads):
    heads = tuple(heads)
    for h in heads:
        if not 0 <= h < attention.num_heads:
            raise ValueError(h)

    class Without(nn.Module):
        def __init__(self):
            super().__init__()
            self.whole = copy.deepcopy(attention)
            self.num_heads = attention.num_heads

        def forward(self, query, key, value, *rest):
            output, weights = self.whole(query, key, value, *rest)
            values = split_heads(self.whole.W_V(value), self.num_heads)
            columns = self.whole.W_O.weight.chunk(self.num_heads, dim=1)
            for h in set(heads):
                output = output - weights[:, h] @ values[:, h] @ columns[h].T
            return output, weights

    return Without()

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
