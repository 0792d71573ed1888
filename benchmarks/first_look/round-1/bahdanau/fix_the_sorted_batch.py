# %% wrong: the order turned round
# order.flip(0) is no way back; right only for a batch of two (or of one). A good message: "right for two sentences, wrong for three: the inverse of a permutation is not its reverse".

def encode_longest_first(encoder, source: Tensor, lengths: Tensor) -> tuple[Tensor, Tensor]:
    order = lengths.argsort(descending=True)
    outputs, state = encoder(source[order], lengths[order])
    back = order.flip(0)
    return outputs[back], state[back]

# %% wrong: one sentence at a time
# Gets round the problem by running the encoder once for each row: B calls in place of one, and with sentences of different lengths nothing was sorted. A good message: "the encoder was called B times: once, with the rows sorted".

def encode_longest_first(encoder, source: Tensor, lengths: Tensor) -> tuple[Tensor, Tensor]:
    rows = [encoder(source[b : b + 1], lengths[b : b + 1]) for b in range(len(source))]
    return torch.cat([outputs for outputs, _ in rows]), torch.cat([state for _, state in rows])

# %% wrong: the inverse filled from the wrong side
# back[i] = order[i] for all i, which is order again; what was meant is back[order[i]] = i. Only permutations that are their own inverse come out right. A good message: "three in a circle come back wrong: back[order] = arange".

def encode_longest_first(encoder, source: Tensor, lengths: Tensor) -> tuple[Tensor, Tensor]:
    order = lengths.argsort(descending=True)
    outputs, state = encoder(source[order], lengths[order])
    back = torch.empty_like(order)
    back[torch.arange(len(order))] = order
    return outputs[back], state[back]

# %% wrong: the outputs mended, the state not
# Only the outputs go back into the caller's order; the state stays sorted. A good message: "outputs are right; state row b belongs to another sentence".

def encode_longest_first(encoder, source: Tensor, lengths: Tensor) -> tuple[Tensor, Tensor]:
    order = lengths.argsort(descending=True)
    outputs, state = encoder(source[order], lengths[order])
    return outputs[order.argsort()], state

# %% correct: written to where the rows came from

def encode_longest_first(encoder, source: Tensor, lengths: Tensor) -> tuple[Tensor, Tensor]:
    order = sorted(range(len(lengths)), key=lengths.tolist().__getitem__, reverse=True)
    results = []
    for sorted_rows in encoder(source[order], lengths[order]):
        rows = torch.empty_like(sorted_rows)
        rows[order] = sorted_rows
        results.append(rows)
    return tuple(results)
