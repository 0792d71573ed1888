# %% wrong: the kernel turned round
# Head k looks at t - k + K // 2, as in a convolution of mathematics, and not at t + k - K // 2: the weights of
# heads k and K - 1 - k are exchanged. Shows for every K above 1.

def convolution_as_attention(x: Tensor, weight: Tensor, bias: Tensor) -> tuple[Tensor, Tensor]:
    T, K = x.shape[1], weight.shape[2]
    t = torch.arange(T, device=x.device)
    heads = []
    for k in range(K):
        heads.append((t.unsqueeze(0) == t.unsqueeze(1) - k + K // 2).to(x.dtype))
    weights = torch.stack(heads)  # (K, T, T)
    output = bias
    for k in range(K):
        output = output + weights[k] @ x @ weight[:, :, k].T
    return output, weights


# %% wrong: view for permute
# weight.view(K, C_out, C_in) reads the numbers in another order than permute(2, 0, 1) moves them. The heads'
# weights are right, the output is wrong wherever K and C_out * C_in are both above 1.

def convolution_as_attention(x: Tensor, weight: Tensor, bias: Tensor) -> tuple[Tensor, Tensor]:
    C_out, C_in, K = weight.shape
    T = x.shape[1]
    place = torch.arange(T, device=x.device)
    offset = torch.arange(K, device=x.device) - K // 2
    looks = (place[None, None, :] == place[None, :, None] + offset[:, None, None]).to(x.dtype)
    kernels = weight.reshape(K, C_out, C_in)
    values = x.unsqueeze(1) @ kernels.transpose(1, 2)  # (B, K, T, C_out)
    return (looks @ values).sum(dim=1) + bias, looks


# %% wrong: the edge repeated
# At the edges the look is clamped to the first or the last key, where there should be none: rows sum to one,
# and the output is that of padding with the edge. Shows for every K above 1.

def convolution_as_attention(x: Tensor, weight: Tensor, bias: Tensor) -> tuple[Tensor, Tensor]:
    B, T, _ = x.shape
    K = weight.shape[-1]
    weights = torch.zeros(K, T, T, dtype=x.dtype, device=x.device)
    for k in range(K):
        for t in range(T):
            key = min(max(t + k - K // 2, 0), T - 1)
            weights[k, t, key] = 1.0
    found = torch.einsum("kts,bsc->bktc", weights, x)
    return torch.einsum("bktc,ock->bto", found, weight) + bias, weights


# %% wrong: a diagonal that does not fit
# torch.diag of T - |offset| ones: where the kernel reaches further than the text is long (T 1 and K 5, T 2 and
# K 7) their number is negative and torch.ones raises an error. All longer texts are right.

def convolution_as_attention(x: Tensor, weight: Tensor, bias: Tensor) -> tuple[Tensor, Tensor]:
    T, K = x.shape[1], weight.shape[2]
    weights = []
    for k in range(K):
        offset = k - K // 2
        ones = torch.ones(T - abs(offset), dtype=x.dtype, device=x.device)
        weights.append(torch.diag(ones, offset))
    weights = torch.stack(weights)
    values = torch.einsum("bsc,ock->bkso", x, weight)
    return torch.einsum("kts,bkso->bto", weights, values) + bias, weights


# %% correct: windows of a larger identity

def convolution_as_attention(x: Tensor, weight: Tensor, bias: Tensor) -> tuple[Tensor, Tensor]:
    (_, T, _), K = x.shape, weight.shape[2]
    reach = K // 2
    identity = torch.eye(T + 2 * reach, dtype=x.dtype, device=x.device)
    looks = torch.stack([identity[k : k + T, reach : reach + T] for k in range(K)])
    padded = F.pad(x, (0, 0, reach, reach))
    windows = padded.unfold(1, K, 1)  # (B, T, C_in, K): what the K heads find for each query
    return torch.tensordot(windows, weight, dims=([2, 3], [1, 2])) + bias, looks


# %% correct: written key by key

def convolution_as_attention(x: Tensor, weight: Tensor, bias: Tensor) -> tuple[Tensor, Tensor]:
    B, T, _ = x.shape
    C_out, _, K = weight.shape
    looks = x.new_zeros(K, T, T)
    columns = []
    for t in range(T):
        total = bias.expand(B, C_out)
        for k in range(K):
            s = t + k - K // 2
            if 0 <= s < T:
                looks[k, t, s] = 1
                total = total + F.linear(x[:, s], weight[..., k])
        columns.append(total)
    return torch.stack(columns, dim=1), looks
