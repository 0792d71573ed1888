# %% wrong: merge reshapes without moving the heads back
# merge_heads reads (B, H, T, d) with other line breaks, and does not bring the heads next to the features.
# Shows for every T > 1 and H > 1, for example (1, 3, 4, 2): position 0 gets head 0 at several positions.

def split_heads(x: Tensor, num_heads: int) -> Tensor:
    B, T, D = x.shape
    if D % num_heads != 0:
        raise ValueError(f"{num_heads} heads do not divide {D} features")
    return x.reshape(B, T, num_heads, D // num_heads).transpose(1, 2)


def merge_heads(x: Tensor) -> Tensor:
    B, H, T, d = x.shape
    return x.contiguous().reshape(B, T, H * d)


# %% wrong: every H-th feature goes to a head
# Head h gets the features h, h + H, h + 2H, ... and not the block from h * d on; merge undoes it, so that the
# round trip is right. Shows where H > 1 and d > 1, for example D = 6 with three heads.

def split_heads(x: Tensor, num_heads: int) -> Tensor:
    B, T, D = x.shape
    if D % num_heads:
        raise ValueError("num_heads must divide D")
    return x.reshape(B, T, D // num_heads, num_heads).permute(0, 3, 1, 2)


def merge_heads(x: Tensor) -> Tensor:
    B, H, T, d = x.shape
    return x.permute(0, 2, 3, 1).reshape(B, T, H * d)


# %% wrong: left to chunk to complain
# torch.chunk does not complain where the number does not divide: with D = 6 and four heads it gives three
# chunks of two, and what comes back has three heads. ValueError is promised.

def split_heads(x: Tensor, num_heads: int) -> Tensor:
    """(B, T, D) -> (B, H, T, d)"""
    return torch.stack(torch.chunk(x, num_heads, dim=2), dim=1)


def merge_heads(x: Tensor) -> Tensor:
    """(B, H, T, d) -> (B, T, H * d)"""
    return torch.cat([x[:, h] for h in range(x.shape[1])], dim=2)


# %% wrong: split is given the number of heads for a size
# torch.split takes the size of a piece and not the number of pieces: D / H heads of H features come out.
# Right only where H = d; shows for D = 12 with three heads, which gives (B, 4, T, 3).

def split_heads(x: Tensor, num_heads: int) -> Tensor:
    if x.size(-1) % num_heads != 0:
        raise ValueError(f"cannot split {x.size(-1)} features into {num_heads} heads")
    pieces = x.split(num_heads, dim=-1)
    return torch.stack(pieces, dim=1)


def merge_heads(x: Tensor) -> Tensor:
    pieces = x.unbind(dim=1)
    return torch.cat(pieces, dim=-1)


# %% correct: windows of width d over the features, merged by filling in slices

def split_heads(x: Tensor, num_heads: int) -> Tensor:
    width, left = divmod(x.shape[2], num_heads) if num_heads > 0 else (0, 1)
    if left:
        raise ValueError(f"num_heads must divide D, got {num_heads} and {x.shape[2]}")
    return x.unfold(2, width, width).movedim(2, 1)  # unfold: (B, T, H, d)


def merge_heads(x: Tensor) -> Tensor:
    sentences, heads, length, width = x.shape
    merged = x.new_empty(sentences, length, heads * width)
    for h in range(heads):
        merged[:, :, h * width : (h + 1) * width] = x[:, h]
    return merged


# %% correct: the address of every number, computed

def addresses(H: int, T: int, d: int, device) -> Tensor:
    """(H, T, d): where in a row of T * D numbers the feature j of head h at position t stands."""
    h = torch.arange(H, device=device)[:, None, None]
    t = torch.arange(T, device=device)[None, :, None]
    j = torch.arange(d, device=device)[None, None, :]
    return t * (H * d) + h * d + j


def split_heads(x: Tensor, num_heads: int) -> Tensor:
    B, T, D = x.shape
    if num_heads < 1 or (D // num_heads) * num_heads != D:
        raise ValueError("the heads cannot share the features out evenly")
    return x.flatten(1)[:, addresses(num_heads, T, D // num_heads, x.device)]


def merge_heads(x: Tensor) -> Tensor:
    B, H, T, d = x.shape
    back = addresses(H, T, d, x.device).flatten().argsort()
    return x.flatten(1)[:, back].unflatten(1, (T, H * d))
