# %% wrong: the most frequent of all pixels
# Background takes part in the vote: a patch of twelve pixels of paper and four of ink becomes background.

def patch_labels(labels: Tensor, patch_size: int, background: int) -> Tensor:
    patches = patchify(labels.unsqueeze(1), patch_size)  # (B, N, P * P)
    return patches.mode(dim=2).values


# %% wrong: classes only below the background
# Counts the numbers from 0 to background - 1, as with our digits: a class above the background is never found (classes 1 to 3 with background 0).

def patch_labels(labels: Tensor, patch_size: int, background: int) -> Tensor:
    patches = patchify(labels.unsqueeze(1), patch_size)
    best = torch.full(patches.shape[:2], background, device=labels.device)
    most = torch.zeros_like(best)
    for number in range(background):
        found = (patches == number).sum(dim=2)
        best = torch.where(found > most, number, best)
        most = torch.maximum(most, found)
    return best


# %% wrong: the background overwritten in place
# Marks paper with -1 in the labels themselves: the caller's labels are changed afterwards.

def patch_labels(labels: Tensor, patch_size: int, background: int) -> Tensor:
    B, H, W = labels.shape
    P = patch_size
    if H % P or W % P:
        raise ValueError(f"{P} does not divide {H} and {W}")
    labels[labels == background] = -1
    patches = patchify(labels.unsqueeze(1), P)
    counts = F.one_hot(patches + 1, int(labels.max()) + 2).sum(dim=2)[..., 1:]
    if counts.shape[2] == 0:
        return torch.full_like(patches[..., 0], background)
    return torch.where(counts.sum(dim=2) == 0, background, counts.argmax(dim=2))


# %% wrong: of equals the higher number
# >= lets a later class replace an earlier one with as many pixels: two pixels of class 1 and two of class 4 give 4.

def patch_labels(labels: Tensor, patch_size: int, background: int) -> Tensor:
    patches = patchify(labels.unsqueeze(1), patch_size)
    best = torch.full_like(patches[:, :, 0], background)
    most = torch.ones_like(best)  # at least one pixel
    for number in labels.unique().tolist():
        if number == background:
            continue
        found = (patches == number).sum(dim=2)
        best[found >= most] = number
        most = torch.maximum(most, found)
    return best


# %% correct: dictionaries of counts

def patch_labels(labels: Tensor, patch_size: int, background: int) -> Tensor:
    height, width = labels.shape[1:]
    if height % patch_size or width % patch_size:
        raise ValueError(f"{patch_size} does not divide {height} and {width}")
    result = []
    for picture in labels.tolist():
        shown = []
        for top in range(0, height, patch_size):
            for left in range(0, width, patch_size):
                counts = {}
                for row in picture[top : top + patch_size]:
                    for label in row[left : left + patch_size]:
                        if label != background:
                            counts[label] = counts.get(label, 0) + 1
                shown.append(min(counts, key=lambda c: (-counts[c], c)) if counts else background)
        result.append(shown)
    return torch.tensor(result, dtype=torch.int64, device=labels.device).view(len(labels), -1)


# %% correct: every pixel votes with the number of its equals

def patch_labels(labels: Tensor, patch_size: int, background: int) -> Tensor:
    # in order, so that the first of the largest votes is the lowest class
    patches = patchify(labels.unsqueeze(1), patch_size).sort(dim=2).values
    votes = (patches.unsqueeze(3) == patches.unsqueeze(2)).sum(dim=3)  # (B, N, P * P)
    votes = votes.masked_fill(patches == background, 0)
    winner = votes.argmax(dim=2, keepdim=True)
    # where nobody has a vote, all pixels are background, and so is the winner
    return patches.gather(2, winner).squeeze(2)
