# %% wrong: channels inside the pixels
# Lays a patch out pixel by pixel with the channels last: right with one channel, wrong with C of 2 or more.

def patchify(images: Tensor, patch_size: int) -> Tensor:
    B, C, H, W = images.shape
    P = patch_size
    if H % P or W % P:
        raise ValueError(f"{P} does not divide {H} and {W}")
    cut = images.reshape(B, C, H // P, P, W // P, P)
    return cut.permute(0, 2, 4, 3, 5, 1).reshape(B, (H // P) * (W // P), C * P * P)


# %% wrong: only the product of H and W is tested
# An image of 4 x 9 with P = 6 passes (36 is divisible by 36), and what does not fit is dropped without a ValueError.

def patchify(images: Tensor, patch_size: int) -> Tensor:
    if images.dim() != 4 or images.shape[2] * images.shape[3] % patch_size**2:
        raise ValueError("patches do not tile the images")
    P = patch_size
    rows, columns = images.shape[2] // P, images.shape[3] // P
    patches = [
        images[:, :, r * P : (r + 1) * P, c * P : (c + 1) * P].flatten(1)
        for r in range(rows)
        for c in range(columns)
    ]
    if not patches:
        return images.new_zeros(len(images), 0, images.shape[1] * P * P)
    return torch.stack(patches, dim=1)


# %% wrong: F.unfold on floats
# Casts to float32 for F.unfold: images of uint8 or int64 come back as floats, and float64 loses digits.

def patchify(images: Tensor, patch_size: int) -> Tensor:
    if images.ndim != 4:
        raise ValueError("images must have four axes")
    if images.shape[2] % patch_size or images.shape[3] % patch_size:
        raise ValueError("patches do not tile the images")
    return F.unfold(images.float(), patch_size, stride=patch_size).transpose(1, 2)


# %% wrong: column by column
# Goes down the columns of patches first: with more than one row and more than one column the patches come in the wrong order.

def patchify(images: Tensor, patch_size: int) -> Tensor:
    if images.ndim != 4:
        raise ValueError("images must have four axes")
    B, C, H, W = images.shape
    P = patch_size
    if H % P != 0 or W % P != 0:
        raise ValueError("patches do not tile the images")
    x = images.unfold(3, P, P).unfold(2, P, P)  # (B, C, H/P, W/P, P across, P down)
    return x.permute(0, 3, 2, 1, 5, 4).reshape(B, -1, C * P * P)


# %% correct: split and concatenate

def patchify(images: Tensor, patch_size: int) -> Tensor:
    if images.ndim != 4 or any(side % patch_size for side in images.shape[2:]):
        raise ValueError(f"no patches of {patch_size} in {tuple(images.shape)}")
    words = []
    for strip in images.split(patch_size, dim=2):
        for square in strip.split(patch_size, dim=3):
            words.append(square.flatten(start_dim=1).unsqueeze(1))
    return torch.cat(words, dim=1)


# %% correct: a table of flat pixel numbers

def patchify(images: Tensor, patch_size: int) -> Tensor:
    if images.ndim != 4:
        raise ValueError(f"four axes are needed, got {images.ndim}")
    B, C, H, W = images.shape
    if divmod(H, patch_size)[1] or divmod(W, patch_size)[1]:
        raise ValueError(f"{patch_size} must divide {H} and {W}")

    def steps(count: int, size: int) -> Tensor:
        return torch.arange(count, device=images.device) * size

    corner = steps(H // patch_size, patch_size * W).unsqueeze(1) + steps(W // patch_size, patch_size)
    pixel = steps(patch_size, W).unsqueeze(1) + steps(patch_size, 1)
    inside = steps(C, H * W).unsqueeze(1) + pixel.flatten()
    place = corner.flatten().unsqueeze(1) + inside.flatten()  # (N, C * P * P)
    return images.flatten(1)[:, place]
