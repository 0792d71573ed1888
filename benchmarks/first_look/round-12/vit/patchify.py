# %% wrong: the counts of rows and columns exchanged
# Splits the height into W / P and the width into H / P pieces' worth of pixels. A square picture is cut rightly; one that is not
# square gives wrong contents.

def patchify(images: Tensor, patch_size: int) -> Tensor:
    B, C, H, W = images.shape
    P = patch_size
    if H % P or W % P:
        raise ValueError(f"{P} does not divide {H} and {W}")
    columns, rows = H // P, W // P
    squares = images.reshape(B, C, rows, P, columns, P)
    return squares.permute(0, 2, 4, 1, 3, 5).reshape(B, rows * columns, C * P * P)


# %% wrong: the channels of a pixel together
# Inside a patch the channels come last: red, green and blue of the first pixel, then of the second. It shows for more than one
# channel and patches of more than one pixel.

def patchify(images: Tensor, patch_size: int) -> Tensor:
    if images.dim() != 4:
        raise ValueError("images has to be (B, C, H, W)")
    B, C, H, W = images.shape
    if H % patch_size != 0 or W % patch_size != 0:
        raise ValueError("the patches do not tile the image")
    h, w = H // patch_size, W // patch_size
    x = images.reshape(B, C, h, patch_size, w, patch_size)
    # (B, h, w, P, P, C)
    x = torch.einsum("bchpwq->bhwpqc", x)
    return x.reshape(B, h * w, C * patch_size**2)


# %% wrong: unfold needs floats
# F.unfold does not take integers, so the images are made float32 first, and stay so. It shows for every dtype but float32: int64
# and uint8 pictures come back as floats, float64 loses digits.

def patchify(images: Tensor, patch_size: int) -> Tensor:
    if images.ndim != 4:
        raise ValueError("four axes are needed")
    if images.shape[2] % patch_size or images.shape[3] % patch_size:
        raise ValueError("patch_size does not divide height and width")
    # (B, C * P * P, N)
    columns = F.unfold(images.float(), kernel_size=patch_size, stride=patch_size)
    return columns.transpose(1, 2)


# %% wrong: P times P divides H times W
# Checks the number of pixels, not each side. 8 x 6 pixels in patches of 4 pass, and the two last columns of pixels are lost without
# an error.

def patchify(images: Tensor, patch_size: int) -> Tensor:
    if images.dim() != 4:
        raise ValueError(f"images of {images.dim()} axes")
    H, W = images.shape[-2:]
    if (H * W) % (patch_size * patch_size) != 0 or min(H, W) < patch_size:
        raise ValueError("no whole number of patches")
    # (B, C, h, w, P, P)
    tiles = images.unfold(2, patch_size, patch_size).unfold(3, patch_size, patch_size)
    # (B, h, w, C, P, P)
    tiles = tiles.movedim(1, 3)
    return tiles.flatten(3).flatten(1, 2)


# %% correct: pixel_unshuffle has the order already

def patchify(images: Tensor, patch_size: int) -> Tensor:
    if images.dim() != 4 or any(side % patch_size for side in images.shape[2:]):
        raise ValueError(f"no patches of {patch_size} x {patch_size} tile {tuple(images.shape)}")
    # (B, C * P * P, H / P, W / P) -> (B, N, C * P * P)
    return F.pixel_unshuffle(images, patch_size).flatten(2).transpose(1, 2)


# %% correct: a table of where each number lies

def patchify(images: Tensor, patch_size: int) -> Tensor:
    if len(images.shape) != 4:
        raise ValueError("images (B, C, H, W)")
    _, C, H, W = images.shape
    P = patch_size
    if H % P > 0 or W % P > 0:
        raise ValueError(f"{H} x {W} cannot be tiled by {P} x {P}")

    def count(n: int) -> Tensor:
        return torch.arange(n, device=images.device)

    # the top left corner of each patch, (N, 1)
    corner = (count(H // P).unsqueeze(1) * P * W + count(W // P) * P).reshape(-1, 1)
    # where each number of a patch lies from its corner, (1, C * P * P)
    number = count(C * P * P)
    offset = number // (P * P) * (H * W) + number // P % P * W + number % P
    return images.flatten(1)[:, corner + offset.unsqueeze(0)]
