# %% wrong: chunk makes as many pieces as it likes
# torch.chunk does not mind if num_heads does not divide D: it makes fewer or unequal pieces, so that there are too few
# heads, or torch.stack complains with a RuntimeError; no ValueError.

def split_heads(x: Tensor, num_heads: int) -> Tensor:
    return torch.stack(x.chunk(num_heads, dim=2), dim=1)


def merge_heads(x: Tensor) -> Tensor:
    return torch.cat(x.unbind(dim=1), dim=2)


# %% wrong: merged by view
# After the transpose view works only on a tensor that lies in memory as split_heads made it; on any other (B, H, T, d),
# such as the output of attention, it raises a RuntimeError.

def split_heads(x: Tensor, num_heads: int) -> Tensor:
    B, T, D = x.shape
    if D % num_heads != 0:
        raise ValueError(f"num_heads must divide {D}, got {num_heads}")
    return x.view(B, T, num_heads, D // num_heads).transpose(1, 2)


def merge_heads(x: Tensor) -> Tensor:
    B, H, T, d = x.shape
    return x.transpose(1, 2).view(B, T, H * d)


# %% wrong: one head needs no splitting
# With a single head the tensor is given back as it is, without the axis of the heads, and merge_heads makes up for it:
# there and back it is right, but (B, 1, T, D) was promised.

def split_heads(x: Tensor, num_heads: int) -> Tensor:
    if num_heads == 1:
        return x
    B, T, D = x.shape
    if D % num_heads:
        raise ValueError("num_heads does not divide D")
    return x.reshape(B, T, num_heads, D // num_heads).permute(0, 2, 1, 3)


def merge_heads(x: Tensor) -> Tensor:
    if x.dim() == 3:
        return x
    return x.permute(0, 2, 1, 3).flatten(2)


# %% wrong: squeeze takes more axes than meant
# Each head is freed of its axis with squeeze() without saying which: with a batch of one, one position or a width of
# one, those axes go as well, and merge_heads gives the wrong shape or an error.

def split_heads(x: Tensor, num_heads: int) -> Tensor:
    if x.shape[-1] % num_heads > 0:
        raise ValueError(f"{x.shape[-1]} features cannot be shared out to {num_heads} heads")
    return x.unflatten(-1, (num_heads, -1)).transpose(1, 2)


def merge_heads(x: Tensor) -> Tensor:
    heads = [head.squeeze() for head in x.split(1, dim=1)]
    return torch.cat(heads, dim=-1)


# %% wrong: the positions must be divisible
# The test for the ValueError looks at the axis of the positions: it refuses lengths that num_heads does not divide, and
# lets a D through that it does not divide, for which view raises a RuntimeError.

def split_heads(x: Tensor, num_heads: int) -> Tensor:
    if x.size(1) % num_heads != 0:
        raise ValueError("num_heads must divide the width")
    d = x.size(2) // num_heads
    return x.view(x.size(0), x.size(1), num_heads, d).transpose(1, 2)


def merge_heads(x: Tensor) -> Tensor:
    return x.transpose(1, 2).contiguous().flatten(start_dim=2)


# %% correct: a table of features for each head

def _features(width: int, num_heads: int) -> list[list[int]]:
    each = width // num_heads
    return [list(range(first, first + each)) for first in range(0, width, each)]


def split_heads(x: Tensor, num_heads: int) -> Tensor:
    width = x.shape[2]
    if num_heads < 1 or num_heads * (width // num_heads) != width:
        raise ValueError(f"{num_heads} heads cannot share {width} features alike")
    return torch.stack([x[:, :, own] for own in _features(width, num_heads)], dim=1)


def merge_heads(x: Tensor) -> Tensor:
    merged = x[:, 0]
    for h in range(1, x.shape[1]):
        merged = torch.cat([merged, x[:, h]], dim=2)
    return merged


# %% correct: copied into an empty tensor head by head

def split_heads(x: Tensor, num_heads: int) -> Tensor:
    batch, length, width = x.shape
    if num_heads not in [n for n in range(1, width + 1) if width % n == 0]:
        raise ValueError(f"num_heads = {num_heads} is no divisor of {width}")
    size = width // num_heads
    heads = torch.zeros(batch, num_heads, length, size, dtype=x.dtype, device=x.device)
    for h in range(num_heads):
        heads[:, h] = x.narrow(2, h * size, size)
    return heads


def merge_heads(x: Tensor) -> Tensor:
    batch, number, length, size = x.shape
    merged = torch.zeros(batch, length, number * size, dtype=x.dtype, device=x.device)
    for f in range(number * size):
        h, inside = divmod(f, size)
        merged[:, :, f] = x[:, h, :, inside]
    return merged
