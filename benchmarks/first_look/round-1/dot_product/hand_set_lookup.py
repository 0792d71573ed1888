# %% wrong: K rows in place of d
# W_Q and W_K come back as (K, d), one row for each symbol: right for K = d only, and nn.Linear(d, d) cannot hold them. A good message: "W_Q is (K, d) and must be (d, d), for K below d too".

def hand_set_lookup(codes: Tensor) -> tuple[Tensor, Tensor]:
    gain = 10 * math.sqrt(codes.shape[1])
    return gain * codes, codes.roll(1, dims=0)

# %% wrong: the last symbol finds nobody
# The sum goes over the pairs (k, k + 1) and stops at the end: symbol K - 1 asks with zero and looks at all alike. A good message: "symbol K - 1 must find symbol 0".

def hand_set_lookup(codes: Tensor) -> tuple[Tensor, Tensor]:
    K, d = codes.shape
    W_Q = torch.zeros(d, d, dtype=codes.dtype, device=codes.device)
    for k in range(K - 1):
        W_Q += torch.outer(codes[k + 1], codes[k])
    return 12 * math.sqrt(d) * W_Q, torch.eye(d, dtype=codes.dtype, device=codes.device)

# %% wrong: forgets the division by the root
# A score of 10 would do, but it is divided by the root of d afterwards: right for a small d, too soft for d = 64. A good message: "with d = 64 the right key gets a third: the gain must make up for sqrt(d)".

def hand_set_lookup(codes: Tensor) -> tuple[Tensor, Tensor]:
    K, d = codes.shape
    following = codes[(torch.arange(K) + 1) % K]
    return 10 * following.T @ codes, codes.T @ codes

# %% wrong: rows taken for columns
# Multiplies in the order of row vectors, x W, where nn.Linear does W x: each symbol finds the one before it. A good message: "symbol k finds symbol k - 1: W_Q x with x = code k must give code k + 1".

def hand_set_lookup(codes: Tensor) -> tuple[Tensor, Tensor]:
    d = codes.shape[1]
    W_Q = codes.T @ torch.roll(codes, -1, dims=0) * (20 * d**0.5)
    return W_Q, torch.eye(d).to(codes)

# %% correct: a sum of outer products, the gain on both matrices

def hand_set_lookup(codes: Tensor) -> tuple[Tensor, Tensor]:
    K, d = codes.shape
    gain = math.sqrt(15 * math.sqrt(d))
    asks, answers = codes.new_zeros(d, d), codes.new_zeros(d, d)
    for k in range(K):
        asks.addr_(codes[k - 1 if k else K - 1], codes[k - 1 if k else K - 1])
        answers.addr_(codes[k - 1 if k else K - 1], codes[k])
    return gain * asks, gain * answers

# %% correct: symbols counted in the first K rows

def hand_set_lookup(codes: Tensor) -> tuple[Tensor, Tensor]:
    K, d = codes.shape
    gain = (4 + 2 * math.log(max(K, 2)) + 5) * math.sqrt(d)
    fill = (0, 0, 0, d - K)
    names_wanted = F.pad(codes, fill)  # row k reads how much of symbol k there is
    names_borne = F.pad(torch.cat([codes[1:], codes[:1]]), fill)  # row k reads symbol k + 1
    return gain * names_wanted, names_borne
