# %% wrong: the background is taken for the largest number
# Only the columns below background are counted: right where the background comes last (10 for ten digits), else the classes above it vanish. A good message: "background = 0: the classes above it are lost".

def patch_labels(labels: Tensor, patch_size: int, background: int) -> Tensor:
    patches = patchify(labels.unsqueeze(1), patch_size)
    counts = torch.stack([(patches == c).sum(dim=-1) for c in range(background)] or [torch.zeros_like(patches[..., 0])], dim=-1)
    return torch.where(counts.sum(dim=-1) > 0, counts.argmax(dim=-1), background)

# %% wrong: the commonest of all
# The mode runs over the background as well, so a thin stroke on paper is paper. A good message: "13 pixels of paper and 3 of a 7: the patch shows a 7".

def patch_labels(labels: Tensor, patch_size: int, background: int) -> Tensor:
    patches = patchify(labels[:, None], patch_size)
    return patches.mode(dim=-1).values

# %% wrong: marked in the caller's labels, and the higher of two
# Background becomes -1 in the argument itself, so the labels are spoiled; and of two classes with equally many pixels the later (higher) one wins. A good message: "labels has changed"; "2 and 5 twice each: expected 2, the lower number".

def patch_labels(labels: Tensor, patch_size: int, background: int) -> Tensor:
    labels[labels == background] = -1
    result = []
    for patch in patchify(labels.unsqueeze(1), patch_size).flatten(0, 1).tolist():
        ink = [c for c in patch if c >= 0]
        best = background
        for c in sorted(set(ink)):
            if best == background or ink.count(c) >= ink.count(best):
                best = c
        result.append(best)
    return torch.tensor(result).view(len(labels), -1)

# %% correct: counts by scatter

def patch_labels(labels: Tensor, patch_size: int, background: int) -> Tensor:
    B, H, W = labels.shape
    P = patch_size
    if P < 1 or H % P or W % P:
        raise ValueError(f"{P} does not divide {H} and {W}")
    pixels = labels.reshape(B, H // P, P, W // P, P).transpose(2, 3).reshape(B, -1, P * P)
    classes = 1 + max(background, int(labels.max()) if labels.numel() else 0)
    counts = torch.zeros(*pixels.shape[:2], classes, dtype=torch.int64, device=labels.device)
    counts.scatter_add_(2, pixels, torch.ones_like(pixels))
    counts[..., background] = 0
    # so many pixels that the count decides, and among equals the lower number
    best = (counts * classes + torch.arange(classes - 1, -1, -1, device=labels.device)).argmax(dim=2)
    return torch.where(counts.any(dim=2), best, torch.full_like(best, background))
