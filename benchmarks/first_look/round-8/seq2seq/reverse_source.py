# %% wrong: negative places wrap round
# length - 1 - position modulo S is a fine mirror for the words, but it turns what stands behind them too.
# Shows where two different tokens stand behind a sentence.

def reverse_source(source: Tensor, lengths: Tensor) -> Tensor:
    size = source.shape[1]
    positions = torch.arange(size, device=source.device)  # (S,)
    mirrored = (lengths.unsqueeze(1) - 1 - positions) % size
    return source.gather(1, mirrored)


# %% wrong: written into the caller's source
# source[b, :n] = ... changes the argument. What is returned is right.

def reverse_source(source: Tensor, lengths: Tensor) -> Tensor:
    for b, n in enumerate(lengths.tolist()):
        source[b, :n] = source[b, :n].flip(0)
    return source


# %% wrong: the end token stays at the end
# Turns the first length - 1 tokens only, as if </s> were none of the sentence's tokens.
# Shows for every sentence of at least two tokens.

def reverse_source(source: Tensor, lengths: Tensor) -> Tensor:
    positions = torch.arange(source.shape[1], device=source.device)  # (S,)
    mirrored = lengths.unsqueeze(1) - 2 - positions
    mirrored = torch.where(mirrored >= 0, mirrored, positions)
    return source.gather(1, mirrored)


# %% wrong: padding in place of what stood behind
# Everything behind the sentence becomes PAD_ID. Shows where something else stood there.

def reverse_source(source: Tensor, lengths: Tensor) -> Tensor:
    positions = torch.arange(source.shape[1], device=source.device)  # (S,)
    mirrored = lengths.unsqueeze(1) - 1 - positions
    turned = source.gather(1, mirrored.clamp(min=0))
    return turned.masked_fill(mirrored < 0, PAD_ID)


# %% correct: sorted by a key that falls over the words and rises behind them

def reverse_source(source: Tensor, lengths: Tensor) -> Tensor:
    positions = torch.arange(source.shape[1], device=source.device).repeat(source.shape[0], 1)
    behind = positions >= lengths.view(-1, 1)
    key = torch.where(behind, positions, -1 - positions)
    return source.take_along_dim(key.argsort(dim=1), dim=1)


# %% correct: each row cut, turned and joined

def reverse_source(source: Tensor, lengths: Tensor) -> Tensor:
    rows = []
    for row, n in zip(source.unbind(0), lengths.tolist(), strict=True):
        words, behind = row[:n], row[n:]
        rows.append(torch.cat([words.flip(0), behind]))
    return torch.stack(rows)
