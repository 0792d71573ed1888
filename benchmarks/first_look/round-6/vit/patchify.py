# %% wrong: by unfold, for floating point only
# F.unfold gives the right order of patches and pixels, but it is not there for integer or boolean
# images, which have to be cut as well.

def patchify(images: Tensor, patch_size: int) -> Tensor:
    if images.dim() != 4:
        raise ValueError(f"images must have four axes, got {tuple(images.shape)}")
    if images.shape[2] % patch_size or images.shape[3] % patch_size:
        raise ValueError("patches do not tile the images")
    return F.unfold(images, kernel_size=patch_size, stride=patch_size).transpose(1, 2)


# %% wrong: copied into a float tensor
# The patches are written into torch.zeros of the default type, so images of bytes, int64 or float64
# come back as float32.

def patchify(images: Tensor, patch_size: int) -> Tensor:
    if images.ndim != 4:
        raise ValueError("images must be (B, C, H, W)")
    B, C, H, W = images.shape
    if H % patch_size != 0 or W % patch_size != 0:
        raise ValueError("patch_size must divide height and width")
    rows, columns = H // patch_size, W // patch_size
    patches = torch.zeros(B, rows * columns, C * patch_size**2)
    for row in range(rows):
        for column in range(columns):
            top, left = row * patch_size, column * patch_size
            square = images[:, :, top : top + patch_size, left : left + patch_size]
            patches[:, row * columns + column] = square.flatten(1)
    return patches


# %% wrong: only the area is asked for
# It is checked that P squared divides H times W. An image of 2 by 8 pixels and patches of 4 pass that;
# then reshape fails with a RuntimeError, or gives squares that are none.

def patchify(images: Tensor, patch_size: int) -> Tensor:
    if images.dim() != 4 or (images.shape[2] * images.shape[3]) % patch_size**2:
        raise ValueError("the patches do not tile the images")
    B, C, H, W = images.shape
    P = patch_size
    cut = images.reshape(B, C, H // P, P, W // P, P)
    return cut.permute(0, 2, 4, 1, 3, 5).flatten(3).flatten(1, 2)


# %% wrong: a single image is let in
# Three axes are taken for one image and a batch axis is put before them, where a ValueError was asked
# for anything without four axes.

def patchify(images: Tensor, patch_size: int) -> Tensor:
    if images.ndim == 3:
        images = images.unsqueeze(0)
    B, C, H, W = images.shape
    if H % patch_size or W % patch_size:
        raise ValueError(f"{patch_size} does not divide {H} and {W}")
    patches = images.unfold(2, patch_size, patch_size).unfold(3, patch_size, patch_size)
    return patches.permute(0, 2, 3, 1, 4, 5).flatten(3).flatten(1, 2)


# %% wrong: the patches come column by column
# The axis of the columns is brought before that of the rows: the patches run down the picture first,
# and not as one reads. The shape is right.

def patchify(images: Tensor, patch_size: int) -> Tensor:
    if images.dim() != 4:
        raise ValueError("images must have four axes")
    B, C, H, W = images.shape
    h, w = H // patch_size, W // patch_size
    if h * patch_size != H or w * patch_size != W:
        raise ValueError("patch_size does not divide the image")
    six = images.reshape(B, C, h, patch_size, w, patch_size)
    return six.permute(0, 4, 2, 1, 3, 5).flatten(1, 2).flatten(2)


# %% correct: the place of each number looked up

def places_of(channels: int, height: int, width: int, size: int, device) -> Tensor:
    """Where in an image's line of numbers each number of each patch stands: (N, C * P * P)."""
    count = torch.arange(channels * height * width, device=device)
    per_patch = channels * size * size
    patch, inside = count // per_patch, count % per_patch
    across = max(width // size, 1)
    row = patch // across * size + inside // size % size
    column = patch % across * size + inside % size
    return ((inside // (size * size) * height + row) * width + column).view(-1, per_patch)


def patchify(images: Tensor, patch_size: int) -> Tensor:
    if len(images.shape) != 4:
        raise ValueError(f"images has shape {tuple(images.shape)}, not (B, C, H, W)")
    _, channels, height, width = images.shape
    if any(side % patch_size for side in (height, width)):
        raise ValueError(f"patches of {patch_size} do not tile {height} x {width}")
    return images.flatten(1)[:, places_of(channels, height, width, patch_size, images.device)]


# %% correct: split in strips and then in squares

def squares(images: Tensor, size: int):
    for strip in images.split(size, dim=2):
        yield from strip.split(size, dim=3)


def patchify(images: Tensor, patch_size: int) -> Tensor:
    if images.dim() != 4:
        raise ValueError("expected a batch of images with channels")
    if images.size(2) % patch_size + images.size(3) % patch_size > 0:
        raise ValueError("the image cannot be cut into whole patches")
    lines = [square.flatten(1) for square in squares(images, patch_size)]
    return torch.stack(lines, dim=1)
