# %% wrong: features dealt out like cards
# Head h gets the features h, h + H, h + 2H, ...: "the d features from h * d on" is broken wherever H > 1 and d > 1. The pair undoes itself.

def split_heads(x: Tensor, num_heads: int) -> Tensor:
    B, T, D = x.shape
    if D % num_heads != 0:
        raise ValueError("num_heads must divide D")
    return x.reshape(B, T, D // num_heads, num_heads).permute(0, 3, 1, 2)


def merge_heads(x: Tensor) -> Tensor:
    return x.permute(0, 2, 3, 1).flatten(2)


# %% wrong: chunk and no check
# torch.chunk makes fewer or unequal chunks where num_heads does not divide D. D = 6 with 4 heads: three heads of 2 and
# no ValueError, which is promised (D = 7 with 3: an error of stack, a RuntimeError).

def split_heads(x: Tensor, num_heads: int) -> Tensor:
    return torch.stack(x.chunk(num_heads, dim=-1), dim=1)


def merge_heads(x: Tensor) -> Tensor:
    return torch.cat([x[:, h] for h in range(x.shape[1])], dim=-1)


# %% wrong: merge squeezes too much
# squeeze() takes every axis of size 1 away, not the head's alone: with B = 1 merge_heads gives (T, D) for (1, T, D), with
# T = 1 it gives (B, D). "Every size, 1 included".

def split_heads(x: Tensor, num_heads: int) -> Tensor:
    if x.shape[2] % num_heads:
        raise ValueError(f"{num_heads} does not divide {x.shape[2]}")
    return x.unflatten(2, (num_heads, -1)).transpose(1, 2)


def merge_heads(x: Tensor) -> Tensor:
    heads = x.split(1, dim=1)
    return torch.cat([head.squeeze() for head in heads], dim=-1)


# %% wrong: filled into new tensors of float32
# torch.zeros makes float32: a float64 input comes back as float32, rounded ("float64 stays float64").

def split_heads(x: Tensor, num_heads: int) -> Tensor:
    B, T, D = x.shape
    if D % num_heads:
        raise ValueError("the number of heads must divide the features")
    d = D // num_heads
    out = torch.zeros(B, num_heads, T, d, device=x.device)
    for h in range(num_heads):
        out[:, h] = x[:, :, h * d : (h + 1) * d]
    return out


def merge_heads(x: Tensor) -> Tensor:
    B, H, T, d = x.shape
    out = torch.zeros(B, T, H * d, device=x.device)
    for h in range(H):
        out[:, :, h * d : (h + 1) * d] = x[:, h]
    return out


# %% correct: by a table of feature numbers

def split_heads(x: Tensor, num_heads: int) -> Tensor:
    width, rest = divmod(x.shape[2], num_heads)
    if rest:
        raise ValueError(f"{num_heads} heads cannot share {x.shape[2]} features")
    which = torch.arange(num_heads * width, device=x.device).reshape(num_heads, 1, width)
    rows = torch.arange(x.shape[1], device=x.device).reshape(1, -1, 1)
    return x[:, rows, which]


def merge_heads(x: Tensor) -> Tensor:
    feature = torch.arange(x.shape[1] * x.shape[3], device=x.device)
    h = torch.div(feature, x.shape[3], rounding_mode="floor")
    return x[:, h, :, feature % x.shape[3]].permute(1, 2, 0)


# %% correct: narrow for each head and lay side by side

def split_heads(x: Tensor, num_heads: int) -> Tensor:
    d = x.size(-1) // num_heads
    if d * num_heads != x.size(-1):
        raise ValueError("D is no multiple of num_heads")
    heads = []
    for start in range(0, x.size(-1), d):
        heads.append(x.narrow(-1, start, d)[:, None])
    return torch.cat(heads, dim=1)


def merge_heads(x: Tensor) -> Tensor:
    merged = x.select(1, 0)
    for h in range(1, x.size(1)):
        merged = torch.cat((merged, x.select(1, h)), dim=2)
    return merged
