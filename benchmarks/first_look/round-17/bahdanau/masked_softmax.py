# %% wrong: opens the empty rows and closes them at the end
# A row that allows nothing is let see everything, so that softmax has something to do, and times zero at
# the end. Shows where a forbidden score of such a row is NaN or infinite: 0 times NaN is NaN, weights and gradient.

def masked_softmax(scores: Tensor, mask: Tensor | None) -> Tensor:
    check_mask(scores, mask)
    if mask is None:
        return torch.softmax(scores, dim=-1)
    mask = mask.expand(scores.shape)
    some = mask.any(dim=-1, keepdim=True)
    opened = mask | ~some
    return torch.softmax(scores.masked_fill(~opened, float("-inf")), dim=-1) * some

# %% wrong: fills with the smallest score less a thousand
# The minimum is taken over all scores, forbidden ones too. Shows where a forbidden score is NaN (the fill
# becomes NaN and every row with a forbidden key with it), or minus infinity beside an empty row.

def masked_softmax(scores: Tensor, mask: Tensor | None) -> Tensor:
    check_mask(scores, mask)
    if mask is None:
        return torch.softmax(scores, dim=-1)
    low = scores.detach().min() - 1000
    filled = torch.where(mask, scores, low)
    return torch.softmax(filled, dim=-1) * mask

# %% wrong: clamps the exponents against overflow
# exp of scores clamped to -60 ... 60. Shows where allowed scores lie beyond: 100 and 200 get a half each,
# and so do -100 and -200; the gradient vanishes there too.

def masked_softmax(scores: Tensor, mask: Tensor | None) -> Tensor:
    check_mask(scores, mask)
    if mask is None:
        mask = torch.ones_like(scores, dtype=torch.bool)
    exponentials = scores.masked_fill(~mask, 0.0).clamp(-60, 60).exp() * mask
    total = exponentials.sum(dim=-1, keepdim=True)
    return exponentials / torch.where(total > 0, total, torch.ones_like(total))

# %% wrong: only a mask that forbids everything is thought of
# Where the whole mask is False it gives zeros, but one empty row in a batch of others is all minus infinity
# and gives NaN. Shows for a mask such as [[True, True], [False, False]].

def masked_softmax(scores: Tensor, mask: Tensor | None) -> Tensor:
    check_mask(scores, mask)
    if mask is None:
        return torch.softmax(scores, dim=-1)
    filled = scores.masked_fill(~mask, float("-inf"))
    if not mask.any():
        return filled.masked_fill(~mask, 0.0)
    return torch.softmax(filled, dim=-1)

# %% correct: the log of the sum, folded key by key

def masked_softmax(scores: Tensor, mask: Tensor | None) -> Tensor:
    check_mask(scores, mask)
    if mask is None:
        mask = torch.ones((), dtype=torch.bool, device=scores.device)
    allowed = mask.expand(scores.shape)
    low = torch.finfo(scores.dtype).min / 4
    clean = scores.masked_fill(~allowed, low)
    clean = clean - clean.detach().amax(dim=-1, keepdim=True)
    total = torch.full_like(clean[..., 0], low)
    for j in range(clean.shape[-1]):
        total = torch.logaddexp(total, clean[..., j].masked_fill(~allowed[..., j], low))
    return (clean - total.unsqueeze(-1)).masked_fill(~allowed, low).exp().masked_fill(~allowed, 0.0)

# %% correct: row by row, the allowed keys alone

def masked_softmax(scores: Tensor, mask: Tensor | None) -> Tensor:
    check_mask(scores, mask)
    if mask is None:
        allowed = torch.ones(scores.shape, dtype=torch.bool, device=scores.device)
    else:
        allowed = mask.expand(scores.shape)
    width = scores.shape[-1]
    flat, flags = scores.reshape(-1, width), allowed.reshape(-1, width)
    rows = []
    for row, flag in zip(flat.unbind(0), flags.unbind(0), strict=True):
        places = flag.nonzero().flatten()
        empty = row.masked_fill(torch.ones_like(flag), 0.0)  # zeros that still hang on the graph
        if len(places):
            chosen = row[places]
            shares = (chosen - chosen.max().detach()).exp()
            empty = empty.index_copy(0, places, shares / shares.sum())
        rows.append(empty)
    return torch.stack(rows).reshape(scores.shape)
