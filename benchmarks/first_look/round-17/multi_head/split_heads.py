# %% wrong: pieces of num_heads features
# Tensor.split takes the size of a piece, not their number: D / H heads of H features each. D = 12, H = 3 gives four heads
# of three; only where H * H = D is it right.

def split_heads(x: Tensor, num_heads: int) -> Tensor:
    if x.shape[2] % num_heads != 0:
        raise ValueError("num_heads must divide the number of features")
    return torch.stack(x.split(num_heads, dim=2), dim=1)


def merge_heads(x: Tensor) -> Tensor:
    return x.transpose(1, 2).flatten(2)


# %% wrong: merge turns the caller's axes
# transpose_ with an underscore: what comes back is right, but the tensor that was given is (B, T, H, d) afterwards. A
# second merge of the same tensor gives another result (unless H = T = 1).

def split_heads(x: Tensor, num_heads: int) -> Tensor:
    B, T, D = x.shape
    if D % num_heads:
        raise ValueError(f"{num_heads} heads do not divide {D} features")
    return x.reshape(B, T, num_heads, D // num_heads).transpose(1, 2)


def merge_heads(x: Tensor) -> Tensor:
    B, H, T, d = x.shape
    return x.transpose_(1, 2).reshape(B, T, H * d)


# %% wrong: only more heads than features are refused
# Whole division, with a check that at least one feature is left for each head. D = 7, H = 3 should raise ValueError; here
# each head gets two features and the seventh is dropped.

def split_heads(x: Tensor, num_heads: int) -> Tensor:
    d = x.shape[-1] // num_heads
    if d == 0:
        raise ValueError(f"no features left for {num_heads} heads")
    return torch.stack([x[:, :, h * d : (h + 1) * d] for h in range(num_heads)], dim=1)


def merge_heads(x: Tensor) -> Tensor:
    return torch.cat([x[:, h] for h in range(x.shape[1])], dim=-1)


# %% wrong: merge with the heads inside the features
# The axes go to (B, T, d, H) before the last two are joined: feature 0 of all heads first, then feature 1. The shape is
# right, the order is wrong wherever H and d are both above 1, and split_heads is not undone.

def split_heads(x: Tensor, num_heads: int) -> Tensor:
    B, T, D = x.shape
    if D % num_heads:
        raise ValueError(f"{num_heads} heads do not divide {D} features")
    return x.reshape(B, T, num_heads, -1).permute(0, 2, 1, 3)


def merge_heads(x: Tensor) -> Tensor:
    B, H, T, d = x.shape
    return x.permute(0, 2, 3, 1).reshape(B, T, H * d)


# %% correct: windows that step by their own width

def split_heads(x: Tensor, num_heads: int) -> Tensor:
    d, rest = divmod(x.shape[2], num_heads)
    if rest:
        raise ValueError(f"{num_heads} heads do not divide {x.shape[2]} features")
    return x.unfold(2, d, d).movedim(2, 1)


def merge_heads(x: Tensor) -> Tensor:
    return torch.cat(x.unbind(dim=1), dim=2)


# %% correct: each number fetched by its index

def split_heads(x: Tensor, num_heads: int) -> Tensor:
    D = x.shape[2]
    if D % num_heads > 0:
        raise ValueError(f"{num_heads} heads do not divide {D} features")
    feature = torch.arange(D, device=x.device).view(num_heads, 1, D // num_heads)
    place = torch.arange(x.shape[1], device=x.device).view(1, -1, 1)
    return x[:, place, feature]


def merge_heads(x: Tensor) -> Tensor:
    _, H, T, d = x.shape
    feature = torch.arange(H * d, device=x.device)
    place = torch.arange(T, device=x.device).unsqueeze(1)
    head = torch.div(feature, d, rounding_mode="floor")
    return x[:, head, place, feature % d]
