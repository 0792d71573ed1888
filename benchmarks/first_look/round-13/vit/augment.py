# %% wrong: what moves out comes in again
# torch.roll is a ring: the pixels that leave on one side enter on the other, where zeros should. Shows for images
# with something at the border, all ones for instance.


def augment(images: Tensor, max_shift: int) -> Tensor:
    moved = []
    for image in images:
        down, right = torch.randint(-max_shift, max_shift + 1, (2,)).tolist()
        moved.append(torch.roll(image, shifts=(down, right), dims=(1, 2)))
    return torch.stack(moved)


# %% wrong: one number for both directions
# Each image moves down and to the right by the same number, so it goes along a diagonal only. "By another": of the
# nine shifts with max_shift = 1 just three come.


def augment(images: Tensor, max_shift: int) -> Tensor:
    B, C, H, W = images.shape
    m = max_shift
    padded = images.new_zeros(B, C, H + 2 * m, W + 2 * m)
    padded[:, :, m : m + H, m : m + W] = images
    result = torch.empty_like(images)
    for b, shift in enumerate(torch.randint(-m, m + 1, (B,)).tolist()):
        result[b] = padded[b, :, m - shift : m - shift + H, m - shift : m - shift + W]
    return result


# %% wrong: rounding makes the two ends rarer
# round(uniform(-m, m)) gives -m and m half as often as the numbers between: with max_shift = 1 the shares are 1/4,
# 1/2, 1/4 and not a third each.


def augment(images: Tensor, max_shift: int) -> Tensor:
    B, C, H, W = images.shape
    m = max_shift
    shifts = ((2 * torch.rand(B, 2) - 1) * m).round().long()
    padded = images.new_zeros(B, C, H + 2 * m, W + 2 * m)
    padded[:, :, m : m + H, m : m + W] = images
    return torch.stack(
        [
            padded[b, :, m - down : m - down + H, m - right : m - right + W]
            for b, (down, right) in enumerate(shifts.tolist())
        ]
    )


# %% wrong: max_shift 0 gives the images themselves
# A shortcut returns its argument where there is nothing to move. "Returns a new tensor": whoever writes into the
# result of augment(images, 0) changes images.


def augment(images: Tensor, max_shift: int) -> Tensor:
    if max_shift == 0:
        return images
    B, C, H, W = images.shape
    m = max_shift
    padded = images.new_zeros(B, C, H + 2 * m, W + 2 * m)
    padded[:, :, m : m + H, m : m + W] = images
    tops, lefts = torch.randint(0, 2 * m + 1, (2, B)).tolist()
    return torch.stack(
        [p[:, y : y + H, x : x + W] for p, y, x in zip(padded, tops, lefts)]
    )


# %% correct: each pixel asks where it comes from


def augment(images: Tensor, max_shift: int) -> Tensor:
    B, C, H, W = images.shape
    device = images.device
    draw = torch.randint(-max_shift, max_shift + 1, (2, B, 1), device=device)
    rows = torch.arange(H, device=device) - draw[0]  # (B, H)
    columns = torch.arange(W, device=device) - draw[1]  # (B, W)
    inside = ((rows >= 0) & (rows < H)).unsqueeze(2) & ((columns >= 0) & (columns < W)).unsqueeze(1)
    b = torch.arange(B, device=device).view(B, 1, 1, 1)
    c = torch.arange(C, device=device).view(1, C, 1, 1)
    y = rows.clamp(0, H - 1).view(B, 1, H, 1)
    x = columns.clamp(0, W - 1).view(B, 1, 1, W)
    return images[b, c, y, x].masked_fill(~inside.unsqueeze(1), 0)


# %% correct: one of all the windows on a larger canvas


def augment(images: Tensor, max_shift: int) -> Tensor:
    B, C, H, W = images.shape
    ring = lambda h, w: images.new_zeros(B, C, h, w)
    wide = torch.cat([ring(H, max_shift), images, ring(H, max_shift)], dim=3)
    above = ring(max_shift, W + 2 * max_shift)
    windows = torch.cat([above, wide, above], dim=2).unfold(2, H, 1).unfold(3, W, 1)
    choices = (2 * max_shift + 1) ** 2
    which = torch.randint(choices, (B,), device=images.device)
    flat = windows.flatten(2, 3)  # (B, C, choices, H, W)
    return flat[torch.arange(B, device=images.device), :, which].contiguous()
