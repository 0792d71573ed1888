# %% wrong: chunk, and another number of heads
# chunk(H) gives FEWER chunks where H does not divide D (D = 6, H = 4: three heads of two), or unequal ones that stack refuses with a RuntimeError; the promised ValueError never comes. A good message: "D = 6, num_heads = 4: expected ValueError, got shape (B, 3, T, 2)".

def split_heads(x: Tensor, num_heads: int) -> Tensor:
    return torch.stack(x.chunk(num_heads, dim=-1), dim=1)


def merge_heads(x: Tensor) -> Tensor:
    return torch.cat(list(x.unbind(1)), dim=-1)

# %% wrong: features dealt out like cards
# The last axis is cut as (d, H), so head h gets the features h, h + H, h + 2H, ...; merging undoes it, so the round trip is right. A good message: "head 0 must hold the features 0 .. d - 1, it holds 0, H, 2H".

def split_heads(x: Tensor, num_heads: int) -> Tensor:
    B, T, D = x.shape
    if D % num_heads != 0:
        raise ValueError("num_heads must divide D")
    return x.reshape(B, T, D // num_heads, num_heads).permute(0, 3, 1, 2)


def merge_heads(x: Tensor) -> Tensor:
    B, H, T, d = x.shape
    return x.permute(0, 2, 3, 1).reshape(B, T, H * d)

# %% wrong: merging without moving the axes back
# split is right; merge_heads reshapes (B, H, T, d) at once to (B, T, H * d), which mixes positions. With one head or one position it is right. A good message: "merge_heads(split_heads(x)) is not x; which axis must stand beside d before the two are joined?"

def split_heads(x: Tensor, num_heads: int) -> Tensor:
    batch, length, width = x.shape
    if width % num_heads:
        raise ValueError(f"{num_heads} heads do not divide {width} features")
    return x.reshape(batch, length, num_heads, -1).transpose(1, 2)


def merge_heads(x: Tensor) -> Tensor:
    return x.contiguous().view(x.size(0), x.size(2), x.size(1) * x.size(3))

# %% correct: slices side by side

def split_heads(x: Tensor, num_heads: int) -> Tensor:
    width, rest = divmod(x.shape[-1], num_heads)
    if rest:
        raise ValueError(f"{x.shape[-1]} features cannot be shared by {num_heads} heads")
    return torch.stack([x[..., h * width : (h + 1) * width] for h in range(num_heads)], dim=-3)


def merge_heads(x: Tensor) -> Tensor:
    return torch.cat(x.unbind(-3), dim=-1)

# %% correct: unflatten and swap

def split_heads(x: Tensor, num_heads: int) -> Tensor:
    try:
        return x.unflatten(2, (num_heads, x.size(2) // num_heads)).swapaxes(1, 2)
    except RuntimeError as error:
        raise ValueError(f"num_heads = {num_heads} does not divide D = {x.size(2)}") from error


def merge_heads(x: Tensor) -> Tensor:
    return torch.einsum("bhtd->bthd", x).flatten(start_dim=2)
