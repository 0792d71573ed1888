# %% wrong: one number for both axes
# One shift is drawn for each image and used downwards and to the right. The digits move along the diagonal only, and of
# the (2m + 1) squared places 2m + 1 are ever reached.
# Hint: with max_shift=1, how many different pictures can come of one image? How many of yours?

def augment(images: Tensor, max_shift: int) -> Tensor:
    shifts = torch.randint(-max_shift, max_shift + 1, (len(images),)).tolist()
    height, width = images.shape[2:]
    padded = F.pad(images, (max_shift, max_shift, max_shift, max_shift))
    moved = []
    for image, shift in zip(padded, shifts):
        top = left = max_shift - shift
        moved.append(image[:, top : top + height, left : left + width])
    return torch.stack(moved)


# %% wrong: a shift of zero wipes the picture
# torch.roll, and what came in at the other side is set to zero. For a shift of 0 the slice -0: (or 0:) is the whole
# axis, so every image that happens not to move in one direction comes out blank.
# Hint: how many images are empty among a thousand with max_shift=1?

def augment(images: Tensor, max_shift: int) -> Tensor:
    out = torch.empty_like(images)
    for i, image in enumerate(images):
        down, right = torch.randint(-max_shift, max_shift + 1, (2,)).tolist()
        moved = torch.roll(image, shifts=(down, right), dims=(1, 2))
        if down > 0:
            moved[:, :down] = 0
        else:
            moved[:, down:] = 0
        if right > 0:
            moved[:, :, :right] = 0
        else:
            moved[:, :, right:] = 0
        out[i] = moved
    return out


# %% wrong: every channel moved by itself
# The shift is drawn for each image and each channel. With grey pictures that is the same; in a colour picture the three
# colours come apart.
# Hint: try it on a picture with three equal channels. Are they equal afterwards?

def augment(images: Tensor, max_shift: int) -> Tensor:
    batch, channels, height, width = images.shape
    padded = F.pad(images, [max_shift] * 4)
    result = torch.zeros_like(images)
    for b in range(batch):
        for c in range(channels):
            down, right = torch.randint(-max_shift, max_shift + 1, (2,)).tolist()
            top, left = max_shift - down, max_shift - right
            result[b, c] = padded[b, c, top : top + height, left : left + width]
    return result


# %% wrong: the edge repeated in place of zeros
# The picture is padded by repeating its outermost pixels. With a blank margin nothing shows; where there is ink at the
# edge, it is drawn out into stripes, where zeros should come in.
# Hint: try it on a picture of ones. How many zeros come in for a shift of two?

def augment(images: Tensor, max_shift: int) -> Tensor:
    height, width = images.shape[-2:]
    padded = F.pad(images, (max_shift,) * 4, mode="replicate")
    tops = torch.randint(0, 2 * max_shift + 1, (len(images),)).tolist()
    lefts = torch.randint(0, 2 * max_shift + 1, (len(images),)).tolist()
    cuts = [
        image[:, top : top + height, left : left + width]
        for image, top, left in zip(padded, tops, lefts, strict=True)
    ]
    return torch.stack(cuts)


# %% wrong: Python's random numbers
# The shifts come from Python's random module. They are fresh and fair, but torch.manual_seed does not govern them, so
# no run can be repeated, and a checkpoint of torch's random state does not hold them.
# Hint: call torch.manual_seed(0) before each of two calls. Are the two results equal?

def augment(images: Tensor, max_shift: int) -> Tensor:
    import random

    _, _, height, width = images.shape
    padded = F.pad(images, (max_shift, max_shift, max_shift, max_shift))
    moved = []
    for image in padded:
        top, left = random.randint(0, 2 * max_shift), random.randint(0, 2 * max_shift)
        moved.append(image[:, top : top + height, left : left + width])
    return torch.stack(moved)


# %% correct: overlapping slices, image by image

def overlap(shift, size):
    first, last = max(shift, 0), max(min(size, size + shift), 0)
    target = slice(first, max(first, last))
    length = target.stop - target.start
    source = slice(target.start - shift, target.start - shift + length) if length else slice(0, 0)
    return target, source


def augment(images: Tensor, max_shift: int) -> Tensor:
    batch, _, height, width = images.shape
    moved = torch.zeros_like(images)
    shifts = torch.randint(-max_shift, max_shift + 1, (batch, 2)).tolist()
    for b, (down, right) in enumerate(shifts):
        (to_rows, from_rows), (to_columns, from_columns) = overlap(down, height), overlap(right, width)
        moved[b, :, to_rows, to_columns] = images[b, :, from_rows, from_columns]
    return moved


# %% correct: two gathers with clamped places and a mask

def moved_along(images, dim, shifts):
    size = images.shape[dim]
    shape = [1] * images.dim()
    shape[dim] = size
    come_from = torch.arange(size, device=images.device).view(shape) - shifts.view(-1, 1, 1, 1)
    inside = (come_from >= 0) & (come_from < size)
    taken = images.gather(dim, come_from.clamp(0, size - 1).expand(images.shape))
    return torch.where(inside, taken, torch.zeros_like(taken))


def augment(images: Tensor, max_shift: int) -> Tensor:
    down, right = (torch.randint(2 * max_shift + 1, (len(images),), device=images.device) - max_shift for _ in "yx")
    return moved_along(moved_along(images, 2, down), 3, right)
