# %% wrong: pixels of a patch read column by column
# The two unfolds come in the wrong order: the pixels inside a patch stand transposed, (column, row).

def patchify(images: Tensor, patch_size: int) -> Tensor:
    if images.dim() != 4:
        raise ValueError("images must be (B, C, H, W)")
    B, C, H, W = images.shape
    if H % patch_size != 0 or W % patch_size != 0:
        raise ValueError("the patch size must divide the height and the width")
    pieces = images.unfold(3, patch_size, patch_size).unfold(2, patch_size, patch_size)
    pieces = pieces.permute(0, 2, 3, 1, 4, 5)
    return pieces.reshape(B, -1, C * patch_size * patch_size)


# %% wrong: unfold and a cast to float
# F.unfold wants floating point, so the images are cast; whole numbers and booleans come back as float32, and float64 loses digits.

def patchify(images: Tensor, patch_size: int) -> Tensor:
    if images.ndim != 4 or images.shape[-2] % patch_size or images.shape[-1] % patch_size:
        raise ValueError(f"cannot cut {tuple(images.shape)} into patches of {patch_size}")
    columns = F.unfold(images.float(), kernel_size=patch_size, stride=patch_size)  # (B, C*P*P, N)
    return columns.transpose(1, 2)


# %% wrong: refuses only if neither side is divisible
# "and" in the place of "or": where P divides only one of H and W nothing is raised, and unfold drops the rest at the edge.

def patchify(images: Tensor, patch_size: int) -> Tensor:
    if len(images.shape) != 4:
        raise ValueError("four axes please")
    batch, channels, height, width = images.shape
    if height % patch_size != 0 and width % patch_size != 0:
        raise ValueError("patches do not fit")
    x = images.unfold(2, patch_size, patch_size).unfold(3, patch_size, patch_size)  # (B, C, h, w, P, P)
    x = x.permute(0, 2, 3, 1, 4, 5)
    return x.flatten(3).flatten(1, 2)


# %% wrong: a single image is helped along
# An image (C, H, W) without a batch axis gets one, instead of the ValueError that is asked for.

def patchify(images: Tensor, patch_size: int) -> Tensor:
    if images.dim() == 3:
        images = images.unsqueeze(0)
    B, C, H, W = images.shape
    if H % patch_size or W % patch_size:
        raise ValueError("P must divide H and W")
    h, w = H // patch_size, W // patch_size
    x = images.view(B, C, h, patch_size, w, patch_size)
    x = x.permute(0, 2, 4, 1, 3, 5)
    return x.reshape(B, h * w, C * patch_size**2)


# %% wrong: loops with x outside and y inside
# The outer loop goes over the columns, so the patches come from top to bottom and then the next column.

def patchify(images: Tensor, patch_size: int) -> Tensor:
    if images.ndim != 4:
        raise ValueError("images must have four axes")
    _, _, height, width = images.shape
    if height % patch_size > 0 or width % patch_size > 0:
        raise ValueError("image cannot be divided into patches")
    patches = []
    for x in range(0, width, patch_size):
        for y in range(0, height, patch_size):
            square = images[:, :, y : y + patch_size, x : x + patch_size]
            patches.append(square.flatten(start_dim=1))
    return torch.stack(patches, dim=1)


# %% correct: bands of rows, then squares of each band

def patchify(images: Tensor, patch_size: int) -> Tensor:
    if images.dim() != 4:
        raise ValueError(f"images must be (B, C, H, W), got {tuple(images.shape)}")
    if any(side % patch_size for side in images.shape[2:]):
        raise ValueError(f"{patch_size} does not divide {tuple(images.shape[2:])}")
    squares = [square for band in images.split(patch_size, dim=2) for square in band.split(patch_size, dim=3)]
    return torch.cat([square.flatten(1).unsqueeze(1) for square in squares], dim=1)


# %% correct: a table of flat pixel numbers

def _pixel_numbers(channels, height, width, size, device):
    down = torch.arange(size, device=device).view(1, 1, 1, size, 1)
    right = torch.arange(size, device=device).view(1, 1, 1, 1, size)
    plane = torch.arange(channels, device=device).view(1, 1, channels, 1, 1)
    top = torch.arange(0, height, size, device=device).view(-1, 1, 1, 1, 1)
    left = torch.arange(0, width, size, device=device).view(1, -1, 1, 1, 1)
    numbers = (plane * height + top + down) * width + left + right
    return numbers.reshape((height // size) * (width // size), channels * size * size)


def patchify(images: Tensor, patch_size: int) -> Tensor:
    if len(images.shape) != 4:
        raise ValueError("images need the axes B, C, H, W")
    B, C, H, W = images.shape
    if (H // patch_size) * patch_size != H or (W // patch_size) * patch_size != W:
        raise ValueError(f"patches of {patch_size} do not tile {H} x {W}")
    where = _pixel_numbers(C, H, W, patch_size, images.device)
    return images.reshape(B, C * H * W)[:, where]
