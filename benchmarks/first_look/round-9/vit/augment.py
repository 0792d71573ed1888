# %% wrong: one move for the whole batch
# Two numbers are drawn for the call, and all images are moved by them together.
# Shows for a batch of two equal images: they are equal afterwards too, every time.

def augment(images: Tensor, max_shift: int) -> Tensor:
    height, width = images.shape[2:]
    top, left = torch.randint(0, 2 * max_shift + 1, (2,)).tolist()
    padded = F.pad(images, (max_shift,) * 4)
    return padded[:, :, top : top + height, left : left + width].clone()


# %% wrong: rounded, so that the ends come half as often
# A number from -max_shift to max_shift is drawn evenly and rounded: the two ends get half an interval each.
# Shows in the frequencies: with max_shift = 1 the moves -1, 0, 1 come in 1/4, 1/2, 1/4 of the cases.

def augment(images: Tensor, max_shift: int) -> Tensor:
    batch, _, height, width = images.shape
    moves = ((2 * torch.rand(batch, 2) - 1) * max_shift).round().long()
    padded = F.pad(images, (max_shift, max_shift, max_shift, max_shift))
    out = torch.empty_like(images)
    for b in range(batch):
        top, left = max_shift - int(moves[b, 0]), max_shift - int(moves[b, 1])
        out[b] = padded[b, :, top : top + height, left : left + width]
    return out


# %% wrong: a generator of its own
# A new torch.Generator() begins with the same seed each time, and it is not the global random state that was asked for.
# Shows for two calls with the same images: the moves are the same, and torch.manual_seed changes nothing.

def augment(images: Tensor, max_shift: int) -> Tensor:
    generator = torch.Generator()
    batch, _, height, width = images.shape
    down = torch.randint(-max_shift, max_shift + 1, (batch,), generator=generator).tolist()
    right = torch.randint(-max_shift, max_shift + 1, (batch,), generator=generator).tolist()
    padded = F.pad(images, (max_shift, max_shift, max_shift, max_shift))
    moved = [
        padded[b, :, max_shift - down[b] :, max_shift - right[b] :][:, :height, :width] for b in range(batch)
    ]
    return torch.stack(moved)


# %% wrong: slices, and a move that is larger than the picture
# The ends of the slices become negative where the move is larger than the picture, and count from the other side.
# Shows for images of 2 x 2 pixels with max_shift = 3: the two sides of the assignment do not fit.

def augment(images: Tensor, max_shift: int) -> Tensor:
    batch, _, height, width = images.shape
    moves = torch.randint(-max_shift, max_shift + 1, (batch, 2)).tolist()
    out = torch.zeros_like(images)
    for b, (down, right) in enumerate(moves):
        out[b, :, max(down, 0) : height + min(down, 0), max(right, 0) : width + min(right, 0)] = images[
            b, :, max(-down, 0) : height - max(down, 0), max(-right, 0) : width - max(right, 0)
        ]
    return out


# %% correct: every window of the padded picture, and one choice among them

def augment(images: Tensor, max_shift: int) -> Tensor:
    batch, _, height, width = images.shape
    ways = 2 * max_shift + 1
    chosen = torch.randint(ways * ways, (batch,)).to(images.device)
    padded = F.pad(images, (max_shift,) * 4)
    windows = padded.unfold(2, height, 1).unfold(3, width, 1)  # (B, C, ways, ways, H, W), a view
    return windows[torch.arange(batch, device=images.device), :, chosen // ways, chosen % ways]


# %% correct: where each pixel comes from

def augment(images: Tensor, max_shift: int) -> Tensor:
    batch, channels, height, width = images.shape
    down, right = torch.randint(-max_shift, max_shift + 1, (2, batch, 1)).to(images.device)
    rows = torch.arange(height, device=images.device) - down  # (B, H): the row that comes to each row
    columns = torch.arange(width, device=images.device) - right
    inside = ((rows >= 0) & (rows < height)).unsqueeze(2) & ((columns >= 0) & (columns < width)).unsqueeze(1)
    source = rows.clamp(0, height - 1).unsqueeze(2) * width + columns.clamp(0, width - 1).unsqueeze(1)
    source = source.flatten(1).unsqueeze(1).expand(batch, channels, height * width)
    moved = images.flatten(2).gather(2, source).view(batch, channels, height, width)
    return moved.masked_fill(~inside.unsqueeze(1), 0)
