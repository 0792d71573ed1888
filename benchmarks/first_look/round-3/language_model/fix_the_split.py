# %% wrong: only the shuffling is taken out
# The windows are in order now, but the text is still cut into windows first and split afterwards.
# Breaks "share no character": windows at the border overlap. Hint: which tokens stand in the last training window, and which in the first to validate?

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


# %% wrong: the last window is lost
# range ends one too early, so a window that ends exactly with its part is not cut.
# Breaks "at every stride-th one, as long as it fits". Hint: how many windows of 4 tokens fit into 4 tokens?

def split_windows(
    tokens: Tensor,
    length: int,
    stride: int,
    held_out: int,
) -> tuple[Tensor, Tensor]:
    cut = len(tokens) - held_out
    parts = []
    for part in (tokens[: max(cut, 0)], tokens[max(cut, 0) :]):
        starts = range(0, len(part) - length - 1, stride)
        if not starts:
            raise ValueError("a part is too short for one window")
        parts.append(torch.stack([part[start : start + length + 1] for start in starts]))
    return parts[0], parts[1]


# %% wrong: context from the training part
# The validation part begins length tokens early, so that its first character has a context.
# Breaks "share no character": these tokens were trained on. Hint: in which part does each token stand?

def split_windows(
    tokens: Tensor,
    length: int,
    stride: int,
    held_out: int,
) -> tuple[Tensor, Tensor]:
    cut = len(tokens) - held_out
    if cut < length + 1 or held_out < length + 1:
        raise ValueError("a part is too short for one window")
    return tokens[:cut].unfold(0, length + 1, stride), tokens[cut - length :].unfold(0, length + 1, stride)


# %% wrong: only the whole text is measured
# The test is whether the text has room for two windows, not whether each part has room for one.
# Breaks the ValueError where one part is too short and the other long: unfold's RuntimeError comes instead. Hint: try 100 tokens and held_out = 2.

def split_windows(
    tokens: Tensor,
    length: int,
    stride: int,
    held_out: int,
) -> tuple[Tensor, Tensor]:
    if len(tokens) < 2 * (length + 1):
        raise ValueError("the text is too short for two windows")
    cut = len(tokens) - held_out
    return tokens[:cut].unfold(0, length + 1, stride), tokens[cut:].unfold(0, length + 1, stride)


# %% correct: by a table of indices

def split_windows(
    tokens: Tensor,
    length: int,
    stride: int,
    held_out: int,
) -> tuple[Tensor, Tensor]:
    border = tokens.shape[0] - held_out
    found = []
    for begin, end in ((0, border), (border, tokens.shape[0])):
        if end - begin <= length:
            raise ValueError(f"{end - begin} tokens are too few for a window of {length + 1}")
        starts = torch.arange(begin, end - length, stride, device=tokens.device)
        within = torch.arange(length + 1, device=tokens.device)
        found.append(tokens[starts[:, None] + within[None, :]])
    return tuple(found)
