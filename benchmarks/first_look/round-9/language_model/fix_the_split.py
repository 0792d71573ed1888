# %% wrong: short parts are left to unfold
# The split is right, but where a part is too short unfold raises RuntimeError, not the promised ValueError.
# Shows for held_out <= length.

def split_windows(tokens, length, stride, held_out):
    boundary = len(tokens) - held_out
    first, second = tokens[:boundary], tokens[boundary:]
    return first.unfold(0, length + 1, stride), second.unfold(0, length + 1, stride)


# %% wrong: the windows of the whole text, sorted into the parts
# Windows are cut from the whole text, and those across the boundary dropped. The validation windows then begin at
# multiples of the stride, not at the part's first token. Shows where stride does not divide N - held_out.

def split_windows(tokens, length, stride, held_out):
    boundary = len(tokens) - held_out
    if boundary < length + 1 or held_out < length + 1:
        raise ValueError("a part is too short for one window")
    windows = tokens.unfold(0, length + 1, stride)
    starts = torch.arange(len(windows), device=tokens.device) * stride
    train = windows[starts + length < boundary]
    validation = windows[starts >= boundary]
    return train, validation


# %% wrong: the last window that fits is left out
# range ends at n - length - 1, which is the last start that fits. A part of exactly length + 1 tokens raises
# ValueError, though it holds one window; with stride 1 every part loses its last one.

def split_windows(tokens, length, stride, held_out):
    def cut(part):
        starts = range(0, len(part) - length - 1, stride)
        if len(starts) == 0:
            raise ValueError(f"{len(part)} tokens are too few for a window of {length + 1}")
        return torch.stack([part[s : s + length + 1] for s in starts])

    n_train = len(tokens) - held_out
    return cut(tokens[:n_train]), cut(tokens[n_train:])


# %% wrong: more held out than there is
# Where held_out > N the boundary is negative, and the slices count it from the end: no ValueError, and both parts
# hold the same tokens. Shows for N = 20, held_out = 25, length = 4.

def split_windows(tokens, length, stride, held_out):
    boundary = tokens.shape[0] - held_out
    parts = tokens[:boundary], tokens[boundary:]
    for part in parts:
        if part.shape[0] < length + 1:
            raise ValueError(f"part of {part.shape[0]} tokens is shorter than a window of {length + 1}")
    train, validation = (part.unfold(0, length + 1, stride) for part in parts)
    return train, validation


# %% correct: the addresses of all windows at once

def split_windows(
    tokens: Tensor,
    length: int,
    stride: int,
    held_out: int,
) -> tuple[Tensor, Tensor]:
    N = tokens.shape[0]
    results = []
    for begin, end in ((0, N - held_out), (N - held_out, N)):
        spare = end - begin - (length + 1)
        if begin < 0 or spare < 0:
            raise ValueError(f"no window of {length + 1} fits between {begin} and {end}")
        starts = begin + stride * torch.arange(spare // stride + 1, device=tokens.device)
        results.append(tokens[starts[:, None] + torch.arange(length + 1, device=tokens.device)])
    return results[0], results[1]


# %% correct: each part eaten from the front

def split_windows(
    tokens: Tensor,
    length: int,
    stride: int,
    held_out: int,
) -> tuple[Tensor, Tensor]:
    to_train = max(len(tokens) - held_out, 0)

    def windows_of(rest: Tensor) -> Tensor:
        found = []
        while len(rest) > length:
            found.append(rest[: length + 1])
            rest = rest[stride:]
        if not found:
            raise ValueError("this part has no room for a window")
        return torch.stack(found)

    return windows_of(tokens.narrow(0, 0, to_train)), windows_of(tokens.narrow(0, to_train, len(tokens) - to_train))
