# %% wrong: the end token stays at the end
# Only the words are turned and the last real token keeps its place; asked is that all real tokens are turned, the end token with them.

def reverse_source(source: Tensor, lengths: Tensor) -> Tensor:
    """Turn each sentence round, as Sutskever et al. (2014) fed theirs to the encoder.

    source (B, S) token ids padded at the right, lengths (B,), each from 1 to S. Returns (B, S):
    the real tokens of each row in reverse order, and behind them what stood behind them before.
    The caller's source is left as it was.
    """
    positions = torch.arange(source.shape[1], device=source.device)  # (S,)
    mirrored = lengths.unsqueeze(1) - 2 - positions  # the end token stands at lengths - 1
    mirrored = torch.where(mirrored >= 0, mirrored, positions)
    return source.gather(1, mirrored)


# %% wrong: a strict comparison keeps one token in place
# mirrored > 0 in place of >= 0: at the last real place, where the first token belongs, the old last token stays and so stands there twice.

def reverse_source(source: Tensor, lengths: Tensor) -> Tensor:
    """Turn each sentence round, as Sutskever et al. (2014) fed theirs to the encoder.

    source (B, S) token ids padded at the right, lengths (B,), each from 1 to S. Returns (B, S):
    the real tokens of each row in reverse order, and behind them what stood behind them before.
    The caller's source is left as it was.
    """
    positions = torch.arange(source.shape[1], device=source.device)  # (S,)
    mirrored = lengths[:, None] - 1 - positions[None, :]
    mirrored = torch.where(mirrored > 0, mirrored, positions)
    return source.gather(1, mirrored)


# %% wrong: flipped as a whole and rolled back
# Flip the row and roll it by its length: right while the padding is one id all over, but what stood behind the sentence comes out reversed.

def reverse_source(source: Tensor, lengths: Tensor) -> Tensor:
    """Turn each sentence round, as Sutskever et al. (2014) fed theirs to the encoder.

    source (B, S) token ids padded at the right, lengths (B,), each from 1 to S. Returns (B, S):
    the real tokens of each row in reverse order, and behind them what stood behind them before.
    The caller's source is left as it was.
    """
    rows = []
    for row, n in zip(source, lengths.tolist()):
        rows.append(row.flip(0).roll(n))
    return torch.stack(rows)


# %% wrong: the rest is filled with padding anew
# Behind the sentence PAD_ID is written instead of what stood there before; with another padding id, or other tokens, the rest is lost.

def reverse_source(source: Tensor, lengths: Tensor) -> Tensor:
    """Turn each sentence round, as Sutskever et al. (2014) fed theirs to the encoder.

    source (B, S) token ids padded at the right, lengths (B,), each from 1 to S. Returns (B, S):
    the real tokens of each row in reverse order, and behind them what stood behind them before.
    The caller's source is left as it was.
    """
    turned = torch.full_like(source, PAD_ID)
    for i in range(source.shape[0]):
        n = int(lengths[i])
        turned[i, :n] = torch.flip(source[i, :n], dims=(0,))
    return turned


# %% wrong: rows of the source turned in place
# unbind gives views of the caller's source: the flipped tokens are written into it, and it does not stay as it was.

def reverse_source(source: Tensor, lengths: Tensor) -> Tensor:
    """Turn each sentence round, as Sutskever et al. (2014) fed theirs to the encoder.

    source (B, S) token ids padded at the right, lengths (B,), each from 1 to S. Returns (B, S):
    the real tokens of each row in reverse order, and behind them what stood behind them before.
    The caller's source is left as it was.
    """
    rows = list(source.unbind(0))
    for row, length in zip(rows, lengths):
        row[:length] = row[:length].flip(0)
    return torch.stack(rows)


# %% correct: sorted by a key that falls and then rises

def reverse_source(source: Tensor, lengths: Tensor) -> Tensor:
    """Turn each sentence round, as Sutskever et al. (2014) fed theirs to the encoder.

    source (B, S) token ids padded at the right, lengths (B,), each from 1 to S. Returns (B, S):
    the real tokens of each row in reverse order, and behind them what stood behind them before.
    The caller's source is left as it was.
    """
    place = torch.arange(source.shape[1], device=source.device).expand_as(source)
    behind = place >= lengths.to(source.device).unsqueeze(1)
    key = torch.where(behind, place, -place)  # real tokens: the last first
    return torch.take_along_dim(source, key.argsort(dim=1), dim=1)


# %% correct: two pointers meeting in a copy

def reverse_source(source: Tensor, lengths: Tensor) -> Tensor:
    """Turn each sentence round, as Sutskever et al. (2014) fed theirs to the encoder.

    source (B, S) token ids padded at the right, lengths (B,), each from 1 to S. Returns (B, S):
    the real tokens of each row in reverse order, and behind them what stood behind them before.
    The caller's source is left as it was.
    """
    turned = source.clone()
    for row in range(source.shape[0]):
        left, right = 0, int(lengths[row]) - 1
        while left < right:
            turned[row, left], turned[row, right] = source[row, right], source[row, left]
            left, right = left + 1, right - 1
    return turned
