# %% wrong: a score worked out from the number of wrong keys
# The score is log(99 (K - 1)) and a bit, exact for K - 1 wrong keys. With a single code there is no wrong key, and the
# logarithm of 0 raises an error.

def hand_set_lookup(codes: Tensor) -> tuple[Tensor, Tensor]:
    K, d = codes.shape
    score = math.log(99 * (K - 1)) + 0.5
    W_Q = score * math.sqrt(d) * codes.roll(-1, dims=0).T @ codes
    return W_Q, torch.eye(d, dtype=codes.dtype, device=codes.device)


# %% wrong: 99 times one wrong key, not all of them
# The right key's exponential is 110 times that of ONE wrong key. With K - 1 wrong keys they share more than a hundredth:
# from K = 3 on the weight is below 0.99 (at K = 100 it is about a half).

def hand_set_lookup(codes: Tensor) -> tuple[Tensor, Tensor]:
    d = codes.shape[1]
    score = math.log(110)  # e^0 = 1 against 110: more than 99 to 1
    next_codes = torch.cat([codes[1:], codes[:1]])
    W_Q = score * d**0.5 * (next_codes.T @ codes)
    W_K = codes.T @ codes
    return W_Q, W_K


# %% wrong: symbols taken for one-hot
# W_Q shifts the coordinates by one place, which takes code k to code k + 1 only if the codes are the first K unit vectors
# and K = d. Codes at any other angle, or K < d (the last symbol finds nothing), show it.

def hand_set_lookup(codes: Tensor) -> tuple[Tensor, Tensor]:
    K, d = codes.shape
    shift = torch.eye(d, dtype=codes.dtype, device=codes.device).roll(1, dims=0)
    return 20 * math.sqrt(d) * shift, torch.eye(d, dtype=codes.dtype, device=codes.device)


# %% wrong: both sides move, and they meet two further on
# The query of k is the code of k + 1, and the key of s is the code of s - 1, "so that they meet": k finds k + 2. Shows for
# every K other than 1.

def hand_set_lookup(codes: Tensor) -> tuple[Tensor, Tensor]:
    sharp = math.sqrt(20 * math.sqrt(codes.shape[1]))
    forward = codes.roll(-1, dims=0).T @ codes  # takes code k to code k + 1
    backward = codes.roll(1, dims=0).T @ codes  # takes code s to code s - 1
    return sharp * forward, sharp * backward


# %% correct: outer products one by one, set on the keys' side

def hand_set_lookup(codes: Tensor) -> tuple[Tensor, Tensor]:
    K, d = codes.shape
    W_K = torch.zeros(d, d, dtype=codes.dtype, device=codes.device)
    for k in range(K):
        # the key of symbol k + 1 is the code of symbol k, which asks for it
        W_K = W_K + torch.outer(codes[k], codes[(k + 1) % K])
    half = (12 * math.sqrt(d)) ** 0.5
    return half * torch.eye(d, dtype=codes.dtype, device=codes.device), half * W_K


# %% correct: coordinates by pseudo-inverse, and a permutation matrix between

def hand_set_lookup(codes: Tensor) -> tuple[Tensor, Tensor]:
    K, d = codes.shape
    coordinates = torch.linalg.pinv(codes).T  # (K, d): which symbols are in a vector
    permutation = torch.zeros(K, K, dtype=codes.dtype, device=codes.device)
    now = torch.arange(K, device=codes.device)
    permutation[(now + 1) % K, now] = 1.0
    W_Q = torch.zeros(d, d, dtype=codes.dtype, device=codes.device)
    W_K = torch.zeros_like(W_Q)
    W_Q[:K] = 15 * d**0.5 * (permutation @ coordinates)
    W_K[:K] = coordinates
    return W_Q, W_K
