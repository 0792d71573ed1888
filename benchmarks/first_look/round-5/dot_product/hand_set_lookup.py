# %% wrong: the root of the wrong number
# The gain makes up for a division by the root of K, the number of symbols; the scores are divided by the root of d. It
# is enough where K is about as large as d, and too little in wide codes for few symbols.

def hand_set_lookup(codes: Tensor) -> tuple[Tensor, Tensor]:
    number = codes.shape[0]
    gain = 10.0 * math.sqrt(number)
    following = codes.roll(-1, dims=0)
    W_Q = gain * following.T @ codes
    W_K = codes.T @ codes
    return W_Q, W_K


# %% wrong: both matrices go a step
# The query goes on to the next symbol and the key goes back by one, so that they meet: but then the query of k finds
# the key of k + 2.

def hand_set_lookup(codes: Tensor) -> tuple[Tensor, Tensor]:
    d = codes.shape[1]
    gain = 12 * math.sqrt(d)
    after = torch.roll(codes, -1, dims=0)
    W_Q = gain * after.T @ codes  # symbol k becomes symbol k + 1
    W_K = codes.T @ after  # symbol k + 1 becomes symbol k
    return W_Q, W_K


# %% wrong: a system of equations that must be square
# W_Q is found by solving codes @ W_Q.T = the next codes, which torch.linalg.solve does for square matrices only: with
# fewer symbols than features it raises an error.

def hand_set_lookup(codes: Tensor) -> tuple[Tensor, Tensor]:
    d = codes.shape[1]
    wanted = 12 * math.sqrt(d) * codes.roll(-1, dims=0)
    W_Q = torch.linalg.solve(codes, wanted).T
    W_K = torch.eye(d, dtype=codes.dtype, device=codes.device)
    return W_Q, W_K


# %% wrong: so firm that it overflows
# Both matrices are multiplied by 1e20 to be on the safe side: the score is more than float32 can hold, and the softmax
# of infinity is NaN.

def hand_set_lookup(codes: Tensor) -> tuple[Tensor, Tensor]:
    firm = 1e20
    W_Q = torch.zeros(codes.shape[1], codes.shape[1], dtype=codes.dtype, device=codes.device)
    for k in range(len(codes)):
        W_Q += torch.outer(codes[(k + 1) % len(codes)], codes[k])
    W_K = codes.T @ codes
    return firm * W_Q, firm * W_K


# %% wrong: the last symbol finds nobody
# The step is a matrix with ones beside the diagonal; the one in the corner that leads from the last symbol back to
# symbol 0 is missing, so that symbol K - 1 looks at all alike.

def hand_set_lookup(codes: Tensor) -> tuple[Tensor, Tensor]:
    K, d = codes.shape
    step = torch.diag(torch.ones(K - 1, dtype=codes.dtype, device=codes.device), diagonal=-1)  # from k to k + 1
    W_Q = 15 * math.sqrt(d) * codes.T @ step @ codes
    W_K = torch.eye(d, dtype=codes.dtype, device=codes.device)
    return W_Q, W_K


# %% correct: a sum of outer products, the gain shared

def hand_set_lookup(codes: Tensor) -> tuple[Tensor, Tensor]:
    number, width = codes.shape
    each = math.sqrt(20.0 * math.sqrt(width))
    W_Q = codes.new_zeros(width, width)
    W_K = codes.new_zeros(width, width)
    for k, code in enumerate(codes):
        follower = codes[0] if k == number - 1 else codes[k + 1]
        W_Q = W_Q + each * torch.outer(follower, code)
        W_K = W_K + each * torch.outer(code, code)
    return W_Q, W_K


# %% correct: the key steps back and the query stays

def hand_set_lookup(codes: Tensor) -> tuple[Tensor, Tensor]:
    before = torch.cat([codes[-1:], codes[:-1]])  # row k: the code of the symbol before k
    W_K = torch.einsum("ki,kj->ij", before, codes)
    W_Q = torch.eye(codes.shape[1], dtype=codes.dtype, device=codes.device)
    return W_Q * (16 * codes.shape[1] ** 0.5), W_K
