# %% wrong: windows first, those on both sides dropped
# No character is shared, but the validation windows stand on the grid of the whole text and need not begin at the part's first token.

def split_windows(
    tokens: Tensor,
    length: int,
    stride: int,
    held_out: int,
) -> tuple[Tensor, Tensor]:
    border = len(tokens) - held_out
    if border < length + 1 or held_out < length + 1:
        raise ValueError("a part is too short for one window")
    windows = tokens.unfold(0, length + 1, stride)
    starts = torch.arange(len(windows)) * stride
    return windows[starts + length < border], windows[starts >= border]


# %% wrong: the last window that fits is left out
# The range ends one too early: a window that reaches the end of its part exactly is dropped.

def split_windows(
    tokens: Tensor,
    length: int,
    stride: int,
    held_out: int,
) -> tuple[Tensor, Tensor]:
    first, second = tokens[: len(tokens) - held_out], tokens[len(tokens) - held_out :]
    parts = []
    for part in (first, second):
        if len(part) < length + 1:
            raise ValueError("a part is too short for one window")
        starts = range(0, max(1, len(part) - length - 1), stride)
        parts.append(torch.stack([part[s : s + length + 1] for s in starts]))
    return parts[0], parts[1]


# %% wrong: still shuffled within the parts
# The leak is mended, but the windows of each part come in a random order and not in the order of the text.

def split_windows(
    tokens: Tensor,
    length: int,
    stride: int,
    held_out: int,
) -> tuple[Tensor, Tensor]:
    generator = torch.Generator().manual_seed(0)
    found = []
    for part in (tokens[: len(tokens) - held_out], tokens[len(tokens) - held_out :]):
        if len(part) <= length:
            raise ValueError("a part is too short for one window")
        windows = part.unfold(0, length + 1, stride)
        found.append(windows[torch.randperm(len(windows), generator=generator)])
    return found[0], found[1]


# %% wrong: no care for short parts, and none held out
# A part too short for a window gives the RuntimeError of unfold, and with held_out = 0 the slice up to -0 makes the first part empty.

def split_windows(
    tokens: Tensor,
    length: int,
    stride: int,
    held_out: int,
) -> tuple[Tensor, Tensor]:
    first = tokens[:-held_out].unfold(0, length + 1, stride)
    second = tokens[-held_out:].unfold(0, length + 1, stride)
    return first, second


# %% wrong: validation with context from the training part
# The second part begins length tokens early so that each held out token is predicted: these characters stand on both sides.

def split_windows(
    tokens: Tensor,
    length: int,
    stride: int,
    held_out: int,
) -> tuple[Tensor, Tensor]:
    cut = len(tokens) - held_out
    if cut < length + 1 or held_out < length + 1:
        raise ValueError("a part is too short for one window")
    windows = tokens[:cut].unfold(0, length + 1, stride)
    return windows, tokens[cut - length :].unfold(0, length + 1, stride)


# %% correct: slices gathered in a list

def split_windows(
    tokens: Tensor,
    length: int,
    stride: int,
    held_out: int,
) -> tuple[Tensor, Tensor]:
    border = len(tokens) - held_out

    def slices(begin, end):
        found = []
        while begin + length < end:
            found.append(tokens[begin : begin + length + 1])
            begin += stride
        if not found:
            raise ValueError(f"no window of {length + 1} tokens fits into a part")
        return torch.stack(found)

    return slices(0, border), slices(max(border, 0), len(tokens))


# %% correct: a table of places

def split_windows(
    tokens: Tensor,
    length: int,
    stride: int,
    held_out: int,
) -> tuple[Tensor, Tensor]:
    border = len(tokens) - held_out
    if min(border, held_out) <= length:
        raise ValueError(f"parts of {border} and {held_out} tokens, windows of {length + 1}")
    offsets = torch.arange(length + 1, device=tokens.device)
    first = torch.arange(0, border - length, stride, device=tokens.device)
    second = torch.arange(border, len(tokens) - length, stride, device=tokens.device)
    return tokens[first.unsqueeze(1) + offsets], tokens[second.unsqueeze(1) + offsets]
