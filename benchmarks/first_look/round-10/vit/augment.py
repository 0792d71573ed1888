# %% wrong: never by the full shift to the one side
# randint leaves its upper end out, so max_shift itself is never drawn.
# Promise: whole numbers from -max_shift to max_shift, all equally likely. Shows for max_shift = 1 (never +1), and for 0: an error.

def augment(images: Tensor, max_shift: int) -> Tensor:
    moved = torch.zeros_like(images)
    height, width = images.shape[2:]
    for b in range(len(images)):
        down, right = torch.randint(-max_shift, max_shift, (2,)).tolist()
        source = images[b, :, max(0, -down) : height - max(0, down), max(0, -right) : width - max(0, right)]
        moved[b, :, max(0, down) : height + min(0, down), max(0, right) : width + min(0, right)] = source
    return moved


# %% wrong: a shift of nothing wipes the picture
# What came round is set to zero; for a shift of 0 the slice [0:] is the whole picture.
# Promise: only what moves out is lost. Shows where 0 is drawn for one of the axes, always for max_shift = 0.

def augment(images: Tensor, max_shift: int) -> Tensor:
    out = []
    for image in images:
        down, right = torch.randint(-max_shift, max_shift + 1, (2,)).tolist()
        image = torch.roll(image, (down, right), dims=(1, 2))
        if down > 0:
            image[:, :down] = 0
        else:
            image[:, down:] = 0
        if right > 0:
            image[:, :, :right] = 0
        else:
            image[:, :, right:] = 0
        out.append(image)
    return torch.stack(out)


# %% wrong: Python's own dice
# The numbers come from the module random.
# Promise: drawn from torch's global random state. Shows where torch.manual_seed is set before two calls: they differ.

import random


def augment(images: Tensor, max_shift: int) -> Tensor:
    m = max_shift
    height, width = images.shape[2:]
    wide = F.pad(images, (m, m, m, m))
    crops = []
    for image in wide:
        top, left = m - random.randint(-m, m), m - random.randint(-m, m)
        crops.append(image[:, top : top + height, left : left + width])
    return torch.stack(crops)


# %% wrong: rounded from an even draw
# A number from -max_shift to max_shift is drawn evenly and rounded: both ends get half a share.
# Promise: all equally likely. Shows over many draws: for max_shift = 1 a 0 comes in half of the cases, 1 in a quarter.

def augment(images: Tensor, max_shift: int) -> Tensor:
    batch, channels, height, width = images.shape
    shifts = ((2 * torch.rand(batch, 2) - 1) * max_shift).round().long().to(images.device)
    rows = torch.arange(height, device=images.device) - shifts[:, :1]  # (B, H): where each row comes from
    columns = torch.arange(width, device=images.device) - shifts[:, 1:]
    inside = ((rows >= 0) & (rows < height))[:, None, :, None] & ((columns >= 0) & (columns < width))[:, None, None, :]
    b = torch.arange(batch, device=images.device)[:, None, None]
    found = images.transpose(0, 1)[:, b, rows.clamp(0, height - 1)[:, :, None], columns.clamp(0, width - 1)[:, None, :]]
    return found.transpose(0, 1).masked_fill(~inside, 0)


# %% correct: a window of a wider canvas, by the numbers of its pixels

def augment(images: Tensor, max_shift: int) -> Tensor:
    batch, channels, height, width = images.shape
    m = max_shift
    canvas = images.new_zeros(batch, channels, height + 2 * m, width + 2 * m)
    canvas[:, :, m : m + height, m : m + width] = images
    start = torch.randint(0, 2 * m + 1, (2, batch, 1)).to(images.device)
    rows = start[0] + torch.arange(height, device=images.device)
    columns = start[1] + torch.arange(width, device=images.device)
    number = rows[:, :, None] * (width + 2 * m) + columns[:, None, :]
    number = number.flatten(1)[:, None].expand(-1, channels, -1)
    return canvas.flatten(2).gather(2, number).view(batch, channels, height, width)


# %% correct: one number for both shifts, then pixels copied row by row

def augment(images: Tensor, max_shift: int) -> Tensor:
    height, width = images.shape[-2:]
    choices = [(down, right) for down in range(-max_shift, max_shift + 1) for right in range(-max_shift, max_shift + 1)]
    drawn = torch.randint(len(choices), (images.shape[0],))
    result = images.new_zeros(images.shape)
    for b, number in enumerate(drawn.tolist()):
        down, right = choices[number]
        for row in range(height):
            if 0 <= row - down < height:
                if right >= 0:
                    result[b, :, row, right:] = images[b, :, row - down, : width - right]
                else:
                    result[b, :, row, :right] = images[b, :, row - down, -right:]
    return result
