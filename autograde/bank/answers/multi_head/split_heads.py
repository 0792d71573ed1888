# %% wrong: split by view alone
# The shape is right and the numbers are in other places: view reads the same row of numbers with other line breaks and
# moves nothing, so head 0 got the first positions instead of the first features. Break the last axis alone, then swap
# two axes. See section 5.2.

# --- before
    return x.view(batch, length, num_heads, d_model // num_heads).transpose(1, 2)
# --- after
    return x.reshape(batch, num_heads, length, d_model // num_heads)

# %% wrong: split by view and merged by view
# There and back gives the same tensor, and both ways are wrong: a head holds whole positions instead of a block of
# features. A round trip cannot see that. Look at one head's numbers by hand. See section 5.2.

# --- before
    return x.view(batch, length, num_heads, d_model // num_heads).transpose(1, 2)
# --- after
    return x.reshape(batch, num_heads, length, d_model // num_heads)
# --- before
    return x.transpose(1, 2).flatten(2)  # (B, H, T, d) -> (B, T, H, d) -> (B, T, H * d)
# --- after
    return x.reshape(len(x), x.shape[2], -1)  # (B, H, T, d) -> (B, T, H, d) -> (B, T, H * d)

# %% wrong: the heads are interleaved
# Head h got every H-th feature instead of a block of d side by side. When you break the last axis, the heads come first
# and their features after them.

# --- before
    return x.view(batch, length, num_heads, d_model // num_heads).transpose(1, 2)
# --- after
    return x.view(batch, length, d_model // num_heads, num_heads).permute(0, 3, 1, 2)

# %% wrong: the heads stay behind the positions
# The features are shared out, but the heads' axis still comes after the positions. Attention works on the last two
# axes, so these have to be positions and features.

# --- before
    return x.view(batch, length, num_heads, d_model // num_heads).transpose(1, 2)
# --- after
    return x.view(batch, length, num_heads, d_model // num_heads)

# %% wrong: num_heads is taken for the width of a head
# There come D / num_heads heads of num_heads features each. Only where both are the same number is that right.

# --- before
    return x.view(batch, length, num_heads, d_model // num_heads).transpose(1, 2)
# --- after
    return x.view(batch, length, d_model // num_heads, num_heads).transpose(1, 2)

# %% wrong: a width that does not divide is cut
# Heads that do not divide the width are let through. The docstring asks for an error there.

# --- before
    if d_model % num_heads:
# --- after
    x = x[:, :, : d_model - d_model % num_heads]
    if num_heads > d_model:

# %% wrong: a width that does not divide raises another error
# Where the heads do not divide the width, it is torch that complains, about a shape nobody asked for. Raise a
# ValueError with the two numbers before anything else.

# --- before
    if d_model % num_heads:
# --- after
    if False:

# %% wrong: merged without swapping the axes back
# The shape is right and the numbers are in other places: what stands at a position comes from several positions of one
# head. Swap the axes of heads and positions first. See section 5.2.

# --- before
    return x.transpose(1, 2).flatten(2)  # (B, H, T, d) -> (B, T, H, d) -> (B, T, H * d)
# --- after
    return x.reshape(len(x), x.shape[2], -1)  # (B, H, T, d) -> (B, T, H, d) -> (B, T, H * d)

# %% wrong: merged with the heads interleaved
# The first features of all heads stand side by side, then the second ones. Each head's features stay together, head 0
# first.

# --- before
    return x.transpose(1, 2).flatten(2)  # (B, H, T, d) -> (B, T, H, d) -> (B, T, H * d)
# --- after
    return x.permute(0, 2, 3, 1).flatten(2)  # (B, H, T, d) -> (B, T, H, d) -> (B, T, H * d)

# %% wrong: only the first sentence is split
# Only the first sentence was split. The others were given the shape, and nothing in them moved. Split all of them in
# the same way.

# --- before
    return x.view(batch, length, num_heads, d_model // num_heads).transpose(1, 2)
# --- after
    heads = x.reshape(batch, num_heads, length, d_model // num_heads).clone()
    heads[0] = x[0].reshape(length, num_heads, -1).transpose(0, 1)
    return heads

# %% wrong: sentences are mixed up
# With one sentence it is right; with several, heads got positions of other sentences. The batch axis was folded into
# the positions and cut up in another order. Leave it where it is.

# --- before
    return x.view(batch, length, num_heads, d_model // num_heads).transpose(1, 2)
# --- after
    return x.view(-1, num_heads, d_model // num_heads).transpose(0, 1).reshape(batch, num_heads, length, -1)

# %% wrong: the last head stays empty
# The last head holds nothing but zeros: the loop over the heads ends one too early. There are num_heads of them, and
# each gets its features.

# --- before
    return x.view(batch, length, num_heads, d_model // num_heads).transpose(1, 2)
# --- after
    d = d_model // num_heads
    heads = x.new_zeros(batch, num_heads, length, d)
    for h in range(num_heads - 1):
        heads[:, h] = x[:, :, h * d : (h + 1) * d]
    return heads

# %% wrong: the heads between the first and the last stay empty
# Between the first head and the last there is nothing but zeros. Each of the num_heads heads gets its features.

# --- before
    return x.view(batch, length, num_heads, d_model // num_heads).transpose(1, 2)
# --- after
    heads, d = x.new_zeros(batch, num_heads, length, d_model // num_heads), d_model // num_heads
    heads[:, 0], heads[:, -1] = x[:, :, :d], x[:, :, -d:]
    return heads

# %% wrong: the positions come in reverse order
# Every head has its own features, but the last position comes first. Leave the positions in their order.

# --- before
    return x.view(batch, length, num_heads, d_model // num_heads).transpose(1, 2)
# --- after
    return x.flip(1).view(batch, length, num_heads, d_model // num_heads).transpose(1, 2)  # (B, H, T, d)

# %% wrong: positions and features exchanged inside a head
# Each head has its own numbers, but in another order: its features were brought in front of its positions, and the
# result was then given the right shape. Swap axes by transpose, never by reshape.

# --- before
    return x.view(batch, length, num_heads, d_model // num_heads).transpose(1, 2)
# --- after
    heads = x.view(batch, length, num_heads, d_model // num_heads).permute(0, 2, 3, 1)  # (B, H, d, T)
    return heads.reshape(batch, num_heads, length, d_model // num_heads)

# %% correct: reshape and permute
def split_heads(x, num_heads):
    B, T, D = x.shape
    if D % num_heads != 0:
        raise ValueError(f"{num_heads} heads for {D} features")
    return x.reshape(B, T, num_heads, -1).permute(0, 2, 1, 3)

def merge_heads(x):
    B, H, T, d = x.shape
    return x.permute(0, 2, 1, 3).reshape(B, T, H * d)

# %% correct: chunks, stacked and put side by side
def split_heads(x, num_heads):
    if x.shape[-1] % num_heads:
        raise ValueError((num_heads, x.shape[-1]))
    return torch.stack(x.chunk(num_heads, dim=2), dim=1)

def merge_heads(x):
    return torch.cat(x.unbind(dim=1), dim=2)

# %% correct: unflatten
def split_heads(x, num_heads):
    if x.shape[2] // num_heads * num_heads != x.shape[2]:
        raise ValueError("num_heads must divide the width")
    return x.unflatten(2, (num_heads, -1)).transpose(-3, -2).contiguous()

def merge_heads(x):
    return x.transpose(1, 2).contiguous().view(x.shape[0], x.shape[2], x.shape[1] * x.shape[3])

# %% correct: head by head
def split_heads(x, num_heads):
    if x.shape[2] % num_heads:
        raise ValueError(f"{num_heads} does not divide {x.shape[2]}")
    d = x.shape[2] // num_heads
    heads = x.new_empty(x.shape[0], num_heads, x.shape[1], d)
    for h in range(num_heads):
        heads[:, h] = x[:, :, h * d : (h + 1) * d]
    return heads

def merge_heads(x):
    return torch.cat([x[:, h] for h in range(x.shape[1])], dim=-1)

# %% correct: gathered feature by feature, merged by a matrix of ones and zeros
def split_heads(x, num_heads):
    B, T, D = x.shape
    d, rest = divmod(D, num_heads)
    if rest:
        raise ValueError(f"{D} features, {num_heads} heads")
    which = torch.arange(D, device=x.device).view(num_heads, 1, d).expand(B, num_heads, T, d)
    return torch.gather(x.unsqueeze(1).expand(B, num_heads, T, D), 3, which)

def merge_heads(x):
    H, d = x.shape[1], x.shape[3]
    return torch.einsum("bhtd,hde->bte", x, torch.eye(H * d, dtype=x.dtype, device=x.device).view(H, d, H * d))
