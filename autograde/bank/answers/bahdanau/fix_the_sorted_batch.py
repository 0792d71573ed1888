# %% wrong: the sorting order is applied a second time
# Sorting was done once more instead of being undone: some sentences got another sentence's outputs. With two sentences
# a second swap undoes the first; with more it does not. What undoes an order is its inverse.

# --- before
    back = order.argsort()  # the inverse permutation: order[back] is 0, 1, 2, ...
# --- after
    back = order

# %% wrong: the sorted order is left
# The rows came back sorted, the longest first. Row b must belong to row b of what the caller gave.

# --- before
    return outputs[back], state[back]
# --- after
    return outputs, state

# %% wrong: only the outputs are put back
# The outputs are in their rows, but the states are still sorted: a decoder would start from another sentence's state.
# Put both back.

# --- before
    return outputs[back], state[back]
# --- after
    return outputs[back], state

# %% wrong: put back by sorting the lengths the other way
# Sorting the lengths upwards gives the reversed order, not the inverse one. The inverse says, for each of the caller's
# rows, where it went.

# --- before
    back = order.argsort()  # the inverse permutation: order[back] is 0, 1, 2, ...
# --- after
    back = lengths.argsort()

# %% wrong: the lengths are not sorted with the sentences
# The sentences were sorted but their lengths were not, so the encoder stops in the wrong places. Sort both by the same
# order.

# --- before
    outputs, state = encoder(source[order], lengths[order])
# --- after
    outputs, state = encoder(source[order], lengths)

# %% wrong: nothing is sorted
# The outputs are right, but the encoder did not get the longest sentence first, which is what this function is for.
# Sort, and put the rows back afterwards.

# --- before
    outputs, state = encoder(source[order], lengths[order])
# --- after
    outputs, state = encoder(source, lengths)
# --- before
    return outputs[back], state[back]
# --- after
    return outputs, state

# %% wrong: the shortest comes first
# The rows are back in their places, but the encoder got the shortest sentence first. It wants the longest first.

# --- before
    order = lengths.argsort(descending=True)
# --- after
    order = lengths.argsort()

# %% wrong: one sentence at a time
# The encoder was called for each sentence. That hides the bug and costs the batch: call it once, sorted, and put the
# rows back.

def encode_longest_first(encoder, source, lengths):
    results = [encoder(source[b : b + 1], lengths[b : b + 1]) for b in range(len(source))]
    return torch.cat([r[0] for r in results]), torch.cat([r[1] for r in results])

# %% correct: written into their places
def encode_longest_first(encoder, source, lengths):
    order = lengths.argsort(descending=True)
    sorted_outputs, sorted_state = encoder(source[order], lengths[order])
    outputs, state = torch.empty_like(sorted_outputs), torch.empty_like(sorted_state)
    outputs[order] = sorted_outputs
    state[order] = sorted_state
    return outputs, state

# %% correct: the inverse by counting
# --- before
    back = order.argsort()  # the inverse permutation: order[back] is 0, 1, 2, ...
# --- after
    back = torch.empty_like(order)
    back[order] = torch.arange(len(order))

# %% correct: Python's sorted and list.index
def encode_longest_first(encoder, source, lengths):
    order = sorted(range(len(lengths)), key=lambda b: -int(lengths[b]))
    outputs, state = encoder(source[order], lengths[order])
    back = [order.index(b) for b in range(len(order))]
    return outputs[back], state[back]

# %% correct: numpy
# --- before
    back = order.argsort()  # the inverse permutation: order[back] is 0, 1, 2, ...
# --- after
    back = torch.from_numpy(order.numpy().argsort())

# %% correct: a permutation matrix and its transpose
# --- before
    return outputs[back], state[back]
# --- after
    P = torch.eye(len(order), dtype=outputs.dtype)[order]
    return torch.einsum("ib,isd->bsd", P, outputs), P.T @ state
