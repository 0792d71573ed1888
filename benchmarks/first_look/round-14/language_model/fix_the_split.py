# %% wrong: the windows of the whole text, sorted into two parts
# Windows that cross the border are dropped, so no token is shared. But they begin at multiples of
# the stride in the whole text, not at the validation part's first token: off where the stride does
# not divide N - held_out.

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
    begins = torch.arange(len(windows)) * stride
    return windows[begins + length < border], windows[begins >= border]


# %% wrong: the last window that fits is left out
# The range ends one too early: where a window ends exactly at the end of its part it is missing. A
# part of just length + 1 tokens gives an error from stack, which is not even a ValueError.

def split_windows(
    tokens: Tensor,
    length: int,
    stride: int,
    held_out: int,
) -> tuple[Tensor, Tensor]:
    border = len(tokens) - held_out
    parts = tokens[:border], tokens[border:]
    for part in parts:
        if len(part) < length + 1:
            raise ValueError("a part is too short for one window")

    def cut(part: Tensor) -> Tensor:
        begins = range(0, len(part) - (length + 1), stride)
        return torch.stack([part[i : i + length + 1] for i in begins])

    return cut(parts[0]), cut(parts[1])


# %% wrong: split first, but the training windows still shuffled
# The split is right, and the old shuffling was kept for the training part. The windows should come
# in the order of the text: shows with three training windows or so.

def split_windows(
    tokens: Tensor,
    length: int,
    stride: int,
    held_out: int,
) -> tuple[Tensor, Tensor]:
    count = len(tokens) - held_out
    if min(count, held_out) < length + 1:
        raise ValueError("a part is too short for one window")
    training = tokens[:count].unfold(0, length + 1, stride)
    validation = tokens[count:].unfold(0, length + 1, stride)
    order = torch.randperm(len(training), generator=torch.Generator().manual_seed(0))
    return training[order], validation


# %% wrong: only the held-out part is checked
# A training part too short for one window goes on to unfold, which raises RuntimeError and not the
# ValueError that was promised: everything, or nearly everything, held out.

def split_windows(
    tokens: Tensor,
    length: int,
    stride: int,
    held_out: int,
) -> tuple[Tensor, Tensor]:
    if held_out <= length:
        raise ValueError("too little is held out for one window")
    training, validation = tokens[:-held_out], tokens[-held_out:]
    return training.unfold(0, length + 1, stride), validation.unfold(0, length + 1, stride)


# %% correct: a table of places for each part

def split_windows(
    tokens: Tensor,
    length: int,
    stride: int,
    held_out: int,
) -> tuple[Tensor, Tensor]:
    border = len(tokens) - held_out
    across = torch.arange(length + 1, device=tokens.device)
    found = []
    for first, end in ((0, border), (border, len(tokens))):
        begins = torch.arange(first, max(first, end - length), stride, device=tokens.device)
        if not len(begins):
            raise ValueError(f"{end - first} tokens are too few for a window of {length + 1}")
        found.append(tokens[begins[:, None] + across])
    return found[0], found[1]


# %% correct: two lists that are filled while the text is walked through

def split_windows(
    tokens: Tensor,
    length: int,
    stride: int,
    held_out: int,
) -> tuple[Tensor, Tensor]:
    training, validation = [], []
    border = tokens.numel() - held_out
    start = 0
    while start + length < border:
        training.append(tokens.narrow(0, start, length + 1))
        start += stride
    start = border
    while start + length < tokens.numel():
        validation.append(tokens.narrow(0, start, length + 1))
        start += stride
    if not training or not validation:
        raise ValueError("each part needs room for one window at least")
    return torch.vstack(training), torch.vstack(validation)
