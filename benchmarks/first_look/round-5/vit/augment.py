# %% wrong: a shift by nothing wipes the image
# The edge that came round is cleared with a slice that begins at dy or dx; where that is 0 the slice is the whole image.

def augment(images: Tensor, max_shift: int) -> Tensor:
    result = []
    for image in images:
        dy = int(torch.randint(-max_shift, max_shift + 1, (1,)))
        dx = int(torch.randint(-max_shift, max_shift + 1, (1,)))
        moved = torch.roll(image, shifts=(dy, dx), dims=(1, 2))
        if dy > 0:
            moved[:, :dy] = 0
        else:
            moved[:, dy:] = 0
        if dx > 0:
            moved[:, :, :dx] = 0
        else:
            moved[:, :, dx:] = 0
        result.append(moved)
    return torch.stack(result)


# %% wrong: whole numbers made by rounding
# A uniform number from -max_shift to max_shift is rounded, so that the two outermost shifts are only half as likely as the others.

def augment(images: Tensor, max_shift: int) -> Tensor:
    B, C, H, W = images.shape
    shifts = ((2 * torch.rand(B, 2) - 1) * max_shift).round().long()
    padded = F.pad(images, (max_shift, max_shift, max_shift, max_shift))
    out = torch.empty_like(images)
    for b in range(B):
        top = max_shift - shifts[b, 0].item()
        left = max_shift - shifts[b, 1].item()
        out[b] = padded[b, :, top : top + H, left : left + W]
    return out


# %% wrong: one number for both directions
# Each image draws a single shift, used down and to the right: it only ever moves along the diagonal.

def augment(images: Tensor, max_shift: int) -> Tensor:
    height, width = images.shape[-2:]
    padded = F.pad(images, [max_shift] * 4)
    moved = []
    for image in padded:
        start = torch.randint(0, 2 * max_shift + 1, (1,)).item()
        moved.append(image[:, start : start + height, start : start + width])
    return torch.stack(moved)


# %% wrong: random numbers from another module
# The shifts come from random.randint and not from torch's random state: torch.manual_seed does not make them come again.

import random


def augment(images: Tensor, max_shift: int) -> Tensor:
    H, W = images.shape[2], images.shape[3]
    m = max_shift
    padded = F.pad(images, (m, m, m, m), value=0)
    new_images = torch.zeros_like(images)
    for i in range(images.shape[0]):
        dy = random.randint(-m, m)
        dx = random.randint(-m, m)
        new_images[i] = padded[i, :, m - dy : m - dy + H, m - dx : m - dx + W]
    return new_images


# %% wrong: every channel goes its own way
# Batch and channels are joined before the shifts are drawn, so the channels of one image move apart; with one channel it is right.

def augment(images: Tensor, max_shift: int) -> Tensor:
    B, C, H, W = images.shape
    planes = images.reshape(B * C, H, W)
    padded = F.pad(planes, (max_shift,) * 4)
    shifts = torch.randint(-max_shift, max_shift + 1, (B * C, 2))
    moved = [
        plane[max_shift - dy : max_shift - dy + H, max_shift - dx : max_shift - dx + W]
        for plane, (dy, dx) in zip(padded, shifts.tolist())
    ]
    return torch.stack(moved).reshape(B, C, H, W)


# %% correct: where each pixel comes from, and a mask

def augment(images: Tensor, max_shift: int) -> Tensor:
    B, _, H, W = images.shape
    device = images.device
    down, right = torch.randint(-max_shift, max_shift + 1, (2, B, 1)).to(device)
    rows = torch.arange(H, device=device) - down  # (B, H): the row that comes to each place
    columns = torch.arange(W, device=device) - right
    inside = ((rows >= 0) & (rows < H)).unsqueeze(2) & ((columns >= 0) & (columns < W)).unsqueeze(1)
    which = torch.arange(B, device=device).view(B, 1, 1)
    taken = images.movedim(1, -1)[which, rows.clamp(0, H - 1).unsqueeze(2), columns.clamp(0, W - 1).unsqueeze(1)]
    return taken.movedim(-1, 1).masked_fill(~inside.unsqueeze(1), 0)


# %% correct: overlapping windows, image by image

def _overlap(shift, length):
    """Where a line lies after the shift, and which of its pixels are still there."""
    return slice(max(shift, 0), min(length, length + shift)), slice(max(-shift, 0), min(length, length - shift))


def augment(images: Tensor, max_shift: int) -> Tensor:
    choices = range(-max_shift, max_shift + 1)
    height, width = images.shape[-2:]
    moved = torch.zeros_like(images)
    for new, old in zip(moved, images, strict=True):
        down, right = (choices[i] for i in torch.randint(len(choices), (2,)).tolist())
        if abs(down) >= height or abs(right) >= width:
            continue  # all of it is lost
        (to_rows, from_rows), (to_columns, from_columns) = _overlap(down, height), _overlap(right, width)
        new[:, to_rows, to_columns] = old[:, from_rows, from_columns]
    return moved
