# %% wrong: windows first, then those that fit a side
# Cuts windows from the beginning of the whole text and drops those that cross the border. The validation windows have
# to begin at the part's first token; with 20 tokens, length 4, stride 3 and held_out 10 they begin at 12 instead of 10.

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


# %% wrong: still shuffled
# The text is split first, but the lines that shuffle are still there, for training; the windows have to come in the
# order of the text. Shows where the training part has several windows.

def split_windows(
    tokens: Tensor,
    length: int,
    stride: int,
    held_out: int,
) -> tuple[Tensor, Tensor]:
    border = len(tokens) - held_out
    first, second = tokens[:border], tokens[border:]
    if min(len(first), len(second)) < length + 1:
        raise ValueError("a part is too short for one window")
    training = first.unfold(0, length + 1, stride)
    validation = second.unfold(0, length + 1, stride)
    order = torch.randperm(len(training), generator=torch.Generator().manual_seed(0))
    return training[order], validation


# %% wrong: the last window is lost
# The loop ends one place too early: a window that ends at the part's last token is left out. Shows for a part of
# exactly length + 1 tokens (an error from stack), or of 6 with length 4 and stride 1.

def split_windows(
    tokens: Tensor,
    length: int,
    stride: int,
    held_out: int,
) -> tuple[Tensor, Tensor]:
    border = len(tokens) - held_out
    parts = []
    for part in (tokens[:border], tokens[border:]):
        if len(part) < length + 1:
            raise ValueError(f"{len(part)} tokens are too few for a window of {length + 1}")
        starts = range(0, len(part) - length - 1, stride)
        parts.append(torch.stack([part[i : i + length + 1] for i in starts]))
    return parts[0], parts[1]


# %% wrong: a part of `length` tokens is let through
# A window has length + 1 tokens, the test asks for length. For a part of exactly `length` tokens unfold raises a
# RuntimeError instead of the ValueError.

def split_windows(
    tokens: Tensor,
    length: int,
    stride: int,
    held_out: int,
) -> tuple[Tensor, Tensor]:
    border = len(tokens) - held_out
    training, validation = tokens[:border], tokens[border:]
    if len(training) < length or len(validation) < length:
        raise ValueError("a part is too short for one window")
    return training.unfold(0, length + 1, stride), validation.unfold(0, length + 1, stride)


# %% correct: by a table of indices
def split_windows(
    tokens: Tensor,
    length: int,
    stride: int,
    held_out: int,
) -> tuple[Tensor, Tensor]:
    total = tokens.shape[0]
    borders = (0, total - held_out, total)
    found = []
    for begin, end in zip(borders[:-1], borders[1:], strict=True):
        first = torch.arange(begin, end - length, stride, device=tokens.device) if end - begin > length else None
        if first is None:
            raise ValueError(f"{end - begin} tokens, a window takes {length + 1}")
        places = first.unsqueeze(1) + torch.arange(length + 1, device=tokens.device)
        found.append(tokens[places])
    return found[0], found[1]


# %% correct: the same memory with other strides
def split_windows(
    tokens: Tensor,
    length: int,
    stride: int,
    held_out: int,
) -> tuple[Tensor, Tensor]:
    size = length + 1

    def windows(part: Tensor) -> Tensor:
        count = (part.numel() - size) // stride + 1 if part.numel() >= size else 0
        if count == 0:
            raise ValueError(f"a window of {size} does not fit in {part.numel()} tokens")
        (step,) = part.stride()
        return part.as_strided((count, size), (stride * step, step)).clone()

    training, validation = torch.split(tokens, [tokens.numel() - held_out, held_out])
    return windows(training), windows(validation)
