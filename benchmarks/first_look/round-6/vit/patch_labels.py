# %% wrong: background is taken to be the last number
# Only the counts of the numbers below background are looked at. It works for the notebook's 10; where a
# class has a number above background, its pixels are not seen.

def patch_labels(labels: Tensor, patch_size: int, background: int) -> Tensor:
    words = patchify(labels.unsqueeze(1), patch_size)  # (B, N, P * P)
    counts = torch.stack([(words == c).sum(dim=2) for c in range(background)] or [torch.zeros_like(words[..., 0])], 2)
    best = counts.argmax(dim=2)
    return torch.where(counts.sum(dim=2) == 0, background, best)


# %% wrong: background must occur among the labels
# The counts have as many columns as the largest label found, and the background's column is set to
# zero. Where no pixel is background and all classes are below it, that column is not there: IndexError.

def patch_labels(labels: Tensor, patch_size: int, background: int) -> Tensor:
    words = patchify(labels.unsqueeze(1), patch_size)
    counts = F.one_hot(words).sum(dim=2)
    counts[..., background] = 0
    return counts.argmax(dim=2).masked_fill(counts.sum(dim=2) == 0, background)


# %% wrong: the background of the caller is overwritten
# To count without the background its pixels are set to -1 in labels itself: the answer is right, but the
# caller's labels have no background any more.

def patch_labels(labels: Tensor, patch_size: int, background: int) -> Tensor:
    if labels.shape[1] % patch_size or labels.shape[2] % patch_size:
        raise ValueError("patches do not tile the labels")
    labels[labels == background] = -1
    patches = patchify(labels[:, None], patch_size)
    result = []
    for patch in patches.flatten(0, 1):
        classes = patch[patch >= 0]
        result.append(classes.mode().values.item() if len(classes) else background)
    return torch.tensor(result).view(patches.shape[:2])


# %% wrong: of equals the first that is met wins
# Counter.most_common gives, of two classes with equally many pixels, the one that comes first in the
# patch, and not the lower number.

from collections import Counter


def patch_labels(labels: Tensor, patch_size: int, background: int) -> Tensor:
    patches = patchify(labels.unsqueeze(1), patch_size)
    rows = []
    for image in patches.tolist():
        row = []
        for patch in image:
            counts = Counter(label for label in patch if label != background)
            row.append(counts.most_common(1)[0][0] if counts else background)
        rows.append(row)
    return torch.tensor(rows)


# %% wrong: paper becomes class 0
# The background's count is set to zero before the argmax. In a patch of nothing but background all
# counts are then zero, and the argmax of zeros is 0, not background.

def patch_labels(labels: Tensor, patch_size: int, background: int) -> Tensor:
    words = patchify(labels.unsqueeze(1), patch_size)
    num_classes = max(int(labels.max()), background) + 1
    counts = F.one_hot(words, num_classes).sum(dim=2)
    counts[:, :, background] = 0
    return counts.argmax(dim=2)


# %% correct: sorted by count and number, patch by patch

def named(pixels: list[int], background: int) -> int:
    ink = [pixel for pixel in pixels if pixel != background]
    return min(ink, key=lambda number: (-ink.count(number), number)) if ink else background


def patch_labels(labels: Tensor, patch_size: int, background: int) -> Tensor:
    batch, height, width = labels.shape
    if height % patch_size or width % patch_size:
        raise ValueError(f"{patch_size} divides not both {height} and {width}")
    rows, columns = height // patch_size, width // patch_size
    answer = torch.empty(batch, rows * columns, dtype=torch.int64, device=labels.device)
    for b in range(batch):
        for n in range(rows * columns):
            top, left = n // columns * patch_size, n % columns * patch_size
            square = labels[b, top : top + patch_size, left : left + patch_size]
            answer[b, n] = named(square.flatten().tolist(), background)
    return answer


# %% correct: each pixel counts those like itself

def patch_labels(labels: Tensor, patch_size: int, background: int) -> Tensor:
    pixels = patchify(labels.unsqueeze(1), patch_size)
    ink = pixels != background
    alike = (pixels.unsqueeze(3) == pixels.unsqueeze(2)).sum(dim=3) * ink
    winners = ink & (alike == alike.amax(dim=2, keepdim=True))
    beyond = torch.iinfo(torch.int64).max
    lowest = torch.where(winners, pixels, beyond).amin(dim=2)
    return torch.where(ink.any(dim=2), lowest, background)
