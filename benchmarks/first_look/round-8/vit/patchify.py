# %% wrong: the channels last within a patch
# The six axes are ordered rows, columns, P, P, C, as pictures are drawn: each pixel's channels stand together. Shows
# for every picture with more than one channel and patches of more than one pixel.

def patchify(images: Tensor, patch_size: int) -> Tensor:
    if images.dim() != 4:
        raise ValueError("images must be (B, C, H, W)")
    B, C, H, W = images.shape
    P = patch_size
    if H % P or W % P:
        raise ValueError("patches must tile the image")
    cut = images.reshape(B, C, H // P, P, W // P, P)
    return cut.permute(0, 2, 4, 3, 5, 1).reshape(B, (H // P) * (W // P), C * P * P)


# %% wrong: F.unfold, which knows floats only
# The numbers are right for float tensors, but unfold is not implemented for whole numbers: int64 and uint8
# images (labels, raw pixels) raise an error, though any dtype is promised.

def patchify(images: Tensor, patch_size: int) -> Tensor:
    if images.ndim != 4:
        raise ValueError(f"four axes expected, got {images.ndim}")
    if images.shape[2] % patch_size != 0 or images.shape[3] % patch_size != 0:
        raise ValueError("the patch size must divide height and width")
    return F.unfold(images, kernel_size=patch_size, stride=patch_size).transpose(1, 2)


# %% wrong: only the area is tested
# The test is H * W % P**2 != 0, which lets 6 x 8 pixels pass in patches of 4 (48 = 3 * 16). The loops then drop what is
# left over, and no ValueError comes.

def patchify(images: Tensor, patch_size: int) -> Tensor:
    if images.ndim != 4 or (images.shape[2] * images.shape[3]) % patch_size**2 != 0:
        raise ValueError("the image cannot be cut into such patches")
    rows, columns = images.shape[2] // patch_size, images.shape[3] // patch_size
    patches = images.new_empty(len(images), rows * columns, images.shape[1] * patch_size**2)
    for row in range(rows):
        for column in range(columns):
            top, left = row * patch_size, column * patch_size
            square = images[:, :, top : top + patch_size, left : left + patch_size]
            patches[:, row * columns + column] = square.flatten(1)
    return patches


# %% wrong: down the columns first
# The outer loop goes over the columns of patches, so the second patch is the one below the first. Shows wherever there
# are at least two rows and two columns of patches.

def patchify(images: Tensor, patch_size: int) -> Tensor:
    if images.ndim != 4:
        raise ValueError("images must have four axes")
    _, _, H, W = images.shape
    if H % patch_size or W % patch_size:
        raise ValueError("P must divide H and W")
    patches = []
    for x in range(0, W, patch_size):
        for y in range(0, H, patch_size):
            patches.append(images[:, :, y : y + patch_size, x : x + patch_size].flatten(start_dim=1))
    return torch.stack(patches, dim=1)


# %% correct: a table of the pixels' addresses

def patchify(images: Tensor, patch_size: int) -> Tensor:
    if images.dim() != 4:
        raise ValueError(f"images has {images.dim()} axes and should have four")
    _, C, H, W = images.shape
    if H % patch_size != 0 or W % patch_size != 0:
        raise ValueError(f"{patch_size} does not divide {H} and {W}")

    def steps(stop, step=1):
        return torch.arange(0, stop, step, device=images.device)

    top = steps(H, patch_size)[:, None, None, None, None]
    left = steps(W, patch_size)[None, :, None, None, None]
    channel = steps(C)[None, None, :, None, None]
    down = steps(patch_size)[None, None, None, :, None]
    across = steps(patch_size)[None, None, None, None, :]
    address = (channel * H + top + down) * W + left + across  # (H / P, W / P, C, P, P)
    return images.flatten(1)[:, address.flatten()].unflatten(1, (-1, C * patch_size**2))


# %% correct: split into bands, and the bands into squares

def patchify(images: Tensor, patch_size: int) -> Tensor:
    if len(images.shape) != 4:
        raise ValueError("a batch of images has four axes")
    if any(size % patch_size for size in images.shape[2:]):
        raise ValueError("some pixels would be left over")
    words = []
    for band in images.split(patch_size, dim=2):
        words.extend(square.flatten(1).unsqueeze(1) for square in band.split(patch_size, dim=3))
    return torch.cat(words, dim=1)
