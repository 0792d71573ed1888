# %% wrong: F.unfold
# The library's sliding window has the right order, but computes with floats only: images of int64,
# uint8 or bool raise an error, and "of any dtype" was asked for.

def patchify(images: Tensor, patch_size: int) -> Tensor:
    if images.ndim != 4 or images.shape[2] % patch_size or images.shape[3] % patch_size:
        raise ValueError(f"patches of {patch_size} do not tile images of shape {tuple(images.shape)}")
    return F.unfold(images, kernel_size=patch_size, stride=patch_size).transpose(1, 2)


# %% wrong: a single picture gets a batch of its own
# Meant kindly: (C, H, W) is taken for a batch of one. ValueError was promised where there are not
# four axes, three of them included.

def patchify(images: Tensor, patch_size: int) -> Tensor:
    if images.ndim == 3:
        images = images.unsqueeze(0)
    if images.ndim != 4:
        raise ValueError("images must be (B, C, H, W)")
    B, C, H, W = images.shape
    P = patch_size
    if H % P or W % P:
        raise ValueError("the patches do not tile the images")
    cut = images.reshape(B, C, H // P, P, W // P, P).permute(0, 2, 4, 1, 3, 5)
    return cut.flatten(3).flatten(1, 2)


# %% wrong: the channels innermost
# Inside a patch the three numbers of a pixel stand side by side, as in a picture file. Right with
# one channel; with more the order is another.

def patchify(images: Tensor, patch_size: int) -> Tensor:
    if images.ndim != 4:
        raise ValueError("images must be (B, C, H, W)")
    B, C, H, W = images.shape
    P = patch_size
    if H % P or W % P:
        raise ValueError("the patches do not tile the images")
    cut = images.reshape(B, C, H // P, P, W // P, P)
    return torch.einsum("bchpwq->bhwpqc", cut).reshape(B, -1, P * P * C)


# %% wrong: only the number of pixels is checked
# H * W divisible by P * P is not enough: 2 x 8 pixels and patches of 4 pass the test, and then
# reshape fails with RuntimeError in place of the ValueError.

def patchify(images: Tensor, patch_size: int) -> Tensor:
    if images.ndim != 4 or images[0, 0].numel() % patch_size**2 != 0:
        raise ValueError("patch_size must divide the height and the width")
    B, C, H, W = images.shape
    rows, columns = H // patch_size, W // patch_size
    cut = images.reshape(B, C, rows, patch_size, columns, patch_size)
    cut = cut.permute(0, 2, 4, 1, 3, 5)
    return cut.reshape(B, rows * columns, C * patch_size * patch_size)


# %% correct: pixel_unshuffle

def patchify(images: Tensor, patch_size: int) -> Tensor:
    if images.dim() != 4 or any(side % patch_size for side in images.shape[2:]):
        raise ValueError(f"no patches of {patch_size} x {patch_size} in {tuple(images.shape)}")
    return F.pixel_unshuffle(images, patch_size).flatten(2).transpose(1, 2)


# %% correct: a table of pixel numbers, and one lookup

def patchify(images: Tensor, patch_size: int) -> Tensor:
    if images.dim() != 4:
        raise ValueError(f"four axes are wanted, not {images.dim()}")
    B, C, H, W = images.shape
    if divmod(H, patch_size)[1] != 0 or divmod(W, patch_size)[1] != 0:
        raise ValueError(f"{patch_size} must divide {H} and {W}")
    within = torch.arange(patch_size, device=images.device)
    within = (within[:, None] * W + within).reshape(-1)  # (P * P,)
    corners = torch.arange(H * W, device=images.device).reshape(H, W)[::patch_size, ::patch_size].reshape(-1)
    numbers = corners[:, None, None] + torch.arange(C, device=images.device)[:, None] * (H * W) + within
    return images.reshape(B, C * H * W)[:, numbers.reshape(len(corners), -1)]
