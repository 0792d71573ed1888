# %% wrong: the bias is added by every head
# The output has K times the bias. Right for K = 1, and for a bias of zeros.

def convolution_as_attention(x: Tensor, weight: Tensor, bias: Tensor) -> tuple[Tensor, Tensor]:
    B, T, _ = x.shape
    C_out, _, K = weight.shape
    places = torch.arange(T, device=x.device)
    output, heads = torch.zeros(B, T, C_out, dtype=x.dtype, device=x.device), []
    for k in range(K):
        head = (places == places.unsqueeze(1) + k - K // 2).to(x.dtype)
        heads.append(head)
        output = output + head @ F.linear(x, weight[:, :, k], bias)
    return output, torch.stack(heads)


# %% wrong: a sentence shorter than the kernel
# torch.ones(T - |offset|) with an offset beyond T is an error of negative size: T = 1 with K = 5 (every T < K // 2) raises
# RuntimeError, where that head should give no weight.

def convolution_as_attention(x: Tensor, weight: Tensor, bias: Tensor) -> tuple[Tensor, Tensor]:
    T, K = x.shape[1], weight.shape[2]
    heads = []
    for k in range(K):
        offset = k - K // 2
        ones = torch.ones(T - abs(offset), dtype=x.dtype, device=x.device)
        heads.append(torch.diag(ones, offset))
    weights = torch.stack(heads)
    output = torch.einsum("kts,bsi,oik->bto", weights, x, weight) + bias
    return output, weights


# %% wrong: rolled, and mended for a kernel of three
# roll wraps at the edges; only the first and the last row are cleaned. From K = 5 on the second row still looks at the end
# of the sentence.

def convolution_as_attention(x: Tensor, weight: Tensor, bias: Tensor) -> tuple[Tensor, Tensor]:
    T, K = x.shape[1], weight.shape[2]
    eye = torch.eye(T, dtype=x.dtype, device=x.device)
    weights = torch.stack([eye.roll(k - K // 2, dims=1) for k in range(K)])
    for k in range(K):
        if k < K // 2:
            weights[k, 0] = 0  # nothing before the first
        if k > K // 2:
            weights[k, -1] = 0  # nothing after the last
    values = torch.einsum("bsi,oik->bkso", x, weight)
    return (weights @ values).sum(dim=1) + bias, weights


# %% wrong: the weights are float32 always
# "In the dtype of x": for float64 the output is right, and the returned weights are float32.

def convolution_as_attention(x: Tensor, weight: Tensor, bias: Tensor) -> tuple[Tensor, Tensor]:
    T, K = x.shape[1], weight.shape[2]
    t = torch.arange(T, device=x.device)
    offsets = torch.arange(K, device=x.device) - K // 2
    looks = t.view(1, 1, T) == t.view(1, T, 1) + offsets.view(K, 1, 1)  # (K, T, S)
    output = bias
    for k in range(K):
        output = output + looks[k].to(x.dtype) @ x @ weight[:, :, k].T
    return output, looks.float()


# %% correct: windows of a padded sentence, and of a padded identity

def convolution_as_attention(x: Tensor, weight: Tensor, bias: Tensor) -> tuple[Tensor, Tensor]:
    T, K = x.shape[1], weight.shape[2]
    h = K // 2
    seen = F.pad(x, (0, 0, h, h)).unfold(1, K, 1)  # (B, T, C_in, K)
    output = seen.flatten(2) @ weight.flatten(1).T + bias
    identity = F.pad(torch.eye(T, dtype=x.dtype, device=x.device), (h, h))  # (T, T + 2h)
    weights = identity.unfold(1, T, 1).flip(1).transpose(0, 1).contiguous()
    return output, weights


# %% correct: powers of a shift by one

def convolution_as_attention(x: Tensor, weight: Tensor, bias: Tensor) -> tuple[Tensor, Tensor]:
    T, K = x.shape[1], weight.shape[2]
    ahead = torch.eye(T + 1, dtype=x.dtype, device=x.device)[1:, :-1]  # query t to key t + 1; the last to none
    back = ahead.T
    middle = torch.eye(T, dtype=x.dtype, device=x.device)
    heads = [middle]
    for _ in range(K // 2):
        heads = [heads[0] @ back, *heads, heads[-1] @ ahead]
    weights = torch.stack(heads)
    found = torch.stack([head @ x for head in heads], dim=3)  # (B, T, C_in, K)
    return torch.tensordot(found, weight, dims=([2, 3], [1, 2])) + bias, weights
