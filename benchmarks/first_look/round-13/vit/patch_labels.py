# %% wrong: a tie goes to the class that comes first
# Counter.most_common gives, of equals, the one that it met first, not the lower number. Shows for a patch of
# [[5, 5], [2, 2]]: 2 is asked for, here 5.


def patch_labels(labels: Tensor, patch_size: int, background: int) -> Tensor:
    from collections import Counter

    patches = patchify(labels.unsqueeze(1), patch_size)
    result = torch.full(patches.shape[:2], background, dtype=torch.int64, device=labels.device)
    for b, picture in enumerate(patches.tolist()):
        for n, patch in enumerate(picture):
            others = Counter(c for c in patch if c != background)
            if others:
                result[b, n] = others.most_common(1)[0][0]
    return result


# %% wrong: the background is taken for the last number
# The counts of the classes below the background are compared, as with the digits and their 10. Where background is 0
# there is nothing to compare, and where it lies between the classes those above it are never found.


def patch_labels(labels: Tensor, patch_size: int, background: int) -> Tensor:
    patches = patchify(labels.unsqueeze(1), patch_size)  # (B, N, P * P)
    classes = max(background, int(labels.max())) + 1
    counts = F.one_hot(patches, classes).sum(dim=2)[:, :, :background]
    most = counts.max(dim=2)
    return torch.where(most.values > 0, most.indices, background)


# %% wrong: no room for a background that does not occur
# The counts have a column for each number up to the largest in labels. With background 10 and a batch full of ink,
# whose largest label is 9, column 10 is missing: IndexError.


def patch_labels(labels: Tensor, patch_size: int, background: int) -> Tensor:
    patches = patchify(labels.unsqueeze(1), patch_size)
    counts = F.one_hot(patches, int(labels.max()) + 1).sum(dim=2)  # (B, N, classes)
    counts[:, :, background] = 0
    only_paper = counts.sum(dim=2) == 0
    return counts.argmax(dim=2).masked_fill(only_paper, background)


# %% wrong: the background is marked in the labels themselves
# Every background pixel becomes -1 in place, so the caller's labels are changed. The result is right; labels are not
# left as they were wherever there is background.


def patch_labels(labels: Tensor, patch_size: int, background: int) -> Tensor:
    labels[labels == background] = -1
    patches = patchify(labels.unsqueeze(1), patch_size)
    counts = F.one_hot(patches + 1, int(labels.max()) + 2).sum(dim=2)[:, :, 1:]
    if counts.shape[2] == 0:
        return torch.full_like(patches[:, :, 0], background)
    most = counts.max(dim=2)
    return torch.where(most.values > 0, most.indices, background)


# %% correct: the pixels of a patch vote for one another


def patch_labels(labels: Tensor, patch_size: int, background: int) -> Tensor:
    pixels = patchify(labels.unsqueeze(1), patch_size)  # (B, N, P * P)
    votes = (pixels.unsqueeze(3) == pixels.unsqueeze(2)).sum(dim=3)
    votes = torch.where(pixels == background, 0, votes)
    most = votes.amax(dim=2, keepdim=True)
    # where all is background, all have no votes and all are background
    never = torch.iinfo(pixels.dtype).max
    return torch.where(votes == most, pixels, never).amin(dim=2)


# %% correct: one class after the other challenges the best so far


def patch_labels(labels: Tensor, patch_size: int, background: int) -> Tensor:
    B, H, W = labels.shape
    rows, columns = H // patch_size, W // patch_size
    if rows * patch_size != H or columns * patch_size != W:
        raise ValueError(f"{patch_size} does not divide {H} and {W}")
    winner = labels.new_full((B, rows, columns), background)
    record = torch.zeros_like(winner)
    for number in sorted(set(labels.flatten().tolist())):
        if number == background:
            continue
        there = (labels == number).view(B, rows, patch_size, columns, patch_size)
        count = there.sum(dim=(2, 4))
        better = count > record  # strictly: of equals the lower number came first
        winner[better] = number
        record = torch.maximum(record, count)
    return winner.view(B, rows * columns)
