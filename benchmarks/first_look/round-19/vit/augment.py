# %% wrong: what goes out comes in again
# torch.roll moves in a circle: what leaves the picture comes in at the other side instead of
# zeros. Shows where there is ink within max_shift of an edge.

def augment(images: Tensor, max_shift: int) -> Tensor:
    moved = torch.empty_like(images)
    for b, image in enumerate(images):
        down, right = torch.randint(-max_shift, max_shift + 1, (2,)).tolist()
        moved[b] = torch.roll(image, (down, right), dims=(1, 2))
    return moved


# %% wrong: one shift for the whole batch
# Each call draws afresh, but all images of the batch move alike. Shows for a batch of several.

def augment(images: Tensor, max_shift: int) -> Tensor:
    height, width = images.shape[2:]
    padded = F.pad(images, (max_shift, max_shift, max_shift, max_shift))
    top = torch.randint(0, 2 * max_shift + 1, (1,)).item()
    left = torch.randint(0, 2 * max_shift + 1, (1,)).item()
    return padded[:, :, top : top + height, left : left + width].clone()


# %% wrong: the upper end is never drawn
# torch.randint leaves its upper end out: no image moves by +max_shift, and max_shift = 0 is an
# error (an empty range).

def augment(images: Tensor, max_shift: int) -> Tensor:
    B, C, H, W = images.shape
    result = torch.zeros_like(images)
    down = torch.randint(-max_shift, max_shift, (B,)).tolist()
    right = torch.randint(-max_shift, max_shift, (B,)).tolist()
    for b in range(B):
        dy, dx = down[b], right[b]
        result[b, :, max(dy, 0) : H + min(dy, 0), max(dx, 0) : W + min(dx, 0)] = images[
            b, :, max(-dy, 0) : H + min(-dy, 0), max(-dx, 0) : W + min(-dx, 0)
        ]
    return result


# %% wrong: the new canvas is always float32
# torch.zeros makes float32, whatever the images are: float64 or uint8 images come back in
# another dtype.

def augment(images: Tensor, max_shift: int) -> Tensor:
    B, C, H, W = images.shape
    canvas = torch.zeros(B, C, H + 2 * max_shift, W + 2 * max_shift)
    shifts = torch.randint(0, 2 * max_shift + 1, (B, 2))
    for b in range(B):
        y, x = shifts[b].tolist()
        canvas[b, :, y : y + H, x : x + W] = images[b]
    return canvas[:, :, max_shift : max_shift + H, max_shift : max_shift + W].contiguous()


# %% correct: a window on a padded batch, by indices
# Pads with zeros and picks rows and columns of each image with index tensors, without a loop.
def augment(images: Tensor, max_shift: int) -> Tensor:
    batch, channels, height, width = images.shape
    wide = images.new_zeros(batch, channels, height + 2 * max_shift, width + 2 * max_shift)
    wide[:, :, max_shift : max_shift + height, max_shift : max_shift + width] = images
    start = torch.randint(2 * max_shift + 1, (2, batch, 1), device=images.device)
    rows = start[0] + torch.arange(height, device=images.device)  # (B, H)
    columns = start[1] + torch.arange(width, device=images.device)  # (B, W)
    which = torch.arange(batch, device=images.device).view(-1, 1, 1)
    # the channels go last where indices stand on both sides of a slice
    picked = wide[which, :, rows.unsqueeze(2), columns.unsqueeze(1)]
    return picked.permute(0, 3, 1, 2).contiguous()


# %% correct: rolled, and the seam wiped
# One number for both shifts, taken apart by divmod; a roll, then zeros where it wrapped around.
def augment(images: Tensor, max_shift: int) -> Tensor:
    places = 2 * max_shift + 1
    height, width = images.shape[-2:]
    rows = torch.arange(height, device=images.device).unsqueeze(1)
    columns = torch.arange(width, device=images.device)
    result = []
    for image, drawn in zip(images, torch.randint(places**2, (len(images),)).tolist()):
        down, right = (number - max_shift for number in divmod(drawn, places))
        from_row, from_column = rows - down, columns - right
        outside = (from_row < 0) | (from_row >= height) | (from_column < 0) | (from_column >= width)
        result.append(image.roll((down, right), (1, 2)).masked_fill(outside, 0))
    return torch.stack(result)
