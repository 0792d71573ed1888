# %% wrong: view alone
# The right shape with other numbers: head 0 gets whole rows of positions, not columns of features. Shows
# wherever both H and T are larger than 1; the pair of them still undoes itself.

def split_heads(x: Tensor, num_heads: int) -> Tensor:
    B, T, D = x.shape
    if D % num_heads != 0:
        raise ValueError("num_heads must divide D")
    return x.reshape(B, num_heads, T, D // num_heads)


def merge_heads(x: Tensor) -> Tensor:
    B, H, T, d = x.shape
    return x.reshape(B, T, H * d)

# %% wrong: every H-th feature to a head
# The last axis is broken into (d, H) and not (H, d), so head h gets the features h, h + H, h + 2H, ...
# Shows wherever both H and d are larger than 1: with D = 6 and H = 3 head 0 gets features 0 and 3.

def split_heads(x: Tensor, num_heads: int) -> Tensor:
    B, T, D = x.shape
    if D % num_heads:
        raise ValueError(f"{num_heads} heads do not divide {D} features")
    return x.reshape(B, T, D // num_heads, num_heads).permute(0, 3, 1, 2)


def merge_heads(x: Tensor) -> Tensor:
    B, H, T, d = x.shape
    return x.permute(0, 2, 3, 1).reshape(B, T, H * d)

# %% wrong: chunk, and no ValueError
# chunk takes the number of heads as a wish: D = 6 in 4 heads gives three heads of two without an error,
# and D = 5 in 4 heads a RuntimeError of stack, where the docstring promises a ValueError.

def split_heads(x: Tensor, num_heads: int) -> Tensor:
    return torch.stack(x.chunk(num_heads, dim=-1), dim=1)


def merge_heads(x: Tensor) -> Tensor:
    return torch.cat(x.unbind(dim=1), dim=-1)

# %% wrong: merges by turning the caller's tensor
# transpose_ with the underscore swaps the axes of the argument itself: after merge_heads the caller's
# (B, H, T, d) is (B, T, H, d). The result is right; the input is not left as it was.

def split_heads(x: Tensor, num_heads: int) -> Tensor:
    B, T, D = x.shape
    if D % num_heads:
        raise ValueError("num_heads must divide the number of features")
    return x.reshape(B, T, num_heads, D // num_heads).transpose(1, 2)


def merge_heads(x: Tensor) -> Tensor:
    return x.transpose_(1, 2).flatten(2)

# %% correct: windows by unfold, and copied into place

def split_heads(x: Tensor, num_heads: int) -> Tensor:
    width, rest = divmod(x.shape[2], num_heads)
    if rest:
        raise ValueError(f"{num_heads} heads do not divide {x.shape[2]} features")
    return x.unfold(2, width, width).movedim(2, 1)


def merge_heads(x: Tensor) -> Tensor:
    B, H, T, d = x.shape
    out = x.new_empty(B, T, H * d)
    for h in range(H):
        out[:, :, h * d : (h + 1) * d] = x[:, h]
    return out

# %% correct: by a table of feature numbers

def split_heads(x: Tensor, num_heads: int) -> Tensor:
    D = x.shape[-1]
    if D % num_heads:
        raise ValueError("not divisible")
    number = torch.arange(D, device=x.device).reshape(num_heads, -1)  # (H, d): which feature
    return torch.stack([x.index_select(2, row) for row in number], dim=1)


def merge_heads(x: Tensor) -> Tensor:
    H, d = x.shape[1], x.shape[3]
    feature = torch.arange(H * d, device=x.device)
    # advanced indices on both sides of a slice: their axis comes first
    return x[:, feature // d, :, feature % d].permute(1, 2, 0)
