# %% wrong: a blank patch is a zero
# The count of the background is set to zero so that it never wins, and in a patch of background alone argmax then finds 0. It shows
# for a blank patch where background is not 0.

def patch_labels(labels: Tensor, patch_size: int, background: int) -> Tensor:
    patches = patchify(labels.unsqueeze(1), patch_size)  # (B, N, P * P)
    num_labels = max(int(labels.max()), background) + 1
    counts = F.one_hot(patches, num_labels).sum(dim=2)  # (B, N, labels)
    counts[..., background] = 0
    return counts.argmax(dim=2)


# %% wrong: only classes below the background
# Takes the background for the last number, as in the pictures of the section, and looks only at the counts before it. A class above
# the background is never found; with background 0 there is nothing to look at.

def patch_labels(labels: Tensor, patch_size: int, background: int) -> Tensor:
    patches = patchify(labels.unsqueeze(1), patch_size)
    # (B, N, background)
    counts = torch.stack([(patches == c).sum(dim=2) for c in range(background)], dim=2)
    most, winner = counts.max(dim=2)
    return torch.where(most > 0, winner, background)


# %% wrong: of two the one met first
# Counter.most_common puts first what it met first. Where two classes have equally many pixels, the one that comes first in reading
# order wins, not the lower number: a patch 5 5 / 2 2 becomes 5.

from collections import Counter


def patch_labels(labels: Tensor, patch_size: int, background: int) -> Tensor:
    result = []
    for image in patchify(labels.unsqueeze(1), patch_size):
        row = []
        for patch in image.tolist():
            votes = Counter(label for label in patch if label != background)
            row.append(votes.most_common(1)[0][0] if votes else background)
        result.append(row)
    return torch.tensor(result, dtype=torch.int64, device=labels.device)


# %% wrong: writes into labels where the patches are a view
# Takes the background out by writing into the patches. Mostly they are a copy, but with patches of one pixel, or as wide as the
# picture, reshape returns a view, and labels is changed.

def patch_labels(labels: Tensor, patch_size: int, background: int) -> Tensor:
    B, H, W = labels.shape
    P = patch_size
    if H % P or W % P:
        raise ValueError(f"{P} does not divide {H} and {W}")
    num_labels = max(labels.max().item(), background) + 1
    patches = labels.reshape(B, H // P, P, W // P, P).transpose(2, 3).reshape(B, -1, P * P)
    paper = patches == background
    blank = paper.all(dim=2)
    patches[paper] = num_labels  # a number that is no class
    counts = F.one_hot(patches, num_labels + 1)[..., :num_labels].sum(dim=2)
    winner = counts.argmax(dim=2)
    return winner.masked_fill(blank, background)


# %% correct: an election, class by class

def patch_labels(labels: Tensor, patch_size: int, background: int) -> Tensor:
    patches = patchify(labels.unsqueeze(1), patch_size)
    winner = torch.full_like(patches[..., 0], background)
    most = torch.zeros_like(winner)
    for candidate in labels.unique().tolist():  # in rising order
        if candidate == background:
            continue
        votes = (patches == candidate).sum(dim=2)
        # a later one has to have more
        wins = votes > most
        winner = torch.where(wins, candidate, winner)
        most = torch.where(wins, votes, most)
    return winner


# %% correct: every pixel counts its likes

def patch_labels(labels: Tensor, patch_size: int, background: int) -> Tensor:
    _, H, W = labels.shape
    if H % patch_size or W % patch_size:
        raise ValueError("patches do not tile the labels")
    # (B, h, w, P, P) -> (B, N, P * P)
    tiles = labels.unfold(1, patch_size, patch_size).unfold(2, patch_size, patch_size)
    pixels = tiles.flatten(3).flatten(1, 2)
    likes = (pixels.unsqueeze(3) == pixels.unsqueeze(2)).sum(dim=3)
    paper = pixels == background
    likes = likes.masked_fill(paper, 0)
    best = (likes == likes.amax(dim=2, keepdim=True)) & ~paper
    # no label is larger than the largest int64
    lowest = torch.where(best, pixels, torch.iinfo(torch.int64).max).amin(dim=2)
    return torch.where(paper.all(dim=2), background, lowest)
