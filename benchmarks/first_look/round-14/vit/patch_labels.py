# %% wrong: the background is taken for the last class
# Counts from 0 up to below background: right where background is above all classes (10 beside the
# digits); classes above it are not seen where it is 0 or in between.

def patch_labels(labels: Tensor, patch_size: int, background: int) -> Tensor:
    patches = patchify(labels.unsqueeze(1), patch_size)
    top = max(int(labels.max()), background) + 1
    counts = F.one_hot(patches, top).sum(dim=2)[..., :background]  # (B, N, classes)
    empty = (patches == background).all(dim=2)
    if counts.shape[-1] == 0:
        return torch.full_like(patches[..., 0], background)
    return torch.where(empty, background, counts.argmax(dim=2))


# %% wrong: one_hot does not know the background
# As many columns as the largest label that occurs. Where no pixel is background and its number is
# above all that occur, there is no such column: IndexError.

def patch_labels(labels: Tensor, patch_size: int, background: int) -> Tensor:
    patches = patchify(labels.unsqueeze(1), patch_size)
    counts = F.one_hot(patches).sum(dim=2)
    counts[..., background] = 0
    result = counts.argmax(dim=2)
    result[counts.sum(dim=2) == 0] = background
    return result


# %% wrong: the background is overwritten with -1
# So that it cannot win, but in the labels that were passed: the result is right, and the caller's
# labels have changed, wherever there was background.

def patch_labels(labels: Tensor, patch_size: int, background: int) -> Tensor:
    labels[labels == background] = -1
    patches = patchify(labels.unsqueeze(1), patch_size)
    result = torch.full(patches.shape[:2], background, dtype=labels.dtype, device=labels.device)
    most = torch.zeros_like(result)
    for label in patches.unique().tolist():
        count = (patches == label).sum(dim=2)
        better = (count > most) & (label >= 0)
        result[better], most[better] = label, count[better]
    return result


# %% wrong: of equals the one that is met first
# Counter.most_common gives equal counts in the order of reading; the lower number is asked for. A
# patch 5 5 / 2 2 gives 5.

from collections import Counter


def patch_labels(labels: Tensor, patch_size: int, background: int) -> Tensor:
    found = []
    for picture in patchify(labels.unsqueeze(1), patch_size).tolist():
        row = []
        for patch in picture:
            ink = [pixel for pixel in patch if pixel != background]
            row.append(Counter(ink).most_common(1)[0][0] if ink else background)
        found.append(row)
    return torch.tensor(found, dtype=labels.dtype, device=labels.device)


# %% correct: every pixel counts those like it

def patch_labels(labels: Tensor, patch_size: int, background: int) -> Tensor:
    patches = patchify(labels.unsqueeze(1), patch_size)  # (B, N, P * P)
    alike = (patches.unsqueeze(3) == patches.unsqueeze(2)).sum(dim=3)
    alike = alike.masked_fill(patches == background, 0)
    most = alike.amax(dim=2, keepdim=True)
    wins = (alike == most) & (patches != background)
    never = torch.iinfo(patches.dtype).max
    lowest = torch.where(wins, patches, never).amin(dim=2)
    return torch.where(most.squeeze(2) > 0, lowest, background)


# %% correct: the classes in turn from the highest down, on a picture of counts

def patch_labels(labels: Tensor, patch_size: int, background: int) -> Tensor:
    B, H, W = labels.shape
    if H % patch_size or W % patch_size:
        raise ValueError(f"patches of {patch_size} do not tile {H} x {W} labels")
    rows, columns = H // patch_size, W // patch_size
    result = labels.new_full((B, rows, columns), background)
    most = labels.new_ones((B, rows, columns))  # one pixel at least
    for label in sorted({*labels.unique().tolist()} - {background}, reverse=True):
        here = (labels == label).long().unflatten(2, (columns, patch_size)).sum(dim=3)
        here = here.unflatten(1, (rows, patch_size)).sum(dim=2)
        result = torch.where(here >= most, label, result)
        most = torch.maximum(most, here)
    return result.flatten(1)
