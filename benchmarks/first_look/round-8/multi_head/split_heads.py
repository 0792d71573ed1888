# %% wrong: interleaved heads, both ways
# The features are cut as (d, H) instead of (H, d): head h gets the features h, h + H, h + 2H, ...
# Merging undoes it, so there and back is the same tensor. Shows for every D = H * d with H, d > 1.

def split_heads(x: Tensor, num_heads: int) -> Tensor:
    B, T, D = x.shape
    if D % num_heads != 0:
        raise ValueError(f"{num_heads} heads do not divide {D} features")
    d = D // num_heads
    return x.reshape(B, T, d, num_heads).permute(0, 3, 1, 2)


def merge_heads(x: Tensor) -> Tensor:
    B, H, T, d = x.shape
    return x.permute(0, 2, 3, 1).reshape(B, T, d * H)


# %% wrong: merge with view after the transpose
# merge_heads uses view on a transposed tensor. It works right after split_heads, whose transpose it takes
# back, and raises a RuntimeError for any (B, H, T, d) that lies contiguously, as attention gives it.

def split_heads(x: Tensor, num_heads: int) -> Tensor:
    batch, length, d_model = x.shape
    if d_model % num_heads:
        raise ValueError("num_heads must divide d_model")
    return x.view(batch, length, num_heads, d_model // num_heads).transpose(1, 2)


def merge_heads(x: Tensor) -> Tensor:
    batch, heads, length, d = x.shape
    return x.transpose(1, 2).view(batch, length, heads * d)


# %% wrong: chunk without a check
# No ValueError of its own: chunk(4) of 6 features gives three chunks of 2, so there are three heads and no
# error; chunk(2) of 5 gives unequal chunks and a RuntimeError from stack.

def split_heads(x: Tensor, num_heads: int) -> Tensor:
    return torch.stack(x.chunk(num_heads, dim=2), dim=1)


def merge_heads(x: Tensor) -> Tensor:
    return torch.cat(x.unbind(dim=1), dim=2)


# %% wrong: merge into a float32 tensor
# merge_heads fills a torch.zeros of the default dtype: float64 (and the integers of the notebook) come back
# as float32.

def split_heads(x: Tensor, num_heads: int) -> Tensor:
    B, T, D = x.shape
    if D % num_heads:
        raise ValueError("D must be a multiple of num_heads")
    return x.reshape(B, T, num_heads, D // num_heads).permute(0, 2, 1, 3)


def merge_heads(x: Tensor) -> Tensor:
    B, H, T, d = x.shape
    merged = torch.zeros(B, T, H * d)
    for h in range(H):
        merged[:, :, h * d : (h + 1) * d] = x[:, h]
    return merged


# %% correct: windows of the features

def split_heads(x: Tensor, num_heads: int) -> Tensor:
    d_model = x.size(-1)
    if num_heads < 1 or d_model % num_heads:
        raise ValueError(f"cannot share {d_model} features out to {num_heads} heads")
    width = d_model // num_heads
    return x.unfold(2, width, width).movedim(2, 1)  # windows that touch and do not overlap


def merge_heads(x: Tensor) -> Tensor:
    merged = x[:, 0]
    for h in range(1, x.size(1)):
        merged = torch.cat((merged, x[:, h]), dim=2)
    return merged


# %% correct: a table of indices

def split_heads(x: Tensor, num_heads: int) -> Tensor:
    features = torch.arange(x.shape[2], device=x.device)
    if num_heads < 1 or len(features) % num_heads != 0:
        raise ValueError("the number of heads must divide the number of features")
    per_head = features.view(num_heads, -1)  # (H, d): which feature goes where
    return torch.stack([x.index_select(2, mine) for mine in per_head], dim=1)


def merge_heads(x: Tensor) -> Tensor:
    _, H, _, d = x.shape
    feature = torch.arange(H * d, device=x.device)
    head = torch.div(feature, d, rounding_mode="floor")
    inside = feature - head * d
    return x[:, head, :, inside].permute(1, 2, 0)  # the two index axes are apart, so theirs comes first
