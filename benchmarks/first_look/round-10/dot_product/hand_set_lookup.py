# %% wrong: the symbol before
# roll(1) puts the code of symbol k - 1 at place k, so symbol k finds symbol k - 1. Promised is k + 1; it shows for all K above 2 (with two
# symbols both ways round are the same).


def hand_set_lookup(codes: Tensor) -> tuple[Tensor, Tensor]:
    d = codes.shape[1]
    gain = 12 * math.sqrt(d)
    W_Q = gain * codes.roll(1, dims=0).T @ codes
    W_K = torch.eye(d, dtype=codes.dtype, device=codes.device)
    return W_Q, W_K


# %% wrong: the last symbol finds nothing
# The pairs (k, k + 1) end at K - 2: the query of symbol K - 1 is zero and its weights are all equal, though "symbol K - 1 finds symbol 0" by
# at least 0.99. It shows for every K above 1.


def hand_set_lookup(codes: Tensor) -> tuple[Tensor, Tensor]:
    d = codes.shape[1]
    W_Q = 20 * math.sqrt(d) * codes[1:].T @ codes[:-1]
    W_K = codes.T @ codes
    return W_Q, W_K


# %% wrong: a hundred is large enough
# The gain is a fixed 100, found by trying, and the division by the root of d is forgotten. The right score is 100 / sqrt(d): too small for
# 99 wrong keys from d of about 120 on (K = 100, d = 128 gives 0.986), and the docstring does not limit d.


def hand_set_lookup(codes: Tensor) -> tuple[Tensor, Tensor]:
    W_Q = 100 * torch.einsum("ki,kj->ij", torch.cat([codes[1:], codes[:1]]), codes)
    W_K = torch.eye(codes.shape[1], dtype=codes.dtype, device=codes.device)
    return W_Q, W_K


# %% wrong: the gain from the number of wrong keys
# The score that K - 1 wrong keys need is their logarithm and a little: for a single symbol there is no wrong key, math.log(0) raises ValueError.
# K = 1 (symbol 0 finds symbol 0) is allowed.


def hand_set_lookup(codes: Tensor) -> tuple[Tensor, Tensor]:
    K, d = codes.shape
    gain = math.sqrt(d) * (math.log(K - 1) + math.log(999))
    following = codes[(torch.arange(K, device=codes.device) + 1) % K]
    W_Q = gain * following.T @ codes
    W_K = torch.eye(d, dtype=codes.dtype, device=codes.device)
    return W_Q, W_K


# %% correct: keys that answer for the symbol before, one outer product at a time


def hand_set_lookup(codes: Tensor) -> tuple[Tensor, Tensor]:
    K, d = codes.shape
    W_Q, W_K = codes.new_zeros(d, d), codes.new_zeros(d, d)
    for k in range(K):
        W_Q = W_Q + torch.outer(codes[k], codes[k])  # the question stays what it is
        W_K = W_K + torch.outer(codes[k], codes[(k + 1) % K])  # the label of k + 1 reads k
    return 15 * math.sqrt(d) * W_Q, W_K


# %% correct: both read off as coordinates


def hand_set_lookup(codes: Tensor) -> tuple[Tensor, Tensor]:
    K, d = codes.shape
    each = (14 * math.sqrt(d)) ** 0.5  # the gain, shared by the two
    labels = F.pad(codes, (0, 0, 0, d - K))  # row j: how much of symbol j there is
    before = F.pad(torch.cat([codes[-1:], codes[:-1]]), (0, 0, 0, d - K))  # row j: how much of symbol j - 1
    return each * before, each * labels
