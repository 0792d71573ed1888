# %% wrong: the parts are split, the shuffling stays
# Text first, then windows: nothing leaks any more. But both parts are still shuffled, and the
# windows should come in the order of the text. It shows where a part has two windows or more.

def split_windows(
    tokens: Tensor,
    length: int,
    stride: int,
    held_out: int,
) -> tuple[Tensor, Tensor]:
    border = len(tokens) - held_out
    generator = torch.Generator().manual_seed(0)
    parts = []
    for part in (tokens[:border], tokens[border:]):
        if len(part) < length + 1:
            raise ValueError(f"{len(part)} tokens are too few for a window of {length + 1}")
        windows = part.unfold(0, length + 1, stride)
        parts.append(windows[torch.randperm(len(windows), generator=generator)])
    return parts[0], parts[1]

# %% wrong: one grid of windows for both parts
# Validation windows begin at the first multiple of stride in their part, not at its first token. It
# shows where stride does not divide N - held_out: 10 tokens, length 2, stride 2, held_out 5.

def split_windows(
    tokens: Tensor,
    length: int,
    stride: int,
    held_out: int,
) -> tuple[Tensor, Tensor]:
    border = len(tokens) - held_out
    if min(border, held_out) <= length:
        raise ValueError("a part is too short for one window")
    windows = tokens.unfold(0, length + 1, stride)
    starts = torch.arange(len(windows), device=tokens.device) * stride
    return windows[starts + length < border], windows[starts >= border]

# %% wrong: the last held_out tokens by a negative index
# tokens[-0:] is the whole text, so with held_out = 0 everything is in both parts, and no ValueError
# is raised. For any other held_out it is right.

def split_windows(
    tokens: Tensor,
    length: int,
    stride: int,
    held_out: int,
) -> tuple[Tensor, Tensor]:
    to_train = tokens[: len(tokens) - held_out]
    to_validate = tokens[-held_out:]
    if len(to_train) <= length or len(to_validate) <= length:
        raise ValueError("a part is too short for one window")
    return to_train.unfold(0, length + 1, stride), to_validate.unfold(0, length + 1, stride)

# %% wrong: the last window that fits is left out
# range stops one place too early. It shows where a window would end with the part's last token:
# 10 tokens, length 4, stride 1, held_out 5 gives none to validate, and an error.

def split_windows(
    tokens: Tensor,
    length: int,
    stride: int,
    held_out: int,
) -> tuple[Tensor, Tensor]:
    border = len(tokens) - held_out

    def cut(part: Tensor) -> Tensor:
        starts = range(0, len(part) - length - 1, stride)
        if not starts:
            raise ValueError("a part is too short for one window")
        return torch.stack([part[i : i + length + 1] for i in starts])

    return cut(tokens[:border]), cut(tokens[border:])

# %% correct: a table of places, then one look-up
def split_windows(
    tokens: Tensor,
    length: int,
    stride: int,
    held_out: int,
) -> tuple[Tensor, Tensor]:
    border = tokens.shape[0] - held_out

    def places(first: int, end: int) -> Tensor:
        starts = torch.arange(first, max(first, end - length), stride, device=tokens.device)
        if starts.numel() == 0:
            raise ValueError(f"tokens {first} to {end} hold no window of {length + 1}")
        return starts.unsqueeze(1) + torch.arange(length + 1, device=tokens.device)

    both = places(0, border), places(border, border + held_out)
    return tuple(tokens[some] for some in both)

# %% correct: as_strided on the memory of the text
def split_windows(
    tokens: Tensor,
    length: int,
    stride: int,
    held_out: int,
) -> tuple[Tensor, Tensor]:
    step = tokens.stride(0)
    to_train = len(tokens) - held_out
    results = []
    for first, size in ((0, to_train), (to_train, held_out)):
        room = size - (length + 1)
        if room < 0:
            raise ValueError(f"{size} tokens, but a window has {length + 1}")
        results.append(
            tokens.as_strided(
                (room // stride + 1, length + 1),
                (stride * step, step),
                tokens.storage_offset() + first * step,
            )
        )
    return results[0], results[1]
