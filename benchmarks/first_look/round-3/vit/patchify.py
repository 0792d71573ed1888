# %% wrong: one plain reshape
# The picture lies row after row in memory, so a reshape gives pieces of rows and not squares (the shape is right, the pixels are not).
# Hint: cut the axes of height and width into two each, and bring the six axes into reading order before you join them.

def patchify(images: Tensor, patch_size: int) -> Tensor:
    if images.dim() != 4:
        raise ValueError(f"images must be (B, C, H, W), got {tuple(images.shape)}")
    B, C, H, W = images.shape
    if H % patch_size or W % patch_size:
        raise ValueError(f"{patch_size} does not divide {H} and {W}")
    N = (H // patch_size) * (W // patch_size)
    return images.reshape(B, N, C * patch_size * patch_size)


# %% wrong: channels come last in the patch
# Inside a patch the numbers come pixel by pixel with all channels, and not channel by channel; right only for one channel.
# Hint: the docstring wants all pixels of the first channel first. Where must the axis C stand before you join?

def patchify(images: Tensor, patch_size: int) -> Tensor:
    if images.dim() != 4:
        raise ValueError(f"images must be (B, C, H, W), got {tuple(images.shape)}")
    B, C, H, W = images.shape
    P = patch_size
    if H % P or W % P:
        raise ValueError(f"{P} does not divide {H} and {W}")
    cut = images.reshape(B, C, H // P, P, W // P, P)
    return cut.permute(0, 2, 4, 3, 5, 1).reshape(B, (H // P) * (W // P), C * P * P)


# %% wrong: F.unfold takes only floats
# F.unfold is a convolution's helper and refuses integers and booleans, but the function is promised for any dtype (labels are int64).
# Hint: pixels are only moved here; which of your calls computes with them?

def patchify(images: Tensor, patch_size: int) -> Tensor:
    if images.dim() != 4:
        raise ValueError(f"images must be (B, C, H, W), got {tuple(images.shape)}")
    H, W = images.shape[2:]
    if H % patch_size or W % patch_size:
        raise ValueError(f"{patch_size} does not divide {H} and {W}")
    return F.unfold(images, kernel_size=patch_size, stride=patch_size).transpose(1, 2)


# %% wrong: the edge is cut off in silence
# Where P does not divide H or W the remaining pixels are dropped, and no ValueError is raised.
# Hint: what does your function do with a picture of 5 x 6 pixels and patches of 2, and what does the docstring say?

def patchify(images: Tensor, patch_size: int) -> Tensor:
    if images.dim() != 4:
        raise ValueError("images must have four axes")
    P = patch_size
    rows, columns = images.shape[2] // P, images.shape[3] // P
    patches = []
    for row in range(rows):
        for column in range(columns):
            patch = images[:, :, row * P : (row + 1) * P, column * P : (column + 1) * P]
            patches.append(patch.flatten(1))
    return torch.stack(patches, dim=1)


# %% correct: Tensor.unfold along both axes

def patchify(images: Tensor, patch_size: int) -> Tensor:
    if images.ndim != 4:
        raise ValueError(f"images must be (B, C, H, W), got {tuple(images.shape)}")
    if images.shape[-2] % patch_size != 0 or images.shape[-1] % patch_size != 0:
        raise ValueError(f"patches of {patch_size} do not tile {tuple(images.shape[-2:])}")
    windows = images.unfold(2, patch_size, patch_size).unfold(3, patch_size, patch_size)  # (B, C, h, w, P, P)
    return windows.movedim(1, 3).flatten(3).flatten(1, 2)


# %% correct: a table of pixel numbers

def patchify(images: Tensor, patch_size: int) -> Tensor:
    if len(images.shape) != 4:
        raise ValueError("images must be (B, C, H, W)")
    B, C, H, W = images.shape
    if any(length % patch_size for length in (H, W)):
        raise ValueError("the patches must tile the image")
    where = []
    for top in range(0, H, patch_size):
        for left in range(0, W, patch_size):
            where.append(
                [
                    (c * H + top + y) * W + left + x
                    for c in range(C)
                    for y in range(patch_size)
                    for x in range(patch_size)
                ]
            )
    index = torch.tensor(where, device=images.device)
    return images.flatten(1)[:, index]
