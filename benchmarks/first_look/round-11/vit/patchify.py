# %% wrong: the channels innermost
# The line from a well-known library lays a patch out as (P, P, C): the channels of one pixel stand
# side by side, not channel after channel. It shows for C and P above 1.

def patchify(images: Tensor, patch_size: int) -> Tensor:
    if images.dim() != 4:
        raise ValueError("images must be (B, C, H, W)")
    B, C, H, W = images.shape
    P = patch_size
    if H % P or W % P:
        raise ValueError(f"patches of {P} do not tile {H} x {W}")
    x = images.reshape(B, C, H // P, P, W // P, P)
    x = x.permute(0, 2, 4, 3, 5, 1)
    return x.reshape(B, (H // P) * (W // P), P * P * C)

# %% wrong: collected in zeros
# The loop fills torch.zeros, which is float32 whatever the images are. It shows for images of float64
# (rounded), int64 or bool, by the dtype.

def patchify(images: Tensor, patch_size: int) -> Tensor:
    if images.ndim != 4:
        raise ValueError(f"expected four axes, got {images.ndim}")
    B, C, H, W = images.shape
    if H % patch_size != 0 or W % patch_size != 0:
        raise ValueError("the patch size must divide height and width")
    rows, columns = H // patch_size, W // patch_size
    patches = torch.zeros(B, rows * columns, C * patch_size**2, device=images.device)
    for b in range(B):
        for row in range(rows):
            for column in range(columns):
                patches[b, row * columns + column] = one_patch(images[b], row, column, patch_size)
    return patches

# %% wrong: unfold, which knows floating point only
# F.unfold has the promised order, but no kernel for whole numbers or booleans: "of any dtype" fails.
# It shows for int64 images, such as the labels of the pixels.

def patchify(images: Tensor, patch_size: int) -> Tensor:
    if images.dim() != 4 or images.shape[2] % patch_size or images.shape[3] % patch_size:
        raise ValueError(f"no patches of {patch_size} in {tuple(images.shape)}")
    return F.unfold(images, patch_size, stride=patch_size).transpose(1, 2)

# %% wrong: a single image is taken for a batch of one
# Axes are counted from the end and the rest is -1, so (C, H, W) and (A, B, C, H, W) pass. It shows
# for images of three axes or five: no ValueError.

def patchify(images: Tensor, patch_size: int) -> Tensor:
    C, H, W = images.shape[-3:]
    if H % patch_size or W % patch_size:
        raise ValueError("patch_size must divide H and W")
    rows, columns = H // patch_size, W // patch_size
    x = images.reshape(-1, C, rows, patch_size, columns, patch_size)
    return x.permute(0, 2, 4, 1, 3, 5).flatten(3).flatten(1, 2)

# %% correct: each number of the result looked up by its place in the flat image
def patchify(images: Tensor, patch_size: int) -> Tensor:
    if images.ndim != 4:
        raise ValueError(f"images has {images.ndim} axes, not (B, C, H, W)")
    B, C, H, W = images.shape
    P = patch_size
    if H % P or W % P:
        raise ValueError(f"{P} does not divide {H} and {W}")
    device = images.device
    top = torch.arange(0, H, P, device=device).view(-1, 1, 1, 1, 1)
    left = torch.arange(0, W, P, device=device).view(1, -1, 1, 1, 1)
    channel = torch.arange(C, device=device).view(1, 1, -1, 1, 1)
    down = torch.arange(P, device=device).view(1, 1, 1, -1, 1)
    right = torch.arange(P, device=device).view(1, 1, 1, 1, -1)
    places = (channel * H + top + down) * W + left + right
    return images.flatten(1)[:, places.reshape((H // P) * (W // P), C * P * P)]

# %% correct: cut into strips, the strips into squares
def patchify(images: Tensor, patch_size: int) -> Tensor:
    if len(images.shape) != 4:
        raise ValueError("four axes are needed: (B, C, H, W)")
    if any(side % patch_size for side in images.shape[2:]):
        raise ValueError(f"squares of {patch_size} do not tile {tuple(images.shape[2:])}")
    words = []
    for strip in images.split(patch_size, dim=2):
        for square in strip.split(patch_size, dim=3):
            words.append(square.flatten(1))
    return torch.stack(words, dim=1)
