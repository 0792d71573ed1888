# %% wrong: windows first, then split, only without shuffling
# The windows are in order now, but those at the border reach over it: both parts share characters.

def split_windows(
    tokens: Tensor,
    length: int,
    stride: int,
    held_out: int,
) -> tuple[Tensor, Tensor]:
    if held_out < length + 1 or len(tokens) - held_out < length + 1:
        raise ValueError("a part is too short for one window")
    windows = tokens.unfold(0, length + 1, stride)
    count = max(1, len(windows) * held_out // len(tokens))
    return windows[:-count], windows[-count:]


# %% wrong: the last window that fits is missing
# range ends one too early, so that a window that ends with the part's last token is left out.

def split_windows(
    tokens: Tensor,
    length: int,
    stride: int,
    held_out: int,
) -> tuple[Tensor, Tensor]:
    def cut(part: Tensor) -> Tensor:
        if len(part) < length + 1:
            raise ValueError(f"{len(part)} tokens are too short for a window of {length + 1}")
        starts = [0, *range(stride, len(part) - length - 1, stride)]
        return torch.stack([part[s : s + length + 1] for s in starts])

    border = len(tokens) - held_out
    return cut(tokens[: max(border, 0)]), cut(tokens[max(border, 0) :])


# %% wrong: a gap between the parts
# A window's length is dropped from the training part for safety; all tokens but the held-out ones are to train.

def split_windows(
    tokens: Tensor,
    length: int,
    stride: int,
    held_out: int,
) -> tuple[Tensor, Tensor]:
    border = max(0, len(tokens) - held_out)
    first, second = tokens[: max(0, border - length)], tokens[border:]
    if len(first) <= length or len(second) <= length:
        raise ValueError("too short for one window")
    return first.unfold(0, length + 1, stride), second.unfold(0, length + 1, stride)


# %% wrong: the training windows are still shuffled
# Split first, as it should be, but the order of the text is promised and the shuffling has stayed.

def split_windows(
    tokens: Tensor,
    length: int,
    stride: int,
    held_out: int,
) -> tuple[Tensor, Tensor]:
    border = len(tokens) - held_out
    if border <= length or held_out <= length:
        raise ValueError(f"no window of {length + 1} fits into {border} or {held_out} tokens")
    training_windows = tokens[:border].unfold(0, length + 1, stride)
    validation_windows = tokens[border:].unfold(0, length + 1, stride)
    order = torch.randperm(len(training_windows), generator=torch.Generator().manual_seed(0))
    return training_windows[order], validation_windows


# %% wrong: the error is left to unfold
# Where a part is too short, unfold raises RuntimeError and not the promised ValueError.

def split_windows(
    tokens: Tensor,
    length: int,
    stride: int,
    held_out: int,
) -> tuple[Tensor, Tensor]:
    training_part, validation_part = tokens.split([len(tokens) - held_out, held_out])
    size = length + 1
    return training_part.unfold(0, size, stride), validation_part.unfold(0, size, stride)


# %% correct: a table of indices

def split_windows(
    tokens: Tensor,
    length: int,
    stride: int,
    held_out: int,
) -> tuple[Tensor, Tensor]:
    border = tokens.shape[0] - held_out
    tables = []
    for begin, end in ((0, border), (border, tokens.shape[0])):
        room = end - begin - length  # so many places at which a window could begin
        if room < 1:
            raise ValueError(f"a part of {end - begin} tokens has no room for {length + 1}")
        first = torch.arange(begin, begin + room, stride, device=tokens.device)
        tables.append(first.unsqueeze(1) + torch.arange(length + 1, device=tokens.device))
    return tokens[tables[0]], tokens[tables[1]]


# %% correct: slices in a while loop

def windows_of(part: Tensor, size: int, stride: int) -> Tensor:
    found = []
    begin = 0
    while begin + size <= part.numel():
        found.append(part[begin : begin + size])
        begin += stride
    if not found:
        raise ValueError("this part is too short for one window")
    return torch.stack(found)


def split_windows(
    tokens: Tensor,
    length: int,
    stride: int,
    held_out: int,
) -> tuple[Tensor, Tensor]:
    held_out = min(held_out, tokens.numel())
    kept = tokens.numel() - held_out
    return windows_of(tokens[:kept], length + 1, stride), windows_of(tokens[kept:], length + 1, stride)
