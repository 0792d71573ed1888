# %% wrong: modulo turns the padding too
# (length - 1 - position) % S: the real tokens are right, and what stands behind them is turned round as well. Nobody sees it while the padding is all the same id. A good message: "behind the sentence must stand what stood there before, in the same order".

def reverse_source(source: Tensor, lengths: Tensor) -> Tensor:
    positions = torch.arange(source.shape[1], device=source.device)
    mirrored = (lengths.unsqueeze(1) - 1 - positions) % source.shape[1]
    return source.gather(1, mirrored)

# %% wrong: turned in the caller's tensor
# Row by row, and into source itself: the result is right and the caller's sentences are turned round too. A good message: "source has changed: clone it first".

def reverse_source(source: Tensor, lengths: Tensor) -> Tensor:
    for b, n in enumerate(lengths.tolist()):
        source[b, :n] = source[b, :n].flip(0)
    return source

# %% wrong: first place repeated
# Uses each row's own length, and clamps the negative places to 0 in place of putting the position itself: the padding becomes copies of the first word. A good message: "behind the sentence stand copies of its first word: torch.where needs the position there".

def reverse_source(source: Tensor, lengths: Tensor) -> Tensor:
    positions = torch.arange(source.shape[1], device=source.device)  # (S,)
    mirrored = (lengths[:, None] - 1 - positions).clamp(min=0)
    return source.gather(1, mirrored)

# %% correct: an argsort of keys that fall in the sentence and rise behind it

def reverse_source(source: Tensor, lengths: Tensor) -> Tensor:
    places = torch.arange(source.shape[1], device=source.device).expand_as(source)
    keys = torch.where(places < lengths.to(source.device).reshape(-1, 1), -1 - places, places)
    return torch.take_along_dim(source, keys.argsort(dim=1), dim=1)

# %% correct: row by row, cut and joined

def reverse_source(source: Tensor, lengths: Tensor) -> Tensor:
    rows = [torch.cat((row[:n].flip(0), row[n:])) for row, n in zip(source, lengths.tolist(), strict=True)]
    return torch.stack(rows)
