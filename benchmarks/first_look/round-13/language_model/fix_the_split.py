# %% wrong: no shuffle, but still cut before the split
# The windows of the whole text in order, the last ones to validate. Windows around the cut lie on both sides:
# arange(20), length 4, stride 1, held_out 5 has the tokens 12 to 15 in both parts, and 15 is to be held out.


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


# %% wrong: unfold's own error
# Splits first, and leaves a part that is too short to unfold, which raises RuntimeError. The text asks for
# ValueError: arange(10), length 4, stride 1, held_out 3 or 0.


def split_windows(
    tokens: Tensor,
    length: int,
    stride: int,
    held_out: int,
) -> tuple[Tensor, Tensor]:
    cut = len(tokens) - held_out
    training, validation = tokens[:cut], tokens[cut:]
    return (
        training.unfold(0, length + 1, stride),
        validation.unfold(0, length + 1, stride),
    )


# %% wrong: the validation windows keep to the grid of the whole text
# Starts at multiples of stride of the whole text, sorted into the parts. Validation's first window should begin
# at its first token: with 20 tokens, held_out 9 and stride 4 it begins at 12 and not at 11.


def split_windows(
    tokens: Tensor,
    length: int,
    stride: int,
    held_out: int,
) -> tuple[Tensor, Tensor]:
    cut = len(tokens) - held_out
    training, validation = [], []
    for start in range(0, len(tokens) - length, stride):
        window = tokens[start : start + length + 1]
        if start + length + 1 <= cut:
            training.append(window)
        elif start >= cut:
            validation.append(window)
    if not training or not validation:
        raise ValueError("a part is too short for one window")
    return torch.stack(training), torch.stack(validation)


# %% wrong: the last window that fits is left out
# range stops one start too early, as if a window had length + 2 tokens. Shows where the last window ends at the
# part's last token: six tokens, length 4, stride 1 have two windows, here one; a part of just one raises.


def split_windows(
    tokens: Tensor,
    length: int,
    stride: int,
    held_out: int,
) -> tuple[Tensor, Tensor]:
    def cut(part):
        starts = range(0, len(part) - length - 1, stride)
        windows = [part[start : start + length + 1] for start in starts]
        if not windows:
            raise ValueError("too short for one window")
        return torch.stack(windows)

    border = len(tokens) - held_out
    return cut(tokens[:border]), cut(tokens[border:])


# %% correct: a table of places for each part


def split_windows(
    tokens: Tensor,
    length: int,
    stride: int,
    held_out: int,
) -> tuple[Tensor, Tensor]:
    size = tokens.shape[0]

    def places(first: int, end: int) -> Tensor:
        starts = torch.arange(first, max(first, end - length), stride, device=tokens.device)
        if starts.numel() == 0:
            raise ValueError(f"{end - first} tokens, but a window has {length + 1}")
        return starts.unsqueeze(1) + torch.arange(length + 1, device=tokens.device)

    border = size - held_out
    return tokens[places(0, border)], tokens[places(border, size)]


# %% correct: a window that slides along, token by token


def split_windows(
    tokens: Tensor,
    length: int,
    stride: int,
    held_out: int,
) -> tuple[Tensor, Tensor]:
    from collections import deque

    border = tokens.shape[0] - held_out
    parts = []
    for part in tokens.tensor_split([border]):
        sliding, found = deque(maxlen=length + 1), []
        for place, token in enumerate(part.unbind()):
            sliding.append(token)
            first = place - length
            if first >= 0 and first % stride == 0:
                found.append(torch.stack(tuple(sliding)))
        if not found:
            raise ValueError("a part is too short for a single window")
        parts.append(torch.stack(found))
    training, validation = parts
    return training, validation
