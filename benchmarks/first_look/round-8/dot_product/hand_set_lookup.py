# %% wrong: the matrix for vectors that stand on the left
# codes.T @ codes.roll(-1) is right for x @ W; nn.Linear does W x, and so symbol k finds symbol k - 1. Shows for K
# of 3 and more (with one or two symbols the one before is the one after).

def hand_set_lookup(codes: Tensor) -> tuple[Tensor, Tensor]:
    gain = 20 * math.sqrt(codes.shape[1])
    W_Q = gain * codes.T @ codes.roll(-1, dims=0)
    W_K = torch.eye(codes.shape[1], dtype=codes.dtype, device=codes.device)
    return W_Q, W_K

# %% wrong: the division by the root is forgotten
# A gain of 10 would be enough for 99 wrong keys, if the scores were not divided by the root of d: for d = 64 the right score is
# 1.25, and the right key gets far less than 0.99.

def hand_set_lookup(codes: Tensor) -> tuple[Tensor, Tensor]:
    W_Q = 10 * codes.roll(-1, dims=0).T @ codes
    W_K = codes.T @ codes
    return W_Q, W_K

# %% wrong: the last symbol finds nothing
# The pairs are (0, 1) to (K - 2, K - 1); symbol K - 1, which should find symbol 0, has the query zero and weighs all keys
# alike.

def hand_set_lookup(codes: Tensor) -> tuple[Tensor, Tensor]:
    K, d = codes.shape
    W_Q = torch.zeros(d, d, dtype=codes.dtype, device=codes.device)
    for k in range(K - 1):
        W_Q = W_Q + 15 * d**0.5 * torch.outer(codes[k + 1], codes[k])
    return W_Q, torch.eye(d, dtype=codes.dtype, device=codes.device)

# %% wrong: 99 times as large as one wrong key, not as all of them
# exp(score) is a little above 99, which is 0.99 against a single wrong key. With two wrong keys it is 0.98 already, with 99 of them about
# a half.

def hand_set_lookup(codes: Tensor) -> tuple[Tensor, Tensor]:
    score = math.log(100)  # exp(score) is to be 0.99 of the whole
    W_Q = score * math.sqrt(codes.shape[1]) * codes.roll(-1, dims=0).T @ codes
    W_K = codes.T @ codes
    return W_Q, W_K

# %% correct: the query asks for itself, and each key answers for the symbol before it

def hand_set_lookup(codes: Tensor) -> tuple[Tensor, Tensor]:
    d = codes.shape[1]
    W_Q = torch.eye(d, dtype=codes.dtype, device=codes.device) * 5
    before = torch.cat([codes[-1:], codes[:-1]])  # row k is the code of symbol k - 1
    W_K = 4 * d**0.5 * torch.einsum("ki,kj->ij", before, codes)
    return W_Q, W_K

# %% correct: symbols become axes

def hand_set_lookup(codes: Tensor) -> tuple[Tensor, Tensor]:
    K, d = codes.shape
    size = (16 * math.sqrt(d)) ** 0.5
    rest = codes.new_zeros(d - K, d)
    rows = list(size * codes)  # row i answers "is it symbol i?"
    W_K = torch.vstack([*rows, rest])
    W_Q = torch.vstack([*(rows[i - 1] for i in range(K)), rest])  # row i answers "is it the symbol before i?"
    return W_Q, W_K
