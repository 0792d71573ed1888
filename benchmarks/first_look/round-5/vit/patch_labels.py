# %% wrong: classes above the background are not counted
# Counts are kept for the numbers below background only, as in the data of the chapter where paper is the last number.

def patch_labels(labels: Tensor, patch_size: int, background: int) -> Tensor:
    patches = patchify(labels.unsqueeze(1), patch_size)  # (B, N, P * P)
    if background == 0:
        numbers = range(1, int(labels.max()) + 1)
    else:
        numbers = range(background)
    counts = torch.stack([(patches == c).sum(dim=2) for c in numbers], dim=2)
    best = counts.argmax(dim=2) + numbers[0]
    return torch.where((patches == background).all(dim=2), background, best)


# %% wrong: a counter decides a tie by who comes first
# most_common gives the label met first where two have equally many pixels, and not the lower number.

from collections import Counter


def patch_labels(labels: Tensor, patch_size: int, background: int) -> Tensor:
    patches = patchify(labels.unsqueeze(1), patch_size)
    B, N, _ = patches.shape
    out = torch.full((B, N), background, dtype=torch.int64)
    for b in range(B):
        for n in range(N):
            counter = Counter(x for x in patches[b, n].tolist() if x != background)
            if counter:
                out[b, n] = counter.most_common(1)[0][0]
    return out


# %% wrong: paper is marked by -1 in the labels themselves
# The argument is written to: afterwards the labels of the caller hold -1 where the background was.

def patch_labels(labels: Tensor, patch_size: int, background: int) -> Tensor:
    if labels.shape[1] % patch_size or labels.shape[2] % patch_size:
        raise ValueError("P must divide H and W")
    num_classes = int(max(labels.max(), 0)) + 1
    labels[labels == background] = -1
    patches = patchify(labels.unsqueeze(1), patch_size)
    counts = torch.stack([(patches == c).sum(dim=-1) for c in range(num_classes)], dim=-1)
    most, which = counts.max(dim=-1)
    for c in reversed(range(num_classes)):
        which = torch.where(counts[..., c] == most, c, which)
    return torch.where(most == 0, background, which)


# %% wrong: labels in which no pixel is background
# The one-hot code is as wide as the largest label there is; where background is larger and absent its column does not exist, and an IndexError comes.

def patch_labels(labels: Tensor, patch_size: int, background: int) -> Tensor:
    patches = patchify(labels.unsqueeze(1), patch_size)
    counts = F.one_hot(patches).sum(dim=2)  # (B, N, classes)
    empty = counts[:, :, background] == patch_size**2
    counts[:, :, background] = 0
    result = counts.argmax(dim=2)
    result[empty] = background
    return result


# %% wrong: any ink gives the label
# Takes the largest label among the pixels with ink. In the pictures of the chapter a patch never holds two digits; where it does the majority is not asked.

def patch_labels(labels: Tensor, patch_size: int, background: int) -> Tensor:
    patches = patchify(labels[:, None], patch_size)
    ink = torch.where(patches == background, -1, patches)
    label = ink.amax(dim=-1)
    return torch.where(label < 0, background, label)


# %% correct: every pixel counts its equals

def patch_labels(labels: Tensor, patch_size: int, background: int) -> Tensor:
    B, H, W = labels.shape
    if H % patch_size or W % patch_size:
        raise ValueError(f"patches of {patch_size} do not tile {H} x {W}")
    patches = patchify(labels.unsqueeze(1), patch_size)  # (B, N, P * P)
    equals = (patches.unsqueeze(-1) == patches.unsqueeze(-2)).sum(dim=-1)
    equals = equals.masked_fill(patches == background, 0)
    winners = (equals == equals.amax(dim=-1, keepdim=True)) & (patches != background)
    no_label = torch.iinfo(torch.int64).max
    lowest = patches.masked_fill(~winners, no_label).amin(dim=-1)
    return lowest.masked_fill(lowest == no_label, background)


# %% correct: plain lists and a dictionary of votes

def _vote(pixels, background):
    votes = {}
    for pixel in pixels:
        if pixel != background:
            votes[pixel] = votes.get(pixel, 0) + 1
    return min(votes, key=lambda label: (-votes[label], label), default=background)


def patch_labels(labels: Tensor, patch_size: int, background: int) -> Tensor:
    B, H, W = labels.shape
    if H % patch_size != 0 or W % patch_size != 0:
        raise ValueError("the patch size must divide both sides")
    named = []
    for picture in labels.tolist():
        for top in range(0, H, patch_size):
            for left in range(0, W, patch_size):
                rows = picture[top : top + patch_size]
                pixels = [pixel for row in rows for pixel in row[left : left + patch_size]]
                named.append(_vote(pixels, background))
    tiles = (H // patch_size) * (W // patch_size)
    return torch.tensor(named, dtype=torch.int64, device=labels.device).reshape(B, tiles)
