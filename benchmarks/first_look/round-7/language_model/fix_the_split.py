# %% wrong: windows first, without the shuffle
# The shuffle is gone, and the text is still cut into windows before it is split: with a stride of at most length the
# windows on the two sides of the border overlap, and the border is not where held_out puts it.

def split_windows(
    tokens: Tensor,
    length: int,
    stride: int,
    held_out: int,
) -> tuple[Tensor, Tensor]:
    windows = tokens.unfold(0, length + 1, stride) if len(tokens) > length else tokens[:0]
    count = len(windows) * held_out // len(tokens)
    if count < 1 or count >= len(windows):
        raise ValueError("a part is too short for one window")
    return windows[:-count], windows[-count:]


# %% wrong: validation on the grid of the whole text
# Of the windows of the whole text those are kept that lie in one part. No character is shared, but the first validation
# window begins at the first multiple of stride, and not at the part's first token: shows where stride does not divide N - held_out.

def split_windows(
    tokens: Tensor,
    length: int,
    stride: int,
    held_out: int,
) -> tuple[Tensor, Tensor]:
    border = len(tokens) - held_out
    if border < length + 1 or held_out < length + 1:
        raise ValueError(f"parts of {border} and {held_out} tokens, and a window needs {length + 1}")
    starts = range(0, len(tokens) - length, stride)
    train = [tokens[s : s + length + 1] for s in starts if s + length + 1 <= border]
    valid = [tokens[s : s + length + 1] for s in starts if s >= border]
    if not train or not valid:
        raise ValueError("a part is too short for one window")
    return torch.stack(train), torch.stack(valid)


# %% wrong: still shuffled
# Split first, cut afterwards, and then each part's windows are shuffled as in the function that was found: the docstring
# promises the order of the text. Shows as soon as a part has several windows.

def split_windows(
    tokens: Tensor,
    length: int,
    stride: int,
    held_out: int,
) -> tuple[Tensor, Tensor]:
    parts = tokens[: len(tokens) - held_out], tokens[len(tokens) - held_out :]
    generator = torch.Generator().manual_seed(0)
    result = []
    for part in parts:
        if len(part) < length + 1:
            raise ValueError(f"{len(part)} tokens are too few for a window of {length + 1}")
        windows = part.unfold(0, length + 1, stride)
        result.append(windows[torch.randperm(len(windows), generator=generator)])
    return result[0], result[1]


# %% wrong: one token short of a window
# A window has length + 1 tokens, and the check asks for length. A part of exactly length tokens gets through, and unfold
# raises RuntimeError where ValueError is promised.

def split_windows(
    tokens: Tensor,
    length: int,
    stride: int,
    held_out: int,
) -> tuple[Tensor, Tensor]:
    train, valid = tokens[:-held_out], tokens[-held_out:]
    if len(train) < length or len(valid) < length:
        raise ValueError(f"too short for windows of {length}: {len(train)} and {len(valid)} tokens")
    return train.unfold(0, length + 1, stride), valid.unfold(0, length + 1, stride)


# %% correct: a table of indices

def split_windows(
    tokens: Tensor,
    length: int,
    stride: int,
    held_out: int,
) -> tuple[Tensor, Tensor]:
    N, width = len(tokens), length + 1
    border = N - held_out

    def starts(first, end):
        room = end - first - width
        if room < 0 or first < 0:
            raise ValueError(f"{max(end - first, 0)} tokens are too few for a window of {width}")
        return first + stride * torch.arange(room // stride + 1, device=tokens.device)

    within = torch.arange(width, device=tokens.device)
    first, second = starts(0, border), starts(border, N)
    return tokens[first[:, None] + within], tokens[second[:, None] + within]


# %% correct: eats the text from the left

def split_windows(
    tokens: Tensor,
    length: int,
    stride: int,
    held_out: int,
) -> tuple[Tensor, Tensor]:
    train_size = max(0, tokens.numel() - held_out)

    def windows(rest):
        found = []
        while rest.numel() > length:
            found.append(rest[: length + 1].clone())
            rest = rest[stride:]
        if found:
            return torch.stack(found)
        raise ValueError(f"a part is too short for a window of {length + 1} tokens")

    return windows(tokens[:train_size]), windows(tokens[train_size:])
