# %% wrong: the mask of what is forbidden
# True stands where the future is. That is the mask that other libraries want, True for forbidden; here True means may
# attend.

# --- before
    return torch.ones(length, length, dtype=torch.bool).tril()
# --- after
    return torch.ones(length, length, dtype=torch.bool).triu(1)

# %% wrong: no query sees its own place
# The diagonal is left out, so query 0 has nothing at all to attend to. A query may see its own position: start from
# the diagonal.

# --- before
    return torch.ones(length, length, dtype=torch.bool).tril()
# --- after
    return torch.ones(length, length, dtype=torch.bool).tril(-1)

# %% wrong: one step into the future
# Each query sees the key that comes next: a model could copy what it is to predict. Count the diagonals again: 0 is
# the queries' own.

# --- before
    return torch.ones(length, length, dtype=torch.bool).tril()
# --- after
    return torch.ones(length, length, dtype=torch.bool).tril(1)

# %% wrong: transposed: the past is forbidden
# Rows are queries and columns are keys; here it is the other way round, and each query sees its own future. Take the
# lower triangle.

# --- before
    return torch.ones(length, length, dtype=torch.bool).tril()
# --- after
    return torch.ones(length, length, dtype=torch.bool).triu()

# %% wrong: ones and zeros in place of truth values
# The causal mask holds numbers. Masks are boolean here, so that nobody can add one to a score by mistake.

# --- before
    return torch.ones(length, length, dtype=torch.bool).tril()
# --- after
    return torch.ones(length, length).tril()

# %% wrong: one padding key too many
# The first key after the end is allowed too. Positions count from 0, so the last real one is its length less one.

# --- before
    return (positions < lengths.unsqueeze(1)).unsqueeze(1)  # (B, S) -> (B, 1, S)
# --- after
    return (positions <= lengths.unsqueeze(1)).unsqueeze(1)  # (B, S) -> (B, 1, S)

# %% wrong: True at the padding
# True stands at the padding. True means may attend: it belongs to the keys that are there.

# --- before
    return (positions < lengths.unsqueeze(1)).unsqueeze(1)  # (B, S) -> (B, 1, S)
# --- after
    return (positions >= lengths.unsqueeze(1)).unsqueeze(1)  # (B, S) -> (B, 1, S)

# %% wrong: padding without the queries' axis
# The padding mask is (B, S). Against scores (B, T, S) its B would meet the queries: put an axis of length one where
# the queries are.

# --- before
    return (positions < lengths.unsqueeze(1)).unsqueeze(1)  # (B, S) -> (B, 1, S)
# --- after
    return positions < lengths.unsqueeze(1)

# %% wrong: padding forbids queries, not keys
# The axis of length one came last, so this mask forbids whole queries and lets every key through. The keys are the
# last axis.

# --- before
    return (positions < lengths.unsqueeze(1)).unsqueeze(1)  # (B, S) -> (B, 1, S)
# --- after
    return (positions < lengths.unsqueeze(1)).unsqueeze(2)

# %% wrong: as wide as the longest sequence
# The padding mask is as wide as the longest sequence of the batch. The docstring asks for max_length keys, whatever
# the lengths are.

# --- before
    positions = torch.arange(max_length, device=lengths.device)
# --- after
    positions = torch.arange(int(lengths.max()), device=lengths.device)

# %% wrong: positions in eight bits
# Eight bits count to 255: from a length of 257 on the positions begin again at 0. Count in int64, as torch does.

# --- before
    return torch.ones(length, length, dtype=torch.bool).tril()
# --- after
    positions = torch.arange(length).to(torch.uint8)
    return positions <= positions.unsqueeze(1)

# %% correct: positions compared with positions
def causal_mask(length):
    t = torch.arange(length)
    return t[None, :] <= t[:, None]

def padding_mask(lengths, max_length):
    return torch.arange(max_length, device=lengths.device)[None, None, :] < lengths[:, None, None]

# %% correct: loops
def causal_mask(length):
    return torch.tensor([[s <= t for s in range(length)] for t in range(length)])

def padding_mask(lengths, max_length):
    rows = [[[s < n for s in range(max_length)]] for n in lengths.tolist()]
    return torch.tensor(rows, device=lengths.device)

# %% correct: the upper triangle turned round
def causal_mask(length):
    return ~torch.triu(torch.ones(length, length, dtype=torch.bool), diagonal=1)

def padding_mask(lengths, max_length):
    mask = torch.zeros(len(lengths), 1, max_length, dtype=torch.bool, device=lengths.device)
    for b, n in enumerate(lengths):
        mask[b, 0, :n] = True
    return mask

# %% correct: cumulative sums
def causal_mask(length):
    return torch.eye(length).cumsum(0).bool().mT.contiguous().mT

def padding_mask(lengths, max_length):
    ones = torch.ones(len(lengths), max_length, dtype=torch.long, device=lengths.device)
    return (ones.cumsum(1) <= lengths.view(-1, 1)).view(-1, 1, max_length)

# %% correct: tril_indices and repeat_interleave
def causal_mask(length):
    mask = torch.zeros(length, length, dtype=torch.bool)
    mask[tuple(torch.tril_indices(length, length))] = True
    return mask

def padding_mask(lengths, max_length):
    table = torch.ones(max_length + 1, max_length, dtype=torch.bool, device=lengths.device).tril(-1)
    return table[lengths].unsqueeze(1)
