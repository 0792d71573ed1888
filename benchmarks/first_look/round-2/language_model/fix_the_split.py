# %% wrong: windows in order, cut once
# The windows are kept in order and the last ones held out: better, but the windows at the border overlap, so characters stand in both parts. A good message: "token 7 is in a training window and in a validation window: cut the TEXT first".

def split_windows(
    tokens: Tensor,
    length: int,
    stride: int,
    held_out: int,
) -> tuple[Tensor, Tensor]:
    windows = tokens.unfold(0, length + 1, stride)
    count = max(1, len(windows) * held_out // len(tokens))
    if count >= len(windows):
        raise ValueError("too short")
    return windows[:-count], windows[-count:]

# %% wrong: a RuntimeError for a short part
# The text is cut first and the windows are right, but where a part is too short unfold raises RuntimeError and not ValueError. A good message: "held_out = 3, length = 4: expected ValueError".

def split_windows(
    tokens: Tensor,
    length: int,
    stride: int,
    held_out: int,
) -> tuple[Tensor, Tensor]:
    training, validation = tokens.split([len(tokens) - held_out, held_out])
    return training.unfold(0, length + 1, stride), validation.unfold(0, length + 1, stride)

# %% wrong: length instead of length + 1, and too much held out counts from the end
# A window has length + 1 tokens, the last one a target; here it has length. And with held_out above N the cut is negative and slicing counts from the end: no error. A good message: "windows of 4, length + 1 = 5 promised"; "held_out = 15 of 10 tokens: expected ValueError".

def split_windows(
    tokens: Tensor,
    length: int,
    stride: int,
    held_out: int,
) -> tuple[Tensor, Tensor]:
    cut = len(tokens) - held_out
    parts = tokens[:cut], tokens[cut:]
    if min(len(part) for part in parts) < length:
        raise ValueError("a part is too short")
    return tuple(part.unfold(0, length, stride) for part in parts)

# %% correct: beginnings plus offsets

def split_windows(
    tokens: Tensor,
    length: int,
    stride: int,
    held_out: int,
) -> tuple[Tensor, Tensor]:
    border = len(tokens) - held_out

    def windows(begin: int, end: int) -> Tensor:
        if end - begin <= length:
            raise ValueError(f"{max(0, end - begin)} tokens are too few for a window of {length + 1}")
        first = torch.arange(begin, end - length, stride, device=tokens.device)
        return tokens[first[:, None] + torch.arange(length + 1, device=tokens.device)]

    return windows(0, border), windows(border, len(tokens))
