# %% wrong: around the corner
# The weights are the identity rolled by the offset: the first position finds the last one, where zero padding adds nothing. Right in the middle, wrong at both edges. A good message: "head 0's first row must be all zero: nothing lies before position 0".

def convolution_as_attention(x: Tensor, weight: Tensor, bias: Tensor) -> tuple[Tensor, Tensor]:
    T, K = x.shape[1], weight.shape[2]
    eye = torch.eye(T, dtype=x.dtype, device=x.device)
    weights = torch.stack([eye.roll(k - K // 2, dims=1) for k in range(K)])
    found = weights @ x.unsqueeze(1)  # (B, K, T, C_in)
    return torch.einsum("bktc,ock->bto", found, weight) + bias, weights

# %% wrong: every head adds the bias
# Each head's values go through F.linear with the bias, so it comes K times (less often where a head finds nothing: there it is still added). A good message: "the output is too large by (K - 1) * bias".

def convolution_as_attention(x: Tensor, weight: Tensor, bias: Tensor) -> tuple[Tensor, Tensor]:
    B, T, C = x.shape
    K = weight.shape[2]
    t = torch.arange(T, device=x.device)
    output, weights = 0, []
    for k in range(K):
        A = (t[None, :] == t[:, None] + k - K // 2).to(x.dtype)
        weights.append(A)
        output = output + F.linear(A @ x, weight[:, :, k], bias)
    return output, torch.stack(weights)

# %% wrong: a true convolution, and float32 only
# The kernel is turned round (query t of head k reads t - k + K // 2), as mathematicians do and nn.Conv1d does not; and the weights are made in float32 on the CPU, whatever x is. A good message: "query t of head k looks at t + k - K // 2; x in float64 fails".

def convolution_as_attention(x: Tensor, weight: Tensor, bias: Tensor) -> tuple[Tensor, Tensor]:
    T, K = x.shape[1], weight.shape[-1]
    weights = torch.zeros(K, T, T)
    for k in range(K):
        for t in range(T):
            s = t - k + K // 2
            if 0 <= s < T:
                weights[k, t, s] = 1
    heads = [weights[k] @ x @ weight[:, :, k].T for k in range(K)]
    return sum(heads) + bias, weights

# %% wrong: the last row held for what lies outside
# Indices are clamped to 0 .. T - 1, so the edges look at the first or last token: replicate padding, not zeros. A good message: "at the edges a head gives no weight at all; its row must be zero".

def convolution_as_attention(x: Tensor, weight: Tensor, bias: Tensor) -> tuple[Tensor, Tensor]:
    T, K = x.shape[1], weight.shape[2]
    t = torch.arange(T, device=x.device)
    looked_at = (t + torch.arange(K, device=x.device)[:, None] - K // 2).clamp(0, T - 1)
    weights = F.one_hot(looked_at, T).to(x.dtype)
    values = torch.einsum("bsc,ock->bkso", x, weight)
    return (weights @ values).sum(dim=1) + bias, weights

# %% correct: a padded picture of the offsets

def convolution_as_attention(x: Tensor, weight: Tensor, bias: Tensor) -> tuple[Tensor, Tensor]:
    T, K = x.shape[1], weight.shape[2]
    half = K // 2
    wide = torch.eye(T + 2 * half, dtype=x.dtype, device=x.device)  # a diagonal longer than the text at both ends
    weights = torch.stack([wide[k : k + T, half : half + T] for k in range(K)])
    values = torch.einsum("bsc,ock->bkso", x, weight)
    return torch.einsum("kts,bkso->bto", weights, values) + bias, weights

# %% correct: heads side by side, then one W_O

def convolution_as_attention(x: Tensor, weight: Tensor, bias: Tensor) -> tuple[Tensor, Tensor]:
    (B, T, C), (out, _, K) = x.shape, weight.shape
    offset = torch.arange(T, device=x.device).view(1, 1, T) - torch.arange(T, device=x.device).view(1, T, 1)
    weights = torch.eq(offset, torch.arange(K, device=x.device).view(K, 1, 1) - K // 2).type_as(x)
    merged = torch.cat([weights[k] @ x for k in range(K)], dim=2)  # (B, T, K * C)
    return F.linear(merged, weight.permute(0, 2, 1).reshape(out, K * C), bias), weights
