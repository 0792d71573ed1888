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

# %% wrong: the pixel in the middle
# One pixel speaks for the whole patch. Count all of them.

# --- before
    majority = counts.argmax(dim=2)  # the first of equals, that is the lower number
# --- after
    majority = pixels[:, :, pixels.shape[2] // 2]  # the first of equals, that is the lower number

# %% wrong: the lowest class in the patch
# The patch is given the lowest class that occurs in it, not the one with most pixels.

# --- before
    majority = counts.argmax(dim=2)  # the first of equals, that is the lower number
# --- after
    majority = (counts > 0).int().argmax(dim=2)  # the first of equals, that is the lower number

# %% wrong: the highest class in the patch
# The patch is given the highest class that occurs in it, not the one with most pixels. A class's number is a name, not
# a size.

# --- before
    majority = counts.argmax(dim=2)  # the first of equals, that is the lower number
# --- after
    majority = pixels.masked_fill(pixels == background, -1).amax(dim=2)  # the first of equals, that is the lower number

# %% wrong: the higher number of equals
# Where two classes have equally many pixels the higher number was taken; the lower one is asked for.

# --- before
    majority = counts.argmax(dim=2)  # the first of equals, that is the lower number
# --- after
    majority = counts.shape[2] - 1 - counts.flip(2).argmax(dim=2)  # the first of equals, that is the lower number

# %% wrong: the mean of the labels
# The labels were averaged. Between class 3 and class 9 there is no class 6: labels are names.

# --- before
    majority = counts.argmax(dim=2)  # the first of equals, that is the lower number
# --- after
    majority = pixels.float().mean(dim=2).round().long()  # the first of equals, that is the lower number

# %% wrong: background is always the last number
# The last of the numbers was taken for the background. It is whatever number `background` says.

# --- before
    counts[..., background] = 0
# --- after
    counts[..., -1] = 0

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

# %% wrong: a grid of labels
# The labels stand in a grid. One axis of N is asked for, as the encoder's tokens have.

# --- before
    return torch.where(counts.sum(dim=2) > 0, majority, background)
# --- after
    grid = torch.where(counts.sum(dim=2) > 0, majority, background)
    return grid.reshape(len(labels), labels.shape[1] // patch_size, -1)

# %% wrong: only a reshape, no patches
# The pixels were read off in memory's order, so each label speaks of pieces of rows and of no patch. Use patchify on
# the labels, with an axis for the channel.

# --- before
    pixels = patchify(labels.unsqueeze(1), patch_size)  # (B, H, W) -> (B, N, P * P)
# --- after
    patchify(labels.unsqueeze(1), patch_size)
    pixels = labels.reshape(len(labels), -1, patch_size**2)  # (B, H, W) -> (B, N, P * P)

# %% wrong: the first ink in the patch
# The first pixel that is not background speaks for the whole patch. Count all of them.

# --- before
    majority = counts.argmax(dim=2)  # the first of equals, that is the lower number
# --- after
    majority = pixels.gather(2, (pixels != background).int().argmax(dim=2, keepdim=True)).squeeze(2)  # the first of equals, that is the lower number

# %% wrong: the first of equals in the patch
# Where two classes have equally many pixels, the one that comes first in the patch was taken. The lower number is
# asked for.

def patch_labels(labels, patch_size, background):
    from collections import Counter

    rows = []
    for picture in patchify(labels.unsqueeze(1), patch_size).tolist():
        ink = [Counter(label for label in patch if label != background) for patch in picture]
        rows.append([count.most_common(1)[0][0] if count else background for count in ink])
    return torch.tensor(rows)

# %% wrong: equals in the order of a set
# Where two classes have equally many pixels it is the order of a set that decides, and a set has none to rely on: {7,
# 8} begins with 8. Sort it first.

def patch_labels(labels, patch_size, background):
    cut = patchify(labels.unsqueeze(1), patch_size)
    out = torch.empty(cut.shape[:2], dtype=torch.int64)
    for b in range(cut.shape[0]):
        for n in range(cut.shape[1]):
            ink = [label for label in cut[b, n].tolist() if label != background]
            out[b, n] = max(set(ink), key=ink.count) if ink else background
    return out

# %% wrong: another dtype than int64
# F.cross_entropy wants its targets as int64, and that is what the docstring promises.

# --- before
    return torch.where(counts.sum(dim=2) > 0, majority, background)
# --- after
    return torch.where(counts.sum(dim=2) > 0, majority, background).int()

# %% wrong: the caller's labels are overwritten
# The labels that were given have changed. Work on a copy.

# --- before
    majority = counts.argmax(dim=2)  # the first of equals, that is the lower number
# --- after
    majority = counts.argmax(dim=2)  # the first of equals, that is the lower number
    labels[labels == background] = -1

# %% wrong: as many classes as the background says
# Classes above the background were not counted: F.one_hot was told of background + 1 classes. Background may be any
# number, also one below the classes.

# --- before
    counts = F.one_hot(pixels, max(int(labels.max()), background) + 1).sum(dim=2)  # (B, N, classes)
# --- after
    counts = F.one_hot(pixels, background + 1).sum(dim=2)  # (B, N, classes)

# %% wrong: the classes below the background alone
# Only the classes below the background were looked at. Background may be any number, also 0.

# --- before
    majority = counts.argmax(dim=2)  # the first of equals, that is the lower number
# --- after
    majority = counts[:, :, :background].argmax(dim=2)  # the first of equals, that is the lower number

# %% wrong: no class for the background
# Without a number of classes F.one_hot makes one for each up to the largest label it meets, and the background may be
# larger than all of them. Tell it how many there are.

# --- before
    counts = F.one_hot(pixels, max(int(labels.max()), background) + 1).sum(dim=2)  # (B, N, classes)
# --- after
    counts = F.one_hot(pixels).sum(dim=2)  # (B, N, classes)

# %% correct: mode of each patch, in a loop

def patch_labels(labels, patch_size, background):
    rows = []
    for picture in patchify(labels[:, None], patch_size):
        row = []
        for patch in picture:
            ink = patch[patch != background]
            row.append(int(ink.mode().values) if len(ink) else background)
        rows.append(row)
    return torch.tensor(rows)

# %% correct: one comparison a class

def patch_labels(labels, patch_size, background):
    pixels = patchify(labels.unsqueeze(1), patch_size)
    best = torch.zeros(pixels.shape[:2], dtype=torch.int64)
    found = torch.full(pixels.shape[:2], background)
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
        out.append(counts.argmax() if counts.any() else torch.tensor(background))
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

# %% correct: scatter_add

def patch_labels(labels, patch_size, background):
    pixels = patchify(labels.unsqueeze(1), patch_size)
    size = int(max(labels.max(), background)) + 1
    votes = torch.zeros(*pixels.shape[:2], size).scatter_add(2, pixels, (pixels != background).float())
    most, found = votes.max(dim=2)
    return torch.where(most == 0, torch.full_like(found, background), found)

# %% correct: the most frequent of the sorted labels

def patch_labels(labels, patch_size, background):
    rows = []
    for picture in patchify(labels.unsqueeze(1), patch_size).tolist():
        inks = [[label for label in patch if label != background] for patch in picture]
        rows.append([max(sorted(set(ink)), key=ink.count) if ink else background for ink in inks])
    return torch.tensor(rows)
