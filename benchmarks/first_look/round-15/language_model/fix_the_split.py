# %% wrong: nothing held out is everything held out
# tokens[-held_out:] is the whole text where held_out is 0, so it is long enough: no ValueError,
# and training and validation windows are the same.

def split_windows(
    tokens: Tensor,
    length: int,
    stride: int,
    held_out: int,
) -> tuple[Tensor, Tensor]:
    training, validation = tokens[: len(tokens) - held_out], tokens[-held_out:]
    if len(training) < length + 1 or len(validation) < length + 1:
        raise ValueError("a part is too short for one window")
    return training.unfold(0, length + 1, stride), validation.unfold(0, length + 1, stride)

# %% wrong: validation windows on the whole text's grid
# Windows begin at multiples of the stride of the whole text, and those across the cut are left out.
# No token is in both, but the validation part's first window does not begin at its first token
# unless stride divides N - held_out.

def split_windows(
    tokens: Tensor,
    length: int,
    stride: int,
    held_out: int,
) -> tuple[Tensor, Tensor]:
    cut = len(tokens) - held_out
    if cut < length + 1 or held_out < length + 1:
        raise ValueError("a part is too short for one window")
    windows = tokens.unfold(0, length + 1, stride)
    begins = torch.arange(len(windows), device=tokens.device) * stride
    return windows[begins + length < cut], windows[begins >= cut]

# %% wrong: the last window is left out
# The begins stop at len(part) - length - 1 exclusively, so a window that ends with the part's last
# token is lost. Shows where stride divides len(part) - length - 1; a part of length + 1 tokens
# gives none (torch.stack raises).

def split_windows(
    tokens: Tensor,
    length: int,
    stride: int,
    held_out: int,
) -> tuple[Tensor, Tensor]:
    def cut(part: Tensor) -> Tensor:
        if len(part) <= length:
            raise ValueError("a part is too short for one window")
        begins = range(0, len(part) - length - 1, stride)
        return torch.stack([part[b : b + length + 1] for b in begins])

    border = len(tokens) - held_out
    return cut(tokens[:border]), cut(tokens[border:])

# %% wrong: split first, but shuffled still
# The text is split before it is cut, and then each part's windows are put into the random order of
# the function as found. Shows with two windows or more in a part: not in the order of the text.

def split_windows(
    tokens: Tensor,
    length: int,
    stride: int,
    held_out: int,
) -> tuple[Tensor, Tensor]:
    parts = []
    for part in (tokens[: len(tokens) - held_out], tokens[len(tokens) - held_out :]):
        if len(part) < length + 1:
            raise ValueError("a part is too short for one window")
        windows = part.unfold(0, length + 1, stride)
        order = torch.randperm(len(windows), generator=torch.Generator().manual_seed(0))
        parts.append(windows[order])
    return parts[0], parts[1]

# %% correct: a table of indices

def split_windows(
    tokens: Tensor,
    length: int,
    stride: int,
    held_out: int,
) -> tuple[Tensor, Tensor]:
    border = tokens.numel() - held_out
    within = torch.arange(length + 1, device=tokens.device)
    result = []
    for first, stop in ((0, border), (border, tokens.numel())):
        begins = torch.arange(first, max(first, stop - length), stride, device=tokens.device)
        if begins.numel() == 0:
            raise ValueError(f"{stop - first} tokens are too few for a window of {length + 1}")
        result.append(tokens[begins[:, None] + within])
    return tuple(result)

# %% correct: walking with while, a list of slices

def split_windows(
    tokens: Tensor,
    length: int,
    stride: int,
    held_out: int,
) -> tuple[Tensor, Tensor]:
    def windows_of(part: Tensor) -> Tensor:
        found = []
        rest = part
        while len(rest) > length:
            found.append(rest.narrow(0, 0, length + 1))
            rest = rest[stride:]
        if not found:
            raise ValueError("this part is too short for a single window")
        return torch.stack(found)

    training, validation = tokens.split([len(tokens) - held_out, held_out])
    return windows_of(training), windows_of(validation)
