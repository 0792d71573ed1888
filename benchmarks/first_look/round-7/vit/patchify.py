# %% wrong: the channels last
# Inside a patch the channels of a pixel stand together, as in a picture file. Shows for more than one channel.


def patchify(images: Tensor, patch_size: int) -> Tensor:
    if images.dim() != 4:
        raise ValueError("images must be (B, C, H, W)")
    batch, channels, height, width = images.shape
    if height % patch_size or width % patch_size:
        raise ValueError("the patches must tile the image")
    rows, columns = height // patch_size, width // patch_size
    six = images.reshape(batch, channels, rows, patch_size, columns, patch_size)
    return six.permute(0, 2, 4, 3, 5, 1).reshape(batch, rows * columns, -1)


# %% wrong: F.unfold
# Right for floats, but F.unfold knows no integers: an int64 or boolean picture is an error.


def patchify(images: Tensor, patch_size: int) -> Tensor:
    if images.dim() != 4:
        raise ValueError("images must be (B, C, H, W)")
    if images.shape[2] % patch_size or images.shape[3] % patch_size:
        raise ValueError("the patches must tile the image")
    return F.unfold(images, kernel_size=patch_size, stride=patch_size).transpose(1, 2)


# %% wrong: the area is divisible
# Asks only that P * P divides H * W, and unfold cuts off what is left: 6 x 6 pixels in patches of 4 are refused, but
# 2 x 8, or 6 x 8, are not.


def patchify(images: Tensor, patch_size: int) -> Tensor:
    if images.dim() != 4:
        raise ValueError(f"four axes expected, found {images.dim()}")
    batch, channels, height, width = images.shape
    if (height * width) % patch_size**2 != 0:
        raise ValueError(f"patches of {patch_size} do not tile {height} x {width}")
    squares = images.unfold(2, patch_size, patch_size).unfold(3, patch_size, patch_size)  # (B, C, rows, columns, P, P)
    return squares.permute(0, 2, 3, 1, 4, 5).flatten(3).flatten(1, 2)


# %% wrong: a single picture is welcome too
# Three axes are taken for one image in place of an error.


def patchify(images: Tensor, patch_size: int) -> Tensor:
    if images.dim() == 3:
        images = images.unsqueeze(0)
    batch, channels, height, width = images.shape
    if height % patch_size != 0 or width % patch_size != 0:
        raise ValueError(f"patches of {patch_size} do not tile {height} x {width}")
    patches = []
    for top in range(0, height, patch_size):
        for left in range(0, width, patch_size):
            patches.append(images[:, :, top : top + patch_size, left : left + patch_size].reshape(batch, -1))
    return torch.stack(patches, dim=1)


# %% correct: a table of places


def patchify(images: Tensor, patch_size: int) -> Tensor:
    if images.ndim != 4:
        raise ValueError(f"images must have four axes, not {images.ndim}")
    batch, channels, height, width = images.shape
    if patch_size < 1 or height % patch_size or width % patch_size:
        raise ValueError(f"{patch_size} does not divide {height} and {width}")
    columns = width // patch_size
    count, length = columns * (height // patch_size), channels * patch_size**2
    n = torch.arange(count, device=images.device).unsqueeze(1)
    k = torch.arange(length, device=images.device).unsqueeze(0)
    channel, within = k // patch_size**2, k % patch_size**2
    y = n // columns * patch_size + within // patch_size
    x = n % columns * patch_size + within % patch_size
    return images.flatten(1)[:, (channel * height + y) * width + x]


# %% correct: strips, split once more


def patchify(images: Tensor, patch_size: int) -> Tensor:
    if len(images.shape) != 4:
        raise ValueError("images must be (B, C, H, W)")
    if patch_size < 1 or any(size % patch_size for size in images.shape[2:]):
        raise ValueError("P must divide H and W")
    words = []
    for strip in images.split(patch_size, dim=2):
        words += [square.flatten(1) for square in strip.split(patch_size, dim=3)]
    return torch.stack(words, dim=1)
