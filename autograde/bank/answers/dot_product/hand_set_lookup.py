# %% wrong: each symbol finds itself
# Each symbol finds itself: that is similarity. One of the matrices has to send symbol k to where symbol k + 1 is. See
# section 4.8.

# --- before
    to_the_next = codes.roll(-1, dims=0).T @ codes  # (d, K) x (K, d) -> (d, d)
# --- after
    to_the_next = codes.T @ codes  # (d, K) x (K, d) -> (d, d)

# %% wrong: each symbol finds the one before
# Each symbol finds the one before it. The shift goes the wrong way, or the matrix is transposed (nn.Linear's stands on
# the left of the vector), or W_Q and W_K have changed places.

# --- before
    to_the_next = codes.roll(-1, dims=0).T @ codes  # (d, K) x (K, d) -> (d, d)
# --- after
    to_the_next = codes.T @ codes.roll(-1, dims=0)  # (d, K) x (K, d) -> (d, d)

# %% wrong: the right shift, without strength
# The right key has the most weight, but not enough: its score is 1 over the root of d, hardly above 0. Multiply one of
# the matrices by a number.

# --- before
    return gain * to_the_next, torch.eye(d, dtype=codes.dtype, device=codes.device)
# --- after
    return to_the_next, torch.eye(d, dtype=codes.dtype, device=codes.device)

# %% wrong: strength without the root of d
# The right key has the most weight, but with wide codes not enough of it: the root of d divides the scores. Let the
# strength grow with that root.

# --- before
    return gain * to_the_next, torch.eye(d, dtype=codes.dtype, device=codes.device)
# --- after
    return 12.0 * to_the_next, torch.eye(d, dtype=codes.dtype, device=codes.device)

# %% wrong: the features are shifted, not the symbols
# It works where the codes are one-hot and nowhere else: features were shifted instead of symbols. Build the matrix
# from the codes themselves.

# --- before
    to_the_next = codes.roll(-1, dims=0).T @ codes  # (d, K) x (K, d) -> (d, d)
# --- after
    to_the_next = torch.eye(d).roll(1, dims=0)  # (d, K) x (K, d) -> (d, d)

# %% wrong: the last symbol finds nothing
# All is right but for the last symbol, which finds no key above the others. After symbol K - 1 comes 0.

# --- before
    to_the_next = codes.roll(-1, dims=0).T @ codes  # (d, K) x (K, d) -> (d, d)
# --- after
    to_the_next = codes[1:].T @ codes[:-1]  # (d, K) x (K, d) -> (d, d)

# %% wrong: both matrices shift
# Each symbol finds the one after the next: query and key were both shifted, toward each other. One shift is enough.

# --- before
    return gain * to_the_next, torch.eye(d, dtype=codes.dtype, device=codes.device)
# --- after
    return gain * to_the_next, to_the_next.T

# %% wrong: matrices as large as the number of symbols
# A matrix has K rows or columns, the number of symbols. Both map vectors of width d to vectors of width d, and have to
# be made from the codes.

def hand_set_lookup(codes):
    K = len(codes)
    return 100.0 * torch.eye(K).roll(1, 0), torch.eye(K)

# %% correct: the keys are shifted back
def hand_set_lookup(codes):
    d = codes.shape[1]
    back = codes.T @ codes.roll(-1, 0)
    return 20 * d**0.5 * torch.eye(d), back

# %% correct: a sum of outer products
def hand_set_lookup(codes):
    K, d = codes.shape
    W_Q = torch.zeros(d, d)
    for k in range(K):
        W_Q += torch.outer(codes[(k + 1) % K], codes[k])
    return 15 * d**0.5 * W_Q, torch.eye(d)

# %% correct: queries and keys in one-hot coordinates
def hand_set_lookup(codes):
    K, d = codes.shape
    W_Q, W_K = torch.zeros(d, d), torch.zeros(d, d)
    W_Q[:K] = codes.roll(1, 0)
    W_K[:K] = codes
    return W_Q * d**0.5 * 30, W_K

# %% correct: solved with a pseudo-inverse
def hand_set_lookup(codes):
    d = codes.shape[1]
    W = (torch.linalg.pinv(codes) @ codes.roll(-1, 0)).T
    return 5 * W, 5 * d**0.5 * torch.eye(d)

# %% correct: a table of scores between the symbols, as little as is enough
def hand_set_lookup(codes):
    K, d = codes.shape
    table = torch.zeros(K, K)
    table[(torch.arange(K) + 1) % K, torch.arange(K)] = torch.tensor(99.0 * 99 + 1).log() * d**0.5
    return codes.T @ table @ codes, torch.eye(d)
