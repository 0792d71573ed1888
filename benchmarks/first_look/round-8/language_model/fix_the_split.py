# %% wrong: still shuffled
# Splits first, and leaves the shuffling of the windows in: they are not in the order of the text. Shows where a part
# has several windows.

def split_windows(
    tokens: Tensor,
    length: int,
    stride: int,
    held_out: int,
) -> tuple[Tensor, Tensor]:
    border = len(tokens) - held_out
    if border < length + 1 or held_out < length + 1:
        raise ValueError("a part is too short for a window")
    generator = torch.Generator().manual_seed(0)
    parts = []
    for part in (tokens[:border], tokens[border:]):
        windows = part.unfold(0, length + 1, stride)
        parts.append(windows[torch.randperm(len(windows), generator=generator)])
    return parts[0], parts[1]


# %% wrong: windows first, in order
# Cuts the whole text into windows and gives the last ones to validation, without shuffling. The windows at the border
# still share characters, and validation need not begin at its first token; shows for every stride up to length.

def split_windows(
    tokens: Tensor,
    length: int,
    stride: int,
    held_out: int,
) -> tuple[Tensor, Tensor]:
    if held_out < length + 1 or len(tokens) - held_out < length + 1:
        raise ValueError("too short")
    windows = tokens.unfold(0, length + 1, stride)
    count = (held_out - length - 1) // stride + 1  # as many as fit into held_out tokens
    return windows[:-count], windows[-count:]


# %% wrong: the last window lost
# The range of the starts ends one too early: a window that ends with the last token of its part is left out. Shows
# where length + 1 and a multiple of the stride make up the part; a part of one window gives an error from stack.

def split_windows(
    tokens: Tensor,
    length: int,
    stride: int,
    held_out: int,
) -> tuple[Tensor, Tensor]:
    size = length + 1
    cut = tokens.shape[0] - held_out
    if min(cut, held_out) < size:
        raise ValueError(f"each part needs {size} tokens at least")

    def windows(part: Tensor) -> Tensor:
        return torch.stack([part[i : i + size] for i in range(0, len(part) - size, stride)])

    return windows(tokens[:cut]), windows(tokens[cut:])


# %% wrong: only the training part is checked
# Nobody asks whether the validation part is long enough: held_out from 0 to length, which leaves no room for one window
# there, raises the RuntimeError of unfold and not a ValueError.

def split_windows(
    tokens: Tensor,
    length: int,
    stride: int,
    held_out: int,
) -> tuple[Tensor, Tensor]:
    border = len(tokens) - held_out
    if border < length + 1:
        raise ValueError(f"{border} tokens are too few to train on")
    training, validation = tokens[:border], tokens[border:]
    return training.unfold(0, length + 1, stride), validation.unfold(0, length + 1, stride)


# %% correct: a table of places

def split_windows(
    tokens: Tensor,
    length: int,
    stride: int,
    held_out: int,
) -> tuple[Tensor, Tensor]:
    N, within = len(tokens), torch.arange(length + 1, device=tokens.device)
    found = []
    for begin, end in ((0, N - held_out), (N - held_out, N)):
        last_start = end - (length + 1)
        if begin < 0 or last_start < begin:
            raise ValueError(f"no window of {length + 1} tokens fits from {begin} to {end}")
        starts = torch.arange(begin, last_start + 1, stride, device=tokens.device)
        found.append(tokens[starts.unsqueeze(1) + within])
    return found[0], found[1]


# %% correct: read like a stream

def split_windows(
    tokens: Tensor,
    length: int,
    stride: int,
    held_out: int,
) -> tuple[Tensor, Tensor]:
    border = len(tokens) - held_out
    training, validation = [], []
    for end in range(length + 1, len(tokens) + 1):
        start = end - length - 1
        if end <= border and start % stride == 0:
            training.append(tokens[start:end])
        if start >= border and (start - border) % stride == 0:
            validation.append(tokens[start:end])
    if border < 0 or not training or not validation:
        raise ValueError("training and validation both need room for a window")
    return torch.stack(training), torch.stack(validation)
