# %% wrong: rounded numbers of a continuous draw
# A uniform number from -max_shift to max_shift is rounded, so the two ends come half as often as
# the others. Shows in the frequencies: with max_shift 1 the shifts come as 1/4, 1/2, 1/4.

def augment(images: Tensor, max_shift: int) -> Tensor:
    B, C, H, W = images.shape
    shifts = ((2 * torch.rand(B, 2) - 1) * max_shift).round().long().tolist()
    moved = torch.zeros_like(images)
    for b, (down, right) in enumerate(shifts):
        moved[b, :, max(down, 0) : H + min(down, 0), max(right, 0) : W + min(right, 0)] = images[
            b, :, max(-down, 0) : H + min(-down, 0), max(-right, 0) : W + min(-right, 0)
        ]
    return moved

# %% wrong: nothing to do, so the same tensor
# With max_shift 0 the argument itself comes back, not a new tensor: whoever writes into the result
# writes into images.

def augment(images: Tensor, max_shift: int) -> Tensor:
    if max_shift == 0:
        return images
    B, C, H, W = images.shape
    m = max_shift
    padded = F.pad(images, (m, m, m, m))
    tops, lefts = torch.randint(0, 2 * m + 1, (2, B)).tolist()
    return torch.stack(
        [padded[b, :, t : t + H, l : l + W] for b, (t, l) in enumerate(zip(tops, lefts))]
    )

# %% wrong: drawn from Python's random
# random.randint has both ends, but it is another generator: torch.manual_seed does not decide
# what comes. Two calls after the same torch.manual_seed differ.

import random


def augment(images: Tensor, max_shift: int) -> Tensor:
    B, C, H, W = images.shape
    m = max_shift
    padded = F.pad(images, (m, m, m, m))
    moved = []
    for image in padded:
        top, left = random.randint(0, 2 * m), random.randint(0, 2 * m)
        moved.append(image[:, top : top + H, left : left + W])
    return torch.stack(moved)

# %% wrong: down and to the right by the same number
# One number is drawn for each image and used along both axes, so everything moves along a
# diagonal. Shows for max_shift 1 or more: down 1 and right 0 never comes.

def augment(images: Tensor, max_shift: int) -> Tensor:
    B, C, H, W = images.shape
    shifts = torch.randint(-max_shift, max_shift + 1, (B,)).tolist()
    moved = torch.zeros_like(images)
    for b, s in enumerate(shifts):
        if s >= 0:
            moved[b, :, s:, s:] = images[b, :, : H - s, : W - s]
        else:
            moved[b, :, :s, :s] = images[b, :, -s:, -s:]
    return moved

# %% correct: for every pixel the place that it comes from

def augment(images: Tensor, max_shift: int) -> Tensor:
    B, C, H, W = images.shape
    span = torch.arange(-max_shift, max_shift + 1)
    drawn = span[torch.randint(len(span), (2, B))].to(images.device)
    rows = torch.arange(H, device=images.device) - drawn[0].unsqueeze(1)  # (B, H)
    columns = torch.arange(W, device=images.device) - drawn[1].unsqueeze(1)  # (B, W)
    inside = ((rows >= 0) & (rows < H)).unsqueeze(2) & ((columns >= 0) & (columns < W)).unsqueeze(1)
    which = torch.arange(B, device=images.device).view(B, 1, 1)
    found = images.movedim(1, -1)[
        which, rows.clamp(0, H - 1).unsqueeze(2), columns.clamp(0, W - 1).unsqueeze(1)
    ]  # (B, H, W, C)
    return found.movedim(-1, 1).masked_fill(~inside.unsqueeze(1), 0).contiguous()

# %% correct: rolled, and what came round is wiped

def augment(images: Tensor, max_shift: int) -> Tensor:
    moved = images.clone()
    for b in range(len(moved)):
        image = moved[b]
        for axis in (1, 2):
            shift = int(torch.randint(2 * max_shift + 1, ())) - max_shift
            image.copy_(image.roll(shift, dims=axis))
            size = image.shape[axis]
            begin, count = (0, shift) if shift > 0 else (size + shift, -shift)
            image.narrow(axis, begin, count).zero_()
    return moved
