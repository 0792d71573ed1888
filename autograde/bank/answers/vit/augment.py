# %% wrong: what moves out comes back in
# What leaves the picture on one side comes in again on the other: torch.roll turns a picture into a ring. Zeros are to
# come in.

def augment(images, max_shift):
    moved = []
    for image in images:
        down, right = torch.randint(-max_shift, max_shift + 1, (2,)).tolist()
        moved.append(image.roll((down, right), (1, 2)))
    return torch.stack(moved)

# %% wrong: one shift for the whole batch
# All images of the batch moved by the same shift. Draw one for each image.

# --- before
    down, right = torch.randint(0, 2 * max_shift + 1, (2, batch, 1), device=images.device)
# --- after
    down, right = torch.randint(0, 2 * max_shift + 1, (2, 1, 1), device=images.device).expand(2, batch, 1)

# %% wrong: never to the far side
# The largest shift on one side never occurs: the upper end of torch.randint is exclusive.

# --- before
    down, right = torch.randint(0, 2 * max_shift + 1, (2, batch, 1), device=images.device)
# --- after
    down, right = torch.randint(0, 2 * max_shift, (2, batch, 1), device=images.device)

# %% wrong: only down and to the right
# The images move one way only, down and to the right. Shifts run from -max_shift to max_shift.

def augment(images, max_shift):
    batch, channels, height, width = images.shape
    moved = torch.zeros_like(images)
    for b in range(batch):
        down, right = torch.randint(0, max_shift + 1, (2,)).tolist()
        moved[b, :, down:, right:] = images[b, :, : height - down, : width - right]
    return moved

# %% wrong: the same shift down and to the right
# Down and to the right are always the same number, so images move along one diagonal. Draw two numbers for each image.

# --- before
    down, right = torch.randint(0, 2 * max_shift + 1, (2, batch, 1), device=images.device)
# --- after
    down = right = torch.randint(0, 2 * max_shift + 1, (batch, 1), device=images.device)

# %% wrong: a border of zeros stays on
# The pictures were padded and not cropped again: they have grown. Cut a picture of the old size out of each, at a
# random place.

def augment(images, max_shift):
    return F.pad(images, (max_shift,) * 4)

# %% wrong: only sideways
# Images move to the left and right and never up or down.

# --- before
    down, right = torch.randint(0, 2 * max_shift + 1, (2, batch, 1), device=images.device)
# --- after
    down, right = torch.randint(0, 2 * max_shift + 1, (2, batch, 1), device=images.device)
    down = torch.full_like(down, max_shift)

# %% wrong: a seed of its own
# Every call gives the same shifts: the generator is seeded inside. Then nothing is fresh. Draw from torch's global
# state and leave seeding to the caller.

# --- before
    down, right = torch.randint(0, 2 * max_shift + 1, (2, batch, 1), device=images.device)
# --- after
    own = torch.Generator().manual_seed(0)
    down, right = torch.randint(0, 2 * max_shift + 1, (2, batch, 1), generator=own)

# %% wrong: in place
# The caller's images were overwritten, so the next time they come they start from where they ended, and wander off.
# Return a new tensor.

def augment(images, max_shift):
    kept = images.clone()
    images.zero_()
    height, width = images.shape[2:]
    for b in range(len(images)):
        down, right = torch.randint(-max_shift, max_shift + 1, (2,)).tolist()
        to_rows = slice(max(0, down), height + min(0, down))
        to_columns = slice(max(0, right), width + min(0, right))
        from_rows = slice(max(0, -down), height + min(0, -down))
        from_columns = slice(max(0, -right), width + min(0, -right))
        images[b, :, to_rows, to_columns] = kept[b, :, from_rows, from_columns]
    return images

# %% wrong: mirrored at random
# Half of the images are mirrored. A cat may be, a digit may not: which changes keep the label depends on what is in
# the picture. Shifts alone are asked for.

# --- before
    return padded[of_batch, of_channel, rows, columns]
# --- after
    moved = padded[of_batch, of_channel, rows, columns]
    return torch.where(torch.rand(batch, 1, 1, 1) < 0.5, moved.flip(3), moved)

# %% wrong: the edge is repeated
# What comes in at the side is the edge, repeated. Zeros are asked for: paper.

# --- before
    padded = F.pad(images, (max_shift,) * 4)
# --- after
    padded = F.pad(images, (max_shift,) * 4, mode="replicate")

# %% wrong: nothing moves
# The images came back where they were. Draw a shift for each of them, and crop there.

def augment(images, max_shift):
    return images.clone()

# %% wrong: the channels move apart
# The channels of an image move apart. One shift for an image, and all its channels.

def augment(images, max_shift):
    batch, channels, height, width = images.shape
    moved = torch.zeros_like(images)
    padded = F.pad(images, (max_shift,) * 4)
    for b in range(batch):
        for c in range(channels):
            down, right = torch.randint(0, 2 * max_shift + 1, (2,)).tolist()
            moved[b, c] = padded[b, c, down : down + height, right : right + width]
    return moved

# %% wrong: fractions of a pixel
# The shifts have fractions, so pixels are blended and the ink blurs. Whole pixels are asked for.

def augment(images, max_shift):
    batch, _, height, width = images.shape
    down, right = max_shift * (2 * torch.rand(2, batch) - 1)
    ones, zeros = torch.ones(batch), torch.zeros(batch)
    maps = torch.stack(
        [torch.stack([ones, zeros, -2 * right / width], 1), torch.stack([zeros, ones, -2 * down / height], 1)], 1
    )
    return F.grid_sample(images, F.affine_grid(maps, images.shape, align_corners=False), align_corners=False)

# %% wrong: ones come in
# A digit's paper is 0 here: pad with zeros.

# --- before
    padded = F.pad(images, (max_shift,) * 4)
# --- after
    padded = F.pad(images, (max_shift,) * 4, value=1.0)

# %% wrong: the image is mirrored at its edge
# A second, mirrored piece of the digit comes into the picture. Pad with zeros.

# --- before
    padded = F.pad(images, (max_shift,) * 4)
# --- after
    padded = F.pad(images, (max_shift,) * 4, mode="reflect")

# %% wrong: one axis at a time
# An image moves either up and down or to the sides. Draw both numbers for each image.

def augment(images, max_shift):
    height, width = images.shape[2:]
    moved = []
    for image in F.pad(images, (max_shift,) * 4):
        down = right = max_shift
        if torch.rand(()) < 0.5:
            down = int(torch.randint(2 * max_shift + 1, ()))
        else:
            right = int(torch.randint(2 * max_shift + 1, ()))
        moved.append(image[:, down : down + height, right : right + width])
    return torch.stack(moved)

# %% wrong: the ends come half as often
# The furthest shifts come too rarely. Rounding a uniform number, for one, gives the two ends half an interval each.
# torch.randint draws whole numbers that are all equally likely.

# --- before
    down, right = torch.randint(0, 2 * max_shift + 1, (2, batch, 1), device=images.device)
# --- after
    down, right = (2 * max_shift * torch.rand(2, batch, 1)).round().long()

# %% wrong: nought comes twice as often
# The shift by zero comes too often. Cutting off fractions, for one, rounds towards zero from both sides. torch.randint
# draws whole numbers that are all equally likely.

# --- before
    down, right = torch.randint(0, 2 * max_shift + 1, (2, batch, 1), device=images.device)
# --- after
    down, right = max_shift + ((2 * torch.rand(2, batch, 1) - 1) * (max_shift + 1)).trunc().long()

# %% wrong: numbers that torch does not draw
# The numbers come from elsewhere (Python's random, NumPy, a generator of your own), so torch.manual_seed does not
# repeat them. Draw with torch and no generator.

def augment(images, max_shift):
    import random

    height, width = images.shape[2:]
    moved = []
    for image in F.pad(images, (max_shift,) * 4):
        down, right = random.randint(0, 2 * max_shift), random.randint(0, 2 * max_shift)
        moved.append(image[:, down : down + height, right : right + width])
    return torch.stack(moved)

# %% correct: crops of a padded image, one at a time

def augment(images, max_shift):
    height, width = images.shape[2:]
    padded = F.pad(images, (max_shift, max_shift, max_shift, max_shift))
    tops = torch.randint(2 * max_shift + 1, (len(images),)).tolist()
    lefts = torch.randint(2 * max_shift + 1, (len(images),)).tolist()
    crops = [p[:, t : t + height, l : l + width] for p, t, l in zip(padded, tops, lefts)]
    return torch.stack(crops)

# %% correct: written into zeros

def augment(images, max_shift):
    moved = torch.zeros_like(images)
    H, W = images.shape[2:]
    for b in range(len(images)):
        dy, dx = (torch.randint(-max_shift, max_shift + 1, (2,))).tolist()
        moved[b, :, max(dy, 0) : H + min(dy, 0), max(dx, 0) : W + min(dx, 0)] = images[
            b, :, max(-dy, 0) : H + min(-dy, 0), max(-dx, 0) : W + min(-dx, 0)
        ]
    return moved

# %% correct: rolled, then wiped

def augment(images, max_shift):
    out = []
    for image in images:
        d, r = (torch.rand(2) * (2 * max_shift + 1)).long().tolist()
        d, r = d - max_shift, r - max_shift
        image = image.roll((d, r), dims=(1, 2))
        if d > 0:
            image[:, :d] = 0
        if d < 0:
            image[:, d:] = 0
        if r > 0:
            image[:, :, :r] = 0
        if r < 0:
            image[:, :, r:] = 0
        out.append(image)
    return torch.stack(out)

# %% correct: gather along both axes

def augment(images, max_shift):
    B, C, H, W = images.shape
    m = max_shift
    padded = F.pad(images, (m, m, m, m))
    top = torch.randint(0, 2 * m + 1, (B,))
    left = torch.randint(0, 2 * m + 1, (B,))
    rows = (top[:, None] + torch.arange(H))[:, None, :, None].expand(B, C, H, W + 2 * m)
    columns = (left[:, None] + torch.arange(W))[:, None, None, :].expand(B, C, H, W)
    return padded.gather(2, rows).gather(3, columns)

# %% correct: windows of the padded images

def augment(images, max_shift):
    padded = F.pad(images, [max_shift] * 4)
    windows = padded.unfold(2, images.shape[2], 1).unfold(3, images.shape[3], 1)
    down = torch.randint(windows.shape[2], (len(images),))
    right = torch.randint(windows.shape[3], (len(images),))
    return windows[torch.arange(len(images)), :, down, right].clone()

# %% correct: negative padding

def augment(images, max_shift):
    moved = []
    for image in images:
        down, right = torch.randint(-max_shift, max_shift + 1, (2,)).tolist()
        moved.append(F.pad(image, (right, -right, down, -down)))
    return torch.stack(moved)

# %% correct: all shifts in a list, drawn with multinomial

def augment(images, max_shift):
    side = 2 * max_shift + 1
    drawn = torch.multinomial(torch.ones(side * side), len(images), replacement=True)
    H, W = images.shape[-2:]
    padded = F.pad(images, (max_shift,) * 4)
    return torch.stack([p[:, k // side : k // side + H, k % side : k % side + W] for p, k in zip(padded, drawn)])
