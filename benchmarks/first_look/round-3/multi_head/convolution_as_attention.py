# %% wrong: the kernel flipped
# Head k looks at t - k + K // 2: the convolution of mathematics, with the kernel the other way round than nn.Conv1d's.
# Hint: with K = 3, at which key does head 0 look from query 5?

def convolution_as_attention(x: Tensor, weight: Tensor, bias: Tensor) -> tuple[Tensor, Tensor]:
    T, K = x.shape[1], weight.shape[2]
    place = torch.arange(T, device=x.device)
    weights = torch.stack([place[None, :] == place[:, None] - k + K // 2 for k in range(K)]).to(x.dtype)
    values = torch.einsum("bsc,ock->bkso", x, weight)
    return (weights @ values).sum(dim=1) + bias, weights


# %% wrong: edges look at themselves
# Where there is no key the index is clamped, so the first and last positions look at the edge again; the docstring says that they
# give no weight. Hint: what is the first row of head 0, and what should it be?

def convolution_as_attention(x: Tensor, weight: Tensor, bias: Tensor) -> tuple[Tensor, Tensor]:
    B, T, C_in = x.shape
    C_out, _, K = weight.shape
    weights = torch.zeros(K, T, T, dtype=x.dtype, device=x.device)
    for k in range(K):
        for t in range(T):
            s = min(max(t + k - K // 2, 0), T - 1)
            weights[k, t, s] = 1
    output = bias
    for k in range(K):
        output = output + weights[k] @ x @ weight[:, :, k].T
    return output, weights


# %% wrong: a bias for each head
# The bias is in every head's value and so is added K times (and left out at the edges); right for K = 1 or a bias of zeros.
# Hint: how often does b stand in the equation?

def convolution_as_attention(x: Tensor, weight: Tensor, bias: Tensor) -> tuple[Tensor, Tensor]:
    T, K = x.shape[1], weight.shape[2]
    place = torch.arange(T, device=x.device)
    outputs, weights = 0, []
    for k in range(K):
        look = (place.unsqueeze(0) == place.unsqueeze(1) + (k - K // 2)).to(x.dtype)
        outputs = outputs + look @ F.linear(x, weight[:, :, k], bias)
        weights.append(look)
    return outputs, torch.stack(weights)


# %% wrong: too short for the kernel
# A diagonal of T - |offset| ones is made for each head: with a sequence shorter than K // 2 this length is negative and an error
# comes, where those heads should see nothing. Hint: try T = 1 with K = 5.

def convolution_as_attention(x: Tensor, weight: Tensor, bias: Tensor) -> tuple[Tensor, Tensor]:
    T, K = x.shape[1], weight.shape[2]
    looks = []
    for offset in range(-(K // 2), K // 2 + 1):
        ones = torch.ones(T - abs(offset), dtype=x.dtype, device=x.device)
        looks.append(torch.diag(ones, diagonal=offset))
    weights = torch.stack(looks)
    values = torch.einsum("bsc,ock->bkso", x, weight)
    return torch.einsum("kts,bkso->bto", weights, values) + bias, weights


# %% correct: triangles cut to a diagonal

def convolution_as_attention(x: Tensor, weight: Tensor, bias: Tensor) -> tuple[Tensor, Tensor]:
    length, kernel = x.shape[1], weight.shape[2]
    full = x.new_ones(length, length)
    weights = torch.stack([full.triu(k - kernel // 2).tril(k - kernel // 2) for k in range(kernel)])
    looked_at = torch.einsum("kts,bsc->btck", weights, x)  # what each head finds, before its map
    output = F.linear(looked_at.flatten(2), weight.flatten(1), bias)
    return output, weights
