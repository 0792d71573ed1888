# %% wrong: only a reshape
# The pixels were read off in the order in which they lie in memory, so a patch holds whole rows of the image. A
# square's pixels lie apart in memory: cut the height and the width into two axes each, and bring the two patch axes
# together. See section 8.2.

# --- before
    squares = images.reshape(batch, channels, rows, patch_size, columns, patch_size)
    squares = squares.permute(0, 2, 4, 1, 3, 5)  # to (B, rows, columns, C, P, P)
# --- after
    squares = images

# %% wrong: pixels before channels
# Inside a patch the channels of one pixel stand together. The docstring asks for all pixels of the first channel, then
# all of the second: the channel's axis goes before the pixel's two.

# --- before
    squares = squares.permute(0, 2, 4, 1, 3, 5)  # to (B, rows, columns, C, P, P)
# --- after
    squares = squares.permute(0, 2, 4, 3, 5, 1)

# %% wrong: columns of patches before rows
# The patches come column by column. They should come as text is read: along the first row of patches, then the next
# row.

# --- before
    squares = squares.permute(0, 2, 4, 1, 3, 5)  # to (B, rows, columns, C, P, P)
# --- after
    squares = squares.permute(0, 4, 2, 1, 3, 5)

# %% wrong: pixels column by column
# The patches are the right ones, but inside each the pixels come column by column. The docstring wants them row by row.

# --- before
    squares = squares.permute(0, 2, 4, 1, 3, 5)  # to (B, rows, columns, C, P, P)
# --- after
    squares = squares.permute(0, 2, 4, 1, 5, 3)

# %% wrong: rows and columns of patches share one count
# The count of rows was used for the columns too, which fits square images only. Height and width have a count each.

# --- before
    rows, columns = height // patch_size, width // patch_size
# --- after
    rows = columns = height // patch_size

# %% wrong: height and width named the wrong way round
# Height and width have changed places: images are (B, C, H, W), the height first. On square images nobody would notice.

# --- before
    batch, channels, height, width = images.shape
# --- after
    batch, channels, width, height = images.shape

# %% wrong: what does not tile is cut off
# Pixels at the edge that fill no patch were dropped without a word. The docstring promises a ValueError.

# --- before
    if height % patch_size or width % patch_size:
# --- after
    images = images[:, :, : height // patch_size * patch_size, : width // patch_size * patch_size]
    if False:

# %% wrong: whole numbers are refused
# The cutting is right, but F.unfold takes floating-point numbers only. Labels are whole numbers and will be cut too
# (section 8.9): move the pixels without computing with them.

def patchify(images, patch_size):
    if images.ndim != 4 or images.shape[2] % patch_size or images.shape[3] % patch_size:
        raise ValueError("no whole patches")
    return F.unfold(images, patch_size, stride=patch_size).transpose(1, 2)

# %% wrong: a reshape where a transpose is due
# F.unfold gives (B, C * P * P, N). A reshape to (B, N, C * P * P) has the right shape and leaves every number where it
# lies; the two axes have to be transposed.

def patchify(images, patch_size):
    if images.ndim != 4 or images.shape[2] % patch_size or images.shape[3] % patch_size:
        raise ValueError("no whole patches")
    columns = F.unfold(images.double(), patch_size, stride=patch_size).to(images.dtype)
    return columns.reshape(len(images), columns.shape[2], columns.shape[1])

# %% correct: F.unfold, and the dtype back
def patchify(images, patch_size):
    if images.ndim != 4 or images.shape[2] % patch_size or images.shape[3] % patch_size:
        raise ValueError(f"cannot cut {tuple(images.shape)} into patches of {patch_size}")
    return F.unfold(images.double(), patch_size, stride=patch_size).transpose(1, 2).to(images.dtype)

# %% correct: F.pixel_unshuffle
def patchify(images, patch_size):
    if images.ndim != 4 or images.shape[2] % patch_size or images.shape[3] % patch_size:
        raise ValueError("no whole patches")
    return F.pixel_unshuffle(images, patch_size).flatten(2).transpose(1, 2)

# %% correct: Tensor.unfold along both axes
def patchify(images, patch_size):
    if images.dim() != 4:
        raise ValueError("(B, C, H, W), please")
    b, c, h, w = images.size()
    if h % patch_size != 0 or w % patch_size != 0:
        raise ValueError(f"{patch_size} does not divide {h} and {w}")
    windows = images.unfold(2, patch_size, patch_size).unfold(3, patch_size, patch_size)
    return windows.permute(0, 2, 3, 1, 4, 5).flatten(3).flatten(1, 2)

# %% correct: loops over rows and columns of patches
def patchify(images, patch_size):
    if images.ndim != 4 or any(size % patch_size for size in images.shape[2:]):
        raise ValueError("no whole patches")
    P = patch_size
    patches = []
    for row in range(0, images.shape[2], P):
        for column in range(0, images.shape[3], P):
            patches.append(images[:, :, row : row + P, column : column + P].flatten(1))
    return torch.stack(patches, dim=1)

# %% correct: transposes, one at a time
def patchify(images, patch_size):
    if images.ndim != 4:
        raise ValueError("four axes")
    B, C, H, W = images.shape
    P = patch_size
    if H % P or W % P:
        raise ValueError("P must divide H and W")
    x = images.reshape(B, C, H // P, P, W // P, P)
    x = x.transpose(3, 4).movedim(1, 3)
    return x.reshape(B, (H // P) * (W // P), C * P * P)
