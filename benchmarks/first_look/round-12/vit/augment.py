# %% wrong: one shift for the whole batch
# Draws two numbers a call, not two an image: all images of a batch move alike. It shows for two images or more and max_shift > 0.

def augment(images: Tensor, max_shift: int) -> Tensor:
    H, W = images.shape[-2:]
    s = max_shift
    down, right = torch.randint(-s, s + 1, (2,)).tolist()
    padded = F.pad(images, (s, s, s, s))
    return padded[:, :, s - down : s - down + H, s - right : s - right + W].clone()


# %% wrong: what is rolled up comes back below
# Rolls each image and wipes the strip that came round only for shifts down and to the right. Moved up or left, ink at the border
# comes in at the other side. Digits with a margin hide it.

def augment(images: Tensor, max_shift: int) -> Tensor:
    moved = images.clone()
    for n in range(len(images)):
        down = torch.randint(-max_shift, max_shift + 1, ()).item()
        right = torch.randint(-max_shift, max_shift + 1, ()).item()
        one = torch.roll(images[n], shifts=(down, right), dims=(1, 2))
        if down > 0:
            one[:, :down] = 0
        if right > 0:
            one[:, :, :right] = 0
        moved[n] = one
    return moved


# %% wrong: rounded, so the ends are rare
# Rounds a number drawn evenly between -max_shift and max_shift. The two ends come half as often as the others: for max_shift = 1 in
# a quarter of the draws each, not in a third.

def augment(images: Tensor, max_shift: int) -> Tensor:
    B, C, H, W = images.shape
    shifts = ((2 * torch.rand(B, 2) - 1) * max_shift).round().long().tolist()
    result = torch.zeros_like(images)
    for n, (down, right) in enumerate(shifts):
        to_rows, from_rows = slice(max(down, 0), H + min(down, 0)), slice(max(-down, 0), H - max(down, 0))
        to_columns = slice(max(right, 0), W + min(right, 0))
        from_columns = slice(max(-right, 0), W - max(right, 0))
        result[n, :, to_rows, to_columns] = images[n, :, from_rows, from_columns]
    return result


# %% wrong: nothing to move, the same tensor
# For max_shift = 0 it returns images itself, not a new tensor: who writes into the result writes into images.

def augment(images: Tensor, max_shift: int) -> Tensor:
    if max_shift == 0:
        return images
    B, C, H, W = images.shape
    padded = F.pad(images, [max_shift] * 4)
    top = torch.randint(0, 2 * max_shift + 1, (B,)).tolist()
    left = torch.randint(0, 2 * max_shift + 1, (B,)).tolist()
    return torch.stack([x[:, t : t + H, l : l + W] for x, t, l in zip(padded, top, left)])


# %% correct: all windows, and one chosen for each image

def augment(images: Tensor, max_shift: int) -> Tensor:
    B, _, H, W = images.shape
    padded = F.pad(images, [max_shift] * 4)
    # (B, C, 2s + 1, 2s + 1, H, W), a view of every place where the frame can lie
    windows = padded.unfold(2, H, 1).unfold(3, W, 1)
    top, left = torch.randint(2 * max_shift + 1, (2, B)).to(images.device)
    return windows[torch.arange(B, device=images.device), :, top, left]


# %% correct: where each pixel comes from, or nothing

def augment(images: Tensor, max_shift: int) -> Tensor:
    B, C, H, W = images.shape
    choices = 2 * max_shift + 1
    # one number for both shifts: down is its quotient, right its remainder
    drawn = torch.randint(choices * choices, (B, 1, 1, 1)).to(images.device)
    down, right = drawn // choices - max_shift, drawn % choices - max_shift
    rows = torch.arange(H, device=images.device).view(1, 1, H, 1) - down
    columns = torch.arange(W, device=images.device).view(1, 1, 1, W) - right
    inside = (rows >= 0) & (rows < H) & (columns >= 0) & (columns < W)
    source = (rows.clamp(0, H - 1) * W + columns.clamp(0, W - 1)).flatten(2).expand(B, C, H * W)
    found = images.flatten(2).gather(2, source).view(B, C, H, W)
    return torch.where(inside, found, torch.zeros_like(found))
