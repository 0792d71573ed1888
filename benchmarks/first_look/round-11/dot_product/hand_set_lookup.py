# %% wrong: the gain does not grow with the root of d
# A gain of 100 is plenty at the widths that were tried, but is divided by the root of d. It shows
# for wide codes with many symbols: at d = 600 and K = 100 the right key gets about a third.

def hand_set_lookup(codes: Tensor) -> tuple[Tensor, Tensor]:
    following = torch.roll(codes, shifts=-1, dims=0)
    W_Q = 100.0 * following.T @ codes
    W_K = codes.T @ codes
    return W_Q, W_K

# %% wrong: only as many rows as there are symbols
# Query and key are one-hot vectors over the K symbols, so both matrices are (K, d) and not (d, d).
# It shows for every K below d.

def hand_set_lookup(codes: Tensor) -> tuple[Tensor, Tensor]:
    root = codes.shape[1] ** 0.5
    W_K = 20 * root * codes  # the key of k: one-hot at place k
    W_Q = torch.roll(codes, 1, dims=0)  # the query of k: one-hot at place k + 1
    return W_Q, W_K

# %% wrong: it shifts the coordinates, not the symbols
# Takes it that symbol k is the k-th unit vector. It shows for codes at any other angle, where
# shifted coordinates are not the next symbol's code; and for K below d the last finds no first.

def hand_set_lookup(codes: Tensor) -> tuple[Tensor, Tensor]:
    width = codes.shape[1]
    identity = torch.eye(width, dtype=codes.dtype, device=codes.device)
    W_Q = 20 * math.sqrt(width) * identity.roll(1, dims=0)
    return W_Q, identity

# %% wrong: large enough against one rival only
# The right score is ln 99 above the others, which leaves 0.99 beside ONE wrong key. It shows among
# three keys or more: with K = 100 the right key gets half.

def hand_set_lookup(codes: Tensor) -> tuple[Tensor, Tensor]:
    num_symbols, width = codes.shape
    needed = 1.001 * math.log(99) * math.sqrt(width)
    W_Q, W_K = torch.zeros(2, width, width, dtype=codes.dtype, device=codes.device)
    for k in range(num_symbols):
        W_Q = W_Q + needed * torch.outer(codes[(k + 1) % num_symbols], codes[k])
        W_K = W_K + torch.outer(codes[k], codes[k])
    return W_Q, W_K

# %% correct: the keys move, the queries stay
def hand_set_lookup(codes: Tensor) -> tuple[Tensor, Tensor]:
    num_symbols, width = codes.shape
    W_Q = 14 * width**0.5 * torch.eye(width, dtype=codes.dtype, device=codes.device)
    W_K = torch.zeros_like(W_Q)
    for k in range(num_symbols):
        # whoever is symbol k + 1 shows itself as symbol k
        W_K = W_K + torch.outer(codes[k], codes[k + 1 - num_symbols])
    return W_Q, W_K

# %% correct: to the first K unit vectors and round by a permutation
def hand_set_lookup(codes: Tensor) -> tuple[Tensor, Tensor]:
    num_symbols, width = codes.shape
    name = F.pad(codes, (0, 0, 0, width - num_symbols))  # code of k -> unit vector k
    round_trip = torch.zeros(width, width, dtype=codes.dtype, device=codes.device)
    for k in range(num_symbols):
        round_trip[(k + 1) % num_symbols, k] = 1.0
    gain = math.sqrt(15 * math.sqrt(width))
    return gain * torch.linalg.multi_dot([round_trip, name]), gain * name
