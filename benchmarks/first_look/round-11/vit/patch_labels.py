# %% wrong: paper has a vote too
# The commonest label of the patch wins, background among them. It shows for a patch with a thin
# stroke: three pixels of background and one of class 7 should give 7.

def patch_labels(labels: Tensor, patch_size: int, background: int) -> Tensor:
    words = patchify(labels.unsqueeze(1), patch_size)  # (B, N, P * P)
    highest = max(int(labels.max()), background)
    return F.one_hot(words, highest + 1).sum(dim=2).argmax(dim=2)

# %% wrong: the background is the last number
# The classes are counted up to `background`, as with digits and 10. It shows for background 0 (nothing
# is counted at all) and wherever a class has a higher number than background.

def patch_labels(labels: Tensor, patch_size: int, background: int) -> Tensor:
    words = patchify(labels.unsqueeze(1), patch_size)
    counts = torch.stack([(words == c).sum(dim=2) for c in range(background)] or [0 * words[..., 0]])
    most, winner = counts.max(dim=0)
    return torch.where(most > 0, winner, background)

# %% wrong: of equals the higher
# The classes are tried upwards, and "at least as many" lets a later one win. It shows for a patch with
# two pixels of class 2 and two of class 5: 5 in place of 2.

def patch_labels(labels: Tensor, patch_size: int, background: int) -> Tensor:
    words = patchify(labels.unsqueeze(1), patch_size)
    result = torch.full_like(words[:, :, 0], background)
    best = torch.ones_like(result)
    for c in labels.unique().tolist():
        if c == background:
            continue
        count = (words == c).sum(dim=2)
        better = count >= best
        result = torch.where(better, c, result)
        best = torch.where(better, count, best)
    return result

# %% wrong: pooling leaves a rest
# The pixels of each class are counted by average pooling, which drops rows and columns that fill no
# patch. It shows where P does not divide H or W, e.g. 4 and 6 x 8: no ValueError.

def patch_labels(labels: Tensor, patch_size: int, background: int) -> Tensor:
    classes = max(int(labels.max()), background) + 1
    planes = F.one_hot(labels, classes).movedim(3, 1).double()  # (B, classes, H, W)
    planes[:, background] = 0
    counts = F.avg_pool2d(planes, patch_size) * patch_size**2
    most, winner = counts.round().flatten(2).max(dim=1)
    return torch.where(most > 0, winner, background)

# %% correct: every pixel counts its equals
def patch_labels(labels: Tensor, patch_size: int, background: int) -> Tensor:
    words = patchify(labels.unsqueeze(1), patch_size)  # (B, N, P * P)
    counts = (words.unsqueeze(3) == words.unsqueeze(2)).sum(dim=3)
    counts = counts.masked_fill(words == background, 0)
    leads = counts == counts.amax(dim=2, keepdim=True)
    # where all is background every pixel leads, with a count of zero
    nobody = torch.iinfo(torch.int64).max
    return words.masked_fill(~leads, nobody).amin(dim=2)

# %% correct: a Counter for each patch
from collections import Counter


def patch_labels(labels: Tensor, patch_size: int, background: int) -> Tensor:
    B, H, W = labels.shape
    if H % patch_size or W % patch_size:
        raise ValueError(f"patches of {patch_size} do not tile {H} x {W}")
    found = []
    for picture in labels.tolist():
        shown = []
        for top in range(0, H, patch_size):
            rows = picture[top : top + patch_size]
            for left in range(0, W, patch_size):
                votes = Counter(label for row in rows for label in row[left : left + patch_size])
                del votes[background]
                shown.append(min(votes, key=lambda c: (-votes[c], c), default=background))
        found.append(shown)
    return torch.tensor(found, dtype=torch.int64, device=labels.device)
