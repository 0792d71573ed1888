# %% wrong: the channels of a pixel side by side
# Inside a patch the order is pixel by pixel, each with all its channels, where the text wants the whole first
# channel first. Shows for C > 1 with P > 1.


def patchify(images: Tensor, patch_size: int) -> Tensor:
    if images.dim() != 4:
        raise ValueError("images must have four axes")
    B, C, H, W = images.shape
    P = patch_size
    if H % P or W % P:
        raise ValueError(f"{P} does not divide {H} and {W}")
    split = images.reshape(B, C, H // P, P, W // P, P)
    return split.permute(0, 2, 4, 3, 5, 1).reshape(B, (H // P) * (W // P), C * P * P)


# %% wrong: F.unfold, which takes no whole numbers
# The right numbers for float32 and float64, but "of any dtype": F.unfold raises for int64, uint8 and bool images.


def patchify(images: Tensor, patch_size: int) -> Tensor:
    if images.dim() != 4:
        raise ValueError(f"four axes are needed, got {images.dim()}")
    if images.shape[2] % patch_size or images.shape[3] % patch_size:
        raise ValueError("the patches do not tile the images")
    return F.unfold(images, patch_size, stride=patch_size).transpose(1, 2)


# %% wrong: the product is divisible
# Tests only whether P * P divides H * W. An image of 2 by 8 with P = 4 passes, and reshape raises a RuntimeError in
# place of the ValueError (6 by 6 is refused as it should be).


def patchify(images: Tensor, patch_size: int) -> Tensor:
    B, C, H, W = images.shape
    P = patch_size
    if (H * W) % (P * P) != 0:
        raise ValueError("no whole number of patches")
    N = H * W // (P * P)
    x = images.reshape(B, C, H // P, P, W // P, P)
    return x.permute(0, 2, 4, 1, 3, 5).reshape(B, N, C * P * P)


# %% wrong: patches column by column
# The loops are nested the other way round, so the patches go down the first column first. Shows where there are
# two rows and two columns of patches or more.


def patchify(images: Tensor, patch_size: int) -> Tensor:
    if images.ndim != 4:
        raise ValueError("expected (B, C, H, W)")
    H, W = images.shape[2:]
    if H % patch_size != 0 or W % patch_size != 0:
        raise ValueError("patch_size must divide H and W")
    patches = []
    for x in range(0, W, patch_size):
        for y in range(0, H, patch_size):
            patch = images[:, :, y : y + patch_size, x : x + patch_size]
            patches.append(patch.flatten(1))
    return torch.stack(patches, dim=1)


# %% correct: cut into strips, and the strips into squares


def patchify(images: Tensor, patch_size: int) -> Tensor:
    if images.ndim != 4 or any(side % patch_size for side in images.shape[2:]):
        raise ValueError(f"cannot cut {tuple(images.shape)} into squares of {patch_size}")
    strips = torch.stack(images.split(patch_size, dim=2), dim=1)  # (B, h, C, P, W)
    squares = torch.stack(strips.split(patch_size, dim=4), dim=2)  # (B, h, w, C, P, P)
    return squares.flatten(3).flatten(1, 2)


# %% correct: a table that says where each number comes from


def patchify(images: Tensor, patch_size: int) -> Tensor:
    if len(images.shape) != 4:
        raise ValueError("images must be (B, C, H, W)")
    _, channels, height, width = images.shape
    rows, rest = divmod(height, patch_size)
    columns, more = divmod(width, patch_size)
    if rest or more:
        raise ValueError(f"{patch_size} does not divide {height} and {width}")
    n = torch.arange(rows * columns, device=images.device).unsqueeze(1)
    k = torch.arange(channels * patch_size**2, device=images.device)
    channel, inside = k // patch_size**2, k % patch_size**2
    y = (n // columns) * patch_size + inside // patch_size
    x = (n % columns) * patch_size + inside % patch_size
    return images[:, channel.expand_as(y), y, x]
