# %% wrong: the background is the highest number
# The counts are cut off before the background's number, so the classes above it are never seen.
# Shows for background = 0 (nothing is left to count) or between the classes: a patch of class 3 with background 2.

def patch_labels(labels: Tensor, patch_size: int, background: int) -> Tensor:
    patches = patchify(labels.unsqueeze(1), patch_size)  # (B, N, P * P)
    counts = torch.stack([(patches == c).sum(dim=2) for c in range(background)], dim=2)
    most, which = counts.max(dim=2)
    return torch.where(most > 0, which, torch.full_like(which, background))


# %% wrong: of equals the one that comes first in the patch
# Counter.most_common gives, of classes that have equally many pixels, the one that it met first.
# Shows for a patch with pixels 7, 7, 3, 3: 7 in place of the lower number.

from collections import Counter


def patch_labels(labels: Tensor, patch_size: int, background: int) -> Tensor:
    patches = patchify(labels.unsqueeze(1), patch_size)
    found = []
    for picture in patches.tolist():
        line = []
        for pixels in picture:
            counts = Counter(p for p in pixels if p != background)
            line.append(counts.most_common(1)[0][0] if counts else background)
        found.append(line)
    return torch.tensor(found, device=labels.device)


# %% wrong: an empty patch is class 0
# The background's count is set to zero and the largest taken; where all counts are zero, argmax says 0.
# Shows for a patch that is all background, where background is not 0.

def patch_labels(labels: Tensor, patch_size: int, background: int) -> Tensor:
    patches = patchify(labels.unsqueeze(1), patch_size)
    num_classes = max(int(labels.max()), background) + 1
    counts = F.one_hot(patches, num_classes).sum(dim=2)  # (B, N, classes)
    counts[..., background] = 0
    return counts.argmax(dim=2)


# %% wrong: as many numbers as there are in the picture
# The counts have labels.max() + 1 columns; a background above all classes that no pixel has is not among them.
# Shows for labels without any background, with background = 10 and digits up to 9: an IndexError.

def patch_labels(labels: Tensor, patch_size: int, background: int) -> Tensor:
    patches = patchify(labels.unsqueeze(1), patch_size)
    counts = F.one_hot(patches).sum(dim=2)
    empty = counts[..., background] == patch_size**2
    counts[..., background] = -1
    answer = counts.argmax(dim=2)
    answer[empty] = background
    return answer


# %% correct: class after class from below, the better one stays

def patch_labels(labels: Tensor, patch_size: int, background: int) -> Tensor:
    patches = patchify(labels.unsqueeze(1), patch_size)
    answer = torch.full(patches.shape[:2], background, dtype=labels.dtype, device=labels.device)
    record = torch.zeros_like(answer)
    for number in sorted(set(labels.flatten().tolist()) - {background}):
        count = (patches == number).sum(dim=2)
        better = count > record
        answer = torch.where(better, number, answer)
        record = torch.where(better, count, record)
    return answer


# %% correct: every pixel counts its like, and the lowest of the best answers

def patch_labels(labels: Tensor, patch_size: int, background: int) -> Tensor:
    batch, height, width = labels.shape
    if height % patch_size or width % patch_size:
        raise ValueError(f"patches of {patch_size} do not tile {height} x {width} pixels")
    squares = labels.unfold(1, patch_size, patch_size).unfold(2, patch_size, patch_size)
    pixels = squares.flatten(3).flatten(1, 2)  # (B, N, P * P)
    alike = (pixels.unsqueeze(3) == pixels.unsqueeze(2)).sum(dim=3)
    alike = alike.masked_fill(pixels == background, 0)
    best = alike.amax(dim=2, keepdim=True)
    nothing = torch.iinfo(labels.dtype).max
    lowest = pixels.masked_fill(alike < best, nothing).amin(dim=2)
    return torch.where(best.squeeze(2) == 0, background, lowest)
