# %% wrong: assert in place of ValueError
# Images that do not fit are refused by assert, which raises an AssertionError; a ValueError is promised.
# Shows for images of 7 x 8 pixels with patches of 2, and for images (C, H, W).

def patchify(images: Tensor, patch_size: int) -> Tensor:
    assert images.dim() == 4, "images must be (B, C, H, W)"
    batch, channels, height, width = images.shape
    assert height % patch_size == 0 and width % patch_size == 0, "P must divide H and W"
    rows, columns = height // patch_size, width // patch_size
    cut = images.reshape(batch, channels, rows, patch_size, columns, patch_size)
    return cut.permute(0, 2, 4, 1, 3, 5).reshape(batch, rows * columns, -1)


# %% wrong: F.unfold, which reads floating-point numbers only
# F.unfold gives the right order, but is not there for integers and booleans; any dtype is promised.
# Shows for images of int64 or uint8: a RuntimeError.

def patchify(images: Tensor, patch_size: int) -> Tensor:
    if images.dim() != 4:
        raise ValueError("images must have four axes")
    if images.shape[2] % patch_size or images.shape[3] % patch_size:
        raise ValueError("patches do not tile the images")
    return F.unfold(images, kernel_size=patch_size, stride=patch_size).transpose(1, 2)


# %% wrong: the area is checked
# What is checked is that P * P divides H * W, which does not say that P divides both; then the rest is dropped.
# Shows for images of 6 x 8 pixels with patches of 4: two patches and no ValueError.

def patchify(images: Tensor, patch_size: int) -> Tensor:
    if images.dim() != 4:
        raise ValueError("images must have four axes")
    if images.shape[2] * images.shape[3] % patch_size**2 != 0:
        raise ValueError("P does not divide the picture")
    cut = images.unfold(2, patch_size, patch_size).unfold(3, patch_size, patch_size)  # (B, C, h, w, P, P)
    return cut.permute(0, 2, 3, 1, 4, 5).flatten(3).flatten(1, 2)


# %% wrong: the pixels of a patch column by column
# In the order of the six axes the last two are exchanged, so within a patch the columns come first.
# Shows for every P greater than 1: patch 0 of the example reads 0, 10, 1, 11.

def patchify(images: Tensor, patch_size: int) -> Tensor:
    if images.dim() != 4:
        raise ValueError("images must have four axes")
    B, C, H, W = images.shape
    P = patch_size
    if H % P or W % P:
        raise ValueError("P must divide H and W")
    six = images.reshape(B, C, H // P, P, W // P, P)
    return six.permute(0, 2, 4, 1, 5, 3).reshape(B, (H // P) * (W // P), C * P * P)


# %% correct: the number of every pixel, and one look-up

def patchify(images: Tensor, patch_size: int) -> Tensor:
    if images.dim() != 4 or images.shape[2] % patch_size or images.shape[3] % patch_size:
        raise ValueError(f"squares of {patch_size} do not tile images of shape {tuple(images.shape)}")
    batch, channels, height, width = images.shape
    n = torch.arange((height // patch_size) * (width // patch_size), device=images.device).unsqueeze(1)
    k = torch.arange(channels * patch_size**2, device=images.device)
    columns = width // patch_size
    channel, inside = k // patch_size**2, k % patch_size**2
    row = n // columns * patch_size + inside // patch_size
    column = n % columns * patch_size + inside % patch_size
    return images.flatten(1)[:, (channel * height + row) * width + column]


# %% correct: strips, then squares

def patchify(images: Tensor, patch_size: int) -> Tensor:
    if len(images.shape) != 4:
        raise ValueError("images must be (B, C, H, W)")
    if any(side % patch_size for side in images.shape[2:]):
        raise ValueError("the patches do not tile the images")
    squares = []
    for strip in images.split(patch_size, dim=2):
        for square in strip.split(patch_size, dim=3):
            squares.append(torch.cat([plane.flatten(1) for plane in square.unbind(1)], dim=1))
    return torch.stack(squares, dim=1)
