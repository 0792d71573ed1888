# %% wrong: background has a vote
# A patch with a thin stroke is called background, because most of its pixels are. Background counts only where there
# is nothing else.

# --- before
    counts[..., background] = 0
# --- after
# --- before
    return torch.where(counts.sum(dim=2) > 0, majority, background)
# --- after
    return majority

# %% wrong: an empty patch is class 0
# A patch with nothing but background comes back as class 0: argmax over counts that are all zero says 0. Say
# background there.

# --- before
    return torch.where(counts.sum(dim=2) > 0, majority, background)
# --- after
    return majority

# %% wrong: the lowest class in the patch
# The patch is given the lowest class that occurs in it, not the one with most pixels.

# --- before
    majority = counts.argmax(dim=2)  # the first of equals, that is the lower number
# --- after
    majority = (counts > 0).int().argmax(dim=2)  # the first of equals, that is the lower number

# %% wrong: the higher number of equals
# Where two classes have equally many pixels the higher number was taken. The docstring asks for the lower one.

# --- before
    majority = counts.argmax(dim=2)  # the first of equals, that is the lower number
# --- after
    majority = counts.shape[2] - 1 - counts.flip(2).argmax(dim=2)  # the first of equals, that is the lower number

# %% wrong: background is always 0
# 0 was taken for the background. It is whatever number `background` says.

# --- before
    counts[..., background] = 0
# --- after
    counts[..., 0] = 0
# --- before
    return torch.where(counts.sum(dim=2) > 0, majority, background)
# --- after
    return torch.where(counts.sum(dim=2) > 0, majority, 0)

# %% wrong: columns of patches before rows
# The patches come column by column, so labels and tokens belong to different patches. The order is patchify's.

# --- before
    pixels = patchify(labels.unsqueeze(1), patch_size)  # (B, H, W) -> (B, N, P * P)
# --- after
    pixels = patchify(labels.unsqueeze(1).transpose(2, 3), patch_size)  # (B, H, W) -> (B, N, P * P)

# %% wrong: another dtype than int64
# F.cross_entropy wants its targets as int64, and that is what the docstring promises.

# --- before
    return torch.where(counts.sum(dim=2) > 0, majority, background)
# --- after
    return torch.where(counts.sum(dim=2) > 0, majority, background).int()

# %% wrong: as many classes as the background says
# Classes above the background were not counted: F.one_hot was told of background + 1 classes. Background may be any
# number, also one below the classes.

# --- before
    counts = F.one_hot(pixels, max(int(labels.max()), background) + 1).sum(dim=2)
# --- after
    counts = F.one_hot(pixels, background + 1).sum(dim=2)

# %% correct: mode of each patch, in a loop
def patch_labels(labels, patch_size, background):
    rows = []
    for picture in patchify(labels[:, None], patch_size):
        row = []
        for patch in picture:
            ink = patch[patch != background]
            row.append(int(ink.mode().values) if len(ink) else background)
        rows.append(row)
    return torch.tensor(rows, device=labels.device)

# %% correct: one comparison a class
def patch_labels(labels, patch_size, background):
    pixels = patchify(labels.unsqueeze(1), patch_size)
    best = torch.zeros_like(pixels[:, :, 0])
    found = torch.full_like(best, background)
    for number in range(int(labels.max()) + 1):
        if number == background:
            continue
        count = (pixels == number).sum(dim=-1)
        better = count > best
        best, found = torch.where(better, count, best), torch.where(better, number, found)
    return found

# %% correct: bincount
def patch_labels(labels, patch_size, background):
    patches = patchify(labels.unsqueeze(1), patch_size)
    flat = patches.flatten(0, 1)
    out = []
    for patch in flat:
        counts = torch.bincount(patch, minlength=background + 1)
        counts[background] = 0
        out.append(counts.argmax() if counts.any() else patch.new_tensor(background))
    return torch.stack(out).reshape(patches.shape[:2])

# %% correct: background as half a vote
# --- before
    counts[..., background] = 0
# --- after
    counts = 2 * counts
    counts[..., background] = counts[..., background].clamp(max=1)
# --- before
    return torch.where(counts.sum(dim=2) > 0, majority, background)
# --- after
    return majority

# %% correct: the most frequent of the sorted labels
def patch_labels(labels, patch_size, background):
    rows = []
    for picture in patchify(labels.unsqueeze(1), patch_size).tolist():
        inks = [[label for label in patch if label != background] for patch in picture]
        rows.append([max(sorted(set(ink)), key=ink.count) if ink else background for ink in inks])
    return torch.tensor(rows, device=labels.device)
