# %% wrong: one shift for the whole batch
# Both numbers are drawn once: all pictures of a batch move together. With a batch of one it is right. A good message: "all pictures moved by the same (2, -1): of its own".

def augment(images: Tensor, max_shift: int) -> Tensor:
    down, right = torch.randint(-max_shift, max_shift + 1, (2,)).tolist()
    H, W = images.shape[2:]
    padded = F.pad(images, (max_shift, max_shift, max_shift, max_shift))
    top, left = max_shift - down, max_shift - right
    return padded[:, :, top : top + H, left : left + W].clone()

# %% wrong: what leaves comes in again
# torch.roll wraps round, so ink comes back on the other side; and randint's upper end is open: max_shift itself never comes. A good message: "zeros come in at the other side"; "a shift of +max_shift never occurs in 1,000 tries, and max_shift = 0 fails".

def augment(images: Tensor, max_shift: int) -> Tensor:
    shifts = torch.randint(-max_shift, max_shift, (len(images), 2)).tolist()
    return torch.stack([image.roll(shift, dims=(1, 2)) for image, shift in zip(images, shifts)])

# %% wrong: an own seed, the same every time
# A generator with a fixed seed is made in each call: every call moves picture i by the same, so nothing is fresh, and torch.manual_seed has no say. A good message: "two calls gave the same shifts: draw from torch's global random state".

def augment(images: Tensor, max_shift: int) -> Tensor:
    generator = torch.Generator().manual_seed(0)
    moved = torch.zeros_like(images)
    H, W = images.shape[-2:]
    for i in range(len(images)):
        dy, dx = torch.randint(-max_shift, max_shift + 1, (2,), generator=generator).tolist()
        for y in range(H):
            for x in range(W):
                if 0 <= y - dy < H and 0 <= x - dx < W:
                    moved[i, :, y, x] = images[i, :, y - dy, x - dx]
    return moved

# %% correct: rows and columns picked, the rest filled with zeros

def augment(images: Tensor, max_shift: int) -> Tensor:
    B, _, H, W = images.shape
    device = images.device
    down, right = torch.randint(-max_shift, max_shift + 1, (2, B, 1), device=device)
    rows, columns = torch.arange(H, device=device) - down, torch.arange(W, device=device) - right  # (B, H), (B, W)
    inside = ((rows >= 0) & (rows < H)).unsqueeze(2) & ((columns >= 0) & (columns < W)).unsqueeze(1)  # (B, H, W)
    moved = images[
        torch.arange(B, device=device).view(B, 1, 1, 1),
        torch.arange(images.shape[1], device=device).view(1, -1, 1, 1),
        rows.clamp(0, H - 1).view(B, 1, H, 1),
        columns.clamp(0, W - 1).view(B, 1, 1, W),
    ]
    return moved.masked_fill(~inside.unsqueeze(1), 0)
