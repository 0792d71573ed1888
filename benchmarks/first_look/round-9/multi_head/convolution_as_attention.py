# %% wrong: a sentence that closes in a ring
# roll brings what falls off one end back in at the other, so that the edges look at the other end.
# Shows in the first and last K // 2 positions for every K > 1.

def convolution_as_attention(x: Tensor, weight: Tensor, bias: Tensor) -> tuple[Tensor, Tensor]:
    B, T, _ = x.shape
    K = weight.shape[2]
    eye = torch.eye(T, dtype=x.dtype, device=x.device)
    weights = torch.stack([eye.roll(k - K // 2, dims=1) for k in range(K)])
    out = bias.expand(B, T, -1)
    for k in range(K):
        out = out + weights[k] @ x @ weight[:, :, k].T
    return out, weights


# %% wrong: the offset with the other sign
# Head k looks at t - k + K // 2: the kernel is read backwards, as a convolution in mathematics.
# Shows for every K > 1 with a kernel that is not symmetric.

def convolution_as_attention(x: Tensor, weight: Tensor, bias: Tensor) -> tuple[Tensor, Tensor]:
    T, K = x.shape[1], weight.shape[2]
    t = torch.arange(T, device=x.device)
    offset = t.unsqueeze(1) - t.unsqueeze(0)  # (T, T)
    weights = torch.stack([(offset == k - K // 2).to(x.dtype) for k in range(K)])
    values = torch.einsum("bsc,ock->bkso", x, weight)
    output = (weights @ values).sum(dim=1) + bias
    return output, weights


# %% wrong: every head brings the bias
# The bias stands in the loop over the heads and is added K times.
# Shows for every K > 1 with a bias that is not zero.

def convolution_as_attention(x: Tensor, weight: Tensor, bias: Tensor) -> tuple[Tensor, Tensor]:
    T, K = x.shape[1], weight.shape[2]
    weights = torch.zeros(K, T, T, dtype=x.dtype, device=x.device)
    for k in range(K):
        for t in range(T):
            s = t + k - K // 2
            if 0 <= s < T:
                weights[k, t, s] = 1
    heads = []
    for k in range(K):
        heads.append(F.linear(weights[k] @ x, weight[:, :, k], bias))
    return torch.stack(heads).sum(dim=0), weights


# %% wrong: a diagonal longer than the sentence
# The diagonal of head k has T - |k - K // 2| ones, a negative number of them where the sentence is shorter than
# half the kernel. Shows for T = 1 and K = 5: RuntimeError.

def convolution_as_attention(x: Tensor, weight: Tensor, bias: Tensor) -> tuple[Tensor, Tensor]:
    B, T, C_in = x.shape
    C_out, _, K = weight.shape
    weights = []
    for k in range(K):
        offset = k - K // 2
        ones = torch.ones(T - abs(offset), dtype=x.dtype, device=x.device)
        weights.append(torch.diag(ones, diagonal=offset))
    weights = torch.stack(weights)
    output = sum((weights[k] @ x) @ weight[:, :, k].T for k in range(K)) + bias
    return output, weights


# %% correct: a window that slides down a padded identity

def convolution_as_attention(x: Tensor, weight: Tensor, bias: Tensor) -> tuple[Tensor, Tensor]:
    T, K = x.shape[1], weight.shape[2]
    tall = F.pad(torch.eye(T, dtype=x.dtype, device=x.device), (0, 0, K // 2, K // 2))  # row r: a one at r - K // 2
    weights = tall.unfold(0, T, 1).transpose(1, 2).contiguous()  # head k begins at row k
    looked = torch.tensordot(x, weights, dims=([1], [2]))  # (B, C_in, K, T)
    output = torch.tensordot(looked, weight, dims=([1, 2], [1, 2]))  # (B, T, C_out)
    return output + bias, weights


# %% correct: the ones placed by a sparse list of edges

def convolution_as_attention(x: Tensor, weight: Tensor, bias: Tensor) -> tuple[Tensor, Tensor]:
    (B, T, C_in), (C_out, _, K) = x.shape, weight.shape
    edges = [(k, t, t + k - K // 2) for k in range(K) for t in range(T) if t + k - K // 2 in range(T)]
    weights = torch.zeros(K, T, T, dtype=x.dtype, device=x.device)
    output = bias.repeat(B, T, 1)
    for k in range(K):
        mine = [(t, s) for head, t, s in edges if head == k]
        if not mine:  # a sentence shorter than the kernel's arm
            continue
        queries, keys = (torch.tensor(side, device=x.device) for side in zip(*mine))
        weights[k, queries, keys] = 1.0
        output = output.index_add(1, queries, x[:, keys] @ weight[:, :, k].transpose(0, 1))
    return output, weights
