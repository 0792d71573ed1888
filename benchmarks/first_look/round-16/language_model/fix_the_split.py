# %% wrong: windows of the whole text, sorted by side
# Cuts the whole text into windows and drops those that cross the border. No token is in both parts, but the validation
# windows begin at multiples of stride: wrong where stride does not divide N - held_out, e.g. arange(10), 2, 2, 5.


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
    first = torch.arange(len(windows), device=tokens.device) * stride
    return windows[first + length < border], windows[first >= border]


# %% wrong: windows side by side, still shuffled
# Takes the overlap of neighboring windows for the cause: with a step of length + 1 no token is in two windows, so none is
# in both parts. But stride is ignored, and the validation part is drawn at random instead of the last held_out tokens.


def split_windows(
    tokens: Tensor,
    length: int,
    stride: int,
    held_out: int,
) -> tuple[Tensor, Tensor]:
    if held_out < length + 1 or len(tokens) - held_out < length + 1:
        raise ValueError("a part is too short for one window")
    windows = tokens.unfold(0, length + 1, length + 1)
    order = torch.randperm(len(windows), generator=torch.Generator().manual_seed(0))
    count = max(1, len(windows) * held_out // len(tokens))
    return windows[order[count:].sort().values], windows[order[:count].sort().values]


# %% wrong: looks for missing windows after unfold
# Asks whether a part has no windows, but unfold has raised RuntimeError before: wrong where a part is shorter than
# length + 1, e.g. held_out = 0 or 3 with length 4, where ValueError is asked for.


def split_windows(
    tokens: Tensor,
    length: int,
    stride: int,
    held_out: int,
) -> tuple[Tensor, Tensor]:
    border = len(tokens) - held_out
    train = tokens[:border].unfold(0, length + 1, stride)
    validation = tokens[border:].unfold(0, length + 1, stride)
    if len(train) == 0 or len(validation) == 0:
        raise ValueError("a part is too short for one window")
    return train, validation


# %% wrong: a gap to be on the safe side
# Leaves out the first `length` held-out tokens, so that no training window can reach into the validation part; but the
# first validation window has to begin at the part's first token. Wrong for every input (ValueError or later windows).


def split_windows(
    tokens: Tensor,
    length: int,
    stride: int,
    held_out: int,
) -> tuple[Tensor, Tensor]:
    border = len(tokens) - held_out
    parts = tokens[:border], tokens[border + length :]
    if min(len(part) for part in parts) < length + 1:
        raise ValueError("a part is too short for one window")
    train, validation = (part.unfold(0, length + 1, stride) for part in parts)
    return train, validation


# %% correct: a table of places, first in each part


def split_windows(
    tokens: Tensor,
    length: int,
    stride: int,
    held_out: int,
) -> tuple[Tensor, Tensor]:
    border = tokens.numel() - held_out

    def cut(first: int, end: int) -> Tensor:
        starts = torch.arange(first, max(first, end - length), stride, device=tokens.device)
        if starts.numel() == 0:
            raise ValueError(f"{end - first} tokens hold no window of {length + 1}")
        return tokens[starts.unsqueeze(1) + torch.arange(length + 1, device=tokens.device)]

    return cut(0, border), cut(border, tokens.numel())


# %% correct: one window after another, until the part is used up


def split_windows(
    tokens: Tensor,
    length: int,
    stride: int,
    held_out: int,
) -> tuple[Tensor, Tensor]:
    result = []
    for part in tokens.split([len(tokens) - held_out, held_out]):
        windows = []
        while len(part) > length:
            windows.append(part[: length + 1])
            part = part[stride:]
        if not windows:
            raise ValueError("too short for one window")
        result.append(torch.stack(windows))
    return result[0], result[1]
