# %% wrong: what moves out comes back in
# What leaves the picture on one side comes in again on the other: torch.roll turns a picture into a ring. Let zeros
# come in instead.

def augment(images, max_shift):
    moved = []
    for image in images:
        down, right = torch.randint(-max_shift, max_shift + 1, (2,)).tolist()
        moved.append(image.roll((down, right), (1, 2)))
    return torch.stack(moved)

# %% wrong: one shift for the whole batch
# All images of the batch moved by the same shift. Draw one for each image.

# --- before
    down, right = torch.randint(0, 2 * max_shift + 1, (2, batch, 1), device=device)
# --- after
    down, right = torch.randint(0, 2 * max_shift + 1, (2, 1, 1), device=images.device).expand(2, batch, 1)

# %% wrong: never to the far side
# The largest shift on one side never occurs: the upper end of torch.randint is exclusive.

# --- before
    down, right = torch.randint(0, 2 * max_shift + 1, (2, batch, 1), device=device)
# --- after
    down, right = torch.randint(0, 2 * max_shift, (2, batch, 1), device=images.device)

# %% wrong: only down and to the right
# The images move one way only, down and to the right. Shifts run from -max_shift to max_shift.

def augment(images, max_shift):
    batch, channels, height, width = images.shape
    moved = torch.zeros_like(images)
    for b in range(batch):
        down, right = torch.randint(0, max_shift + 1, (2,)).tolist()
        moved[b, :, down:, right:] = images[b, :, : height - down, : width - right]
    return moved

# %% wrong: the same shift down and to the right
# Down and to the right are always the same number, so images move along one diagonal. Draw two numbers for each image.

# --- before
    down, right = torch.randint(0, 2 * max_shift + 1, (2, batch, 1), device=device)
# --- after
    down = right = torch.randint(0, 2 * max_shift + 1, (batch, 1), device=images.device)

# %% wrong: a seed of its own
# Every call gives the same shifts: the generator is seeded inside. Then nothing is fresh. Draw from torch's global
# state and leave seeding to the caller.

# --- before
    down, right = torch.randint(0, 2 * max_shift + 1, (2, batch, 1), device=device)
# --- after
    own = torch.Generator().manual_seed(0)
    down, right = torch.randint(0, 2 * max_shift + 1, (2, batch, 1), generator=own).to(images.device)

# %% wrong: the ends come half as often
# The furthest shifts come too rarely. Rounding a uniform number, for one, gives the two ends half an interval each.
# torch.randint draws whole numbers that are all equally likely.

# --- before
    down, right = torch.randint(0, 2 * max_shift + 1, (2, batch, 1), device=device)
# --- after
    down, right = (2 * max_shift * torch.rand(2, batch, 1)).round().long()

# %% wrong: numbers that torch does not draw
# The numbers come from elsewhere (Python's random, NumPy, a generator of your own), so torch.manual_seed does not
# repeat them. Draw with torch and no generator.

def augment(images, max_shift):
    import random

    height, width = images.shape[2:]
    moved = []
    for image in F.pad(images, (max_shift,) * 4):
        down, right = random.randint(0, 2 * max_shift), random.randint(0, 2 * max_shift)
        moved.append(image[:, down : down + height, right : right + width])
    return torch.stack(moved)

# %% wrong: the images themselves where nothing moves
# With max_shift = 0 the caller's own tensor comes back: whoever writes into the result changes the images. A new tensor
# is promised.

# --- before
    batch, channels, height, width = images.shape
# --- after
    if max_shift == 0:
        return images
    batch, channels, height, width = images.shape

# %% correct: written into zeros
def augment(images, max_shift):
    moved = torch.zeros_like(images)
    H, W = images.shape[2:]
    for b in range(len(images)):
        dy, dx = (torch.randint(-max_shift, max_shift + 1, (2,))).tolist()
        moved[b, :, max(dy, 0) : H + min(dy, 0), max(dx, 0) : W + min(dx, 0)] = images[
            b, :, max(-dy, 0) : H + min(-dy, 0), max(-dx, 0) : W + min(-dx, 0)
        ]
    return moved

# %% correct: rolled, then wiped
def augment(images, max_shift):
    H, W = images.shape[2:]
    moved = []
    for image in images:
        down, right = ((torch.rand(2) * (2 * max_shift + 1)).long() - max_shift).tolist()
        rows, columns = torch.arange(H, device=images.device) - down, torch.arange(W, device=images.device) - right
        inside = ((rows >= 0) & (rows < H))[:, None] & ((columns >= 0) & (columns < W))
        moved.append(image.roll((down, right), dims=(1, 2)).masked_fill(~inside, 0))
    return torch.stack(moved)

# %% correct: gather along both axes
def augment(images, max_shift):
    B, C, H, W = images.shape
    m = max_shift
    padded = F.pad(images, (m, m, m, m))
    top, left = torch.randint(0, 2 * m + 1, (2, B, 1), device=images.device)
    rows = (top + torch.arange(H, device=images.device))[:, None, :, None].expand(B, C, H, W + 2 * m)
    columns = (left + torch.arange(W, device=images.device))[:, None, None, :].expand(B, C, H, W)
    return padded.gather(2, rows).gather(3, columns)

# %% correct: windows of the padded images
def augment(images, max_shift):
    padded = F.pad(images, [max_shift] * 4)
    windows = padded.unfold(2, images.shape[2], 1).unfold(3, images.shape[3], 1)
    down = torch.randint(windows.shape[2], (len(images),))
    right = torch.randint(windows.shape[3], (len(images),))
    return windows[torch.arange(len(images)), :, down, right].clone()

# %% correct: negative padding
def augment(images, max_shift):
    moved = []
    for image in images:
        down, right = torch.randint(-max_shift, max_shift + 1, (2,)).tolist()
        moved.append(F.pad(image, (right, -right, down, -down)))
    return torch.stack(moved)
