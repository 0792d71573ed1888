# %% wrong: the kernel turned round
# As in the mathematician's convolution, head k looks at t - (k - K // 2). PyTorch's does not turn the
# kernel. It shows for every K from 3 on and T from 2 on, in the weights and in the output.

def convolution_as_attention(x: Tensor, weight: Tensor, bias: Tensor) -> tuple[Tensor, Tensor]:
    T, K = x.shape[1], weight.shape[2]
    t = torch.arange(T, device=x.device)
    k = torch.arange(K, device=x.device).view(K, 1, 1)
    looks = (t == t.unsqueeze(1) - k + K // 2).to(x.dtype)  # (K, T, T)
    values = torch.einsum("bsc,ock->bkso", x, weight)
    return (looks @ values).sum(dim=1) + bias, looks

# %% wrong: round the edge
# The identity is rolled, so what falls off one edge comes in at the other: query 0 of head 0 looks
# at the last token, where it should look at nothing. It shows at both edges for every K from 3 on.

def convolution_as_attention(x: Tensor, weight: Tensor, bias: Tensor) -> tuple[Tensor, Tensor]:
    T, K = x.shape[1], weight.shape[2]
    eye = torch.eye(T, dtype=x.dtype, device=x.device)
    weights = torch.stack([torch.roll(eye, k - K // 2, dims=1) for k in range(K)])
    output = bias
    for k in range(K):
        output = output + weights[k] @ x @ weight[:, :, k].T
    return output, weights

# %% wrong: a diagonal of negative length
# Each head's weights are an off-diagonal of ones, T - |offset| long. Where K // 2 is larger than T
# that is negative, and torch.ones raises an error. It shows for T = 1 and K = 5.

def convolution_as_attention(x: Tensor, weight: Tensor, bias: Tensor) -> tuple[Tensor, Tensor]:
    T, K = x.shape[1], weight.shape[2]
    heads = []
    for k in range(K):
        offset = k - K // 2
        ones = torch.ones(T - abs(offset), dtype=x.dtype, device=x.device)
        heads.append(torch.diag(ones, offset))
    weights = torch.stack(heads)
    values = torch.stack([x @ weight[:, :, k].T for k in range(K)], dim=1)  # (B, K, T, C_out)
    return (weights @ values).sum(dim=1) + bias, weights

# %% wrong: every head brings the bias
# The bias is part of each head's values, so it is added once for each key that is found: up to K
# times. It shows for every K from 3 on, T from 2 on and a bias that is not zero.

def convolution_as_attention(x: Tensor, weight: Tensor, bias: Tensor) -> tuple[Tensor, Tensor]:
    T, K = x.shape[1], weight.shape[2]
    t = torch.arange(T, device=x.device)
    offsets = torch.arange(K, device=x.device) - K // 2
    mask = t.view(1, 1, T) == t.view(1, T, 1) + offsets.view(K, 1, 1)
    weights = masked_softmax(torch.zeros(K, T, T, dtype=x.dtype, device=x.device), mask)
    output = 0
    for k in range(K):
        value = F.linear(x, weight[:, :, k], bias)
        output = output + weights[k] @ value
    return output, weights

# %% correct: windows of a padded identity and of a padded x
def convolution_as_attention(x: Tensor, weight: Tensor, bias: Tensor) -> tuple[Tensor, Tensor]:
    T, K = x.shape[1], weight.shape[2]
    border = K // 2
    padded = F.pad(torch.eye(T, dtype=x.dtype, device=x.device), (0, 0, border, border))
    weights = torch.stack([padded[k : k + T] for k in range(K)])
    windows = F.pad(x, (0, 0, border, border)).unfold(1, K, 1)  # (B, T, C_in, K)
    return torch.einsum("btck,ock->bto", windows, weight) + bias, weights

# %% correct: bands cut out of triangles, and a query at a time
def convolution_as_attention(x: Tensor, weight: Tensor, bias: Tensor) -> tuple[Tensor, Tensor]:
    T, K = x.shape[1], weight.shape[2]
    ones = x.new_ones(T, T)
    weights = torch.stack([ones.tril(k - K // 2).triu(k - K // 2) for k in range(K)])
    columns = []
    for t in range(T):
        total = bias.expand(len(x), -1)
        for k in range(K):
            s = t + k - K // 2
            if 0 <= s < T:
                total = total + x[:, s] @ weight[:, :, k].T
        columns.append(total)
    return torch.stack(columns, dim=1), weights
