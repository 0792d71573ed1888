# %% wrong: windows of the whole text, sorted by where they lie
# Cuts first and leaves out the windows across the border: validation windows begin at a multiple of the stride in the whole text, not at the first held-out token (N 10, length 2, stride 3, held_out 5).

def split_windows(
    tokens: Tensor,
    length: int,
    stride: int,
    held_out: int,
) -> tuple[Tensor, Tensor]:
    windows = tokens.unfold(0, length + 1, stride)
    border = len(tokens) - held_out
    starts = torch.arange(len(windows), device=tokens.device) * stride
    training, validation = windows[starts + length < border], windows[starts >= border]
    if len(training) == 0 or len(validation) == 0:
        raise ValueError("a part is too short for one window")
    return training, validation


# %% wrong: the windows stay shuffled
# Splits first, as it should, but keeps the random order of the function as found: the windows do not come in the order of the text.

def split_windows(
    tokens: Tensor,
    length: int,
    stride: int,
    held_out: int,
) -> tuple[Tensor, Tensor]:
    border = len(tokens) - held_out
    if border < length + 1 or held_out < length + 1:
        raise ValueError("a part is too short for one window")
    generator = torch.Generator().manual_seed(0)
    parts = []
    for part in (tokens[:border], tokens[border:]):
        windows = part.unfold(0, length + 1, stride)
        parts.append(windows[torch.randperm(len(windows), generator=generator)])
    return parts[0], parts[1]


# %% wrong: a part of exactly one window is refused
# Raises where a part has exactly length + 1 tokens, which is enough for one window.

def split_windows(
    tokens: Tensor,
    length: int,
    stride: int,
    held_out: int,
) -> tuple[Tensor, Tensor]:
    border = len(tokens) - held_out
    training, validation = tokens[:border], tokens[border:]
    if min(len(training), len(validation)) <= length + 1:
        raise ValueError("a part is too short for one window")
    return training.unfold(0, length + 1, stride), validation.unfold(0, length + 1, stride)


# %% wrong: unfold is left to complain
# Nothing is checked: a part too short for a window (held_out 0, say) raises unfold's RuntimeError and not ValueError.

def split_windows(
    tokens: Tensor,
    length: int,
    stride: int,
    held_out: int,
) -> tuple[Tensor, Tensor]:
    training, validation = tokens.split([len(tokens) - held_out, held_out])
    return training.unfold(0, length + 1, stride), validation.unfold(0, length + 1, stride)


# %% correct: a table of places

def split_windows(
    tokens: Tensor,
    length: int,
    stride: int,
    held_out: int,
) -> tuple[Tensor, Tensor]:
    within = torch.arange(length + 1, device=tokens.device)

    def windows(first: int, end: int) -> Tensor:
        starts = range(first, end - length, stride)
        if not starts:
            raise ValueError(f"{end - first} tokens are too few for a window of {length + 1}")
        return tokens[torch.tensor(starts, device=tokens.device).unsqueeze(1) + within]

    border = len(tokens) - held_out
    return windows(0, border), windows(border, len(tokens))


# %% correct: slices on a stack while they fit

def split_windows(
    tokens: Tensor,
    length: int,
    stride: int,
    held_out: int,
) -> tuple[Tensor, Tensor]:
    found = []
    for part in torch.split(tokens, [len(tokens) - held_out, held_out]):
        windows = []
        while len(part) > length:
            windows.append(part[: length + 1])
            part = part[stride:]
        if not windows:
            raise ValueError("a part is too short for one window")
        found.append(torch.stack(windows))
    return found[0], found[1]
