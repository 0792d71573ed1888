# %% wrong: turned in the caller's tensor
# Each row's real tokens are turned in place. What comes back is right, but the caller's source has been turned too.

def reverse_source(source: Tensor, lengths: Tensor) -> Tensor:
    for row, length in zip(source, lengths, strict=True):
        row[:length] = row[:length].flip(0)
    return source


# %% wrong: the end token stays last
# Turns the words only and leaves each sentence's last token, the end token, where it was.
# Shows for every row of length 2 or more.

def reverse_source(source: Tensor, lengths: Tensor) -> Tensor:
    positions = torch.arange(source.shape[1], device=source.device)  # (S,)
    mirrored = lengths.unsqueeze(1) - 2 - positions  # (B, S)
    mirrored = torch.where(mirrored >= 0, mirrored, positions)
    return source.gather(1, mirrored)


# %% wrong: clamped at the first word
# Below zero the index is clamped to 0, so that behind each short sentence its first word is repeated
# in place of the padding. Shows for any length below S.

def reverse_source(source: Tensor, lengths: Tensor) -> Tensor:
    positions = torch.arange(source.shape[1], device=source.device)  # (S,)
    mirrored = (lengths.unsqueeze(1) - 1 - positions).clamp(min=0)
    return source.gather(1, mirrored)


# %% wrong: the padding turned as well
# The index is taken modulo S, which turns what stands in the padding round too. The same for padding of one id,
# wrong where different ids stand behind the sentence.

def reverse_source(source: Tensor, lengths: Tensor) -> Tensor:
    longest = source.shape[1]
    positions = torch.arange(longest, device=source.device)  # (S,)
    mirrored = (lengths[:, None] - 1 - positions) % longest
    return source.gather(1, mirrored)


# %% correct: sorting by the place where each token belongs

def reverse_source(source: Tensor, lengths: Tensor) -> Tensor:
    places = torch.arange(source.shape[1], device=source.device).expand_as(source)
    ends = lengths.to(source.device).reshape(-1, 1)
    belongs = torch.where(places < ends, ends - 1 - places, places)
    return source.take_along_dim(belongs.argsort(dim=1), dim=1)


# %% correct: two fingers that swap their tokens, in a copy

def reverse_source(source: Tensor, lengths: Tensor) -> Tensor:
    turned = source.clone()
    for b, length in enumerate(lengths.tolist()):
        left, right = 0, int(length) - 1
        while left < right:
            turned[b, left], turned[b, right] = source[b, right], source[b, left]
            left, right = left + 1, right - 1
    return turned
