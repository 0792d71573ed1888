# %% wrong: every H-th feature instead of a block
# view(B, T, d, H) deals the features out like cards: head h gets h, h + H, ... instead of h * d onwards. merge_heads undoes it, so that
# the round trip is right; the halves are not, wherever both H and d are above 1.

def split_heads(x: Tensor, num_heads: int) -> Tensor:
    B, T, D = x.shape
    if D % num_heads:
        raise ValueError("num_heads must divide D")
    return x.reshape(B, T, D // num_heads, num_heads).permute(0, 3, 1, 2)


def merge_heads(x: Tensor) -> Tensor:
    B, H, T, d = x.shape
    return x.permute(0, 2, 3, 1).reshape(B, T, H * d)


# %% wrong: chunk, and no look at the sizes
# chunk makes pieces of ceil(D / H), as many as it needs: six features in four heads give three heads of two, without an error. In
# other cases stack complains with a RuntimeError. No ValueError in either.

def split_heads(x: Tensor, num_heads: int) -> Tensor:
    return torch.stack(x.chunk(num_heads, dim=2), dim=1)


def merge_heads(x: Tensor) -> Tensor:
    return torch.cat(x.unbind(dim=1), dim=2)


# %% wrong: merged in place
# transpose_ changes the tensor that was given: after merge_heads(x) the caller's x is (B, T, H, d). The numbers returned are right.

def split_heads(x: Tensor, num_heads: int) -> Tensor:
    if x.shape[2] % num_heads != 0:
        raise ValueError(f"{num_heads} heads do not divide {x.shape[2]} features")
    return x.unflatten(2, (num_heads, -1)).transpose(1, 2)


def merge_heads(x: Tensor) -> Tensor:
    x.transpose_(1, 2)
    return x.flatten(2)


# %% wrong: merged feature by feature
# The split is right. The merge puts feature 0 of all heads first, then feature 1 of all heads: heads are interleaved where they should
# stand side by side (H and d above 1).

def split_heads(x: Tensor, num_heads: int) -> Tensor:
    B, T, D = x.shape
    if D % num_heads:
        raise ValueError(f"{num_heads} does not divide {D}")
    return x.view(B, T, num_heads, -1).transpose(1, 2)


def merge_heads(x: Tensor) -> Tensor:
    return x.permute(0, 2, 3, 1).flatten(start_dim=2)


# %% correct: a window that slides by its own width

def split_heads(x: Tensor, num_heads: int) -> Tensor:
    width, rest = divmod(x.shape[-1], num_heads)
    if rest or width == 0:
        raise ValueError(f"{x.shape[-1]} features cannot be shared out to {num_heads} heads")
    return x.unfold(2, width, width).movedim(2, 1)


def merge_heads(x: Tensor) -> Tensor:
    B, H, T, d = x.shape
    side_by_side = x.new_empty(B, T, H * d)
    for h in range(H):
        side_by_side[:, :, h * d : (h + 1) * d] = x[:, h]
    return side_by_side


# %% correct: each number is fetched by its index

def split_heads(x: Tensor, num_heads: int) -> Tensor:
    D = x.shape[2]
    if D % num_heads:
        raise ValueError(f"num_heads must divide {D}, got {num_heads}")
    d = D // num_heads
    heads = torch.arange(num_heads, device=x.device)[:, None] * d + torch.arange(d, device=x.device)  # (H, d)
    return torch.stack([x[:, :, own] for own in heads], dim=1)


def merge_heads(x: Tensor) -> Tensor:
    H, d = x.shape[1], x.shape[3]
    feature = torch.arange(H * d, device=x.device)
    # both indices stand apart, so that their axis comes first: (H * d, B, T)
    return x[:, feature // d, :, feature % d].permute(1, 2, 0)
