# %% wrong: the paper is thought to be the last number
# One-hot vectors of background + 1 numbers, the last of which is left out.
# Promise: background may be any number, below, between or above the classes. Shows for background = 0 or 2 with classes above it.

def patch_labels(labels: Tensor, patch_size: int, background: int) -> Tensor:
    patches = patchify(labels.unsqueeze(1), patch_size)
    counts = F.one_hot(patches, background + 1).sum(dim=2)[..., :background]
    best = counts.argmax(dim=2)
    return torch.where(counts.sum(dim=2) == 0, background, best)


# %% wrong: an empty patch is of class 0
# The count of the background is set to zero and the largest count taken; where all are zero, argmax says 0.
# Promise: background where all pixels of the patch are background. Shows for such a patch, where background is not 0.

def patch_labels(labels: Tensor, patch_size: int, background: int) -> Tensor:
    patches = patchify(labels.unsqueeze(1), patch_size)
    num_classes = max(int(labels.max()), background) + 1
    counts = torch.stack([(patches == k).sum(dim=2) for k in range(num_classes)], dim=2)
    counts[..., background] = 0
    return counts.argmax(dim=2)


# %% wrong: of equal counts the one that is met first
# Counter.most_common gives equals in the order in which they came.
# Promise: the lower number where two have equally many. Shows for a patch with 7 before 3 and as many of both.

from collections import Counter


def patch_labels(labels: Tensor, patch_size: int, background: int) -> Tensor:
    patches = patchify(labels.unsqueeze(1), patch_size)
    named = torch.full(patches.shape[:2], background, dtype=torch.int64, device=labels.device)
    for b in range(patches.shape[0]):
        for n in range(patches.shape[1]):
            seen = Counter(k for k in patches[b, n].tolist() if k != background)
            if seen:
                named[b, n] = seen.most_common(1)[0][0]
    return named


# %% wrong: the paper is marked in a view
# The background is set to -1 in the patches; where reshape need not copy, these are the labels themselves.
# Promise: leaves labels as they were. Shows for patch_size 1, and for labels one patch wide (W = P).

def patch_labels(labels: Tensor, patch_size: int, background: int) -> Tensor:
    batch, height, width = labels.shape
    if height % patch_size or width % patch_size:
        raise ValueError("patches do not tile the labels")
    rows, columns = height // patch_size, width // patch_size
    patches = labels.reshape(batch, rows, patch_size, columns, patch_size).transpose(2, 3)
    patches = patches.reshape(batch, rows * columns, patch_size * patch_size)
    patches[patches == background] = -1
    counts = F.one_hot(patches + 1).sum(dim=2)[..., 1:]  # without the -1
    if counts.shape[2] == 0:
        return torch.full((batch, rows * columns), background, device=labels.device)
    empty = (patches == -1).all(dim=2)
    return counts.argmax(dim=2).masked_fill(empty, background)


# %% correct: each pixel counts those like it

def patch_labels(labels: Tensor, patch_size: int, background: int) -> Tensor:
    patches = patchify(labels.unsqueeze(1), patch_size)  # (B, N, P * P)
    alike = (patches.unsqueeze(3) == patches.unsqueeze(2)).sum(dim=3)
    alike = alike.masked_fill(patches == background, 0)
    most = alike.amax(dim=2, keepdim=True)
    leading = (alike == most) & (most > 0)
    beyond = torch.iinfo(torch.int64).max
    lowest = patches.masked_fill(~leading, beyond).amin(dim=2)
    return torch.where(most.squeeze(2) > 0, lowest, torch.full_like(lowest, background))


# %% correct: plain lists, the first largest count of the sorted classes

def patch_labels(labels: Tensor, patch_size: int, background: int) -> Tensor:
    batch, height, width = labels.shape
    if height % patch_size or width % patch_size:
        raise ValueError(f"patches of {patch_size} do not tile {height} x {width}")
    answer = []
    for picture in labels.tolist():
        names = []
        for top in range(0, height, patch_size):
            for left in range(0, width, patch_size):
                pixels = [k for line in picture[top : top + patch_size] for k in line[left : left + patch_size]]
                ink = [k for k in pixels if k != background]
                names.append(max(sorted(set(ink)), key=ink.count, default=background))
        answer.append(names)
    return torch.tensor(answer, dtype=torch.int64, device=labels.device)
