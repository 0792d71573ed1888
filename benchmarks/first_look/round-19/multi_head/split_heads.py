# %% wrong: features dealt out like cards
# Head h gets the features h, h + H, h + 2H, ... in place of a block of d neighbors. Merging undoes it, so the round trip
# holds. Shows wherever both H and d are 2 or more: D = 6, H = 3.

def split_heads(x: Tensor, num_heads: int) -> Tensor:
    batch, length, d_model = x.shape
    if d_model % num_heads != 0:
        raise ValueError("num_heads must divide D")
    x = x.reshape(batch, length, d_model // num_heads, num_heads)
    return x.permute(0, 3, 1, 2)


def merge_heads(x: Tensor) -> Tensor:
    batch, num_heads, length, d_head = x.shape
    return x.permute(0, 2, 3, 1).reshape(batch, length, num_heads * d_head)


# %% wrong: an assertion
# Promised is a ValueError; assert raises an AssertionError. Shows for D = 6, num_heads = 4.

def split_heads(x: Tensor, num_heads: int) -> Tensor:
    B, T, D = x.shape
    assert D % num_heads == 0, "num_heads must divide D"
    return x.view(B, T, num_heads, D // num_heads).transpose(1, 2)


def merge_heads(x: Tensor) -> Tensor:
    B, H, T, d = x.shape
    return x.transpose(1, 2).reshape(B, T, H * d)


# %% wrong: merged feature by feature
# The heads' axis comes last before the merge, so the merged features alternate between heads: not the order of the split.
# Shows wherever both H and d are 2 or more.

def split_heads(x: Tensor, num_heads: int) -> Tensor:
    if x.shape[-1] % num_heads:
        raise ValueError(f"{num_heads} heads cannot share {x.shape[-1]} features")
    return torch.stack(x.chunk(num_heads, dim=-1), dim=1)


def merge_heads(x: Tensor) -> Tensor:
    return torch.stack(x.unbind(dim=1), dim=-1).flatten(start_dim=2)


# %% wrong: swaps the axes of the caller's tensor
# transpose_ with an underscore works in place: after merge_heads the argument itself has the shape (B, T, H, d).
# Shows when the argument is used again, such as in a second call with H not equal to T.

def split_heads(x: Tensor, num_heads: int) -> Tensor:
    B, T, D = x.shape
    if D % num_heads:
        raise ValueError("num_heads must divide D")
    return x.view(B, T, num_heads, D // num_heads).transpose_(1, 2)


def merge_heads(x: Tensor) -> Tensor:
    x = x.transpose_(1, 2)
    return x.reshape(x.shape[0], x.shape[1], -1)


# %% correct: windows on the features
def split_heads(x: Tensor, num_heads: int) -> Tensor:
    d_head, rest = divmod(x.shape[2], num_heads)
    if rest:
        raise ValueError(f"{num_heads} heads do not divide {x.shape[2]}")
    return x.unfold(2, d_head, d_head).movedim(2, 1)


def merge_heads(x: Tensor) -> Tensor:
    return torch.cat(x.unbind(dim=1), dim=-1)


# %% correct: by tables of places
def split_heads(x: Tensor, num_heads: int) -> Tensor:
    B, T, D = x.shape
    if D % num_heads:
        raise ValueError("the features cannot be shared out evenly")
    own = torch.arange(D, device=x.device).reshape(num_heads, D // num_heads)
    t = torch.arange(T, device=x.device)
    # (H, T, d): from which position, and from which feature
    return x[:, t[None, :, None], own[:, None, :]]


def merge_heads(x: Tensor) -> Tensor:
    B, H, T, d = x.shape
    feature = torch.arange(H * d, device=x.device)
    t = torch.arange(T, device=x.device)
    return x[:, (feature // d)[None, :], t[:, None], (feature % d)[None, :]]
