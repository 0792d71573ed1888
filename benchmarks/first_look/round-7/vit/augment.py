# %% wrong: one number for both axes
# An image moves as far to the right as down, always along the diagonal. Shows for max_shift from 1.


def augment(images: Tensor, max_shift: int) -> Tensor:
    batch, _, height, width = images.shape
    padded = F.pad(images, (max_shift, max_shift, max_shift, max_shift))
    moved = torch.empty_like(images)
    for i, shift in enumerate(torch.randint(-max_shift, max_shift + 1, (batch,)).tolist()):
        start = max_shift - shift
        moved[i] = padded[i, :, start : start + height, start : start + width]
    return moved


# %% wrong: a rounded uniform number
# -max_shift and max_shift come half as often as the numbers between them. Shows in the frequencies, for max_shift from 1.


def augment(images: Tensor, max_shift: int) -> Tensor:
    batch, channels, height, width = images.shape
    shifts = ((2 * torch.rand(batch, 2) - 1) * max_shift).round().long()
    padded = F.pad(images, [max_shift] * 4)
    out = []
    for image, (down, right) in zip(padded, shifts.tolist(), strict=True):
        top, left = max_shift - down, max_shift - right
        out.append(image[:, top : top + height, left : left + width])
    return torch.stack(out)


# %% wrong: a shift of nothing wipes the picture
# Rolled, and what came round is set to zero: for a shift of 0 the slice [0:] is the whole image. Shows for an image that
# does not move along one of the axes, and always for max_shift = 0.


def augment(images: Tensor, max_shift: int) -> Tensor:
    moved = images.clone()
    for i in range(len(images)):
        down, right = torch.randint(-max_shift, max_shift + 1, (2,)).tolist()
        image = images[i].roll((down, right), dims=(1, 2))
        if down > 0:
            image[:, :down] = 0
        else:
            image[:, down:] = 0
        if right > 0:
            image[:, :, :right] = 0
        else:
            image[:, :, right:] = 0
        moved[i] = image
    return moved


# %% wrong: Python's random numbers
# The shifts come from the module random, so that torch.manual_seed does not repeat them.

import random


def augment(images: Tensor, max_shift: int) -> Tensor:
    batch, channels, height, width = images.shape
    canvas = images.new_zeros(batch, channels, height + 2 * max_shift, width + 2 * max_shift)
    for i in range(batch):
        top = max_shift + random.randint(-max_shift, max_shift)
        left = max_shift + random.randint(-max_shift, max_shift)
        canvas[i, :, top : top + height, left : left + width] = images[i]
    return canvas[:, :, max_shift : max_shift + height, max_shift : max_shift + width].clone()


# %% correct: all windows as a view, one of them chosen


def augment(images: Tensor, max_shift: int) -> Tensor:
    height, width = images.shape[2:]
    padded = F.pad(images, (max_shift,) * 4)
    windows = padded.unfold(2, height, 1).unfold(3, width, 1)  # (B, C, 2 max + 1, 2 max + 1, H, W)
    place = torch.randint((2 * max_shift + 1) ** 2, (len(images),), device=images.device)
    rows = place.div(2 * max_shift + 1, rounding_mode="floor")
    return windows[torch.arange(len(images), device=images.device), :, rows, place % (2 * max_shift + 1)]


# %% correct: where each pixel comes from


def augment(images: Tensor, max_shift: int) -> Tensor:
    batch, channels, height, width = images.shape

    def sources(length: int) -> tuple[Tensor, Tensor]:
        choice = torch.ones(2 * max_shift + 1).multinomial(batch, replacement=True) - max_shift if batch else None
        shift = choice if batch else torch.zeros(0, dtype=torch.long)
        source = torch.arange(length) - shift.unsqueeze(1)
        return source.clamp(0, length - 1).to(images.device), ((source >= 0) & (source < length)).to(images.device)

    row, row_inside = sources(height)
    column, column_inside = sources(width)
    picked = images.gather(2, row.view(batch, 1, height, 1).expand(-1, channels, -1, width))
    picked = picked.gather(3, column.view(batch, 1, 1, width).expand(-1, channels, height, -1))
    inside = (row_inside.unsqueeze(2) & column_inside.unsqueeze(1)).unsqueeze(1)
    return torch.where(inside, picked, torch.zeros_like(picked))
