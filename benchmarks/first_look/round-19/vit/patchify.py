# %% wrong: the colors of a pixel stay together
# The layout of many ViT codes, "(p1 p2 c)": pixel by pixel with its channels, not channel by
# channel. Shows for any image with two or more channels and P > 1.

def patchify(images: Tensor, patch_size: int) -> Tensor:
    if images.dim() != 4:
        raise ValueError(f"images must have four axes, got {tuple(images.shape)}")
    B, C, H, W = images.shape
    if H % patch_size or W % patch_size:
        raise ValueError(f"{patch_size} does not divide {H} and {W}")
    rows, columns = H // patch_size, W // patch_size
    x = images.reshape(B, C, rows, patch_size, columns, patch_size)
    x = x.permute(0, 2, 4, 3, 5, 1)  # (B, rows, columns, P, P, C)
    return x.reshape(B, rows * columns, patch_size * patch_size * C)


# %% wrong: only the product is checked
# N = H * W / P^2 must be a whole number, and that is all that is asked: 6 x 8 pixels with P = 4
# lose their last two rows, without an error.

def patchify(images: Tensor, patch_size: int) -> Tensor:
    if images.dim() != 4:
        raise ValueError("images must be (B, C, H, W)")
    height, width = images.shape[2:]
    if (height * width) % patch_size**2 != 0:
        raise ValueError("the patches do not tile the image")
    squares = images.unfold(2, patch_size, patch_size).unfold(3, patch_size, patch_size)
    # (B, C, rows, columns, P, P) -> (B, rows, columns, C, P, P)
    return squares.permute(0, 2, 3, 1, 4, 5).flatten(3).flatten(1, 2)


# %% wrong: F.unfold on floats
# F.unfold refuses whole numbers, so the images are made float32 first: labels of int64, and
# images of uint8 or float64, do not keep their dtype.

def patchify(images: Tensor, patch_size: int) -> Tensor:
    if images.dim() != 4:
        raise ValueError("patchify needs images of four axes")
    if images.shape[2] % patch_size != 0 or images.shape[3] % patch_size != 0:
        raise ValueError("patch_size has to divide the height and the width")
    columns = F.unfold(images.float(), kernel_size=patch_size, stride=patch_size)
    return columns.transpose(1, 2)  # (B, C * P * P, N) -> (B, N, C * P * P)


# %% wrong: whatever is in front counts as the batch
# The last three axes are read and the others merged: a single image (C, H, W) comes out with a
# batch of one, and five axes as one long batch, where ValueError is asked for.

def patchify(images: Tensor, patch_size: int) -> Tensor:
    C, H, W = images.shape[-3:]
    if H % patch_size or W % patch_size:
        raise ValueError(f"{H} x {W} pixels are not a multiple of {patch_size}")
    x = images.reshape(-1, C, H // patch_size, patch_size, W // patch_size, patch_size)
    x = x.permute(0, 2, 4, 1, 3, 5)
    return x.reshape(x.shape[0], -1, C * patch_size**2)


# %% correct: strips, then squares
# Splits the height into strips, each strip into squares, and stacks them.
def patchify(images: Tensor, patch_size: int) -> Tensor:
    if images.ndim != 4:
        raise ValueError(f"expected (B, C, H, W), got {tuple(images.shape)}")
    if any(side % patch_size for side in images.shape[2:]):
        raise ValueError(f"{patch_size} must divide each of {tuple(images.shape[2:])}")
    words = [
        square.flatten(1)
        for strip in images.split(patch_size, dim=2)
        for square in strip.split(patch_size, dim=3)
    ]
    return torch.stack(words, dim=1)


# %% correct: the address of each number
# Computes for each place of the result where its number lies in the flat image, and picks it.
def patchify(images: Tensor, patch_size: int) -> Tensor:
    if len(images.shape) != 4:
        raise ValueError("four axes are needed: (B, C, H, W)")
    channels, height, width = images.shape[1:]
    if height % patch_size != 0 or width % patch_size != 0:
        raise ValueError("the patches do not tile the image")
    across = width // patch_size
    count = height // patch_size * across
    patch = torch.arange(count, device=images.device).unsqueeze(1)
    place = torch.arange(channels * patch_size**2, device=images.device).unsqueeze(0)
    channel, inside = place // patch_size**2, place % patch_size**2
    row = patch // across * patch_size + inside // patch_size
    column = patch % across * patch_size + inside % patch_size
    return images.flatten(1)[:, (channel * height + row) * width + column]
