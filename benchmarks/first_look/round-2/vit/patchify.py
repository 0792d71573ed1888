# %% wrong: leftovers fall off
# Tensor.unfold drops what does not fill a patch, so a picture of 10 x 10 with P = 4 gives four patches in silence, and three axes are read as if they were four. A good message: "H = 10, P = 4: expected ValueError, got (B, 4, ...)".

def patchify(images: Tensor, patch_size: int) -> Tensor:
    tiles = images.unfold(2, patch_size, patch_size).unfold(3, patch_size, patch_size)  # (B, C, h, w, P, P)
    return tiles.permute(0, 2, 3, 1, 4, 5).flatten(3).flatten(1, 2)

# %% wrong: floats only
# F.unfold has the order of patches and pixels right, but computes: whole numbers and truth values are refused. A good message: "images of uint8 (or int64) must work: pixels are moved, nothing is computed".

def patchify(images: Tensor, patch_size: int) -> Tensor:
    if images.dim() != 4:
        raise ValueError("images must be (B, C, H, W)")
    if images.shape[2] % patch_size or images.shape[3] % patch_size:
        raise ValueError("the patches do not tile the picture")
    return F.unfold(images, kernel_size=patch_size, stride=patch_size).transpose(1, 2)

# %% wrong: height and width exchanged in the cut
# The grid is cut as (W / P, H / P): right for square pictures only. A good message: "right for 8 x 8, wrong for 4 x 8: which axis is which?"

def patchify(images: Tensor, patch_size: int) -> Tensor:
    if images.ndim != 4:
        raise ValueError(f"need four axes, got {images.ndim}")
    B, C, H, W = images.shape
    P = patch_size
    if H % P != 0 or W % P != 0:
        raise ValueError(f"{P} does not divide {H} x {W}")
    pieces = images.reshape(B, C, W // P, P, H // P, P)
    return pieces.permute(0, 2, 4, 1, 3, 5).reshape(B, -1, C * P * P)

# %% wrong: channels last, and columns first
# Inside a patch the channels of a pixel stand side by side, and the patches come column by column. With one channel and a single row of patches it is right. A good message: "all pixels of the first channel first"; "patch 1 is the one to the right of patch 0".

def patchify(images: Tensor, patch_size: int) -> Tensor:
    if images.ndim != 4 or images.shape[-1] % patch_size or images.shape[-2] % patch_size:
        raise ValueError("need (B, C, H, W) with H and W divisible by the patch size")
    patches = []
    for left in range(0, images.shape[3], patch_size):
        for top in range(0, images.shape[2], patch_size):
            patch = images[:, :, top : top + patch_size, left : left + patch_size]
            patches.append(patch.permute(0, 2, 3, 1).flatten(1))
    return torch.stack(patches, dim=1)

# %% correct: two splits and a stack

def patchify(images: Tensor, patch_size: int) -> Tensor:
    if images.dim() != 4:
        raise ValueError(f"images must be (B, C, H, W), got {tuple(images.shape)}")
    if patch_size < 1 or any(side % patch_size for side in images.shape[2:]):
        raise ValueError(f"patches of {patch_size} do not tile {tuple(images.shape[2:])}")
    rows = images.split(patch_size, dim=2)
    return torch.stack([square.flatten(1) for row in rows for square in row.split(patch_size, dim=3)], dim=1)

# %% correct: pixels picked by number

def patchify(images: Tensor, patch_size: int) -> Tensor:
    if images.ndim != 4:
        raise ValueError("four axes, please")
    B, C, H, W = images.shape
    P = patch_size
    if P < 1 or H % P or W % P:
        raise ValueError(f"{P} x {P} does not tile {H} x {W}")
    number = torch.arange(C * H * W, device=images.device).view(C, H // P, P, W // P, P)
    order = torch.einsum("chpwq->hwcpq", number).reshape(-1, C * P * P)
    return images.reshape(B, C * H * W)[:, order]
