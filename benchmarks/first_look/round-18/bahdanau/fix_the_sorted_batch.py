# %% wrong: sorted back by rising length
# back sorts by rising length: wrong unless the caller came in that order.

def encode_longest_first(encoder, source: Tensor, lengths: Tensor) -> tuple[Tensor, Tensor]:
    order = lengths.argsort(descending=True)
    outputs, state = encoder(source[order], lengths[order])
    back = lengths.argsort()
    return outputs[back], state[back]

# %% wrong: only the outputs go back
# The state stays in the sorted order: wrong for any batch that was not sorted.

def encode_longest_first(encoder, source: Tensor, lengths: Tensor) -> tuple[Tensor, Tensor]:
    order = lengths.argsort(descending=True)
    outputs, state = encoder(source[order], lengths[order])
    back = order.argsort()
    return outputs[back], state

# %% wrong: flipped back
# Assumes the sorting reversed the batch: right for rising lengths only.

def encode_longest_first(encoder, source: Tensor, lengths: Tensor) -> tuple[Tensor, Tensor]:
    order = lengths.argsort(descending=True)
    outputs, state = encoder(source[order], lengths[order])
    return outputs.flip(0), state.flip(0)

# %% wrong: scattered in place
# Writes outputs in place, row by row: it changes what the encoder gave, and overwrites rows before they are read.

def encode_longest_first(encoder, source: Tensor, lengths: Tensor) -> tuple[Tensor, Tensor]:
    order = lengths.argsort(descending=True)
    outputs, state = encoder(source[order], lengths[order])
    for i, b in enumerate(order.tolist()):
        outputs[b], state[b] = outputs[i].clone(), state[i].clone()
    return outputs, state

# %% correct: rows put where they belong

def encode_longest_first(encoder, source: Tensor, lengths: Tensor) -> tuple[Tensor, Tensor]:
    order = lengths.argsort(descending=True)
    outputs, state = encoder(source[order], lengths[order])
    rows = dict(zip(order.tolist(), range(len(order)), strict=True))
    places = [rows[b] for b in range(len(order))]
    return (torch.stack([outputs[p] for p in places]), torch.stack([state[p] for p in places]))

# %% correct: a permutation matrix of comparisons

def encode_longest_first(encoder, source: Tensor, lengths: Tensor) -> tuple[Tensor, Tensor]:
    order = torch.tensor(sorted(range(len(lengths)), key=lambda b: -int(lengths[b])), device=source.device)
    outputs, state = encoder(source.index_select(0, order), lengths[order.to(lengths.device)])
    back = (order.unsqueeze(0) == torch.arange(len(order), device=order.device).unsqueeze(1)).int().argmax(dim=1)
    return outputs.index_select(0, back), state.index_select(0, back)

