# %% wrong: through float32 and back
# F.unfold takes no integers, so the pictures go through float32 and back to their dtype: float64 loses digits and large
# integers change, e.g. 2**24 + 1.


def patchify(images: Tensor, patch_size: int) -> Tensor:
    if images.dim() != 4:
        raise ValueError("images must be (B, C, H, W)")
    if images.shape[2] % patch_size or images.shape[3] % patch_size:
        raise ValueError("patch_size must divide the height and the width")
    columns = F.unfold(images.float(), kernel_size=patch_size, stride=patch_size)
    return columns.transpose(1, 2).to(images.dtype)


# %% wrong: the height split the wrong way round
# Splits H into (P, H / P) instead of (H / P, P): a patch then takes every H / P-th pixel from all over the picture. Wrong
# wherever there is more than one row or column of patches and P > 1.


def patchify(images: Tensor, patch_size: int) -> Tensor:
    if images.ndim != 4:
        raise ValueError(f"four axes are needed, got {images.ndim}")
    B, C, H, W = images.shape
    P = patch_size
    if H % P or W % P:
        raise ValueError(f"patches of {P} do not tile {H} x {W}")
    six = images.reshape(B, C, P, H // P, P, W // P)
    return six.permute(0, 3, 5, 1, 2, 4).reshape(B, (H // P) * (W // P), C * P * P)


# %% wrong: patches one below the other, then cut by batch
# torch.cat puts patch 0 of all pictures first, and view(B, N, ...) reads that as the patches of picture 0: right for a
# batch of one, mixes the pictures for B > 1 (with N > 1).


def patchify(images: Tensor, patch_size: int) -> Tensor:
    if images.ndim != 4:
        raise ValueError("images must be (B, C, H, W)")
    B, C, H, W = images.shape
    if H % patch_size != 0 or W % patch_size != 0:
        raise ValueError("patch_size must divide H and W")
    patches = []
    for top in range(0, H, patch_size):
        for left in range(0, W, patch_size):
            patches.append(images[:, :, top : top + patch_size, left : left + patch_size].flatten(1))
    return torch.cat(patches).view(B, len(patches), -1)


# %% wrong: a single picture is welcome too
# Gives a picture (C, H, W) the missing axis, out of kindness, where ValueError is asked for: wrong for images with three
# axes.


def patchify(images: Tensor, patch_size: int) -> Tensor:
    if images.ndim == 3:
        images = images.unsqueeze(0)
    B, C, H, W = images.shape
    if H % patch_size or W % patch_size:
        raise ValueError("patch_size must divide H and W")
    patches = images.reshape(B, C, H // patch_size, patch_size, W // patch_size, patch_size)
    return patches.permute(0, 2, 4, 1, 3, 5).flatten(3).flatten(1, 2)


# %% correct: one table of pixel numbers for the whole batch


def patchify(images: Tensor, patch_size: int) -> Tensor:
    if images.ndim != 4 or images.shape[2] % patch_size or images.shape[3] % patch_size:
        raise ValueError(f"no patches of {patch_size} in {tuple(images.shape)}")
    B, C, H, W = images.shape
    P = patch_size
    n = torch.arange((H // P) * (W // P), device=images.device).unsqueeze(1)
    f = torch.arange(C * P * P, device=images.device)
    row = (n // (W // P)) * P + f % (P * P) // P
    column = n % (W // P) * P + f % P
    return images.flatten(1)[:, f // (P * P) * H * W + row * W + column]


# %% correct: pixel_unshuffle gathers a patch in the channels


def patchify(images: Tensor, patch_size: int) -> Tensor:
    if images.ndim != 4:
        raise ValueError("images must be (B, C, H, W)")
    if any(side % patch_size for side in images.shape[2:]):
        raise ValueError("patches must tile the image")
    return F.pixel_unshuffle(images, patch_size).flatten(2).mT
