# %% wrong: matrices for x @ W
# The sum of outer products is built for row vectors, x @ W: as nn.Linear holds it, W x asks the other way round, and symbol k
# finds k - 1. Shows for K of 3 and more.

def hand_set_lookup(codes: Tensor) -> tuple[Tensor, Tensor]:
    K, d = codes.shape
    following = codes.roll(-1, dims=0)  # row k: the code of k + 1
    W_Q = 20 * math.sqrt(d) * codes.T @ following
    return W_Q, torch.eye(d, dtype=codes.dtype)


# %% wrong: the root of d forgotten
# The right score is 10 before the division by the root of d, and only 10 / sqrt(d) behind it. Shows for wide codes: at d = 64
# the score is 1.25.

def hand_set_lookup(codes: Tensor) -> tuple[Tensor, Tensor]:
    W_Q = 10 * torch.roll(codes, -1, dims=0).T @ codes
    W_K = codes.T @ codes
    return W_Q, W_K


# %% wrong: the last symbol finds nothing
# Pairs (k, k + 1) for k up to K - 2 only: the query of symbol K - 1 is zero and its weights are all alike. Shows for symbol
# K - 1 with any K above 1.

def hand_set_lookup(codes: Tensor) -> tuple[Tensor, Tensor]:
    d = codes.shape[1]
    W_Q = torch.zeros(d, d, dtype=codes.dtype)
    for k in range(len(codes) - 1):
        W_Q += torch.outer(codes[k + 1], codes[k])
    W_K = 12 * d**0.5 * torch.eye(d, dtype=codes.dtype)
    return W_Q, W_K


# %% wrong: score of log 99
# e to the score is made 99, as if a hundredth were one against 99: among n keys the right one gets 99 / (99 + n - 1). Enough for
# one key or (but for rounding) two; at K = 100 it gets a half.

def hand_set_lookup(codes: Tensor) -> tuple[Tensor, Tensor]:
    d = codes.shape[1]
    gain = math.log(99) * math.sqrt(d)
    W_Q = gain * codes.roll(-1, 0).T @ codes
    W_K = torch.eye(d, dtype=codes.dtype, device=codes.device)
    return W_Q, W_K


# %% correct: coordinates, one for each symbol

def hand_set_lookup(codes: Tensor) -> tuple[Tensor, Tensor]:
    K, d = codes.shape
    W_Q, W_K = codes.new_zeros(d, d), codes.new_zeros(d, d)
    W_Q[:K] = codes  # symbol k asks with the unit vector of place k
    W_K[:K] = codes[[*range(1, K), 0]]  # symbol k + 1 answers to it
    size = (15 * d**0.5) ** 0.5
    return size * W_Q, size * W_K


# %% correct: the shift put into the keys, one step back

def hand_set_lookup(codes: Tensor) -> tuple[Tensor, Tensor]:
    width = codes.shape[1]
    back = torch.linalg.pinv(codes).matmul(codes.roll(1, 0)).T  # takes code k + 1 to code k
    W_K = back * (14 * width**0.5)
    return torch.eye(width, dtype=codes.dtype, device=codes.device), W_K
