# %% wrong: round the ends
# roll lets the key before position 0 be the last one. At the edges a head gives its weight to the other end of the sentence, where it should
# give none (K > 1).

def convolution_as_attention(x: Tensor, weight: Tensor, bias: Tensor) -> tuple[Tensor, Tensor]:
    T, K = x.shape[1], weight.shape[2]
    same = torch.eye(T, dtype=x.dtype, device=x.device)
    weights = torch.stack([same.roll(k - K // 2, dims=1) for k in range(K)])
    values = torch.einsum("bsi,oik->bkso", x, weight)
    return (weights @ values).sum(dim=1) + bias, weights


# %% wrong: every head adds the bias
# The bias is in each head's output, so the sum has it K times. Right for K = 1 or a bias of zero.

def convolution_as_attention(x: Tensor, weight: Tensor, bias: Tensor) -> tuple[Tensor, Tensor]:
    T, K = x.shape[1], weight.shape[2]
    place = torch.arange(T, device=x.device)
    output, weights = 0, []
    for k in range(K):
        looks = (place == place.unsqueeze(1) + k - K // 2).to(x.dtype)
        output = output + F.linear(looks @ x, weight[:, :, k], bias)
        weights.append(looks)
    return output, torch.stack(weights)


# %% wrong: a diagonal that does not exist
# Head k has T - |offset| ones on its diagonal. Where K // 2 is larger than T, that number is negative, and torch.ones raises an error instead of
# leaving the head without a key (T = 2, K = 7).

def convolution_as_attention(x: Tensor, weight: Tensor, bias: Tensor) -> tuple[Tensor, Tensor]:
    T, K = x.shape[1], weight.shape[2]
    weights = []
    for k in range(K):
        offset = k - K // 2
        ones = torch.ones(T - abs(offset), dtype=x.dtype, device=x.device)
        weights.append(torch.diag(ones, offset))
    weights = torch.stack(weights)
    read = torch.einsum("kts,bsi->bkti", weights, x)
    return torch.einsum("bkti,oik->bto", read, weight) + bias, weights


# %% wrong: the weights come back as float32
# For the product they are brought to x's dtype, but what is returned was made by float(): with x in float64 the weights are not.

def convolution_as_attention(x: Tensor, weight: Tensor, bias: Tensor) -> tuple[Tensor, Tensor]:
    (C_out, _, K), (B, T, _) = weight.shape, x.shape
    query = torch.arange(T, device=x.device).view(1, T, 1)
    key = torch.arange(T, device=x.device).view(1, 1, T)
    head = torch.arange(K, device=x.device).view(K, 1, 1)
    weights = (key == query + head - K // 2).float()
    output = bias.expand(B, T, C_out)
    for k in range(K):
        output = output + weights[k].to(x.dtype) @ (x @ weight[:, :, k].T)
    return output, weights


# %% correct: windows of a larger identity

def convolution_as_attention(x: Tensor, weight: Tensor, bias: Tensor) -> tuple[Tensor, Tensor]:
    T, K = x.shape[1], weight.shape[2]
    edge = K // 2
    padded = torch.eye(T + 2 * edge, dtype=x.dtype, device=x.device)
    # key s stands in column s + edge; row t + k has its one there where s = t + k - edge
    weights = torch.stack([padded[k : k + T, edge : edge + T] for k in range(K)])
    output = bias
    for look, matrix in zip(weights, weight.unbind(dim=2), strict=True):
        output = output + look @ x @ matrix.T
    return output, weights


# %% correct: heads side by side, and one output projection

def convolution_as_attention(x: Tensor, weight: Tensor, bias: Tensor) -> tuple[Tensor, Tensor]:
    K, T = weight.shape[2], x.shape[1]
    weights = torch.zeros(K, T, T, dtype=x.dtype, device=x.device)
    for k in range(K):
        for t in range(T):
            s = t + k - K // 2
            if 0 <= s < T:
                weights[k, t, s] = 1
    # the heads' outputs side by side, as after a merge, and one W_O whose parts are the W_k
    side_by_side = (weights.unsqueeze(0) @ x.unsqueeze(1)).transpose(1, 2).flatten(2)  # (B, T, K * C_in)
    return F.linear(side_by_side, weight.transpose(1, 2).flatten(1), bias), weights
