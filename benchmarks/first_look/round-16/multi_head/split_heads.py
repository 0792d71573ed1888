# %% wrong: split takes a size, not a number
# x.split(num_heads, dim=2) makes pieces of num_heads features, so D / num_heads heads of num_heads features each.
# Right only where D = num_heads ** 2; shows for D = 12, num_heads = 3.

def split_heads(x: Tensor, num_heads: int) -> Tensor:
    if x.shape[2] % num_heads:
        raise ValueError("num_heads must divide D")
    return torch.stack(x.split(num_heads, dim=2), dim=1)


def merge_heads(x: Tensor) -> Tensor:
    return torch.cat(x.unbind(dim=1), dim=2)


# %% wrong: refuses only more heads than features
# chunk makes fewer pieces where it does not come out even: D = 6 with num_heads = 4 gives three heads of two features
# instead of a ValueError (and D = 5 with 2 heads a RuntimeError of stack).

def split_heads(x: Tensor, num_heads: int) -> Tensor:
    if num_heads > x.shape[-1]:
        raise ValueError(f"{x.shape[-1]} features cannot make {num_heads} heads")
    return torch.stack(x.chunk(num_heads, dim=-1), dim=1)


def merge_heads(x: Tensor) -> Tensor:
    return x.transpose(1, 2).flatten(2)


# %% wrong: strides written down from the sizes
# The strides (T * D, d, D, 1) are those of a tensor that lies in one piece. For a transpose or a slice of something
# larger, x = torch.randn(2, 12, 5).transpose(1, 2), wrong numbers are read, without an error.

def split_heads(x: Tensor, num_heads: int) -> Tensor:
    B, T, D = x.shape
    if D % num_heads:
        raise ValueError("num_heads must divide D")
    d = D // num_heads
    return x.as_strided((B, num_heads, T, d), (T * D, d, D, 1))


def merge_heads(x: Tensor) -> Tensor:
    B, H, T, d = x.shape
    return x.transpose(1, 2).reshape(B, T, H * d)


# %% wrong: merged feature by feature
# split_heads is right; merge_heads puts first feature 0 of all heads, then feature 1: heads interleaved instead of side
# by side. Shows wherever H and d are both above 1.

def split_heads(x: Tensor, num_heads: int) -> Tensor:
    B, T, D = x.shape
    if D % num_heads != 0:
        raise ValueError("num_heads must divide D")
    return x.reshape(B, T, num_heads, D // num_heads).permute(0, 2, 1, 3)


def merge_heads(x: Tensor) -> Tensor:
    B, H, T, d = x.shape
    return x.permute(0, 2, 3, 1).reshape(B, T, H * d)


# %% correct: features picked by a table of their numbers

def split_heads(x: Tensor, num_heads: int) -> Tensor:
    D = x.shape[2]
    if D % num_heads:
        raise ValueError(f"{num_heads} heads cannot share {D} features")
    own = torch.arange(D, device=x.device).view(num_heads, -1)
    return torch.stack([x[:, :, columns] for columns in own], dim=1)


def merge_heads(x: Tensor) -> Tensor:
    H, d = x.shape[1], x.shape[3]
    feature = torch.arange(H * d, device=x.device)
    return x.movedim(1, 2)[:, :, feature // d, feature % d]


# %% correct: copied one feature at a time

def split_heads(x: Tensor, num_heads: int) -> Tensor:
    B, T, D = x.shape
    d, rest = divmod(D, num_heads)
    if rest:
        raise ValueError("num_heads must divide D")
    heads = x.new_zeros(B, num_heads, T, d)
    for h in range(num_heads):
        for j in range(d):
            heads[:, h, :, j] = x[:, :, h * d + j]
    return heads


def merge_heads(x: Tensor) -> Tensor:
    B, H, T, d = x.shape
    merged = x.new_zeros(B, T, H * d)
    for h in range(H):
        merged[..., h * d : (h + 1) * d] = x[:, h]
    return merged
