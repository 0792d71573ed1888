# %% wrong: rolled, and emptied at the wrong time
# What came around after torch.roll is wiped with rolled[:, down:] = 0 where down is not positive. For down = 0 this is
# [:, 0:], the whole image: every image that stays in its row or column, and everything for max_shift = 0, comes back empty.


def augment(images: Tensor, max_shift: int) -> Tensor:
    moved = torch.zeros_like(images)
    for b in range(len(images)):
        down, right = torch.randint(-max_shift, max_shift + 1, (2,)).tolist()
        rolled = images[b].roll((down, right), dims=(1, 2))
        if down > 0:
            rolled[:, :down] = 0
        else:
            rolled[:, down:] = 0
        if right > 0:
            rolled[:, :, :right] = 0
        else:
            rolled[:, :, right:] = 0
        moved[b] = rolled
    return moved


# %% wrong: a rounded uniform number
# A number from -max_shift to max_shift is drawn evenly and rounded: the two ends get half an interval, so they come half
# as often as the others. Shows in many draws (max_shift 1: 1/4, 1/2, 1/4).


def augment(images: Tensor, max_shift: int) -> Tensor:
    B, C, H, W = images.shape
    shifts = ((2 * torch.rand(B, 2) - 1) * max_shift).round().long().tolist()
    padded = F.pad(images, (max_shift, max_shift, max_shift, max_shift))
    return torch.stack(
        [
            image[:, max_shift - down : max_shift - down + H, max_shift - right : max_shift - right + W]
            for image, (down, right) in zip(padded, shifts)
        ]
    )


# %% wrong: Python's random numbers
# random.randint has both ends, which is handy, but not torch's random state: after torch.manual_seed(0) two calls move the
# images differently.

import random


def augment(images: Tensor, max_shift: int) -> Tensor:
    B, C, H, W = images.shape
    moved = torch.zeros_like(images)
    for b in range(B):
        down, right = random.randint(-max_shift, max_shift), random.randint(-max_shift, max_shift)
        top, left = max(down, 0), max(right, 0)
        bottom, end = H + min(down, 0), W + min(right, 0)
        moved[b, :, top:bottom, left:end] = images[b, :, top - down : bottom - down, left - right : end - right]
    return moved


# %% wrong: nothing to do, so the argument itself
# For max_shift = 0 the images are handed back as they are: not a new tensor, and whoever writes into the result changes
# the data.


def augment(images: Tensor, max_shift: int) -> Tensor:
    if max_shift == 0:
        return images
    B, C, H, W = images.shape
    padded = F.pad(images, [max_shift] * 4)
    top, left = torch.randint(0, 2 * max_shift + 1, (2, B)).tolist()
    return torch.stack([padded[b, :, top[b] : top[b] + H, left[b] : left[b] + W] for b in range(B)])


# %% correct: each new pixel asks where it comes from


def augment(images: Tensor, max_shift: int) -> Tensor:
    B, C, H, W = images.shape
    down, right = torch.randint(-max_shift, max_shift + 1, (2, B, 1), device=images.device)
    row = torch.arange(H, device=images.device) - down  # (B, H)
    column = torch.arange(W, device=images.device) - right  # (B, W)
    inside = ((row >= 0) & (row < H)).unsqueeze(2) & ((column >= 0) & (column < W)).unsqueeze(1)
    picture = torch.arange(B, device=images.device).view(B, 1, 1)
    pixels = images.permute(0, 2, 3, 1)[picture, row.clamp(0, H - 1).unsqueeze(2), column.clamp(0, W - 1).unsqueeze(1)]
    return torch.where(inside.unsqueeze(1), pixels.permute(0, 3, 1, 2), torch.zeros_like(images))


# %% correct: all views of the padded images, of which each picks one


def augment(images: Tensor, max_shift: int) -> Tensor:
    B, C, H, W = images.shape
    frame = images.new_zeros(B, C, H + 2 * max_shift, W + 2 * max_shift)
    frame[:, :, max_shift : max_shift + H, max_shift : max_shift + W] = images
    views = frame.unfold(2, H, 1).unfold(3, W, 1)  # (B, C, 2 m + 1, 2 m + 1, H, W)
    side = 2 * max_shift + 1
    drawn = torch.randint(side * side, (B,), device=images.device)  # a pair in one number
    picture = torch.arange(B, device=images.device)
    return views[picture, :, drawn // side, drawn % side]
