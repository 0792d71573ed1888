# %% wrong: background counted as nought, then the largest
# The background's count is set to 0 before argmax. In a patch of background alone all counts are
# 0 and argmax says class 0: right only where background is 0 itself.

def patch_labels(labels: Tensor, patch_size: int, background: int) -> Tensor:
    pixels = patchify(labels.unsqueeze(1), patch_size)  # (B, N, P * P)
    classes = max(int(labels.max()), background) + 1
    counts = F.one_hot(pixels, classes).sum(dim=2)  # (B, N, classes)
    counts[..., background] = 0
    return counts.argmax(dim=2)

# %% wrong: the classes end below the background
# Only the columns before the background's are looked at, as with the digits, where paper is 10.
# Shows where a class has a number above background: its pixels are taken for background.

def patch_labels(labels: Tensor, patch_size: int, background: int) -> Tensor:
    pixels = patchify(labels.unsqueeze(1), patch_size)
    classes = max(int(labels.max()), background) + 1
    counts = F.one_hot(pixels, classes).sum(dim=2)[..., :background]
    most, found = counts.max(dim=2)
    return torch.where(most > 0, found, background)

# %% wrong: of two equals the one that is met first
# Counter.most_common keeps the order in which the pixels come. Shows where two classes have equally
# many pixels and the higher number stands first in the patch: 7 7 2 2 must give 2.

from collections import Counter


def patch_labels(labels: Tensor, patch_size: int, background: int) -> Tensor:
    names = []
    for picture in patchify(labels.unsqueeze(1), patch_size).tolist():
        for patch in picture:
            counts = Counter(pixel for pixel in patch if pixel != background)
            names.append(counts.most_common(1)[0][0] if counts else background)
    return torch.tensor(names, device=labels.device).view(len(labels), -1)

# %% wrong: written into what may be a view
# The pixels are cut by reshape and the background is overwritten in place. reshape copies, but not
# where a picture is one patch wide (W = P, or P = 1): there labels itself is changed.

def patch_labels(labels: Tensor, patch_size: int, background: int) -> Tensor:
    B, H, W = labels.shape
    P = patch_size
    if H % P or W % P:
        raise ValueError(f"patches of {P} do not tile {H} x {W}")
    classes = int(labels.max()) + 1
    pixels = labels.reshape(B, H // P, P, W // P, P).transpose(2, 3)
    pixels = pixels.reshape(B, (H // P) * (W // P), P * P)
    pixels[pixels == background] = classes  # a column of their own, the last
    counts = F.one_hot(pixels, classes + 1).sum(dim=2)[..., :classes]
    return torch.where(counts.sum(dim=2) > 0, counts.argmax(dim=2), background)

# %% correct: every pixel counts its equals

def patch_labels(labels: Tensor, patch_size: int, background: int) -> Tensor:
    pixels = patchify(labels.unsqueeze(1), patch_size)  # (B, N, K)
    votes = (pixels.unsqueeze(3) == pixels.unsqueeze(2)).sum(dim=3)
    votes = votes.masked_fill(pixels == background, 0)
    most = votes.amax(dim=2, keepdim=True)
    too_high = torch.iinfo(pixels.dtype).max
    lowest = torch.where((votes == most) & (most > 0), pixels, too_high).amin(dim=2)
    return torch.where(most.squeeze(2) > 0, lowest, background)

# %% correct: sorted pixels and runs of equals, in plain Python

import itertools


def patch_labels(labels: Tensor, patch_size: int, background: int) -> Tensor:
    B, H, W = labels.shape
    P = patch_size
    if H % P != 0 or W % P != 0:
        raise ValueError(f"patches of {P} by {P} do not tile {H} by {W} pixels")

    def name(square: Tensor) -> int:
        best, size = background, 0
        inked = (pixel for pixel in sorted(square.flatten().tolist()) if pixel != background)
        for value, run in itertools.groupby(inked):
            length = len(list(run))
            if length > size:  # an equally long run of a higher number does not win
                best, size = value, length
        return best

    corners = list(itertools.product(range(0, H, P), range(0, W, P)))
    rows = [[name(picture[i : i + P, j : j + P]) for i, j in corners] for picture in labels]
    return torch.tensor(rows, dtype=torch.int64, device=labels.device)
