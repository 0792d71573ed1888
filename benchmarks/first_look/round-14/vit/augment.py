# %% wrong: a random number that is rounded
# torch.rand times the width, rounded: the two ends come half as often as the other shifts. Seen in
# the frequencies, for instance with max_shift = 1, where -1, 0, 1 come in 1 : 2 : 1.

def augment(images: Tensor, max_shift: int) -> Tensor:
    B, C, H, W = images.shape
    result = torch.zeros_like(images)
    for b in range(B):
        down, right = ((2 * torch.rand(2) - 1) * max_shift).round().int().tolist()
        result[b, :, max(down, 0) : H + min(down, 0), max(right, 0) : W + min(right, 0)] = images[
            b, :, max(-down, 0) : H + min(-down, 0), max(-right, 0) : W + min(-right, 0)
        ]
    return result


# %% wrong: one number for both axes
# Each image moves as far to the right as it moves down, so only along the diagonal. Any max_shift
# above 0 shows it.

def augment(images: Tensor, max_shift: int) -> Tensor:
    B, _, H, W = images.shape
    padded = F.pad(images, [max_shift] * 4)
    result = torch.empty_like(images)
    for b, shift in enumerate(torch.randint(-max_shift, max_shift + 1, (B,)).tolist()):
        begin = max_shift - shift
        result[b] = padded[b, :, begin : begin + H, begin : begin + W]
    return result


# %% wrong: a new tensor of float32
# torch.zeros without a dtype: images of float64, uint8 or int64 come back as float32. (On a GPU the
# new tensor would stay on the CPU, too.)

def augment(images: Tensor, max_shift: int) -> Tensor:
    B, C, H, W = images.shape
    result = torch.zeros(B, C, H, W)
    for b in range(B):
        down, right = torch.randint(-max_shift, max_shift + 1, (2,)).tolist()
        for row in range(max(0, down), min(H, H + down)):
            for column in range(max(0, right), min(W, W + right)):
                result[b, :, row, column] = images[b, :, row - down, column - right]
    return result


# %% wrong: rolled, then the strip that came round is wiped; a shift of 0 wipes all
# For a shift of 0 the branch for "up" is taken, and [0:] is the whole picture. With max_shift 0 all
# images come back black, otherwise a good many.

def augment(images: Tensor, max_shift: int) -> Tensor:
    result = torch.empty_like(images)
    for b, image in enumerate(images):
        down, right = torch.randint(-max_shift, max_shift + 1, (2,)).tolist()
        moved = image.roll((down, right), dims=(1, 2))
        if down > 0:
            moved[:, :down] = 0
        else:
            moved[:, down:] = 0
        if right > 0:
            moved[:, :, :right] = 0
        else:
            moved[:, :, right:] = 0
        result[b] = moved
    return result


# %% correct: each pixel asks where it came from

def augment(images: Tensor, max_shift: int) -> Tensor:
    B, C, H, W = images.shape
    shifts = torch.randint(2 * max_shift + 1, (2, B, 1), device=images.device) - max_shift
    rows = torch.arange(H, device=images.device) - shifts[0]  # (B, H)
    columns = torch.arange(W, device=images.device) - shifts[1]  # (B, W)
    known = ((rows >= 0) & (rows < H))[:, :, None] & ((columns >= 0) & (columns < W))[:, None, :]
    which = torch.arange(B, device=images.device)[:, None, None]
    found = images.permute(0, 2, 3, 1)[which, rows.clamp(0, H - 1)[:, :, None], columns.clamp(0, W - 1)[:, None, :]]
    return torch.where(known[..., None], found, torch.zeros_like(found)).permute(0, 3, 1, 2).contiguous()


# %% correct: black rows and columns put on one side, as many taken off the other

def augment(images: Tensor, max_shift: int) -> Tensor:
    def moved(x: Tensor, by: int, axis: int) -> Tensor:
        """x with `by` slices of zeros before it and as many lost at the end, or the other way."""
        length = x.shape[axis]
        zeros = torch.zeros_like(x.narrow(axis, 0, abs(by)))
        if by >= 0:
            return torch.cat([zeros, x.narrow(axis, 0, length - by)], dim=axis)
        return torch.cat([x.narrow(axis, -by, length + by), zeros], dim=axis)

    result = []
    for image in images.unbind(0):
        down, right = (torch.randperm(2 * max_shift + 1)[0].item() - max_shift for _ in range(2))
        result.append(moved(moved(image, down, 1), right, 2))
    return torch.stack(result)
