# %% wrong: windows are still cut first
# No shuffling any more, the last windows validate: but the windows were cut from the whole text, so those next to the border
# overlap wherever stride is below length + 1, and the last held_out tokens are not what validates.

def split_windows(
    tokens: Tensor,
    length: int,
    stride: int,
    held_out: int,
) -> tuple[Tensor, Tensor]:
    if min(held_out, len(tokens) - held_out) < length + 1:
        raise ValueError("a part is too short for one window")
    windows = tokens.unfold(0, length + 1, stride)
    count = max(1, len(windows) * held_out // len(tokens))
    return windows[:-count], windows[-count:]


# %% wrong: split first, and shuffled all the same
# The parts share nothing, but the training windows come in a random order and not in the order of the text: any training part
# of several windows.

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


# %% wrong: length tokens are thought to be enough
# The check asks for length tokens in each part, but a window has length + 1. A part of exactly length tokens gives unfold's
# RuntimeError and not a ValueError.

def split_windows(
    tokens: Tensor,
    length: int,
    stride: int,
    held_out: int,
) -> tuple[Tensor, Tensor]:
    border = len(tokens) - held_out
    training, validation = tokens[:border], tokens[border:]
    for part in (training, validation):
        if len(part) < length:
            raise ValueError(f"a part of {len(part)} tokens is too short")
    return training.unfold(0, length + 1, stride), validation.unfold(0, length + 1, stride)


# %% wrong: some context for the first validation window
# Begins the validation part length tokens early, so that every held-out token is a target with context. These tokens stand
# in both parts, and the windows do not begin where they should: for every input (and held_out = 1 is accepted).

def split_windows(
    tokens: Tensor,
    length: int,
    stride: int,
    held_out: int,
) -> tuple[Tensor, Tensor]:
    border = len(tokens) - held_out
    if border < length + 1 or held_out < 1:
        raise ValueError("a part is too short for one window")
    training = tokens[:border].unfold(0, length + 1, stride)
    validation = tokens[border - length :].unfold(0, length + 1, stride)
    return training, validation


# %% correct: a table of places for each part

def split_windows(
    tokens: Tensor,
    length: int,
    stride: int,
    held_out: int,
) -> tuple[Tensor, Tensor]:
    def windows(begin: int, end: int) -> Tensor:
        first = torch.arange(begin, max(begin, end - length), stride, device=tokens.device)
        if len(first) == 0:
            raise ValueError(f"{end - begin} tokens do not hold a window of {length + 1}")
        return tokens[first[:, None] + torch.arange(length + 1, device=tokens.device)]

    border = tokens.numel() - held_out
    return windows(0, border), windows(border, tokens.numel())


# %% correct: all windows of the text, sorted out by where they lie

def split_windows(
    tokens: Tensor,
    length: int,
    stride: int,
    held_out: int,
) -> tuple[Tensor, Tensor]:
    size, border = len(tokens), len(tokens) - held_out
    parts = [], []
    for begin in range(size):
        end = begin + length + 1
        if end <= border and begin % stride == 0:
            parts[0].append(tokens[begin:end])
        if border <= begin and end <= size and (begin - border) % stride == 0:
            parts[1].append(tokens[begin:end])
    if not all(parts):
        raise ValueError("one of the parts has no window")
    return torch.stack(parts[0]), torch.stack(parts[1])
