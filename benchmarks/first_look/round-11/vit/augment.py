# %% wrong: rolled round the edge
# roll brings what leaves the picture in again at the other side, where zeros should be. It shows for
# images whose edges are not zero.

def augment(images: Tensor, max_shift: int) -> Tensor:
    shifts = torch.randint(-max_shift, max_shift + 1, (len(images), 2)).tolist()
    moved = [
        image.roll((down, right), dims=(1, 2))
        for image, (down, right) in zip(images, shifts, strict=True)
    ]
    return torch.stack(moved)

# %% wrong: drawn by Python's random
# The shifts come from the module random, which torch.manual_seed does not touch. It shows for any
# images and max_shift above 0: the same seed before two calls gives two results.

import random


def augment(images: Tensor, max_shift: int) -> Tensor:
    H, W = images.shape[2:]
    moved = torch.zeros_like(images)
    for b in range(len(images)):
        down = random.randint(-max_shift, max_shift)
        right = random.randint(-max_shift, max_shift)
        rows = slice(max(down, 0), H + min(down, 0))
        columns = slice(max(right, 0), W + min(right, 0))
        from_rows = slice(max(-down, 0), H + min(-down, 0))
        from_columns = slice(max(-right, 0), W + min(-right, 0))
        moved[b, :, rows, columns] = images[b, :, from_rows, from_columns]
    return moved

# %% wrong: rounded, so that the ends come half as often
# A number from -m to m is drawn evenly and rounded: -m and m get half a unit each, the others a whole
# one. It shows in many draws: for max_shift 1 the shifts come as 1/4, 1/2, 1/4.

def augment(images: Tensor, max_shift: int) -> Tensor:
    B, C, H, W = images.shape
    shifts = ((2 * torch.rand(B, 2) - 1) * max_shift).round().long().tolist()
    padded = F.pad(images, (max_shift, max_shift, max_shift, max_shift))
    moved = []
    for image, (down, right) in zip(padded, shifts, strict=True):
        top, left = max_shift - down, max_shift - right
        moved.append(image[:, top : top + H, left : left + W])
    return torch.stack(moved)

# %% wrong: a shift of nothing wipes the picture
# After the roll what came in is set to zero, and "down < 0" is the else of "down > 0": moved[:, 0:] is
# everything. It shows for max_shift = 0, and wherever one of the two numbers is drawn as 0.

def augment(images: Tensor, max_shift: int) -> Tensor:
    result = images.clone()
    for b in range(len(images)):
        down, right = torch.randint(-max_shift, max_shift + 1, (2,)).tolist()
        moved = torch.roll(images[b], (down, right), dims=(1, 2))
        if down > 0:
            moved[:, :down] = 0
        else:
            moved[:, down:] = 0
        if right > 0:
            moved[:, :, :right] = 0
        else:
            moved[:, :, right:] = 0
        result[b] = moved
    return result

# %% correct: each pixel of the result asks where it came from
def augment(images: Tensor, max_shift: int) -> Tensor:
    B, C, H, W = images.shape
    down, right = torch.randint(2 * max_shift + 1, (2, B, 1), device=images.device) - max_shift
    rows = torch.arange(H, device=images.device) - down  # (B, H)
    columns = torch.arange(W, device=images.device) - right  # (B, W)
    outside = (rows < 0) | (rows >= H)
    outside = outside.unsqueeze(2) | ((columns < 0) | (columns >= W)).unsqueeze(1)  # (B, H, W)
    batch = torch.arange(B, device=images.device).view(B, 1, 1)
    found = images.movedim(1, 3)[batch, rows.clamp(0, H - 1).unsqueeze(2), columns.clamp(0, W - 1).unsqueeze(1)]
    return found.masked_fill(outside.unsqueeze(3), 0).movedim(3, 1).contiguous()

# %% correct: a window of random place over a wider canvas
def augment(images: Tensor, max_shift: int) -> Tensor:
    B, C, H, W = images.shape
    side = 2 * max_shift + 1
    canvas = images.new_zeros(B, C, H + side - 1, W + side - 1)
    canvas[:, :, max_shift : max_shift + H, max_shift : max_shift + W] = images
    places = torch.randint(side * side, (B,))  # both numbers in one draw
    windows = [
        canvas[b].narrow(1, place // side, H).narrow(2, place % side, W)
        for b, place in enumerate(places.tolist())
    ]
    return torch.stack(windows)
