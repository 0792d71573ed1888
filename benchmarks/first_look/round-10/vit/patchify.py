# %% wrong: the channels vary fastest inside a patch
# Each pixel's channels are kept together: row, column, channel.
# Promise: all pixels of the first channel come first, then those of the second. Shows for C and P of 2 or more.

def patchify(images: Tensor, patch_size: int) -> Tensor:
    if images.ndim != 4 or images.shape[2] % patch_size or images.shape[3] % patch_size:
        raise ValueError("images must be (B, C, H, W), and P must divide H and W")
    B, C, H, W = images.shape
    h, w = H // patch_size, W // patch_size
    cut = images.reshape(B, C, h, patch_size, w, patch_size)
    return cut.permute(0, 2, 4, 3, 5, 1).reshape(B, h * w, -1)


# %% wrong: unfold of torch.nn.functional
# F.unfold cuts in the right order, but it is made for floating point numbers.
# Promise: images of ANY dtype. Shows for uint8 or int64 images: RuntimeError.

def patchify(images: Tensor, patch_size: int) -> Tensor:
    if images.dim() != 4:
        raise ValueError(f"images must have four axes, got {images.dim()}")
    if images.size(2) % patch_size != 0 or images.size(3) % patch_size != 0:
        raise ValueError(f"patches of {patch_size} do not tile {tuple(images.shape[2:])}")
    columns = F.unfold(images, kernel_size=patch_size, stride=patch_size)
    return columns.transpose(1, 2)


# %% wrong: only the number of pixels has to fit
# It asks whether P * P divides H * W.
# Promise: ValueError where P does not divide H and W. Shows for H = 6, W = 8, P = 4 (two rows are lost without a word).

def patchify(images: Tensor, patch_size: int) -> Tensor:
    if images.ndim != 4:
        raise ValueError("images must be (B, C, H, W)")
    if images.shape[2] * images.shape[3] % patch_size**2:
        raise ValueError("patches do not tile the images")
    patches = images.unfold(2, patch_size, patch_size).unfold(3, patch_size, patch_size)
    return patches.permute(0, 2, 3, 1, 4, 5).flatten(3).flatten(1, 2)


# %% wrong: an empty float tensor is filled
# The loop writes its patches into torch.zeros without a dtype.
# Promise: of any dtype, pixels are only moved (float64 stays float64). Shows for float64, uint8 or int64: float32 comes back.

def patchify(images: Tensor, patch_size: int) -> Tensor:
    batch, channels, height, width = images.shape  # a ValueError where there are not four axes
    if height % patch_size or width % patch_size:
        raise ValueError("P must divide H and W")
    columns = width // patch_size
    patches = torch.zeros(batch, height // patch_size * columns, channels * patch_size**2, device=images.device)
    for n in range(patches.shape[1]):
        top, left = n // columns * patch_size, n % columns * patch_size
        square = images[:, :, top : top + patch_size, left : left + patch_size]
        patches[:, n] = square.flatten(1)
    return patches


# %% correct: the number of every pixel, and one lookup

def patchify(images: Tensor, patch_size: int) -> Tensor:
    if images.ndim != 4:
        raise ValueError("images must have four axes")
    batch, channels, height, width = images.shape
    if height % patch_size > 0 or width % patch_size > 0:
        raise ValueError("patches do not tile the images")

    def count(n, step):
        return torch.arange(n, device=images.device) * step

    patch = count(height // patch_size, patch_size * width)[:, None] + count(width // patch_size, patch_size)
    square = count(patch_size, width)[:, None] + count(patch_size, 1)
    pixel = count(channels, height * width)[:, None] + square.flatten()
    return images.flatten(1)[:, patch.flatten()[:, None] + pixel.flatten()]


# %% correct: strips, then squares, by split

def patchify(images: Tensor, patch_size: int) -> Tensor:
    if len(images.shape) != 4:
        raise ValueError("four axes, please")
    for side in images.shape[-2:]:
        if side != side // patch_size * patch_size:
            raise ValueError(f"{side} is no multiple of {patch_size}")
    squares = []
    for strip in images.split(patch_size, dim=-2):
        squares += [square.reshape(len(images), -1) for square in strip.split(patch_size, dim=-1)]
    return torch.stack(squares, dim=1)
