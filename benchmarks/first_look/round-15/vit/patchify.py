# %% wrong: only the product is asked about
# H * W is compared with P * P. 2 by 8 pixels with P = 4 pass (16 is divisible by 16) and end in an
# error of reshape, no ValueError.

def patchify(images: Tensor, patch_size: int) -> Tensor:
    if images.ndim != 4:
        raise ValueError("images need four axes")
    B, C, H, W = images.shape
    P = patch_size
    if (H * W) % (P * P) != 0:
        raise ValueError(f"patches of {P} do not tile {H} x {W}")
    x = images.reshape(B, C, H // P, P, W // P, P)
    return x.permute(0, 2, 4, 1, 3, 5).reshape(B, -1, C * P * P)

# %% wrong: by way of float32 and back
# F.unfold wants floating-point numbers, so all is turned to float32 and back. Shows for float64
# images, which lose digits, and for integers above 2**24.

def patchify(images: Tensor, patch_size: int) -> Tensor:
    if images.ndim != 4 or images.shape[2] % patch_size or images.shape[3] % patch_size:
        raise ValueError("patches must tile the images")
    columns = F.unfold(images.float(), patch_size, stride=patch_size)  # (B, C * P * P, N)
    return columns.transpose(1, 2).to(images.dtype)

# %% wrong: patches column by column
# The two grid axes are merged with the columns outside: the patches come top to bottom, then the
# next column. Shows wherever there are two rows and two columns of patches or more.

def patchify(images: Tensor, patch_size: int) -> Tensor:
    if images.ndim != 4:
        raise ValueError(f"four axes, not {images.ndim}")
    P = patch_size
    B, C, H, W = images.shape
    if H % P or W % P:
        raise ValueError(f"{P} does not divide {H} and {W}")
    x = images.reshape(B, C, H // P, P, W // P, P)
    x = x.permute(0, 4, 2, 1, 3, 5)
    return x.reshape(B, (H // P) * (W // P), C * P * P)

# %% wrong: every patch lies on its side
# The patches stand in the right order, but inside of each the pixels go column by column. Shows
# for every P above 1.

def patchify(images: Tensor, patch_size: int) -> Tensor:
    if images.ndim != 4 or images.shape[-2] % patch_size or images.shape[-1] % patch_size:
        raise ValueError("images (B, C, H, W), with H and W divisible by the patch size")
    squares = images.unfold(3, patch_size, patch_size).unfold(2, patch_size, patch_size)
    # (B, C, rows, columns, P, P) -> (B, rows, columns, C, P, P)
    squares = squares.permute(0, 2, 3, 1, 4, 5)
    return squares.flatten(3).flatten(1, 2)

# %% correct: one table of pixel numbers

def patchify(images: Tensor, patch_size: int) -> Tensor:
    if images.dim() != 4:
        raise ValueError(f"expected (B, C, H, W), got {tuple(images.shape)}")
    B, C, H, W = images.shape
    if H % patch_size != 0 or W % patch_size != 0:
        raise ValueError(f"patches of {patch_size} do not tile {H} x {W}")
    P, columns = patch_size, W // patch_size
    table = [
        [
            c * H * W + (P * (n // columns) + i) * W + P * (n % columns) + j
            for c in range(C)
            for i in range(P)
            for j in range(P)
        ]
        for n in range((H // P) * columns)
    ]
    return images.flatten(1)[:, torch.tensor(table, device=images.device)]

# %% correct: split into rows, then into columns, then stacked

def patchify(images: Tensor, patch_size: int) -> Tensor:
    if images.ndim != 4 or any(side % patch_size for side in images.shape[2:]):
        raise ValueError(f"{tuple(images.shape)} is not tiled by patches of {patch_size}")
    patches = []
    for strip in torch.split(images, patch_size, dim=2):
        for square in torch.split(strip, patch_size, dim=3):
            channels = [channel.flatten(1) for channel in square.unbind(dim=1)]
            patches.append(torch.cat(channels, dim=1))
    return torch.stack(patches, dim=1)
