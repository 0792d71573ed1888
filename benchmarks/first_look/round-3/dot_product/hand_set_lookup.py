# %% wrong: transposed product
# The outer products are the wrong way round (C^T shifted C): W_Q maps symbol k + 1 onto k, so that k finds the symbol before it.
# Hint: multiply your W_Q by one code on paper; which factor meets the vector first?

def hand_set_lookup(codes: Tensor) -> tuple[Tensor, Tensor]:
    K, d = codes.shape
    following = codes.roll(-1, dims=0)
    W_Q = 20 * math.sqrt(d) * codes.T @ following
    W_K = torch.eye(d, dtype=codes.dtype, device=codes.device)
    return W_Q, W_K


# %% wrong: a fixed gain
# The gain is the number 50 whatever d is: enough for 16 symbols of width 32, but after the division by the root of d less than
# 0.99 for wider codes. Hint: by what is the score divided, and does your gain know it?

def hand_set_lookup(codes: Tensor) -> tuple[Tensor, Tensor]:
    following = torch.roll(codes, shifts=-1, dims=0)
    W_Q = 50.0 * following.T @ codes
    W_K = torch.eye(codes.shape[1], dtype=codes.dtype, device=codes.device)
    return W_Q, W_K


# %% wrong: the last symbol has no next
# Only the pairs (k, k + 1) inside the alphabet are summed; the query of symbol K - 1 is zero and its weights are uniform, while
# the docstring says that it finds symbol 0. Hint: what does your matrix do to the last code?

def hand_set_lookup(codes: Tensor) -> tuple[Tensor, Tensor]:
    d = codes.shape[1]
    W_Q = 15 * math.sqrt(d) * codes[1:].T @ codes[:-1]
    W_K = torch.eye(d, dtype=codes.dtype, device=codes.device)
    return W_Q, W_K


# %% wrong: one row for each symbol
# The codes themselves are taken as the maps, so the matrices are (K, d) and not (d, d); right only where K equals d.
# Hint: what shape have your matrices for 16 symbols of width 32, and what does the docstring ask?

def hand_set_lookup(codes: Tensor) -> tuple[Tensor, Tensor]:
    gain = 20 * math.sqrt(codes.shape[1])
    W_K = codes.clone()  # the key of symbol j is the j-th unit vector
    W_Q = gain * codes.roll(1, dims=0)  # row j holds code j - 1: the query of symbol k is unit vector k + 1
    return W_Q, W_K


# %% correct: outer products one by one, gain shared out

def hand_set_lookup(codes: Tensor) -> tuple[Tensor, Tensor]:
    count, width = codes.shape
    each = math.sqrt(16 * math.sqrt(width))  # the score is the product of both gains
    W_Q = codes.new_zeros(width, width)
    W_K = codes.new_zeros(width, width)
    for k in range(count):
        W_Q = W_Q + each * torch.outer(codes[(k + 1) % count], codes[k])
        W_K = W_K + each * torch.outer(codes[k], codes[k])
    return W_Q, W_K


# %% correct: the key is turned back instead of the query

def hand_set_lookup(codes: Tensor) -> tuple[Tensor, Tensor]:
    before = torch.cat([codes[-1:], codes[:-1]])  # row k: the symbol that looks for k
    project = torch.einsum("kd,ke->de", codes, codes)
    turn_back = torch.einsum("kd,ke->de", before, codes)
    return project * (14 * codes.shape[1] ** 0.5), turn_back
