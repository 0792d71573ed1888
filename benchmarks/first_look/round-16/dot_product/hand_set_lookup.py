# %% wrong: gain worked out from the number of rivals
# The score that K - 1 rivals with a score of 0 need is log(99 (K - 1)); for a single symbol, K = 1, that is the
# logarithm of zero and a ValueError, where the symbol should find itself.

def hand_set_lookup(codes: Tensor) -> tuple[Tensor, Tensor]:
    K, d = codes.shape
    needed = 1.1 * math.log(99 * (K - 1))
    W_Q = needed * math.sqrt(d) * codes.roll(-1, dims=0).T @ codes
    return W_Q, torch.eye(d, dtype=codes.dtype, device=codes.device)


# %% wrong: queries turned on and keys turned back
# The query of k becomes the code of k + 1, but the key of k + 1 has become the code of k: symbol k finds k + 2.
# Shows for every K above 1.

def hand_set_lookup(codes: Tensor) -> tuple[Tensor, Tensor]:
    following = codes.roll(-1, dims=0)
    gain = 20 * math.sqrt(codes.shape[1])
    W_Q = gain * following.T @ codes  # code k -> code k + 1
    W_K = codes.T @ following  # code k + 1 -> code k, so that the two meet
    return W_Q, W_K


# %% wrong: root of the number of symbols
# len(codes) is K, and the scores are divided by the root of d. Where K is far below d the score is too small: five
# symbols at a width of 600 give 20 * sqrt(5 / 600) = 1.8 and a weight of 0.61.

def hand_set_lookup(codes: Tensor) -> tuple[Tensor, Tensor]:
    gain = 20 * math.sqrt(len(codes))
    W_Q = torch.zeros(codes.shape[1], codes.shape[1], dtype=codes.dtype, device=codes.device)
    for k in range(len(codes)):
        W_Q += gain * torch.outer(codes[(k + 1) % len(codes)], codes[k])
    W_K = torch.eye(codes.shape[1], dtype=codes.dtype, device=codes.device)
    return W_Q, W_K


# %% wrong: moves the features on, not the codes
# A permutation of the coordinates takes code k to code k + 1 only where the codes are the unit vectors in order and
# K = d. Shows for codes at any other angle, and for K < d at symbol K - 1.

def hand_set_lookup(codes: Tensor) -> tuple[Tensor, Tensor]:
    d = codes.shape[1]
    one_hot = torch.eye(d, dtype=codes.dtype, device=codes.device)
    W_Q = 20 * math.sqrt(d) * one_hot.roll(1, dims=0)  # feature k becomes feature k + 1
    return W_Q, one_hot


# %% correct: both matrices read off the number of the symbol

def hand_set_lookup(codes: Tensor) -> tuple[Tensor, Tensor]:
    K, d = codes.shape
    half = (15 * d**0.5) ** 0.5  # half of the gain in each matrix
    W_Q, W_K = codes.new_zeros(d, d), codes.new_zeros(d, d)
    W_K[:K] = half * codes  # key of symbol s: half * unit vector s
    W_Q[:K] = half * codes.roll(1, dims=0)  # query of symbol k: half * unit vector k + 1
    return W_Q, W_K


# %% correct: keys turned back by a sum of outer products

def hand_set_lookup(codes: Tensor) -> tuple[Tensor, Tensor]:
    K, d = codes.shape
    W_Q = 30 * torch.eye(d, dtype=codes.dtype, device=codes.device)
    before = [codes[k - 1] for k in range(K)]  # index -1 is the last symbol
    W_K = sum(torch.outer(p, c) for p, c in zip(before, codes, strict=True)) * d**0.5
    return W_Q, W_K
