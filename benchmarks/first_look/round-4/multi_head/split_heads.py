# %% wrong: features dealt out to the heads in turn
# The feature axis is read as (d, H) instead of (H, d): head h gets the features h, h + H, h + 2H, ... and no block.
# There and back it is the same tensor, because merge_heads makes the same mistake.
# Hint: print head 0 of one position with six features and three heads, and compare with the figure: which two should it have?

def split_heads(x: Tensor, num_heads: int) -> Tensor:
    batch, length, d_model = x.shape
    if d_model % num_heads != 0:
        raise ValueError(f"{num_heads} heads do not divide {d_model} features")
    return x.reshape(batch, length, d_model // num_heads, num_heads).permute(0, 3, 1, 2)


def merge_heads(x: Tensor) -> Tensor:
    batch, num_heads, length, d_head = x.shape
    return x.permute(0, 2, 3, 1).reshape(batch, length, num_heads * d_head)


# %% wrong: merge without moving the axes back
# The split is right; the merge reshapes (B, H, T, d) as it lies in memory, so that position 0 gets numbers of head 0 from
# several positions.
# Hint: which two axes must stand next to each other before they can become one?

def split_heads(x: Tensor, num_heads: int) -> Tensor:
    B, T, D = x.shape
    if D % num_heads:
        raise ValueError("num_heads must divide the number of features")
    return x.view(B, T, num_heads, D // num_heads).transpose(1, 2)


def merge_heads(x: Tensor) -> Tensor:
    B, H, T, d = x.shape
    return x.reshape(B, T, H * d)


# %% wrong: no refusal where the heads do not divide
# The width of a head is rounded down, and split gives as many pieces as come out: ten features and four heads give five
# heads, without an error. (Where a rest remains, stack raises a RuntimeError, which is not the error promised.)
# Hint: try split_heads(torch.randn(1, 2, 10), 4) and look at the shape.

def split_heads(x: Tensor, num_heads: int) -> Tensor:
    d_head = x.shape[-1] // num_heads
    return torch.stack(x.split(d_head, dim=-1), dim=1)


def merge_heads(x: Tensor) -> Tensor:
    return torch.cat(x.unbind(dim=1), dim=-1)


# %% wrong: the heads before the batch
# The pieces are stacked on a new first axis: (H, B, T, d). With as many sentences as heads the shape even fits.
# Hint: on which axis does torch.stack put the pieces if you do not say so?

def split_heads(x: Tensor, num_heads: int) -> Tensor:
    if x.size(2) % num_heads != 0:
        raise ValueError("num_heads does not divide D")
    return torch.stack(x.chunk(num_heads, dim=2))


def merge_heads(x: Tensor) -> Tensor:
    return torch.cat(list(x), dim=2)


# %% wrong: merge by view right after the transpose
# It works on what split_heads gives, which is the same memory transposed twice, and raises a RuntimeError on any other
# (B, H, T, d), such as the output of an attention.
# Hint: call merge_heads on torch.randn(2, 3, 5, 4). What does the message say about contiguous memory?

def split_heads(x: Tensor, num_heads: int) -> Tensor:
    B, T, D = x.shape
    if D % num_heads:
        raise ValueError(f"D={D} is not a multiple of num_heads={num_heads}")
    return x.view(B, T, num_heads, D // num_heads).transpose(1, 2)


def merge_heads(x: Tensor) -> Tensor:
    B, H, T, d = x.shape
    return x.transpose(1, 2).view(B, T, H * d)


# %% correct: slices written into an empty tensor, head by head

def split_heads(x: Tensor, num_heads: int) -> Tensor:
    sentences, positions, features = x.shape
    width, rest = divmod(features, num_heads)
    if rest:
        raise ValueError(f"{features} features cannot be shared out to {num_heads} heads")
    shared = x.new_empty(sentences, num_heads, positions, width)
    for head in range(num_heads):
        shared[:, head] = x[:, :, head * width : (head + 1) * width]
    return shared


def merge_heads(x: Tensor) -> Tensor:
    sentences, num_heads, positions, width = x.shape
    side_by_side = x.new_empty(sentences, positions, num_heads * width)
    for head in range(num_heads):
        side_by_side[:, :, head * width : (head + 1) * width] = x[:, head]
    return side_by_side


# %% correct: unflatten and movedim, and cat of the unbound heads

def split_heads(x: Tensor, num_heads: int) -> Tensor:
    if x.shape[-1] % num_heads:
        raise ValueError(f"num_heads ({num_heads}) must divide D ({x.shape[-1]})")
    return x.unflatten(-1, (num_heads, x.shape[-1] // num_heads)).movedim(2, 1)


def merge_heads(x: Tensor) -> Tensor:
    return torch.cat(x.unbind(dim=1), dim=-1)
