# %% wrong: every h-th row in one patch
# The height is cut into (P, H / P) and not into (H / P, P). A patch then holds pixels that stand H / P rows and W / P
# columns apart: a coarse copy of the whole picture. The shape is right.
# Hint: which rows of the picture of numbers does your patch 0 hold?

def patchify(images: Tensor, patch_size: int) -> Tensor:
    if images.dim() != 4:
        raise ValueError("images must be (B, C, H, W)")
    B, C, H, W = images.shape
    P = patch_size
    if H % P != 0 or W % P != 0:
        raise ValueError(f"{P} does not divide {H} x {W}")
    x = images.reshape(B, C, P, H // P, P, W // P)
    return x.permute(0, 3, 5, 1, 2, 4).reshape(B, (H // P) * (W // P), C * P * P)


# %% wrong: refused only where neither side can be tiled
# `and` in place of `or` in the check: a picture of which only one side is no multiple of P passes, and unfold silently
# cuts its edge off.
# Hint: what comes back for a picture of 8 x 10 pixels and patches of 4 x 4?

def patchify(images: Tensor, patch_size: int) -> Tensor:
    if images.dim() != 4:
        raise ValueError(f"four axes wanted, not {images.dim()}")
    batch, channels, height, width = images.shape
    if height % patch_size and width % patch_size:
        raise ValueError("patches do not tile the image")
    patches = images.unfold(2, patch_size, patch_size).unfold(3, patch_size, patch_size)  # (B, C, h, w, P, P)
    count = patches.shape[2] * patches.shape[3]
    return patches.permute(0, 2, 3, 1, 4, 5).reshape(batch, count, channels * patch_size**2)


# %% wrong: everything turned into float32
# F.unfold refuses whole numbers, so the images are turned into float32 first, and stay so. Pixels of other dtypes come
# back as another dtype, and large integers or float64 numbers are rounded.
# Hint: compare the dtype of what goes in with that of what comes out, for uint8 and for float64.

def patchify(images: Tensor, patch_size: int) -> Tensor:
    if images.dim() != 4 or images.shape[2] % patch_size or images.shape[3] % patch_size:
        raise ValueError(f"no patches of {patch_size} in {tuple(images.shape)}")
    columns = F.unfold(images.float(), kernel_size=patch_size, stride=patch_size)  # (B, C * P * P, N)
    return columns.transpose(1, 2)


# %% wrong: each patch column by column
# The patches come in the right order, but inside a patch the pixels of a column come one after the other: rows and
# columns of the patch are exchanged in the permutation.
# Hint: which pixel comes second in your patch 0, the right neighbour or the lower one?

def patchify(images: Tensor, patch_size: int) -> Tensor:
    if images.ndim != 4:
        raise ValueError("images must have four axes")
    b, c, h, w = images.shape
    p = patch_size
    if h % p or w % p:
        raise ValueError("the patch size must divide height and width")
    x = images.reshape(b, c, h // p, p, w // p, p)
    x = x.permute(0, 2, 4, 1, 5, 3)
    return x.flatten(3).flatten(1, 2)


# %% correct: strips of rows, cut across

def patchify(images: Tensor, patch_size: int) -> Tensor:
    if images.dim() != 4:
        raise ValueError(f"images must be (B, C, H, W), not {tuple(images.shape)}")
    if images.shape[2] % patch_size or images.shape[3] % patch_size:
        raise ValueError(f"{tuple(images.shape[2:])} pixels are not tiled by {patch_size} x {patch_size}")
    patches = []
    for strip in images.split(patch_size, dim=2):
        for square in strip.split(patch_size, dim=3):
            patches.append(square.flatten(1))
    return torch.stack(patches, dim=1)


# %% correct: the index of every pixel, and one gather

def patchify(images: Tensor, patch_size: int) -> Tensor:
    if images.dim() != 4:
        raise ValueError("four axes are needed: (B, C, H, W)")
    channels, height, width = images.shape[1:]
    if height % patch_size != 0 or width % patch_size != 0:
        raise ValueError(f"{patch_size} must divide {height} and {width}")
    where = torch.arange(channels * height * width, device=images.device).view(channels, height, width)
    tiles = where.unfold(1, patch_size, patch_size).unfold(2, patch_size, patch_size)  # (C, h, w, P, P)
    order = tiles.permute(1, 2, 0, 3, 4).flatten(2).flatten(0, 1)  # (N, C * P * P)
    return images.flatten(1)[:, order]
