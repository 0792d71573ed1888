# %% wrong: windows of the whole text, sorted by side
# Cuts the whole text into windows and keeps those that lie on one side of the border. Nothing leaks, but the
# validation windows begin at multiples of the stride of the whole text, which is not the part's first token unless
# the border happens to be such a multiple.
# Hint: ten tokens, held_out=5, length=3, stride=2. At which token must the first validation window begin?

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
    begins = torch.arange(len(windows), device=tokens.device) * stride
    return windows[begins + length < border], windows[begins >= border]


# %% wrong: windows that do not overlap
# Takes the overlap of windows for the leak and cuts each part into windows side by side, whatever the stride. Nothing
# leaks any more, but stride is not used and most windows are missing.
# Hint: within one part, may windows overlap? Where does the docstring let the second window begin?

def split_windows(
    tokens: Tensor,
    length: int,
    stride: int,
    held_out: int,
) -> tuple[Tensor, Tensor]:
    border = len(tokens) - held_out
    first, second = tokens[: max(border, 0)], tokens[max(border, 0) :]
    if min(len(first), len(second)) < length + 1:
        raise ValueError("a part is too short for one window")
    return first.unfold(0, length + 1, length + 1), second.unfold(0, length + 1, length + 1)


# %% wrong: the last window of each part left out
# The range of the beginnings ends one too early, so a window that would just fit is dropped. A part that holds exactly
# one window comes out empty.
# Hint: a part of 5 tokens and windows of length + 1 = 5: how many windows are there, and how many do you make?

def split_windows(
    tokens: Tensor,
    length: int,
    stride: int,
    held_out: int,
) -> tuple[Tensor, Tensor]:
    def cut(part: Tensor) -> Tensor:
        if len(part) < length + 1:
            raise ValueError(f"{len(part)} tokens hold no window of {length + 1}")
        begins = torch.arange(0, len(part) - length - 1, stride, device=tokens.device)
        return part[begins.unsqueeze(1) + torch.arange(length + 1, device=tokens.device)]

    border = max(len(tokens) - held_out, 0)
    return cut(tokens[:border]), cut(tokens[border:])


# %% wrong: the training windows still shuffled
# The text is split first, which mends the leak, but the shuffling was kept for the training windows, and the docstring
# wants both in the order of the text.
# Hint: read the docstring's sentence on what is returned to its end.

def split_windows(
    tokens: Tensor,
    length: int,
    stride: int,
    held_out: int,
) -> tuple[Tensor, Tensor]:
    border = len(tokens) - held_out
    if border <= length or held_out <= length:
        raise ValueError("a part is too short for one window")
    training = tokens[:border].unfold(0, length + 1, stride)
    validation = tokens[border:].unfold(0, length + 1, stride)
    order = torch.randperm(len(training), generator=torch.Generator().manual_seed(0))
    return training[order], validation


# %% wrong: the border counted in windows
# Leaves the shuffling out and gives the last windows to validation. With a stride below length + 1 the last training
# windows reach across the border into the first validation windows: the leak is smaller and still there.
# Hint: which tokens stand in your last training window, and which in your first validation window?

def split_windows(
    tokens: Tensor,
    length: int,
    stride: int,
    held_out: int,
) -> tuple[Tensor, Tensor]:
    if len(tokens) - held_out < length + 1 or held_out < length + 1:
        raise ValueError("a part is too short for one window")
    windows = tokens.unfold(0, length + 1, stride)
    count = max(1, len(windows) * held_out // len(tokens))
    return windows[:-count], windows[-count:]


# %% correct: beginnings plus offsets

def split_windows(
    tokens: Tensor,
    length: int,
    stride: int,
    held_out: int,
) -> tuple[Tensor, Tensor]:
    offsets = torch.arange(length + 1, device=tokens.device)

    def between(first: int, end: int) -> Tensor:
        if end - first <= length:
            raise ValueError(f"tokens {first} to {end} hold no window of {length + 1}")
        begins = torch.arange(first, end - length, stride, device=tokens.device)
        return tokens[begins.unsqueeze(1) + offsets]

    border = tokens.shape[0] - held_out
    return between(0, border), between(border, tokens.shape[0])


# %% correct: slices stacked in a while loop

def windows_of(part, size, stride):
    found, begin = [], 0
    while begin + size <= part.numel():
        found.append(part[begin : begin + size])
        begin += stride
    if not found:
        raise ValueError(f"{part.numel()} tokens are too few for a window of {size}")
    return torch.stack(found)


def split_windows(
    tokens: Tensor,
    length: int,
    stride: int,
    held_out: int,
) -> tuple[Tensor, Tensor]:
    to_train = tokens.numel() - held_out
    if to_train < 0:
        raise ValueError("more tokens held out than there are")
    training, validation = tokens.split([to_train, held_out])
    return windows_of(training, length + 1, stride), windows_of(validation, length + 1, stride)
