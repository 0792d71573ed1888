# %% wrong: one row of windows, divided where the validation part begins
# The windows are cut over the whole text and then sorted into the parts they lie in. The validation windows then begin at
# multiples of stride, not at the part's first token: shows where stride does not divide N - held_out.

def split_windows(tokens: Tensor, length: int, stride: int, held_out: int) -> tuple[Tensor, Tensor]:
    border = len(tokens) - held_out
    if border < length + 1 or held_out < length + 1:
        raise ValueError("a part is too short for one window")
    windows = tokens.unfold(0, length + 1, stride)
    starts = torch.arange(len(windows), device=tokens.device) * stride
    return windows[starts + length < border], windows[starts >= border]


# %% wrong: validation begins one token early, so that its first token is predicted too
# The last training token is made the first validation input. The parts share that token, and the validation windows begin
# one place early: shows for every input.

def split_windows(tokens: Tensor, length: int, stride: int, held_out: int) -> tuple[Tensor, Tensor]:
    border = len(tokens) - held_out
    if border < length + 1 or held_out < length + 1:
        raise ValueError("a part is too short for one window")
    training = tokens[:border]
    validation = tokens[border - 1 :]  # every held-out token is a target
    return training.unfold(0, length + 1, stride), validation.unfold(0, length + 1, stride)


# %% wrong: the last window that fits is left out
# range stops one start too early. Shows where a window ends exactly at the end of a part: with stride 1 always; a part of
# length + 1 tokens gives no window at all.

def split_windows(tokens: Tensor, length: int, stride: int, held_out: int) -> tuple[Tensor, Tensor]:
    border = len(tokens) - held_out
    parts = []
    for part in (tokens[:border], tokens[border:]):
        if len(part) < length + 1:
            raise ValueError("a part is too short for one window")
        starts = range(0, len(part) - length - 1, stride)
        windows = [part[s : s + length + 1] for s in starts]
        parts.append(torch.stack(windows) if windows else part.new_empty(0, length + 1))
    return parts[0], parts[1]


# %% wrong: asks for length tokens instead of length + 1
# The check forgets the target. A part of exactly `length` tokens passes it, and unfold raises RuntimeError in place of
# ValueError: torch.arange(10), length 4, stride 1, held_out 4.

def split_windows(tokens: Tensor, length: int, stride: int, held_out: int) -> tuple[Tensor, Tensor]:
    border = len(tokens) - held_out
    training, validation = tokens[:border], tokens[border:]
    if len(training) < length or len(validation) < length:
        raise ValueError(f"each part needs {length} tokens at least")
    return training.unfold(0, length + 1, stride), validation.unfold(0, length + 1, stride)


# %% correct: a grid of indices

def split_windows(tokens: Tensor, length: int, stride: int, held_out: int) -> tuple[Tensor, Tensor]:
    border = len(tokens) - held_out

    def cut(first: int, end: int) -> Tensor:
        if end - first <= length:
            raise ValueError(f"{end - first} tokens are too few for a window of {length + 1}")
        starts = torch.arange(first, end - length, stride, device=tokens.device)
        return tokens[starts.unsqueeze(1) + torch.arange(length + 1, device=tokens.device)]

    return cut(0, border), cut(border, len(tokens))


# %% correct: takes windows off the front, one by one

def split_windows(tokens: Tensor, length: int, stride: int, held_out: int) -> tuple[Tensor, Tensor]:
    result = []
    for rest in tokens.split([tokens.numel() - held_out, held_out]):
        found = []
        while rest.numel() > length:
            found.append(rest.narrow(0, 0, length + 1))
            rest = rest[stride:]
        if not found:
            raise ValueError("too short for a single window")
        result.append(torch.stack(found))
    return tuple(result)
