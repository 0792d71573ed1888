# %% wrong: the last symbol has no successor
# The pairs (k, k + 1) stop at K - 2, so the query of symbol K - 1 is zero and looks at all keys alike instead of at symbol 0.

def hand_set_lookup(codes: Tensor) -> tuple[Tensor, Tensor]:
    d = codes.shape[1]
    W_Q = 20 * math.sqrt(d) * codes[1:].T @ codes[:-1]
    W_K = torch.eye(d, dtype=codes.dtype, device=codes.device)
    return W_Q, W_K


# %% wrong: a hundred to one, not to each of 99
# exp(score) = 100 beats one wrong key by a hundred to one, but all of them together by 100 to K - 1: from K = 3 on the weight is
# below 0.99, at K = 100 it is one half.

def hand_set_lookup(codes: Tensor) -> tuple[Tensor, Tensor]:
    d = codes.shape[1]
    gain = math.log(100) * math.sqrt(d)
    following = torch.roll(codes, -1, dims=0)
    W_Q = gain * following.T @ codes
    W_K = torch.eye(d, dtype=codes.dtype, device=codes.device)
    return W_Q, W_K


# %% wrong: symbols taken for axes
# A cyclic shift of the identity moves axis k to axis k + 1. That is right only where symbol k's code is the k-th axis and K = d;
# codes at another angle find nothing.

def hand_set_lookup(codes: Tensor) -> tuple[Tensor, Tensor]:
    d = codes.shape[1]
    unit = torch.eye(d, dtype=codes.dtype, device=codes.device)
    W_Q = 15 * d**0.5 * unit.roll(1, dims=0)
    return W_Q, unit


# %% wrong: the gain is the smallest that will do for K symbols
# exp(score) = 99 (K - 1) is the right equation, but with a single symbol there is no wrong key, and log(0) is an error (K = 1).

def hand_set_lookup(codes: Tensor) -> tuple[Tensor, Tensor]:
    K, d = codes.shape
    score = math.log(99 * (K - 1)) + 0.5
    side = math.sqrt(score * math.sqrt(d))
    W_Q = side * codes.roll(-1, dims=0).T @ codes
    W_K = side * codes.T @ codes
    return W_Q, W_K


# %% correct: queries and keys meet on K axes of their own

def hand_set_lookup(codes: Tensor) -> tuple[Tensor, Tensor]:
    K, d = codes.shape
    side = (25 * d**0.5) ** 0.5
    empty = codes.new_zeros(d - K, d)
    W_Q = torch.cat([codes, empty]) * side  # symbol k asks on axis k
    W_K = torch.cat([codes[1:], codes[:1], empty]) * side  # symbol k + 1 answers on axis k
    return W_Q, W_K


# %% correct: the keys are turned back, by outer products

def hand_set_lookup(codes: Tensor) -> tuple[Tensor, Tensor]:
    K, d = codes.shape
    W_K = torch.zeros(d, d, dtype=codes.dtype, device=codes.device)
    for k in range(K):
        W_K = W_K + torch.outer(codes[k], codes[(k + 1) % K])  # the key of k + 1 is the code of k
    W_Q = torch.diag_embed(torch.full((d,), 18 * math.sqrt(d), dtype=codes.dtype, device=codes.device))
    return W_Q, W_K
