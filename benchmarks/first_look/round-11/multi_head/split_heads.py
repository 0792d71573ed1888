# %% wrong: divisibility by assert
# The docstring promises ValueError where num_heads does not divide D, an assert raises
# AssertionError. It shows for x (2, 3, 6) and num_heads 4.

def split_heads(x: Tensor, num_heads: int) -> Tensor:
    B, T, D = x.shape
    assert D % num_heads == 0, "num_heads must divide D"
    return x.reshape(B, T, num_heads, D // num_heads).transpose(1, 2)


def merge_heads(x: Tensor) -> Tensor:
    B, H, T, d = x.shape
    return x.transpose(1, 2).reshape(B, T, H * d)

# %% wrong: dealt out like cards
# Head h gets the features h, h + H, h + 2H, ..., and merge_heads collects them again, so the round
# trip is right. It shows wherever H and d are both above 1, e.g. D = 6 and 3 heads.

def split_heads(x: Tensor, num_heads: int) -> Tensor:
    B, T, D = x.shape
    if D % num_heads != 0:
        raise ValueError(f"{num_heads} heads do not divide {D} features")
    return x.reshape(B, T, D // num_heads, num_heads).permute(0, 3, 1, 2)


def merge_heads(x: Tensor) -> Tensor:
    B, H, T, d = x.shape
    return x.permute(0, 2, 3, 1).reshape(B, T, d * H)

# %% wrong: chunk makes as many heads as it can
# x.chunk(4, dim=2) of six features gives three pieces of two and no error, that of seven features
# in three heads unequal ones. It shows for D = 6, num_heads = 4: (B, 3, T, 2) and no ValueError.

def split_heads(x: Tensor, num_heads: int) -> Tensor:
    heads = x.chunk(num_heads, dim=2)
    if any(head.shape != heads[0].shape for head in heads):
        raise ValueError("num_heads must divide D")
    return torch.stack(heads, dim=1)


def merge_heads(x: Tensor) -> Tensor:
    return torch.cat(x.unbind(dim=1), dim=-1)

# %% wrong: squeeze takes away more than the head's axis
# merge_heads squeezes each head's axis of one together with every other axis of length one. It
# shows in merge_heads for B = 1 or T = 1 (the result lacks an axis) or d = 1 (joined along T).

def split_heads(x: Tensor, num_heads: int) -> Tensor:
    d, rest = divmod(x.size(-1), num_heads)
    if rest:
        raise ValueError("the number of heads must divide the width")
    return torch.stack(x.split(d, dim=-1), dim=1)


def merge_heads(x: Tensor) -> Tensor:
    heads = [head.squeeze() for head in x.split(1, dim=1)]
    return torch.cat(heads, dim=-1)

# %% correct: a table of feature numbers, and unbind
def split_heads(x: Tensor, num_heads: int) -> Tensor:
    D = x.shape[2]
    if D % num_heads:
        raise ValueError(f"cannot share out {D} features to {num_heads} heads")
    features = torch.arange(D, device=x.device).reshape(num_heads, D // num_heads)
    return torch.movedim(x[:, :, features], 2, 1)


def merge_heads(x: Tensor) -> Tensor:
    return torch.cat(x.unbind(1), dim=2)

# %% correct: a sliding window with the stride of its width, and a loop that fills
def split_heads(x: Tensor, num_heads: int) -> Tensor:
    width = x.shape[-1] // num_heads
    if width * num_heads != x.shape[-1]:
        raise ValueError("the heads would not be equally wide")
    return x.unfold(2, width, width).swapaxes(1, 2)


def merge_heads(x: Tensor) -> Tensor:
    B, H, T, d = x.shape
    merged = x.new_empty(B, T, H * d)
    for h in range(H):
        merged[:, :, h * d : (h + 1) * d] = x[:, h]
    return merged
