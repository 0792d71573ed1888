# %% wrong: shifts from Python's random module
# random.randint includes both ends, but does not draw from torch's global state: after the same torch.manual_seed two calls
# give different pictures.

import random


def augment(images: Tensor, max_shift: int) -> Tensor:
    height, width = images.shape[2:]
    moved = torch.zeros_like(images)
    for b in range(len(images)):
        down = random.randint(-max_shift, max_shift)
        right = random.randint(-max_shift, max_shift)
        moved[b, :, max(down, 0) : height + min(down, 0), max(right, 0) : width + min(right, 0)] = images[
            b, :, max(-down, 0) : height + min(-down, 0), max(-right, 0) : width + min(-right, 0)
        ]
    return moved


# %% wrong: nothing to do, so the images themselves
# For max_shift = 0 the argument is returned, not a new tensor: whoever changes the result in place changes the images.

def augment(images: Tensor, max_shift: int) -> Tensor:
    if max_shift == 0:
        return images
    height, width = images.shape[2:]
    padded = F.pad(images, (max_shift,) * 4)
    moved = torch.empty_like(images)
    for b in range(len(images)):
        top, left = torch.randint(0, 2 * max_shift + 1, (2,)).tolist()
        moved[b] = padded[b, :, top : top + height, left : left + width]
    return moved


# %% wrong: a uniform number, rounded
# Rounding a number from -s to s gives the two ends half as often as the rest. Shows in the counts of many shifts: with
# max_shift 1 they come as 1 : 2 : 1.

def augment(images: Tensor, max_shift: int) -> Tensor:
    count, _, height, width = images.shape
    shifts = ((2 * torch.rand(count, 2) - 1) * max_shift).round().long()
    moved = torch.zeros_like(images)
    for b, (down, right) in enumerate(shifts.tolist()):
        moved[b, :, max(down, 0) : height + min(down, 0), max(right, 0) : width + min(right, 0)] = images[
            b, :, max(-down, 0) : height + min(-down, 0), max(-right, 0) : width + min(-right, 0)
        ]
    return moved


# %% wrong: every channel moves on its own
# A shift is drawn for each image and channel, so that the colors of a picture come apart. An image has to move with all its
# channels: shows for C > 1.

def augment(images: Tensor, max_shift: int) -> Tensor:
    height, width = images.shape[2:]
    padded = F.pad(images, (max_shift,) * 4)
    moved = torch.empty_like(images)
    for b, image in enumerate(padded):
        for c, channel in enumerate(image):
            top, left = torch.randint(2 * max_shift + 1, (2,)).tolist()
            moved[b, c] = channel[top : top + height, left : left + width]
    return moved


# %% correct: every pixel asks where it came from

def augment(images: Tensor, max_shift: int) -> Tensor:
    count, _, height, width = images.shape
    down, right = torch.randint(-max_shift, max_shift + 1, (2, count, 1)).to(images.device)
    row = torch.arange(height, device=images.device) - down  # (B, H): the row that it had
    column = torch.arange(width, device=images.device) - right
    inside = ((row >= 0) & (row < height)).unsqueeze(2) & ((column >= 0) & (column < width)).unsqueeze(1)
    row, column = row.clamp(0, height - 1), column.clamp(0, width - 1)
    image = torch.arange(count, device=images.device)
    moved = images.permute(0, 2, 3, 1)[image[:, None, None], row[:, :, None], column[:, None, :]]
    return moved.masked_fill(~inside.unsqueeze(3), 0).permute(0, 3, 1, 2).contiguous()


# %% correct: roll, then wipe what came round

def augment(images: Tensor, max_shift: int) -> Tensor:
    result = []
    for image in images:
        down, right = (int(torch.randint(2 * max_shift + 1, ())) - max_shift for _ in range(2))
        image = image.roll((down, right), dims=(1, 2)).clone()
        if down > 0:
            image[:, :down] = 0
        elif down < 0:
            image[:, down:] = 0
        if right > 0:
            image[:, :, :right] = 0
        elif right < 0:
            image[:, :, right:] = 0
        result.append(image)
    return torch.stack(result)
