# %% wrong: view straight to the heads' shape
# view(B, H, T, d) never moves a number: head 0 gets whole positions, not a block of columns. The merge undoes it,
# so there and back is fine; the heads are wrong for every x with T > 1 and H > 1.

def split_heads(x: Tensor, num_heads: int) -> Tensor:
    B, T, D = x.shape
    if D % num_heads != 0:
        raise ValueError(f"{num_heads} heads do not divide {D} features")
    return x.reshape(B, num_heads, T, D // num_heads)


def merge_heads(x: Tensor) -> Tensor:
    B, H, T, d = x.shape
    return x.reshape(B, T, H * d)


# %% wrong: the merge forgets to move the axis back
# split_heads is right, merge_heads reshapes (B, H, T, d) without the transpose: with H > 1 and T > 1 the numbers of
# one position are spread over several, and merge_heads(split_heads(x)) is not x.

def split_heads(x: Tensor, num_heads: int) -> Tensor:
    B, T, D = x.shape
    if D % num_heads:
        raise ValueError("num_heads must divide D")
    return x.view(B, T, num_heads, D // num_heads).transpose(1, 2)


def merge_heads(x: Tensor) -> Tensor:
    B, H, T, d = x.shape
    return x.contiguous().view(B, T, H * d)


# %% wrong: head h gets every H-th feature
# The last axis is broken up as (d, H) and not as (H, d): head 0 gets the features 0, H, 2H, ... The merge does the
# same backwards, so the round trip is fine. Shows wherever H > 1 and d > 1, also in merge_heads alone.

def split_heads(x: Tensor, num_heads: int) -> Tensor:
    batch, length, d_model = x.shape
    if d_model % num_heads != 0:
        raise ValueError(f"num_heads = {num_heads} does not divide d_model = {d_model}")
    return x.reshape(batch, length, d_model // num_heads, num_heads).permute(0, 3, 1, 2)


def merge_heads(x: Tensor) -> Tensor:
    batch, heads, length, d_head = x.shape
    return x.permute(0, 2, 3, 1).reshape(batch, length, heads * d_head)


# %% wrong: refuses only more heads than features
# The check catches num_heads > D alone. For D = 6 and four heads d becomes 1, and the last two features are quietly left out:
# a tensor (B, 4, T, 1) instead of a ValueError.

def split_heads(x: Tensor, num_heads: int) -> Tensor:
    d = x.shape[2] // num_heads
    if d < 1:
        raise ValueError("more heads than features")
    heads = [x[:, :, h * d : (h + 1) * d] for h in range(num_heads)]
    return torch.stack(heads, dim=1)


def merge_heads(x: Tensor) -> Tensor:
    return x.transpose(1, 2).flatten(start_dim=2)


# %% correct: stack the chunks, concatenate the heads

def split_heads(x: Tensor, num_heads: int) -> Tensor:
    width, rest = divmod(x.size(-1), num_heads)
    if rest:
        raise ValueError(f"{x.size(-1)} features cannot be shared out to {num_heads} heads")
    return torch.stack(x.split(width, dim=-1), dim=-3)


def merge_heads(x: Tensor) -> Tensor:
    return torch.cat(x.unbind(dim=1), dim=-1)


# %% correct: a table that says which feature goes where

def split_heads(x: Tensor, num_heads: int) -> Tensor:
    features = torch.arange(x.shape[2], device=x.device)
    if len(features) % num_heads > 0:
        raise ValueError(f"num_heads must divide {len(features)}, got {num_heads}")
    table = features.view(num_heads, -1)  # (H, d): row h holds the numbers of head h's features
    return x[..., table].permute(0, 2, 1, 3)  # (B, T, H, d) -> (B, H, T, d)


def merge_heads(x: Tensor) -> Tensor:
    H, d = x.shape[1], x.shape[3]
    feature = torch.arange(H * d, device=x.device)
    head, within = feature.div(d, rounding_mode="floor"), feature.remainder(d)
    by_position = x.permute(0, 2, 1, 3)  # (B, T, H, d)
    return by_position[:, :, head, within]
