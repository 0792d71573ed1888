# %% wrong: the function as it was found
# Windows overlap, and they were dealt out after they had been cut: nearly every character of a validation window
# stands in a training window as well. Cut the text in two first.

def split_windows(tokens, length, stride, held_out):
    windows = tokens.unfold(0, length + 1, stride)
    order = torch.randperm(len(windows), generator=torch.Generator().manual_seed(0))
    count = max(1, len(windows) * held_out // len(tokens))
    return windows[order[count:]], windows[order[:count]]

# %% wrong: the windows are no longer shuffled, and still cut first
# Without the shuffling only the windows at the border overlap, and they still do. Cut the text in two, then each part
# into windows.

def split_windows(tokens, length, stride, held_out):
    windows = tokens.unfold(0, length + 1, stride)
    count = max(1, len(windows) * held_out // len(tokens))
    return windows[:-count], windows[-count:]

# %% wrong: windows that do not overlap, dealt out at random
# Windows without overlap share no place, but the stride that was asked for is gone, and the validation is scattered
# over the text. Cut the text in two, and give each part its own windows.

def split_windows(tokens, length, stride, held_out):
    windows = tokens.unfold(0, length + 1, max(stride, length + 1))
    order = torch.randperm(len(windows), generator=torch.Generator().manual_seed(0))
    count = max(1, len(windows) * held_out // len(tokens))
    return windows[order[count:]], windows[order[:count]]

# %% wrong: the beginning of the text is held out
# The first held_out tokens were put aside; the docstring asks for the last.

# --- before
    parts = tokens[:border], tokens[border:]
# --- after
    parts = tokens[held_out:], tokens[:held_out]

# %% wrong: the validation reaches back for context
# The validation part begins inside the training text, so its first characters stand in both. Begin it at the first
# held-out token.

# --- before
    parts = tokens[:border], tokens[border:]
# --- after
    parts = tokens[:border], tokens[max(0, border - length) :]

# %% wrong: windows without the last target
# The windows are length wide. A window of length inputs needs one token more, the last target.

# --- before
    training, validation = (part.unfold(0, length + 1, stride) for part in parts)
# --- after
    training, validation = (part.unfold(0, length, stride) for part in parts)

# %% wrong: the stride is the window's length
# The windows begin every length + 1 tokens, whatever the stride. Within a part they may overlap.

# --- before
    training, validation = (part.unfold(0, length + 1, stride) for part in parts)
# --- after
    training, validation = (part.unfold(0, length + 1, length + 1) for part in parts)

# %% wrong: the training windows are shuffled
# The split is right, but the training windows come in another order than the text's.

# --- before
    return training, validation
# --- after
    return training[torch.randperm(len(training), generator=torch.Generator().manual_seed(0))], validation

# %% correct: slices in a loop
def split_windows(tokens, length, stride, held_out):
    border = len(tokens) - held_out
    found = []
    for part in (tokens[:border], tokens[border:]):
        if len(part) < length + 1:
            raise ValueError(f"{len(part)} tokens are too few for a window of {length + 1}")
        found.append(torch.stack([part[i : i + length + 1] for i in range(0, len(part) - length, stride)]))
    return found[0], found[1]

# %% correct: indices by broadcasting
def split_windows(tokens, length, stride, held_out):
    def windows(part):
        if len(part) <= length:
            raise ValueError("too short")
        first = torch.arange(0, len(part) - length, stride)
        return part[first[:, None] + torch.arange(length + 1)]

    n = len(tokens) - held_out
    return windows(tokens[:n]), windows(tokens[n:])

# %% correct: torch.split, then unfold
def split_windows(tokens, length, stride, held_out):
    if held_out <= length or len(tokens) - held_out <= length:
        raise ValueError("a part is too short")
    training, validation = tokens.split([len(tokens) - held_out, held_out])
    return training.unfold(0, length + 1, stride), validation.unfold(0, length + 1, stride)

# %% correct: windows over all, those across the border left out
def split_windows(tokens, length, stride, held_out):
    border = len(tokens) - held_out
    starts = torch.arange(0, len(tokens) - length)
    first = starts[(starts + length < border) & (starts % stride == 0)]
    second = starts[(starts >= border) & ((starts - border) % stride == 0)]
    if len(first) == 0 or len(second) == 0:
        raise ValueError("no window fits")
    offsets = torch.arange(length + 1)
    return tokens[first[:, None] + offsets], tokens[second[:, None] + offsets]

# %% correct: minus held_out as an index
def split_windows(tokens, length, stride, held_out):
    parts = tokens[:-held_out], tokens[-held_out:]
    if min(len(part) for part in parts) < length + 1:
        raise ValueError("a part is too short")
    return parts[0].unfold(0, length + 1, stride), parts[1].unfold(0, length + 1, stride)
