# %% wrong: one shift for the whole batch
# The two numbers are drawn once and all images move together. Shows for a batch of two or more.

def augment(images: Tensor, max_shift: int) -> Tensor:
    H, W = images.shape[2:]
    down, right = torch.randint(0, 2 * max_shift + 1, (2,)).tolist()
    padded = F.pad(images, (max_shift, max_shift, max_shift, max_shift))
    return padded[:, :, down : down + H, right : right + W].clone()


# %% wrong: the largest shift never drawn
# randint leaves its upper end out: the shifts go from -max_shift to max_shift - 1. Shows in the frequencies, and for
# max_shift = 0 in an error (randint(0, 0)).

def augment(images: Tensor, max_shift: int) -> Tensor:
    H, W = images.shape[2:]
    moved = []
    for image in images:
        dy = torch.randint(-max_shift, max_shift, (1,)).item()
        dx = torch.randint(-max_shift, max_shift, (1,)).item()
        padded = F.pad(image, (max_shift, max_shift, max_shift, max_shift))
        top, left = max_shift - dy, max_shift - dx
        moved.append(padded[:, top : top + H, left : left + W])
    return torch.stack(moved)


# %% wrong: rolled and wiped, and all wiped where nothing moved
# What rolls in at the other side is set to zero, but the branch for "not downwards" also takes a shift of 0, and
# [dy:] with dy = 0 is the whole image: it comes back black. Shows where a shift of an image is 0.

def augment(images: Tensor, max_shift: int) -> Tensor:
    out = torch.empty_like(images)
    for b in range(len(images)):
        dy, dx = torch.randint(-max_shift, max_shift + 1, (2,)).tolist()
        image = torch.roll(images[b], (dy, dx), dims=(1, 2))
        if dy > 0:
            image[:, :dy] = 0
        else:
            image[:, dy:] = 0
        if dx > 0:
            image[:, :, :dx] = 0
        else:
            image[:, :, dx:] = 0
        out[b] = image
    return out


# %% wrong: drawn by Python's random
# The shifts come from the module random and not from torch's global random state: after torch.manual_seed(0) two calls
# differ, and torch's state does not move.

import random


def augment(images: Tensor, max_shift: int) -> Tensor:
    out = torch.zeros_like(images)
    H, W = images.shape[2:]
    for b, image in enumerate(images):
        dy, dx = random.randint(-max_shift, max_shift), random.randint(-max_shift, max_shift)
        if abs(dy) >= H or abs(dx) >= W:
            continue
        out[b, :, max(dy, 0) : H + min(dy, 0), max(dx, 0) : W + min(dx, 0)] = image[
            :, max(-dy, 0) : H - max(dy, 0), max(-dx, 0) : W - max(dx, 0)
        ]
    return out


# %% correct: each pixel asks where it came from

def augment(images: Tensor, max_shift: int) -> Tensor:
    B, C, H, W = images.shape
    shifts = torch.randint(-max_shift, max_shift + 1, (2, B, 1), device=images.device)
    from_row = torch.arange(H, device=images.device) - shifts[0]  # (B, H)
    from_column = torch.arange(W, device=images.device) - shifts[1]  # (B, W)
    inside = ((from_row >= 0) & (from_row < H))[:, :, None] & ((from_column >= 0) & (from_column < W))[:, None, :]
    taken = images[
        torch.arange(B, device=images.device)[:, None, None, None],
        torch.arange(C, device=images.device)[None, :, None, None],
        from_row.clamp(0, H - 1)[:, None, :, None],
        from_column.clamp(0, W - 1)[:, None, None, :],
    ]
    return taken.masked_fill(~inside.unsqueeze(1), 0)


# %% correct: row by row through a list with zeros above and below, then the same across

def augment(images: Tensor, max_shift: int) -> Tensor:
    def move(lines, by):
        """The tensors of the list, `by` places later; zeros where none came from."""
        black = lines[0].masked_fill(torch.ones_like(lines[0], dtype=torch.bool), 0)
        return [lines[i - by] if 0 <= i - by < len(lines) else black for i in range(len(lines))]

    moved = []
    for image in images.unbind(0):
        down = int(torch.randperm(2 * max_shift + 1)[0]) - max_shift
        right = int(torch.randperm(2 * max_shift + 1)[0]) - max_shift
        lower = torch.stack(move(image.unbind(1), down), dim=1)
        moved.append(torch.stack(move(lower.unbind(2), right), dim=2))
    return torch.stack(moved)
