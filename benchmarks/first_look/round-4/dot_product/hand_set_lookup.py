# %% wrong: the matrix is set for row vectors
# W_Q is written so that x @ W_Q gives the code of the next symbol. nn.Linear multiplies by the transposed matrix, so symbol k finds symbol k - 1.
# Hint: compute W_Q @ codes[0] and see which code it is.

def hand_set_lookup(codes: Tensor) -> tuple[Tensor, Tensor]:
    K, d = codes.shape
    following = torch.roll(codes, -1, dims=0)
    W_Q = 30 * d**0.5 * codes.T @ following
    W_K = torch.eye(d, dtype=codes.dtype, device=codes.device)
    return W_Q, W_K


# %% wrong: the division by the root is forgotten
# The right score is ten before the division by the root of d. With wide codes little of it is left, and the other keys keep much of the weight.
# Hint: what is the score of the right key after the division, for d = 64?

def hand_set_lookup(codes: Tensor) -> tuple[Tensor, Tensor]:
    following = codes.roll(-1, 0)
    W_Q = 10 * following.T @ codes
    W_K = codes.T @ codes
    return W_Q, W_K


# %% wrong: the last symbol asks for nothing
# The pairs go from symbol 0 to symbol K - 2. The query of the last symbol is zero, so that it finds all the keys alike instead of symbol 0.
# Hint: look at the weights of the last symbol.

def hand_set_lookup(codes: Tensor) -> tuple[Tensor, Tensor]:
    d = codes.shape[1]
    W_Q = torch.zeros(d, d, dtype=codes.dtype, device=codes.device)
    for this_one, next_one in zip(codes[:-1], codes[1:]):
        W_Q += 25 * d**0.5 * torch.outer(next_one, this_one)
    W_K = torch.eye(d, dtype=codes.dtype, device=codes.device)
    return W_Q, W_K


# %% wrong: the gain is enough for sixteen symbols
# The right score is eight after the division. Against fifteen wrong keys that is enough for 0.99, against 99 of them it is not.
# Hint: how much weight is left for the right key among a hundred, with a score of 8 against 99 scores of 0?

def hand_set_lookup(codes: Tensor) -> tuple[Tensor, Tensor]:
    d = codes.shape[1]
    W_Q = 8 * math.sqrt(d) * (torch.roll(codes, -1, dims=0).T @ codes)
    W_K = torch.eye(d, dtype=codes.dtype, device=codes.device)
    return W_Q, W_K


# %% wrong: the codes are taken to be one-hot
# W_Q shifts the entries of a vector by one place. That finds the next symbol where symbol k's code has its one at place k and K equals d, and not for any other orthonormal codes.
# Hint: try codes that are the rows of a random orthogonal matrix.

def hand_set_lookup(codes: Tensor) -> tuple[Tensor, Tensor]:
    d = codes.shape[1]
    unit = torch.eye(d, dtype=codes.dtype, device=codes.device)
    W_Q = 20 * math.sqrt(d) * torch.roll(unit, 1, dims=0)
    W_K = unit
    return W_Q, W_K


# %% correct: the keys are shifted instead of the queries

def hand_set_lookup(codes: Tensor) -> tuple[Tensor, Tensor]:
    gain = math.sqrt(30 * math.sqrt(codes.shape[1]))
    W_Q = gain * codes.mT @ codes
    W_K = gain * codes.mT @ codes.roll(-1, dims=0)
    return W_Q, W_K


# %% correct: a sum of outer products in a loop

def hand_set_lookup(codes: Tensor) -> tuple[Tensor, Tensor]:
    K, d = codes.shape
    W_Q, W_K = codes.new_zeros(d, d), codes.new_zeros(d, d)
    for k in range(K):
        found = codes[(k + 1) % K]
        W_Q = W_Q + torch.outer(found, codes[k])
        W_K = W_K + torch.outer(found, found)
    return 20 * d**0.5 * W_Q, W_K
