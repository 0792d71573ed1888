# %% wrong: F.unfold by way of float32
# unfold takes no integers, so the images go through float32 and back. Large whole numbers and float64 are rounded: shows for
# int64 values above 2**24 and for any float64 images.

def patchify(images: Tensor, patch_size: int) -> Tensor:
    if images.dim() != 4 or images.shape[2] % patch_size or images.shape[3] % patch_size:
        raise ValueError("patches do not tile the images")
    columns = F.unfold(images.float(), kernel_size=patch_size, stride=patch_size)
    return columns.transpose(1, 2).to(images.dtype)


# %% wrong: refuses only where P divides neither H nor W
# `and` in place of `or`. With 4 x 5 pixels and P = 2 the last column is dropped without an error; ValueError is asked for.

def patchify(images: Tensor, patch_size: int) -> Tensor:
    if images.ndim != 4:
        raise ValueError("images must have four axes")
    if images.shape[2] % patch_size and images.shape[3] % patch_size:
        raise ValueError("patch_size must divide height and width")
    squares = images.unfold(2, patch_size, patch_size).unfold(3, patch_size, patch_size)
    return squares.permute(0, 2, 3, 1, 4, 5).flatten(3).flatten(1, 2)


# %% wrong: the patches are written into zeros of float32
# The result is always float32, not of the images' dtype. Shows for integer and for float64 images.

def patchify(images: Tensor, patch_size: int) -> Tensor:
    B, C, H, W = images.shape  # ValueError for another number of axes
    if H % patch_size or W % patch_size:
        raise ValueError("patch_size must divide H and W")
    rows, columns = H // patch_size, W // patch_size
    patches = torch.zeros(B, rows * columns, C * patch_size**2, device=images.device)
    for row in range(rows):
        for column in range(columns):
            top, left = row * patch_size, column * patch_size
            square = images[:, :, top : top + patch_size, left : left + patch_size]
            patches[:, row * columns + column] = square.flatten(1)
    return patches


# %% wrong: stacked patch by patch, then viewed as a batch
# The stack is (N, B, C * P * P), and a reshape, where a transpose is needed, gives the right shape: the patches of the images
# are mixed up. Right for a batch of one; shows for every larger one.

def patchify(images: Tensor, patch_size: int) -> Tensor:
    B, C, H, W = images.shape
    if H % patch_size or W % patch_size:
        raise ValueError("patch_size must divide H and W")
    patches = []
    for top in range(0, H, patch_size):
        for left in range(0, W, patch_size):
            patches.append(images[:, :, top : top + patch_size, left : left + patch_size])
    return torch.stack(patches).reshape(B, len(patches), C * patch_size**2)


# %% correct: the number of each pixel worked out, then one lookup

def patchify(images: Tensor, patch_size: int) -> Tensor:
    if images.ndim != 4:
        raise ValueError(f"four axes wanted, got {images.ndim}")
    B, C, H, W = images.shape
    P = patch_size
    if H % P or W % P:
        raise ValueError(f"{P} does not divide {H} and {W}")

    def counting(n: int, *shape: int) -> Tensor:
        return torch.arange(n, device=images.device).reshape(shape)

    row = P * counting(H // P, -1, 1, 1, 1, 1) + counting(P, 1, 1, 1, -1, 1)
    column = P * counting(W // P, 1, -1, 1, 1, 1) + counting(P, 1, 1, 1, 1, -1)
    number = (counting(C, 1, 1, -1, 1, 1) * H + row) * W + column
    return images.flatten(1)[:, number.reshape(H * W // P**2, C * P**2)]


# %% correct: split into strips, strips into squares

def patchify(images: Tensor, patch_size: int) -> Tensor:
    if len(images.shape) != 4 or any(side % patch_size for side in images.shape[-2:]):
        raise ValueError(f"no squares of {patch_size} in {tuple(images.shape)}")
    strips = images.split(patch_size, dim=-2)
    squares = [square for strip in strips for square in strip.split(patch_size, dim=-1)]
    return torch.cat([square.reshape(len(images), 1, -1) for square in squares], dim=1)
