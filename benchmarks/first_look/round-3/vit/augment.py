# %% wrong: torch.roll brings the ink back
# torch.roll moves in a circle, so what goes out at one side comes in at the other; zeros should come in.
# Hint: put a picture of ones in and look at the edge that is left behind.

def augment(images: Tensor, max_shift: int) -> Tensor:
    shifts = torch.randint(-max_shift, max_shift + 1, (len(images), 2)).tolist()
    moved = [torch.roll(image, (down, right), dims=(1, 2)) for image, (down, right) in zip(images, shifts)]
    return torch.stack(moved)


# %% wrong: one shift for the whole batch
# Two numbers are drawn once a call, so all images of a batch move together; each should move by numbers of its own.
# Hint: how many random numbers does a batch of 64 images need?

def augment(images: Tensor, max_shift: int) -> Tensor:
    H, W = images.shape[-2:]
    down, right = torch.randint(-max_shift, max_shift + 1, (2,)).tolist()
    padded = F.pad(images, (max_shift, max_shift, max_shift, max_shift))
    top, left = max_shift - down, max_shift - right
    return padded[:, :, top : top + H, left : left + W].clone()


# %% wrong: the largest shift never comes
# torch.randint leaves out its upper end, so no image ever moves by +max_shift (and max_shift = 0 is an error); all whole numbers to max_shift should be equally likely.
# Hint: which numbers can torch.randint(-1, 1, ...) give?

def augment(images: Tensor, max_shift: int) -> Tensor:
    B, C, H, W = images.shape
    m = max_shift
    padded = F.pad(images, (m, m, m, m))
    result = torch.zeros_like(images)
    for b in range(B):
        down = torch.randint(-m, m, ()).item()
        right = torch.randint(-m, m, ()).item()
        result[b] = padded[b, :, m - down : m - down + H, m - right : m - right + W]
    return result


# %% wrong: numbers from Python's random
# The shifts come from Python's random module and not from torch's global random state, so torch.manual_seed does not bring them back (and a checkpoint does not hold them).
# Hint: call it twice after the same torch.manual_seed: is the result the same?

def augment(images: Tensor, max_shift: int) -> Tensor:
    import random

    H, W = images.shape[-2:]
    m = max_shift
    padded = F.pad(images, (m, m, m, m))
    moved = []
    for image in padded:
        top, left = m - random.randint(-m, m), m - random.randint(-m, m)
        moved.append(image[:, top : top + H, left : left + W])
    return torch.stack(moved)


# %% correct: where each pixel comes from, by gather and where

def augment(images: Tensor, max_shift: int) -> Tensor:
    B, C, H, W = images.shape
    down = torch.randint(-max_shift, max_shift + 1, (B, 1)).to(images.device)
    right = torch.randint(-max_shift, max_shift + 1, (B, 1)).to(images.device)
    row = torch.arange(H, device=images.device) - down  # (B, H): the row that each row is read from
    column = torch.arange(W, device=images.device) - right
    inside_row, inside_column = (row >= 0) & (row < H), (column >= 0) & (column < W)
    at_row = row.clamp(0, H - 1).view(B, 1, H, 1).expand(B, C, H, W)
    at_column = column.clamp(0, W - 1).view(B, 1, 1, W).expand(B, C, H, W)
    moved = images.gather(2, at_row).gather(3, at_column)
    inside = inside_row.view(B, 1, H, 1) & inside_column.view(B, 1, 1, W)
    return torch.where(inside, moved, torch.zeros((), dtype=images.dtype, device=images.device))


# %% correct: slices onto an empty canvas

def _span(length, shift):
    """Where to write and where to read along one axis of this length."""
    count = max(length - abs(shift), 0)
    to, start = max(shift, 0), max(-shift, 0)
    return slice(min(to, length), min(to, length) + count), slice(min(start, length), min(start, length) + count)


def augment(images: Tensor, max_shift: int) -> Tensor:
    canvas = torch.zeros_like(images)
    numbers = torch.randint(0, 2 * max_shift + 1, (2, images.shape[0])) - max_shift
    for b, (down, right) in enumerate(numbers.T.tolist()):
        to_rows, from_rows = _span(images.shape[2], down)
        to_columns, from_columns = _span(images.shape[3], right)
        canvas[b, :, to_rows, to_columns] = images[b, :, from_rows, from_columns]
    return canvas
