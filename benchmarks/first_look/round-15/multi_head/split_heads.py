# %% wrong: the features are dealt out like cards
# Head h gets the features h, h + H, h + 2H and so on. The merge deals them back, so a round trip is right; but head h should get
# the d features from h * d on. Shows wherever H and d are both above 1.

def split_heads(x: Tensor, num_heads: int) -> Tensor:
    batch, length, width = x.shape
    if width % num_heads != 0:
        raise ValueError("num_heads must divide the width")
    return x.reshape(batch, length, width // num_heads, num_heads).permute(0, 3, 1, 2)


def merge_heads(x: Tensor) -> Tensor:
    batch, num_heads, length, width = x.shape
    return x.permute(0, 2, 3, 1).reshape(batch, length, width * num_heads)

# %% wrong: strides written down for a tensor in one piece
# The strides are those of a contiguous (B, T, D). For a transposed tensor or a slice of a larger one other numbers are
# read from the memory.

def split_heads(x: Tensor, num_heads: int) -> Tensor:
    B, T, D = x.shape
    if D % num_heads:
        raise ValueError(f"{num_heads} heads do not divide {D} features")
    d = D // num_heads
    return x.as_strided((B, num_heads, T, d), (T * D, d, D, 1))


def merge_heads(x: Tensor) -> Tensor:
    return x.transpose(1, 2).flatten(2)

# %% wrong: the error is left to reshape
# Where num_heads does not divide D, reshape raises a RuntimeError; the docstring promises a ValueError.

def split_heads(x: Tensor, num_heads: int) -> Tensor:
    B, T, _ = x.shape
    return x.reshape(B, T, num_heads, -1).transpose(1, 2)


def merge_heads(x: Tensor) -> Tensor:
    B, _, T, _ = x.shape
    return x.transpose(1, 2).reshape(B, T, -1)

# %% wrong: positions and heads are not swapped back
# merge_heads calls reshape on (B, H, T, d) as it is: the rows of the result are pieces of one head at several positions. Shows
# wherever there is more than one head and more than one position.

def split_heads(x: Tensor, num_heads: int) -> Tensor:
    B, T, D = x.shape
    if D % num_heads:
        raise ValueError
    return x.reshape(B, T, num_heads, D // num_heads).transpose(1, 2)


def merge_heads(x: Tensor) -> Tensor:
    B, H, T, d = x.shape
    return x.contiguous().view(B, T, H * d)

# %% correct: windows of d features, and heads side by side

def split_heads(x: Tensor, num_heads: int) -> Tensor:
    d, rest = divmod(x.shape[2], num_heads)
    if rest:
        raise ValueError(f"{num_heads} heads cannot share {x.shape[2]} features")
    return x.unfold(2, d, d).permute(0, 2, 1, 3)


def merge_heads(x: Tensor) -> Tensor:
    return torch.cat(x.unbind(dim=1), dim=-1)

# %% correct: every feature is looked up by head and place

def split_heads(x: Tensor, num_heads: int) -> Tensor:
    width = x.shape[-1]
    if width % num_heads:
        raise ValueError(f"{width} features, {num_heads} heads")
    own = torch.arange(width, device=x.device).reshape(num_heads, -1)  # (H, d): which features
    return torch.stack([x[:, :, features] for features in own], dim=1)


def merge_heads(x: Tensor) -> Tensor:
    d = x.shape[3]
    columns = [x[:, f // d, :, f % d] for f in range(x.shape[1] * d)]
    return torch.stack(columns, dim=2)
