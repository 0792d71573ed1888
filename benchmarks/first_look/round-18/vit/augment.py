# %% wrong: torch.roll brings the ink back in
# What leaves on one side comes in at the other, where zeros should: shows for any image with ink near its edge.

def augment(images: Tensor, max_shift: int) -> Tensor:
    moved = torch.empty_like(images)
    for b in range(len(images)):
        down, right = torch.randint(-max_shift, max_shift + 1, (2,)).tolist()
        moved[b] = images[b].roll((down, right), dims=(1, 2))
    return moved


# %% wrong: the largest shift never comes
# randint leaves out its upper end: with max_shift 1 no image ever moves down or to the right, and with 0 it raises.

def augment(images: Tensor, max_shift: int) -> Tensor:
    B, C, H, W = images.shape
    s = max_shift
    padded = F.pad(images, (s, s, s, s))
    shifts = torch.randint(-s, s, (B, 2)).tolist()
    return torch.stack(
        [
            padded[b, :, s - down : s - down + H, s - right : s - right + W]
            for b, (down, right) in enumerate(shifts)
        ]
    )


# %% wrong: Python's random numbers
# Draws from the module random: torch.manual_seed does not repeat the shifts, which should come from torch's global random state.

import random


def augment(images: Tensor, max_shift: int) -> Tensor:
    H, W = images.shape[2:]
    s = max_shift
    padded = F.pad(images, (s, s, s, s))
    moved = []
    for image in padded:
        top, left = random.randint(0, 2 * s), random.randint(0, 2 * s)
        moved.append(image[:, top : top + H, left : left + W])
    return torch.stack(moved)


# %% wrong: without a shift the argument itself comes back
# max_shift 0 returns images and not a new tensor: whoever writes into the result changes the pictures.

def augment(images: Tensor, max_shift: int) -> Tensor:
    if max_shift == 0:
        return images
    B, C, H, W = images.shape
    s = max_shift
    padded = F.pad(images, (s, s, s, s))
    top = torch.randint(0, 2 * s + 1, (B,)).tolist()
    left = torch.randint(0, 2 * s + 1, (B,)).tolist()
    return torch.stack(
        [padded[b, :, top[b] : top[b] + H, left[b] : left[b] + W] for b in range(B)]
    )


# %% correct: gathered from where each pixel came

def augment(images: Tensor, max_shift: int) -> Tensor:
    B, C, H, W = images.shape
    drawn = torch.randint(2 * max_shift + 1, (2, B, 1)).to(images.device) - max_shift
    row = torch.arange(H, device=images.device) - drawn[0]  # (B, H): the row it came from
    column = torch.arange(W, device=images.device) - drawn[1]
    inside = ((row >= 0) & (row < H)).unsqueeze(2) & ((column >= 0) & (column < W)).unsqueeze(1)
    batch = torch.arange(B, device=images.device).view(B, 1, 1)
    found = images.permute(0, 2, 3, 1)[
        batch, row.clamp(0, H - 1).unsqueeze(2), column.clamp(0, W - 1).unsqueeze(1)
    ]
    found = found.masked_fill(~inside.unsqueeze(3), 0)
    return found.permute(0, 3, 1, 2).contiguous()


# %% correct: zeros, and the part that stays copied in

def augment(images: Tensor, max_shift: int) -> Tensor:
    result = torch.zeros_like(images)
    height, width = images.shape[-2:]

    def ends(shift: int, size: int) -> tuple[slice, slice]:
        """Where the part that stays was, and where it goes."""
        if shift < 0:
            return slice(-shift, size), slice(0, size + shift)
        return slice(0, size - shift), slice(shift, size)

    for b in range(len(images)):
        down = int(torch.randint(-max_shift, max_shift + 1, ()))
        right = int(torch.randint(-max_shift, max_shift + 1, ()))
        from_rows, to_rows = ends(down, height)
        from_columns, to_columns = ends(right, width)
        result[b, :, to_rows, to_columns] = images[b, :, from_rows, from_columns]
    return result
