# %% wrong: the gain counts one rival only
# log(99) makes the right key 99 times as heavy as one wrong key, not as all of them together. With two symbols it is enough
# (just), with 100 the right key gets half of the weight.

def hand_set_lookup(codes: Tensor) -> tuple[Tensor, Tensor]:
    width = codes.shape[1]
    gain = (math.log(99) + 0.1) * math.sqrt(width)
    following = codes.roll(-1, dims=0)
    return gain * following.T @ codes, torch.eye(width, dtype=codes.dtype, device=codes.device)

# %% wrong: the gain is reckoned from the number of rivals, and one symbol has none
# The logarithm of 99 times the number of wrong keys: with a single code that is log(0), a ValueError. All other numbers of
# symbols are right.

def hand_set_lookup(codes: Tensor) -> tuple[Tensor, Tensor]:
    count, width = codes.shape
    gain = (math.log(99 * (count - 1)) + 1) * math.sqrt(width)
    following = torch.cat([codes[1:], codes[:1]])
    W_Q = gain * sum(torch.outer(b, a) for a, b in zip(codes, following, strict=True))
    return W_Q, torch.eye(width, dtype=codes.dtype, device=codes.device)

# %% wrong: the last symbol finds nobody
# Codes 1 to K - 1 are paired with codes 0 to K - 2, and the pair (K - 1, 0) is missing: the query of the last symbol is zero and its
# weights are even. Shows for K of 2 and more.

def hand_set_lookup(codes: Tensor) -> tuple[Tensor, Tensor]:
    width = codes.shape[1]
    gain = 20 * math.sqrt(width)
    W_Q = gain * codes[1:].T @ codes[:-1]
    W_K = torch.eye(width, dtype=codes.dtype, device=codes.device)
    return W_Q, W_K

# %% wrong: the features are moved on by one, not the codes
# A shift of the d features takes the code of k to that of k + 1 where the codes are the rows of the identity matrix and K equals d. Codes
# at another angle, or K below d, are not found.

def hand_set_lookup(codes: Tensor) -> tuple[Tensor, Tensor]:
    width = codes.shape[1]
    identity = torch.eye(width, dtype=codes.dtype, device=codes.device)
    gain = 20 * math.sqrt(width)
    return gain * identity.roll(1, dims=0), identity

# %% correct: both sides speak in numbers of symbols

def hand_set_lookup(codes: Tensor) -> tuple[Tensor, Tensor]:
    count, width = codes.shape
    W_Q, W_K = codes.new_zeros(width, width), codes.new_zeros(width, width)
    W_K[:count] = codes  # key of s: one-hot at s
    for k in range(count):
        W_Q[(k + 1) % count] = codes[k] * (16 * width**0.5)  # query of k: one-hot at its follower
    return W_Q, W_K

# %% correct: the keys move back, and the gain is shared

def hand_set_lookup(codes: Tensor) -> tuple[Tensor, Tensor]:
    count, width = codes.shape
    gain = 12.0 * width**0.5
    before = codes[[k - 1 for k in range(count)]]  # of symbol s: the symbol that looks for it
    W_K = torch.einsum("kd,ke->de", before, codes) * gain**0.5
    W_Q = torch.einsum("kd,ke->de", codes, codes) * gain**0.5  # what lies outside the codes is dropped
    return W_Q, W_K
