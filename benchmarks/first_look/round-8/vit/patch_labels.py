# %% wrong: the paper votes too
# The most frequent label of all pixels, background among them. Shows for a patch that is mostly background with a few
# pixels of a class.

def patch_labels(labels: Tensor, patch_size: int, background: int) -> Tensor:
    return patchify(labels.unsqueeze(1), patch_size).mode(dim=2).values


# %% wrong: background taken for the largest number
# The counts have background + 1 columns and the classes are those below it, as in our pictures. With background 0, or
# between the classes, one_hot refuses the labels above it with an error.

def patch_labels(labels: Tensor, patch_size: int, background: int) -> Tensor:
    patches = patchify(labels.unsqueeze(1), patch_size)
    counts = F.one_hot(patches, background + 1).sum(dim=2)  # (B, N, background + 1)
    of_classes = counts[:, :, :background]
    return torch.where(of_classes.sum(dim=2) == 0, background, of_classes.argmax(dim=2))


# %% wrong: of two equal counts the higher number
# The classes are tried from low to high, and a later one wins with as many pixels (>= in place of >). Shows for a patch
# with one pixel of 2 and one of 5.

def patch_labels(labels: Tensor, patch_size: int, background: int) -> Tensor:
    patches = patchify(labels.unsqueeze(1), patch_size)
    best = torch.full(patches.shape[:2], background, dtype=torch.int64, device=labels.device)
    most = torch.ones_like(best)
    for number in labels.unique().tolist():
        if number == background:
            continue
        count = (patches == number).sum(dim=2)
        wins = count >= most
        best = torch.where(wins, number, best)
        most = torch.where(wins, count, most)
    return best


# %% wrong: an empty patch shows class 0
# The background's count is set to zero before the argmax; where all pixels are background all counts are zero then, and
# argmax says 0. Shows for such a patch, unless background is 0.

def patch_labels(labels: Tensor, patch_size: int, background: int) -> Tensor:
    patches = patchify(labels.unsqueeze(1), patch_size)
    counts = F.one_hot(patches, max(int(labels.max()), background) + 1).sum(dim=2)
    counts[:, :, background] = 0
    return counts.argmax(dim=2)


# %% correct: every pixel counts those of its patch that are like it

def patch_labels(labels: Tensor, patch_size: int, background: int) -> Tensor:
    patches = patchify(labels.unsqueeze(1), patch_size)  # (B, N, Q)
    votes = sum((patches == patches[:, :, q : q + 1]).long() for q in range(patches.shape[2]))
    votes = votes.masked_fill(patches == background, 0)
    leads = votes == votes.amax(dim=2, keepdim=True)  # all pixels, where all are background
    return patches.masked_fill(~leads, torch.iinfo(patches.dtype).max).amin(dim=2)


# %% correct: counted on paper, patch by patch

from collections import Counter


def patch_labels(labels: Tensor, patch_size: int, background: int) -> Tensor:
    _, height, width = labels.shape
    if height % patch_size or width % patch_size:
        raise ValueError(f"{patch_size} does not divide {height} and {width}")
    answer = []
    for picture in labels.tolist():
        answer.append([])
        for top in range(0, height, patch_size):
            for left in range(0, width, patch_size):
                pixels = [pixel for line in picture[top : top + patch_size] for pixel in line[left : left + patch_size]]
                seen = Counter(pixel for pixel in pixels if pixel != background)
                ranked = sorted(seen, key=lambda number: (-seen[number], number))
                answer[-1].append(ranked[0] if ranked else background)
    return torch.tensor(answer, dtype=torch.int64, device=labels.device)
