# %% wrong: the kernel the other way round
# Head k looks at t - k + K // 2, as the convolution of the mathematicians does; the docstring says t + k - K // 2.
# Shows for every K above 1 in weights and output.

def convolution_as_attention(x: Tensor, weight: Tensor, bias: Tensor) -> tuple[Tensor, Tensor]:
    T, K = x.shape[1], weight.shape[2]
    t = torch.arange(T)
    weights = torch.stack([(t.unsqueeze(1) - (k - K // 2) == t).to(x.dtype) for k in range(K)])
    output = bias.expand(len(x), T, -1)
    for k in range(K):
        output = output + weights[k] @ (x @ weight[:, :, k].T)
    return output, weights


# %% wrong: the edge looks at itself
# Where the key would lie outside, clamp gives the first or the last one: rows at the edges that should be empty have
# a one, and the output there is that of a padding by repetition. Shows for K of 3 and more.

def convolution_as_attention(x: Tensor, weight: Tensor, bias: Tensor) -> tuple[Tensor, Tensor]:
    B, T, _ = x.shape
    K = weight.shape[2]
    key = torch.arange(T).unsqueeze(0) + torch.arange(K).unsqueeze(1) - K // 2  # (K, T)
    weights = F.one_hot(key.clamp(0, T - 1), T).to(x.dtype)  # (K, T, T)
    values = torch.einsum("bsc,ock->bkso", x, weight)
    output = (weights @ values).sum(dim=1) + bias
    return output, weights


# %% wrong: the bias once for each head
# Each head's linear map gets the bias, so that it is added K times. Shows for K above 1 wherever the bias is not zero.

def convolution_as_attention(x: Tensor, weight: Tensor, bias: Tensor) -> tuple[Tensor, Tensor]:
    T, K = x.shape[1], weight.shape[2]
    position = torch.arange(T)
    weights = torch.zeros(K, T, T, dtype=x.dtype)
    outputs = []
    for k in range(K):
        offset = k - K // 2
        weights[k] = (position[None, :] == position[:, None] + offset).to(x.dtype)
        looked_at = weights[k] @ x  # (B, T, C_in)
        outputs.append(F.linear(looked_at, weight[:, :, k], bias))
    return sum(outputs), weights


# %% wrong: a diagonal that needs a long sentence
# torch.diag of T - |offset| ones: with K // 2 larger than T that number is negative and torch.ones raises RuntimeError
# (T = 2, K = 7), where the promised weights of such a head are all zero.

def convolution_as_attention(x: Tensor, weight: Tensor, bias: Tensor) -> tuple[Tensor, Tensor]:
    T, K = x.shape[1], weight.shape[2]
    heads = []
    for k in range(K):
        offset = k - K // 2
        heads.append(torch.diag(torch.ones(T - abs(offset), dtype=x.dtype), offset))
    weights = torch.stack(heads)
    output = torch.einsum("kts,bsc,ock->bto", weights, x, weight) + bias
    return output, weights


# %% correct: chapter 04's attention with nothing to compare

def convolution_as_attention(x: Tensor, weight: Tensor, bias: Tensor) -> tuple[Tensor, Tensor]:
    length, width = x.shape[1], weight.shape[2]
    place = torch.arange(length, device=x.device)
    offset = torch.arange(width, device=x.device) - width // 2
    allowed = place.view(1, 1, -1) - place.view(1, -1, 1) == offset.view(-1, 1, 1)  # (K, T, T), one key or none
    blank = x.new_zeros(width, length, 1)  # queries and keys that say nothing: the mask decides
    _, weights = scaled_dot_product_attention(blank, blank, blank, allowed)
    found = weights.unsqueeze(1) @ x  # (K, B, T, C_in)
    by_head = found @ weight.permute(2, 1, 0).unsqueeze(1)  # (K, B, T, C_out)
    return by_head.sum(dim=0) + bias, weights


# %% correct: windows of a one-hot ruler, and one long linear map

def convolution_as_attention(x: Tensor, weight: Tensor, bias: Tensor) -> tuple[Tensor, Tensor]:
    T = x.shape[1]
    C_out, C_in, K = weight.shape
    edge = K // 2
    ruler = torch.eye(T + 2 * edge, T + 2 * edge, dtype=x.dtype, device=x.device)[:, edge : edge + T]
    weights = torch.stack([ruler[k : k + T] for k in range(K)])  # rows outside the sentence are zeros
    seen = torch.cat([torch.einsum("ts,bsc->btc", look, x) for look in weights], dim=2)  # (B, T, K * C_in)
    one_map = weight.transpose(1, 2).reshape(C_out, K * C_in)
    return F.linear(seen, one_map, bias), weights
