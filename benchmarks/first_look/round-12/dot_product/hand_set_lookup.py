# %% wrong: a gain without the root
# The right score is 20 before it is divided by the root of d: the wider the codes, the less is left.
# Shows for many symbols in wide codes: with d = 600 the score is 0.8, and with K = 100 the weight 0.02.

def hand_set_lookup(codes: Tensor) -> tuple[Tensor, Tensor]:
    following = codes.roll(-1, dims=0)
    W_Q = 20.0 * following.T @ codes  # sends each code to the next
    W_K = torch.eye(codes.shape[1], dtype=codes.dtype, device=codes.device)
    return W_Q, W_K

# %% wrong: the previous symbol is found
# roll(1) puts the symbol before in each row: symbol k finds k - 1.
# Shows for every K above 2.

def hand_set_lookup(codes: Tensor) -> tuple[Tensor, Tensor]:
    d = codes.shape[1]
    gain = 12 * math.sqrt(d)
    W_Q = gain * codes.roll(1, dims=0).T @ codes
    W_K = codes.T @ codes
    return W_Q, W_K

# %% wrong: the last symbol finds nothing
# The sum runs over the pairs of neighbours and has no term for the step from symbol K - 1 back to 0.
# Shows for symbol K - 1: its query is zero and its weights are all equal (K = 2 and more).

def hand_set_lookup(codes: Tensor) -> tuple[Tensor, Tensor]:
    K, d = codes.shape
    gain = 15 * math.sqrt(d)
    W_Q = torch.zeros(d, d, dtype=codes.dtype, device=codes.device)
    for k in range(K - 1):
        W_Q += gain * torch.outer(codes[k + 1], codes[k])
    if K == 1:
        W_Q += gain * torch.outer(codes[0], codes[0])
    return W_Q, torch.eye(d, dtype=codes.dtype, device=codes.device)

# %% wrong: made for one-hot codes
# W_Q shifts coordinates by one, which is right where symbol k is the k-th unit vector and K = d; the codes are not used.
# Shows for codes at any other angle, and for one-hot codes with K below d.

def hand_set_lookup(codes: Tensor) -> tuple[Tensor, Tensor]:
    d = codes.shape[1]
    identity = torch.eye(d, dtype=codes.dtype, device=codes.device)
    W_Q = 12 * math.sqrt(d) * identity.roll(1, dims=0)  # sends unit vector k to k + 1
    return W_Q, identity

# %% correct: both map to places in a list

# Keys become unit vectors of their symbol's number, queries those of the next number, with the gain split between both.

def hand_set_lookup(codes: Tensor) -> tuple[Tensor, Tensor]:
    K, d = codes.shape
    gain = math.sqrt(16 * math.sqrt(d))
    rows = F.pad(codes, (0, 0, 0, d - K))  # (d, d): row k reads off how much of symbol k there is
    asked_by = F.pad(torch.cat([codes[-1:], codes[:-1]]), (0, 0, 0, d - K))
    return gain * asked_by, gain * rows

# %% correct: the step backwards on the side of the keys

# The query of a symbol is its own code; each key is turned back to the code of the symbol before it.

def hand_set_lookup(codes: Tensor) -> tuple[Tensor, Tensor]:
    K, d = codes.shape
    W_K = codes.new_zeros(d, d)
    for k in range(K):
        W_K = W_K.addr(codes[k], codes[(k + 1) % K])  # + codes[k] (outer product) codes[k + 1]
    W_Q = (math.log(99 * 99) + 6) * d**0.5 * torch.eye(d, dtype=codes.dtype, device=codes.device)
    return W_Q, W_K
