# %% wrong: one column for each number that occurs, background expected among them
# one_hot has max + 1 columns. Where the batch has no background pixel and background is above all its labels, the column
# `background` is not there: IndexError for labels 0 to 9 everywhere and background 10.

def patch_labels(labels: Tensor, patch_size: int, background: int) -> Tensor:
    pixels = patchify(labels.unsqueeze(1), patch_size)  # (B, N, P * P)
    counts = F.one_hot(pixels).sum(dim=2)  # (B, N, K)
    counts[:, :, background] = 0
    most = counts.argmax(dim=2)
    most[counts.sum(dim=2) == 0] = background
    return most


# %% wrong: of equals, the one that comes first in the patch
# Counter.most_common keeps the order in which the labels were met, so a tie goes to the first pixel, not to the lower number:
# the patch 7, 7, 3, 3 gives 7, not 3.

from collections import Counter


def patch_labels(labels: Tensor, patch_size: int, background: int) -> Tensor:
    result = []
    for words in patchify(labels.unsqueeze(1), patch_size).tolist():
        row = []
        for word in words:
            ink = Counter(label for label in word if label != background)
            row.append(ink.most_common(1)[0][0] if ink else background)
        result.append(row)
    return torch.tensor(result, dtype=torch.int64, device=labels.device)


# %% wrong: the classes are the numbers below background
# Only the classes 0 to background - 1 are counted, as with paper = 10. Shows where background lies below or between the
# classes: background 0 makes an empty range, and with background 2 a patch of 5s is background.

def patch_labels(labels: Tensor, patch_size: int, background: int) -> Tensor:
    pixels = patchify(labels.unsqueeze(1), patch_size)
    result = torch.full(pixels.shape[:2], background, dtype=torch.int64, device=labels.device)
    best = torch.zeros_like(result)
    for number in range(background):
        count = (pixels == number).sum(dim=2)
        result[count > best] = number
        best = torch.maximum(best, count)
    return result


# %% wrong: background marked with -1 in the caller's labels
# unfold gives a view, so writing -1 into the squares changes labels, which must stay as they were. The result is right; shows
# in labels after the call wherever there is background.

def patch_labels(labels: Tensor, patch_size: int, background: int) -> Tensor:
    height, width = labels.shape[1:]
    if height % patch_size or width % patch_size:
        raise ValueError("patches do not tile the labels")
    squares = labels.unfold(1, patch_size, patch_size).unfold(2, patch_size, patch_size)
    squares[squares == background] = -1
    pixels = squares.flatten(3).flatten(1, 2)
    counts = torch.stack([(pixels == c).sum(dim=2) for c in range(int(pixels.max()) + 1)] or [pixels[..., 0] * 0], dim=2)
    return torch.where(counts.sum(dim=2) > 0, counts.argmax(dim=2), background)


# %% correct: each pixel counts those that are like it

def patch_labels(labels: Tensor, patch_size: int, background: int) -> Tensor:
    pixels = patchify(labels.unsqueeze(1), patch_size)  # (B, N, P * P)
    ink = pixels != background
    alike = torch.zeros_like(pixels)
    for place in range(pixels.shape[2]):
        alike += pixels == pixels[:, :, place : place + 1]
    alike = alike * ink
    winners = ink & (alike == alike.amax(dim=2, keepdim=True))
    lowest = torch.where(winners, pixels, torch.iinfo(torch.int64).max).amin(dim=2)
    return torch.where(ink.any(dim=2), lowest, background)


# %% correct: sorted runs, patch by patch

from itertools import groupby


def patch_labels(labels: Tensor, patch_size: int, background: int) -> Tensor:
    _, height, width = labels.shape
    if height % patch_size != 0 or width % patch_size != 0:
        raise ValueError(f"{patch_size} does not divide {height} and {width}")

    def shown(square: Tensor) -> int:
        ordered = sorted(square.flatten().tolist())
        runs = [(-len(list(run)), label) for label, run in groupby(ordered) if label != background]
        return min(runs)[1] if runs else background

    found = [
        [shown(square) for line in picture.split(patch_size, 0) for square in line.split(patch_size, 1)]
        for picture in labels
    ]
    return labels.new_tensor(found)
