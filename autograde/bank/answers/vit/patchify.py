# %% wrong: only a reshape
# The pixels were read off in the order in which they lie in memory, so a patch holds whole rows of the image. A
# square's pixels lie apart in memory: cut the height and the width into two axes each, and bring the two patch axes
# together. See section 8.2.

# --- before
    squares = images.reshape(batch, channels, rows, patch_size, columns, patch_size)
    squares = squares.permute(0, 2, 4, 1, 3, 5)  # (B, C, rows, P, columns, P) -> (B, rows, columns, C, P, P)
# --- after
    squares = images  # (B, C, rows, P, columns, P) -> (B, rows, columns, C, P, P)

# %% wrong: pixels before channels
# Inside a patch the channels of one pixel stand together. The docstring asks for all pixels of the first channel, then
# all of the second: the channel's axis goes before the pixel's two.

# --- before
    squares = squares.permute(0, 2, 4, 1, 3, 5)  # (B, C, rows, P, columns, P) -> (B, rows, columns, C, P, P)
# --- after
    squares = squares.permute(0, 2, 4, 3, 5, 1)  # (B, C, rows, P, columns, P) -> (B, rows, columns, C, P, P)

# %% wrong: columns of patches before rows
# The patches come column by column. They are to be read as text is: along the first row of patches, then the next row.

# --- before
    squares = squares.permute(0, 2, 4, 1, 3, 5)  # (B, C, rows, P, columns, P) -> (B, rows, columns, C, P, P)
# --- after
    squares = squares.permute(0, 4, 2, 1, 3, 5)  # (B, C, rows, P, columns, P) -> (B, rows, columns, C, P, P)

# %% wrong: pixels column by column
# The patches are the right ones, and inside each the pixels come column by column. Row by row is asked for.

# --- before
    squares = squares.permute(0, 2, 4, 1, 3, 5)  # (B, C, rows, P, columns, P) -> (B, rows, columns, C, P, P)
# --- after
    squares = squares.permute(0, 2, 4, 1, 5, 3)  # (B, C, rows, P, columns, P) -> (B, rows, columns, C, P, P)

# %% wrong: rows and columns of patches share one count
# The count of rows was used for the columns too, which fits square images only. Height and width have a count each.

# --- before
    rows, columns = height // patch_size, width // patch_size
# --- after
    rows = columns = height // patch_size

# %% wrong: height and width named the wrong way round
# Height and width have changed places: images are (B, C, H, W), the height first. On square images nobody would
# notice.

# --- before
    batch, channels, height, width = images.shape
# --- after
    batch, channels, width, height = images.shape

# %% wrong: the channels are averaged
# The channels were averaged away. A patch keeps them all: its line is C * P * P long.

# --- before
    return squares.reshape(batch, rows * columns, channels * patch_size * patch_size)
# --- after
    return squares.mean(dim=3).reshape(batch, rows * columns, patch_size * patch_size)

# %% wrong: a grid of patches
# The patches still stand in a grid, rows by columns. A sequence is asked for: one axis of N.

# --- before
    return squares.reshape(batch, rows * columns, channels * patch_size * patch_size)
# --- after
    return squares.reshape(batch, rows, columns, channels * patch_size * patch_size)

# %% wrong: the batch is joined to the patches
# The patches of all images stand in one long row, and nobody knows any more whose they are. Keep the batch's axis: (B,
# N, C * P * P).

# --- before
    return squares.reshape(batch, rows * columns, channels * patch_size * patch_size)
# --- after
    return squares.reshape(-1, channels * patch_size * patch_size)

# %% wrong: overlapping patches
# There are more patches than (H / P) * (W / P): they overlap. One patch ends where the next begins, so the step from
# patch to patch is P.

def patchify(images, patch_size):
    if images.ndim != 4:
        raise ValueError("need four axes")
    if images.shape[2] % patch_size or images.shape[3] % patch_size:
        raise ValueError("patches do not tile")
    return F.unfold(images, patch_size).transpose(1, 2)

# %% wrong: unfold, not transposed
# What came back is (B, C * P * P, N): one column a patch. A sequence has its positions before its features, (B, N, C *
# P * P).

def patchify(images, patch_size):
    if images.ndim != 4:
        raise ValueError("need four axes")
    if images.shape[2] % patch_size or images.shape[3] % patch_size:
        raise ValueError("patches do not tile")
    return F.unfold(images, patch_size, stride=patch_size)

# %% wrong: what does not tile is cut off
# Pixels at the edge that fill no patch were dropped without a word. The docstring promises a ValueError.

# --- before
    if height % patch_size or width % patch_size:
# --- after
    images = images[:, :, : height // patch_size * patch_size, : width // patch_size * patch_size]
    if False:

# %% wrong: only the area is tested
# It was tested whether the number of pixels is a multiple of a patch's. 2 x 8 pixels pass that, and no patch of 4 x 4
# fits in. Test height and width each.

# --- before
    if height % patch_size or width % patch_size:
# --- after
    if height * width % patch_size**2:
# --- before
    rows, columns = height // patch_size, width // patch_size
# --- after
    rows, columns = height // patch_size, width // patch_size
    images = images[:, :, : rows * patch_size, : columns * patch_size]

# %% wrong: whole numbers are refused
# Cutting is right, and F.unfold takes floating-point numbers only. Labels are whole numbers and will be cut too
# (section 8.9): move the pixels without computing with them.

def patchify(images, patch_size):
    if images.ndim != 4 or images.shape[2] % patch_size or images.shape[3] % patch_size:
        raise ValueError("no whole patches")
    return F.unfold(images, patch_size, stride=patch_size).transpose(1, 2)

# %% wrong: whole numbers come back as floating-point ones
# The pixels changed their dtype. They are to be moved and nothing else: whole numbers stay whole numbers.

def patchify(images, patch_size):
    if images.ndim != 4 or images.shape[2] % patch_size or images.shape[3] % patch_size:
        raise ValueError("no whole patches")
    return F.unfold(images.float(), patch_size, stride=patch_size).transpose(1, 2)

# %% wrong: P is the slow half of the cut
# The height was cut into (P, rows of patches), so a patch's pixels are picked from all over the picture. Neighbours
# change fastest: (rows of patches, P), and the width likewise.

def patchify(images, patch_size):
    if images.ndim != 4 or images.shape[2] % patch_size or images.shape[3] % patch_size:
        raise ValueError("no whole patches")
    batch, channels, height, width = images.shape
    rows, columns = height // patch_size, width // patch_size
    squares = images.reshape(batch, channels, patch_size, rows, patch_size, columns)
    return squares.permute(0, 3, 5, 1, 2, 4).reshape(batch, rows * columns, -1)

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

# %% correct: chunks

def patchify(images, patch_size):
    if images.ndim != 4:
        raise ValueError(tuple(images.shape))
    if images.shape[-1] % patch_size or images.shape[-2] % patch_size:
        raise ValueError(tuple(images.shape))
    strips = images.split(patch_size, dim=2)
    return torch.cat([torch.stack([s.flatten(1) for s in strip.split(patch_size, dim=3)], 1) for strip in strips], 1)

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
