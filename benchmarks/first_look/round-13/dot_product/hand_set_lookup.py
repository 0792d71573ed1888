# %% wrong: the symbol before
# The shift goes the wrong way: the query of symbol k is the code of k - 1. Shows for three symbols or more (with one or two,
# before and after are the same).

def hand_set_lookup(codes: Tensor) -> tuple[Tensor, Tensor]:
    d = codes.shape[1]
    wanted = codes.roll(1, dims=0)
    W_Q = 20 * math.sqrt(d) * wanted.T @ codes
    W_K = torch.eye(d, dtype=codes.dtype, device=codes.device)
    return W_Q, W_K

# %% wrong: the last symbol finds nothing
# The sum of outer products runs over k and k + 1 and ends before it closes the circle: the query of symbol K - 1 is zero, and its
# weights are even. With K = 1 that is right by chance; it shows for K > 1.

def hand_set_lookup(codes: Tensor) -> tuple[Tensor, Tensor]:
    d = codes.shape[1]
    W_Q = codes[1:].T @ codes[:-1] * (30 * d**0.5)
    W_K = torch.eye(d, dtype=codes.dtype, device=codes.device)
    return W_Q, W_K

# %% wrong: large enough for one wrong key
# A score of log 99 gives 0.99 against a single key with score 0. Against more the wrong ones share more than a hundredth:
# K = 3 gives 0.98, K = 100 gives 0.5.

def hand_set_lookup(codes: Tensor) -> tuple[Tensor, Tensor]:
    d = codes.shape[1]
    gain = math.log(99) * math.sqrt(d)
    W_Q = gain * codes.roll(-1, dims=0).T @ codes
    W_K = codes.T @ codes
    return W_Q, W_K

# %% wrong: as if the codes were the axes
# A shifted identity matrix turns axis k into axis k + 1. That fits one-hot codes with K = d; codes at any other angle, or fewer of
# them than d, are led elsewhere.

def hand_set_lookup(codes: Tensor) -> tuple[Tensor, Tensor]:
    d = codes.shape[1]
    identity = torch.eye(d, dtype=codes.dtype, device=codes.device)
    return 20 * math.sqrt(d) * identity.roll(1, dims=0), identity

# %% correct: both maps lead to one-hot vectors

def hand_set_lookup(codes: Tensor) -> tuple[Tensor, Tensor]:
    count, d = codes.shape
    gain = 16 * d**0.5
    # row j of W_K asks "am I symbol j?", row j of W_Q asks "am I the one before j?"
    W_K = F.pad(codes, (0, 0, 0, d - count))
    before = torch.cat([codes[-1:], codes[:-1]])
    W_Q = F.pad(gain * before, (0, 0, 0, d - count))
    return W_Q, W_K

# %% correct: a sum of outer products on the side of the key

def hand_set_lookup(codes: Tensor) -> tuple[Tensor, Tensor]:
    count, d = codes.shape
    share = (25.0 * d**0.5) ** 0.5  # half of the gain to each matrix
    W_Q = torch.zeros(d, d, dtype=codes.dtype, device=codes.device)
    W_K = torch.zeros_like(W_Q)
    for k in range(count):
        W_Q = W_Q + share * torch.outer(codes[k], codes[k])
        W_K = W_K + share * torch.outer(codes[k], codes[(k + 1) % count])
    return W_Q, W_K
