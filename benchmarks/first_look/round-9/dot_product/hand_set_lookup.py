# %% wrong: the order of the product
# codes.T @ rolled maps symbol k + 1 to the code of symbol k, so k finds k - 1: the matrix is the transposed one.
# Shows for K above 2.

def hand_set_lookup(codes: Tensor) -> tuple[Tensor, Tensor]:
    d = codes.shape[1]
    rolled = torch.roll(codes, -1, dims=0)  # row k holds the code of k + 1
    W_Q = 20 * math.sqrt(d) * codes.T @ rolled
    W_K = torch.eye(d, dtype=codes.dtype, device=codes.device)
    return W_Q, W_K

# %% wrong: a gain for one wrong key
# A score of log 99 gives 0.99 against a single wrong key; against many, each adds its exp(0) = 1.
# Shows for K = 100: about 0.5 on the right key.

def hand_set_lookup(codes: Tensor) -> tuple[Tensor, Tensor]:
    K, d = codes.shape
    gain = math.sqrt(d) * (math.log(99) + 0.01)
    W_Q = gain * codes[(torch.arange(K, device=codes.device) + 1) % K].T @ codes
    W_K = torch.eye(d, dtype=codes.dtype, device=codes.device)
    return W_Q, W_K

# %% wrong: the last symbol finds nobody
# Sums over the pairs (k, k + 1) without the one that closes the circle.
# Shows for symbol K - 1: its query is zero and its weights are all equal (and for K = 1 that happens to be right).

def hand_set_lookup(codes: Tensor) -> tuple[Tensor, Tensor]:
    K, d = codes.shape
    W_Q = codes.new_zeros(d, d)
    for k in range(K - 1):
        W_Q += torch.outer(codes[k + 1], codes[k])
    return 15 * math.sqrt(d) * W_Q, torch.eye(d).to(codes)

# %% wrong: thinks of one-hot codes
# Shifts the axes of the space by one place, which turns symbol k into k + 1 only where code k is the k-th unit vector.
# Shows for codes that are any other orthonormal rows; and for unit vectors with K below d the last one finds nobody.

def hand_set_lookup(codes: Tensor) -> tuple[Tensor, Tensor]:
    d = codes.shape[1]
    identity = torch.eye(d, dtype=codes.dtype, device=codes.device)
    W_Q = 20 * d**0.5 * identity.roll(1, dims=0)  # column k has its one in row k + 1
    return W_Q, identity

# %% correct: both speak in numbers of symbols

def hand_set_lookup(codes: Tensor) -> tuple[Tensor, Tensor]:
    K, d = codes.shape
    below = codes.new_zeros(d - K, d)
    W_Q = torch.cat([codes, below]) * (16 * d**0.5)  # symbol k asks with the unit vector k
    W_K = torch.cat([codes[1:], codes[:1], below])  # symbol k + 1 is found by the unit vector k
    return W_Q, W_K

# %% correct: the keys step back, pair by pair

def hand_set_lookup(codes: Tensor) -> tuple[Tensor, Tensor]:
    K, d = codes.shape
    project, step_back = codes.new_zeros(d, d), codes.new_zeros(d, d)
    for k in range(K):
        project = project + torch.outer(codes[k], codes[k])
        step_back = step_back + torch.outer(codes[k - 1], codes[k])
    half = math.sqrt(14 * math.sqrt(d))
    return half * project, half * step_back
