# %% wrong: the commonest value, paper or not
# Background takes part in the count, so that a patch with a thin stroke is called paper.


def patch_labels(labels: Tensor, patch_size: int, background: int) -> Tensor:
    pixels = patchify(labels.unsqueeze(1), patch_size)  # (B, N, P * P)
    numbers = torch.arange(int(labels.max()) + 1)
    counts = (pixels.unsqueeze(3) == numbers).sum(dim=2)
    return counts.argmax(dim=2)


# %% wrong: background is the last number
# The one-hot columns below background are taken for the classes, as with the digits: where a class has a higher number
# than background, or background is 0, one_hot or max stops with an error.


def patch_labels(labels: Tensor, patch_size: int, background: int) -> Tensor:
    pixels = patchify(labels.unsqueeze(1), patch_size)
    counts = F.one_hot(pixels, background + 1).sum(dim=2)[..., :-1]  # (B, N, classes), without the paper
    most, found = counts.max(dim=2)
    return torch.where(most > 0, found, background)


# %% wrong: of two equal ones the one met first
# Counter.most_common gives the class that comes first in the patch where two have equally many: [2, 1, 1, 2] gives 2.

from collections import Counter


def patch_labels(labels: Tensor, patch_size: int, background: int) -> Tensor:
    answers = []
    for picture in patchify(labels.unsqueeze(1), patch_size).tolist():
        row = []
        for pixels in picture:
            ink = [pixel for pixel in pixels if pixel != background]
            row.append(Counter(ink).most_common(1)[0][0] if ink else background)
        answers.append(row)
    return torch.tensor(answers)


# %% wrong: the caller's paper wiped
# Background is set to -1 in labels itself: the result is right, and the caller's labels are changed.


def patch_labels(labels: Tensor, patch_size: int, background: int) -> Tensor:
    height, width = labels.shape[1:]
    if height % patch_size or width % patch_size:
        raise ValueError("patches do not tile the labels")
    labels[labels == background] = -1
    pixels = patchify(labels.unsqueeze(1), patch_size)
    num_classes = max(int(labels.max()) + 1, 1)
    counts = torch.stack([(pixels == k).sum(dim=2) for k in range(num_classes)], dim=2)
    found = counts.argmax(dim=2)
    found[counts.sum(dim=2) == 0] = background
    return found


# %% correct: two for a class's pixel, one for the background


def patch_labels(labels: Tensor, patch_size: int, background: int) -> Tensor:
    pixels = patchify(labels.unsqueeze(1), patch_size)
    values, place = torch.cat([pixels.flatten(), pixels.new_tensor([background])]).unique(return_inverse=True)
    place, paper = place[:-1].view_as(pixels), place[-1]
    votes = pixels.new_zeros(*pixels.shape[:2], len(values))
    votes.scatter_add_(2, place, torch.full_like(place, 2))
    votes[:, :, paper] = 1
    return values[votes.max(dim=2, keepdim=True).values.eq(votes).int().argmax(dim=2)]


# %% correct: each pixel counts its equals


def patch_labels(labels: Tensor, patch_size: int, background: int) -> Tensor:
    height, width = labels.shape[1:]
    if height % patch_size or width % patch_size:
        raise ValueError("P must divide H and W")
    answers = torch.full((len(labels), height // patch_size, width // patch_size), background, dtype=torch.int64)
    for b, picture in enumerate(labels.tolist()):
        for row in range(height // patch_size):
            for column in range(width // patch_size):
                lines = picture[row * patch_size : (row + 1) * patch_size]
                pixels = [p for line in lines for p in line[column * patch_size : (column + 1) * patch_size]]
                others = sorted(set(pixels) - {background})
                if others:
                    answers[b, row, column] = max(others, key=pixels.count)  # the first, so the lowest, of equals
    return answers.flatten(1).to(labels.device)
