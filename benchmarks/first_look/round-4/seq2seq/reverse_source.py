# %% wrong: the caller's source is turned in place
# Each row is turned round rightly, but written back into the tensor that was handed in, so the caller's sentences are
# turned round as well.
# Hint: call it and print the source that you handed in.

def reverse_source(source: Tensor, lengths: Tensor) -> Tensor:
    for row, length in enumerate(lengths.tolist()):
        source[row, :length] = source[row, :length].flip(0)
    return source


# %% wrong: zeros behind the sentences
# It writes the turned tokens into zeros; what stood behind them before is lost wherever that was not the id 0.
# Hint: try a batch that is padded with 9; what does the docstring say about the places behind the real tokens?

def reverse_source(source: Tensor, lengths: Tensor) -> Tensor:
    reversed_source = torch.zeros_like(source)
    for b in range(source.shape[0]):
        n = int(lengths[b])
        reversed_source[b, :n] = torch.flip(source[b, :n], dims=[0])
    return reversed_source


# %% wrong: the end token is kept at the end
# It turns the words only and leaves the last real token where it is; the end token is one of the tokens and has to come
# to the front.
# Hint: read the bracket before the exercise: which token should stand first?

def reverse_source(source: Tensor, lengths: Tensor) -> Tensor:
    positions = torch.arange(source.shape[1], device=source.device)  # (S,)
    mirrored = lengths.unsqueeze(1) - 2 - positions  # (B, S), the end token stays
    mirrored = torch.where(mirrored >= 0, mirrored, positions)
    return source.gather(1, mirrored)


# %% wrong: a slice with a negative step
# This is how a list or a NumPy array is turned round; a tensor refuses a negative step with a ValueError.
# Hint: which method of a tensor turns an axis round?

def reverse_source(source: Tensor, lengths: Tensor) -> Tensor:
    turned = source.clone()
    for b, length in enumerate(lengths.tolist()):
        turned[b, :length] = source[b, :length][::-1]
    return turned


# %% wrong: places behind the sentence are clamped to the first token
# Each row now has its own length, but a negative place becomes 0, so the padding is filled with copies of the first word.
# Hint: print what stands behind the real tokens of the shortest row, before and after.

def reverse_source(source: Tensor, lengths: Tensor) -> Tensor:
    positions = torch.arange(source.shape[1], device=source.device)  # (S,)
    mirrored = (lengths.unsqueeze(1) - 1 - positions).clamp(min=0)  # (B, S)
    return source.gather(1, mirrored)


# %% correct: one sentence after the other into a copy

def reverse_source(source: Tensor, lengths: Tensor) -> Tensor:
    turned = source.clone()
    for row, length in enumerate(lengths.tolist()):
        turned[row, :length] = source[row, :length].flip(0)
    return turned


# %% correct: every token sent to its new place

def reverse_source(source: Tensor, lengths: Tensor) -> Tensor:
    here = torch.arange(source.shape[1], device=source.device).expand(source.shape)  # (B, S)
    ends = lengths.to(source.device)[:, None]  # (B, 1)
    there = here + (here < ends) * (ends - 1 - 2 * here)  # length - 1 - here for real tokens, here for the rest
    return torch.empty_like(source).scatter_(1, there, source)
