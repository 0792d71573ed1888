# %% wrong: the largest shifts are half as likely
# A uniform real number is rounded to a whole one. The two ends, -max_shift and max_shift, get only half
# an interval each, so that not all shifts are equally likely.

def augment(images: Tensor, max_shift: int) -> Tensor:
    B, C, H, W = images.shape
    moved = torch.zeros_like(images)
    for b in range(B):
        down, right = ((2 * torch.rand(2) - 1) * max_shift).round().int().tolist()
        top, bottom = max(down, 0), min(H + down, H)
        left, end = max(right, 0), min(W + right, W)
        if top < bottom and left < end:
            moved[b, :, top:bottom, left:end] = images[b, :, top - down : bottom - down, left - right : end - right]
    return moved


# %% wrong: a generator of its own at each call
# A new torch.Generator is made inside. It begins with the same default seed at every call, so the moves
# are never fresh, and torch's global random state has no part in it.

def augment(images: Tensor, max_shift: int) -> Tensor:
    generator = torch.Generator()
    shifts = torch.randint(-max_shift, max_shift + 1, (len(images), 2), generator=generator)
    H, W = images.shape[2:]
    padded = F.pad(images, (max_shift,) * 4)
    moved = []
    for image, (down, right) in zip(padded, shifts.tolist()):
        top, left = max_shift - down, max_shift - right
        moved.append(image[:, top : top + H, left : left + W])
    return torch.stack(moved)


# %% wrong: down and to the right by the same number
# One number is drawn for each image and used in both directions, so it moves along a diagonal only.

def augment(images: Tensor, max_shift: int) -> Tensor:
    H, W = images.shape[-2:]
    padded = F.pad(images, (max_shift, max_shift, max_shift, max_shift))
    out = torch.empty_like(images)
    for i in range(len(images)):
        shift = int(torch.randint(-max_shift, max_shift + 1, ()))
        begin = max_shift - shift
        out[i] = padded[i, :, begin : begin + H, begin : begin + W]
    return out


# %% wrong: a shift of zero empties the picture
# What has come in by roll is set to zero by a slice that ends or begins at the shift. For an upward or
# leftward shift that is [shift:], and a shift of 0 falls into that case: [0:] is everything.

def augment(images: Tensor, max_shift: int) -> Tensor:
    result = []
    for image in images:
        dy, dx = torch.randint(-max_shift, max_shift + 1, (2,)).tolist()
        image = torch.roll(image, shifts=(dy, dx), dims=(1, 2))
        if dy > 0:
            image[:, :dy, :] = 0
        else:
            image[:, dy:, :] = 0
        if dx > 0:
            image[:, :, :dx] = 0
        else:
            image[:, :, dx:] = 0
        result.append(image)
    return torch.stack(result)


# %% wrong: each channel moves by itself
# Shifts are drawn for every channel of every image, so the colours of one picture come apart. With one
# channel, as in the notebook, nothing shows.

def augment(images: Tensor, max_shift: int) -> Tensor:
    B, C, H, W = images.shape
    down = torch.randint(-max_shift, max_shift + 1, (B, C, 1, 1), device=images.device)
    right = torch.randint(-max_shift, max_shift + 1, (B, C, 1, 1), device=images.device)
    padded = F.pad(images, (max_shift,) * 4)
    rows = torch.arange(H, device=images.device).view(1, 1, H, 1) + max_shift - down
    columns = torch.arange(W, device=images.device).view(1, 1, 1, W) + max_shift - right
    tall = padded.gather(2, rows.expand(B, C, H, padded.shape[3]))
    return tall.gather(3, columns.expand(B, C, H, W))


# %% correct: each pixel asks where it came from

def augment(images: Tensor, max_shift: int) -> Tensor:
    count, _, height, width = images.shape
    shifts = torch.randint(2 * max_shift + 1, (2, count)).to(images.device) - max_shift
    picture = torch.arange(count, device=images.device).view(-1, 1, 1)
    row = torch.arange(height, device=images.device).view(1, -1, 1) - shifts[0].view(-1, 1, 1)
    column = torch.arange(width, device=images.device).view(1, 1, -1) - shifts[1].view(-1, 1, 1)
    inside = (row >= 0) & (row < height) & (column >= 0) & (column < width)
    found = images.movedim(1, -1)[picture, row.clamp(0, height - 1), column.clamp(0, width - 1)]
    return found.movedim(-1, 1).masked_fill(~inside.unsqueeze(1), 0).contiguous()


# %% correct: cut out where old and new place overlap

def overlap(shift: int, length: int) -> tuple[slice, slice]:
    """The part of an axis that stays in sight: where it goes to, and where it came from."""
    kept = max(length - abs(shift), 0)
    there, here = slice(max(shift, 0), max(shift, 0) + kept), slice(max(-shift, 0), max(-shift, 0) + kept)
    return there, here


def augment(images: Tensor, max_shift: int) -> Tensor:
    moved = torch.zeros_like(images)
    for number in range(images.shape[0]):
        down = torch.randint(-max_shift, max_shift + 1, (1,)).item()
        right = torch.randint(-max_shift, max_shift + 1, (1,)).item()
        to_rows, from_rows = overlap(down, images.shape[2])
        to_columns, from_columns = overlap(right, images.shape[3])
        moved[number, :, to_rows, to_columns] = images[number, :, from_rows, from_columns]
    return moved
