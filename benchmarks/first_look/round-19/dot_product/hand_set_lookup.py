# %% wrong: a fixed gain that forgets the root of d
# A score of 20 is divided by sqrt(d): enough for narrow codes, not for wide ones. Shows for codes (2, 64), the right
# score is then 2.5 and the weight 0.92.

def hand_set_lookup(codes: Tensor) -> tuple[Tensor, Tensor]:
    following = codes.roll(-1, dims=0)
    W_Q = 20.0 * following.T @ codes  # code k -> code k + 1
    W_K = torch.eye(codes.shape[1], dtype=codes.dtype, device=codes.device)
    return W_Q, W_K


# %% wrong: the last symbol finds nobody
# The sum runs over k and k + 1 up to K - 2 and K - 1 and does not go around: the query of symbol K - 1 is zero and its
# weights are equal. Shows for any K of 2 or more.

def hand_set_lookup(codes: Tensor) -> tuple[Tensor, Tensor]:
    d = codes.shape[1]
    gain = 12 * math.sqrt(d)
    W_Q = gain * sum(
        (torch.outer(codes[k + 1], codes[k]) for k in range(len(codes) - 1)),
        start=torch.zeros(d, d, dtype=codes.dtype, device=codes.device),
    )
    return W_Q, torch.eye(d, dtype=codes.dtype, device=codes.device)


# %% wrong: exactly as large as needed, by a formula that one symbol breaks
# The gain is the logarithm of 99 (K - 1): for a single code that is log(0), an error. (For others it leaves a margin.)
# Shows for codes (1, d).

def hand_set_lookup(codes: Tensor) -> tuple[Tensor, Tensor]:
    K, d = codes.shape
    # exp(g) / (exp(g) + K - 1) > 0.99, and a little more
    gain = (math.log(99 * (K - 1)) + 1) * math.sqrt(d)
    W_Q = gain * torch.roll(codes, -1, 0).T @ codes
    return W_Q, torch.eye(d, dtype=codes.dtype, device=codes.device)


# %% wrong: as if there were one wrong key
# Reads 0.99 against 0.01 as a ratio of 99 for the right key against each wrong one, not against all of them together.
# Shows for K of 3 or more: with K = 3 the weight is 0.988, with K = 10 about 0.95.

def hand_set_lookup(codes: Tensor) -> tuple[Tensor, Tensor]:
    d = codes.shape[1]
    score = math.log(99) + 0.5
    W_Q = score * math.sqrt(d) * codes.roll(-1, dims=0).T @ codes
    W_K = codes.T @ codes  # leaves the codes as they are
    return W_Q, W_K


# %% correct: both into places of their own
def hand_set_lookup(codes: Tensor) -> tuple[Tensor, Tensor]:
    # the key of symbol j is the unit vector j; the query of symbol k points along the unit vector k + 1
    K, d = codes.shape
    W_Q, W_K = codes.new_zeros(d, d), codes.new_zeros(d, d)
    W_K[:K] = codes
    for k in range(K):
        W_Q[(k + 1) % K] = codes[k] * (25.0 * d**0.5)
    return W_Q, W_K


# %% correct: the keys step back, and both share the gain
def hand_set_lookup(codes: Tensor) -> tuple[Tensor, Tensor]:
    K, d = codes.shape
    root = (16.0**2 * d) ** 0.25
    order = torch.arange(K, device=codes.device)
    # who follows whom, as a matrix: row k has its one at k + 1
    follows = (order[None, :] == (order[:, None] + 1) % K).to(codes.dtype)
    W_Q = root * torch.einsum("kd,ke->de", codes, codes)
    W_K = root * torch.einsum("kd,kj,je->de", codes, follows, codes)
    return W_Q, W_K
