# %% wrong: rolled round the ends
# An identity matrix, rolled, wraps: the first query of head 0 looks at the last key where it should look at
# none. Shows at both edges for every K from 3 on.

def convolution_as_attention(x: Tensor, weight: Tensor, bias: Tensor) -> tuple[Tensor, Tensor]:
    T, K = x.shape[1], weight.shape[2]
    eye = torch.eye(T, dtype=x.dtype, device=x.device)
    weights = torch.stack([eye.roll(k - K // 2, dims=1) for k in range(K)])
    output = torch.einsum("kts,bsc,ock->bto", weights, x, weight) + bias
    return output, weights

# %% wrong: a diagonal of negative length
# torch.diag needs T - |offset| ones. Where the offset is larger than T (K = 7 with T = 2) that is negative,
# and torch.ones raises; those heads should give no weight at all.

def convolution_as_attention(x: Tensor, weight: Tensor, bias: Tensor) -> tuple[Tensor, Tensor]:
    T, K = x.shape[1], weight.shape[2]
    heads = []
    for k in range(K):
        offset = k - K // 2
        heads.append(torch.diag(torch.ones(T - abs(offset), dtype=x.dtype, device=x.device), offset))
    weights = torch.stack(heads)
    values = torch.einsum("bsc,ock->bkso", x, weight)
    return (weights @ values).sum(dim=1) + bias, weights

# %% wrong: every head adds the bias
# The bias stands in each head's values, so it is counted once for each head that finds a key (K times in the
# middle, less at the edges). Right only with K = 1 or a bias of zero.

def convolution_as_attention(x: Tensor, weight: Tensor, bias: Tensor) -> tuple[Tensor, Tensor]:
    T, K = x.shape[1], weight.shape[2]
    t = torch.arange(T, device=x.device)
    k = torch.arange(K, device=x.device)
    key = t[None, :, None] + k[:, None, None] - K // 2
    weights = (key == t[None, None, :]).to(x.dtype)
    output = 0
    for head in range(K):
        values = F.linear(x, weight[:, :, head], bias)
        output = output + weights[head] @ values
    return output, weights

# %% wrong: the weights are float32
# torch.zeros without a dtype: with x in float64 the weights are float32 (and the product with the values
# raises), where the docstring says "in the dtype of x".

def convolution_as_attention(x: Tensor, weight: Tensor, bias: Tensor) -> tuple[Tensor, Tensor]:
    B, T, C = x.shape
    K = weight.shape[2]
    weights = torch.zeros(K, T, T, device=x.device)
    for k in range(K):
        for t in range(T):
            s = t + k - K // 2
            if 0 <= s < T:
                weights[k, t, s] = 1.0
    output = bias + sum(weights[k] @ x @ weight[:, :, k].T for k in range(K))
    return output, weights

# %% correct: windows of a larger identity matrix

def convolution_as_attention(x: Tensor, weight: Tensor, bias: Tensor) -> tuple[Tensor, Tensor]:
    T, K = x.shape[1], weight.shape[2]
    r = K // 2
    wide = torch.eye(T + 2 * r, dtype=x.dtype, device=x.device)
    weights = torch.stack([wide[k : k + T, r : r + T] for k in range(K)])
    windows = F.pad(x, (0, 0, r, r)).unfold(1, K, 1)  # (B, T, C_in, K)
    output = torch.tensordot(windows, weight, dims=([2, 3], [1, 2])) + bias
    return output, weights

# %% correct: powers of one step

def convolution_as_attention(x: Tensor, weight: Tensor, bias: Tensor) -> tuple[Tensor, Tensor]:
    T, middle = x.shape[1], weight.shape[2] // 2
    before = torch.zeros(T, T, dtype=x.dtype, device=x.device)
    if T > 1:
        before[range(1, T), range(T - 1)] = 1  # query t looks at key t - 1; query 0 at nothing
    here = torch.eye(T, dtype=x.dtype, device=x.device)
    left, right = [here], [here]
    for _ in range(middle):
        left.append(left[-1] @ before)
        right.append(right[-1] @ before.T)
    weights = torch.stack(left[:0:-1] + right)
    output = bias.expand(*x.shape[:2], -1)
    for look, matrix in zip(weights, weight.unbind(2), strict=True):
        output = output + look @ (x @ matrix.T)
    return output, weights
