# %% wrong: windows of the whole text, sorted by where they lie
# No window stands on both sides, but the validation windows begin on the whole text's grid, not at the part's first token: wrong where
# stride does not divide N - held_out (N = 10, held_out = 4, length 2, stride 4).

def split_windows(
    tokens: Tensor,
    length: int,
    stride: int,
    held_out: int,
) -> tuple[Tensor, Tensor]:
    cut = len(tokens) - held_out
    if cut < length + 1 or held_out < length + 1:
        raise ValueError("a part is too short for one window")
    starts = range(0, len(tokens) - length, stride)
    first = [tokens[s : s + length + 1] for s in starts if s + length + 1 <= cut]
    second = [tokens[s : s + length + 1] for s in starts if s >= cut]
    if not first or not second:
        raise ValueError("a part is too short for one window")
    return torch.stack(first), torch.stack(second)


# %% wrong: the last window that fits is left out
# range ends one too early: a window that ends exactly at the part's last token is missing; for a part of length + 1 tokens
# there is none, and it raises though one fits.

def split_windows(
    tokens: Tensor,
    length: int,
    stride: int,
    held_out: int,
) -> tuple[Tensor, Tensor]:
    windows = []
    for part in (tokens[: len(tokens) - held_out], tokens[len(tokens) - held_out :]):
        starts = range(0, len(part) - length - 1, stride)
        if len(starts) == 0:
            raise ValueError("a part is too short for one window")
        windows.append(torch.stack([part[s : s + length + 1] for s in starts]))
    return windows[0], windows[1]


# %% wrong: a part of exactly length tokens
# The check asks for length tokens and a window needs length + 1: a part of exactly length tokens passes it, and unfold raises
# RuntimeError instead of the promised ValueError.

def split_windows(
    tokens: Tensor,
    length: int,
    stride: int,
    held_out: int,
) -> tuple[Tensor, Tensor]:
    cut = len(tokens) - held_out
    training, validation = tokens[:cut], tokens[cut:]
    if min(len(training), len(validation)) < length:
        raise ValueError("a part is too short for one window")
    return training.unfold(0, length + 1, stride), validation.unfold(0, length + 1, stride)


# %% wrong: split first, and still shuffled
# The leak is mended, but the training windows come in a drawn order and not "in the order of the text". Shows where there are two or
# more of them.

def split_windows(
    tokens: Tensor,
    length: int,
    stride: int,
    held_out: int,
) -> tuple[Tensor, Tensor]:
    cut = len(tokens) - held_out
    training, validation = tokens[:cut], tokens[cut:]
    if len(training) <= length or len(validation) <= length:
        raise ValueError("a part is too short for one window")
    windows = training.unfold(0, length + 1, stride)
    order = torch.randperm(len(windows), generator=torch.Generator().manual_seed(0))
    return windows[order], validation.unfold(0, length + 1, stride)


# %% correct: by a table of places

def split_windows(
    tokens: Tensor,
    length: int,
    stride: int,
    held_out: int,
) -> tuple[Tensor, Tensor]:
    def places(begin: int, end: int) -> Tensor:
        starts = torch.arange(begin, max(begin, end - length), stride, device=tokens.device)
        if starts.numel() == 0:
            raise ValueError(f"{end - begin} tokens are too few for a window of {length + 1}")
        return starts.unsqueeze(1) + torch.arange(length + 1, device=tokens.device)

    cut = tokens.shape[0] - held_out
    return tokens[places(0, cut)], tokens[places(cut, tokens.shape[0])]


# %% correct: unfolded with stride one, and every stride-th kept

def split_windows(
    tokens: Tensor,
    length: int,
    stride: int,
    held_out: int,
) -> tuple[Tensor, Tensor]:
    parts = torch.split(tokens, [tokens.numel() - held_out, held_out])
    found = []
    for part in parts:
        if part.numel() < length + 1:
            raise ValueError("a part is too short for one window")
        columns = [part[j : part.numel() - length + j] for j in range(length + 1)]
        found.append(torch.stack(columns, dim=1)[::stride])
    return found[0], found[1]
