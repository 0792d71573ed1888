# %% wrong: merge without the way back
# The split is right; the merge reshapes (B, H, T, d) without moving the heads behind the positions, so the numbers of one head at
# several positions land at one position. Hint: which axis must stand beside d before you may join the two?

def split_heads(x: Tensor, num_heads: int) -> Tensor:
    B, T, D = x.shape
    if D % num_heads != 0:
        raise ValueError(f"num_heads must divide D, got {num_heads} and {D}")
    return x.view(B, T, num_heads, D // num_heads).transpose(1, 2)


def merge_heads(x: Tensor) -> Tensor:
    B, H, T, d = x.shape
    return x.reshape(B, T, H * d)


# %% wrong: assert for the error
# A head count that does not divide D is met by an assert, so AssertionError comes where the docstring promises ValueError.
# Hint: which kind of error does the docstring name?

def split_heads(x: Tensor, num_heads: int) -> Tensor:
    batch, length, width = x.shape
    assert width % num_heads == 0, "num_heads must divide D"
    return x.reshape(batch, length, num_heads, width // num_heads).permute(0, 2, 1, 3)


def merge_heads(x: Tensor) -> Tensor:
    batch, heads, length, d = x.shape
    return x.permute(0, 2, 1, 3).reshape(batch, length, heads * d)


# %% wrong: features dealt out like cards
# Head h gets the features h, h + H, h + 2H ... and not a block of d; the merge undoes it, so there and back is fine, and yet
# both are wrong. Hint: print head 0 of the table in the text, and compare.

def split_heads(x: Tensor, num_heads: int) -> Tensor:
    B, T, D = x.shape
    if D % num_heads:
        raise ValueError(f"{num_heads} heads do not divide {D} features")
    return x.reshape(B, T, D // num_heads, num_heads).permute(0, 3, 1, 2)


def merge_heads(x: Tensor) -> Tensor:
    return x.permute(0, 2, 3, 1).flatten(2)


# %% wrong: a view behind a transpose
# merge_heads calls view on a transposed tensor: it works on what split_heads gives, whose numbers lie in the old order, and raises
# RuntimeError on a fresh (B, H, T, d), such as attention's output. Hint: try merge_heads on torch.randn(2, 3, 5, 4).

def split_heads(x: Tensor, num_heads: int) -> Tensor:
    B, T, D = x.shape
    if D % num_heads:
        raise ValueError("num_heads must divide D")
    return x.view(B, T, num_heads, D // num_heads).transpose(1, 2)


def merge_heads(x: Tensor) -> Tensor:
    B, H, T, d = x.shape
    return x.transpose(1, 2).view(B, T, H * d)


# %% correct: cut into slices and glued

def split_heads(x: Tensor, num_heads: int) -> Tensor:
    width = x.shape[-1]
    if num_heads < 1 or width % num_heads:
        raise ValueError(f"num_heads must divide D, got {num_heads} and {width}")
    return torch.stack(x.split(width // num_heads, dim=-1), dim=1)


def merge_heads(x: Tensor) -> Tensor:
    return torch.cat(x.unbind(dim=1), dim=-1)


# %% correct: unflatten and movedim

def split_heads(x: Tensor, num_heads: int) -> Tensor:
    d_head, left_over = divmod(x.size(2), num_heads)
    if left_over != 0:
        raise ValueError("the heads do not share the features evenly")
    return x.unflatten(2, (num_heads, d_head)).movedim(source=2, destination=1)


def merge_heads(x: Tensor) -> Tensor:
    return x.movedim(source=1, destination=2).flatten(start_dim=2)
