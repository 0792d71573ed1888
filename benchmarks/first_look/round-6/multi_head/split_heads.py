# %% wrong: each head gets every so-manyth feature
# Features are dealt out like cards (h, h + H, ...) in place of blocks; the merge undoes it, so the round trip fits.

def split_heads(x: Tensor, num_heads: int) -> Tensor:
    B, T, D = x.shape
    if D % num_heads != 0:
        raise ValueError(f"num_heads must divide D, got {num_heads} and {D}")
    return x.reshape(B, T, D // num_heads, num_heads).permute(0, 3, 1, 2)


def merge_heads(x: Tensor) -> Tensor:
    B, H, T, d = x.shape
    return x.permute(0, 2, 3, 1).reshape(B, T, H * d)


# %% wrong: leaves the dividing to chunk
# torch.chunk gives uneven or fewer pieces without a word: six features for four heads give three heads and no error.

def split_heads(x: Tensor, num_heads: int) -> Tensor:
    return torch.stack(x.chunk(num_heads, dim=-1), dim=1)


def merge_heads(x: Tensor) -> Tensor:
    return torch.cat(list(x.unbind(dim=1)), dim=-1)


# %% wrong: the merge takes views of its own split only
# view after transpose works on what split_heads gave, and raises a RuntimeError on a contiguous tensor (B, H, T, d).

def split_heads(x: Tensor, num_heads: int) -> Tensor:
    B, T, D = x.shape
    if D % num_heads:
        raise ValueError(f"{num_heads} heads cannot share {D} features")
    return x.view(B, T, num_heads, D // num_heads).transpose(1, 2)


def merge_heads(x: Tensor) -> Tensor:
    B, H, T, d = x.shape
    return x.transpose(1, 2).view(B, T, H * d)


# %% wrong: num_heads is taken for the width of a head
# The two sizes of the split are exchanged: D / H heads of width H, right only where D is H times H.

def split_heads(x: Tensor, num_heads: int) -> Tensor:
    B, T, D = x.shape
    if D % num_heads:
        raise ValueError(f"num_heads must divide D, got {num_heads} and {D}")
    d = D // num_heads
    return x.reshape(B, T, d, num_heads).transpose(1, 2)


def merge_heads(x: Tensor) -> Tensor:
    return x.transpose(1, 2).flatten(2)


# %% wrong: the merge mixes the heads feature by feature
# Feature 0 of all heads comes first, then feature 1 of all heads: not each head's block side by side.

def split_heads(x: Tensor, num_heads: int) -> Tensor:
    B, T, D = x.shape
    if D % num_heads:
        raise ValueError(f"num_heads must divide D, got {num_heads} and {D}")
    return x.reshape(B, T, num_heads, D // num_heads).transpose(1, 2)


def merge_heads(x: Tensor) -> Tensor:
    last = torch.movedim(x, 1, -1)  # (B, T, d, H)
    return last.flatten(start_dim=2)


# %% correct: pieces stacked, and laid end to end again

def split_heads(x: Tensor, num_heads: int) -> Tensor:
    width = x.size(-1)
    if num_heads < 1 or width % num_heads:
        raise ValueError(f"{width} features cannot be shared out to {num_heads} heads")
    d = width // num_heads
    return torch.stack([x.narrow(2, h * d, d) for h in range(num_heads)], dim=1)


def merge_heads(x: Tensor) -> Tensor:
    together = x[:, 0]
    for h in range(1, x.size(1)):
        together = torch.cat((together, x[:, h]), dim=2)
    return together


# %% correct: by tables of feature numbers

def _feature_table(num_heads: int, d: int) -> Tensor:
    """(H, d): which feature of the whole is feature i of head h."""
    return d * torch.arange(num_heads).unsqueeze(1) + torch.arange(d)


def split_heads(x: Tensor, num_heads: int) -> Tensor:
    if num_heads <= 0 or x.shape[2] % num_heads != 0:
        raise ValueError(f"num_heads must divide D, got {num_heads} and {x.shape[2]}")
    table = _feature_table(num_heads, x.shape[2] // num_heads).to(x.device)
    return torch.einsum("bthi->bhti", x[:, :, table])


def merge_heads(x: Tensor) -> Tensor:
    H, d = x.shape[1], x.shape[3]
    features = torch.arange(H * d, device=x.device)
    head, inside = features // d, features % d
    return x[:, head, :, inside].permute(1, 2, 0)
