# %% wrong: every head brings the bias along
# The bias is added to each head's share and then summed: K times the bias comes out.

def convolution_as_attention(x: Tensor, weight: Tensor, bias: Tensor) -> tuple[Tensor, Tensor]:
    T, K = x.shape[1], weight.shape[2]
    t, s = torch.arange(T).unsqueeze(1), torch.arange(T)
    looks, output = [], 0
    for k in range(K):
        look = (s == t + k - K // 2).to(x.dtype)
        looks.append(look)
        output = output + F.linear(look @ x, weight[:, :, k], bias)
    return output, torch.stack(looks)


# %% wrong: the kernel is reshaped in place of permuted
# reshape(K, C_in, C_out) keeps the row of numbers and deals them to other heads and channels.

def convolution_as_attention(x: Tensor, weight: Tensor, bias: Tensor) -> tuple[Tensor, Tensor]:
    B, T, C_in = x.shape
    C_out, _, K = weight.shape
    offset = torch.arange(K).view(K, 1, 1) - K // 2
    place = torch.arange(T)
    weights = (place.view(1, 1, T) == place.view(1, T, 1) + offset).to(x.dtype)
    values = x.unsqueeze(1) @ weight.reshape(K, C_in, C_out)  # (B, K, T, C_out)
    output = (weights @ values).sum(dim=1) + bias
    return output, weights


# %% wrong: a softmax over large scores
# Inside it comes to ones and zeros; at the edges all keys are equally forbidden, and the look is spread evenly.

def convolution_as_attention(x: Tensor, weight: Tensor, bias: Tensor) -> tuple[Tensor, Tensor]:
    T, K = x.shape[1], weight.shape[2]
    position = torch.arange(T)
    scores = torch.full((K, T, T), -1e9, dtype=x.dtype)
    for k in range(K):
        wanted = position.unsqueeze(1) + k - K // 2
        scores[k][position == wanted] = 0.0
    weights = torch.softmax(scores, dim=-1)
    heads = torch.einsum("kts,bsc->bktc", weights, x)
    return torch.einsum("bktc,ock->bto", heads, weight) + bias, weights


# %% wrong: made for a kernel of three
# The offsets -1, 0 and 1 are written down, as in the example; a kernel of 1, 5 or 7 fails.

def convolution_as_attention(x: Tensor, weight: Tensor, bias: Tensor) -> tuple[Tensor, Tensor]:
    T = x.shape[1]
    before = torch.ones(T, T, dtype=x.dtype).tril(-1).triu(-1)
    itself = torch.eye(T, dtype=x.dtype)
    weights = torch.stack([before, itself, before.T])
    output = bias
    for k in range(3):
        output = output + weights[k] @ x @ weight[:, :, k].T
    return output, weights


# %% wrong: rolls round the edges
# The identity is rolled, so the head that looks back from position 0 finds the last position where nothing should be.

def convolution_as_attention(x: Tensor, weight: Tensor, bias: Tensor) -> tuple[Tensor, Tensor]:
    T, K = x.shape[1], weight.shape[2]
    eye = torch.eye(T, dtype=x.dtype)
    weights = torch.stack([eye.roll(k - K // 2, dims=1) for k in range(K)])
    found = torch.einsum("kts,bsc->btkc", weights, x)
    output = torch.einsum("btkc,ock->bto", found, weight) + bias
    return output, weights


# %% correct: diagonals, and one wide map for the merged heads

def convolution_as_attention(x: Tensor, weight: Tensor, bias: Tensor) -> tuple[Tensor, Tensor]:
    length, kernel = x.size(1), weight.size(2)

    def look(offset: int) -> Tensor:
        if abs(offset) >= length:
            return x.new_zeros(length, length)
        return torch.diag(x.new_ones(length - abs(offset)), offset)

    heads = [look(k - kernel // 2) for k in range(kernel)]
    merged = torch.cat([head @ x for head in heads], dim=2)  # (B, T, K * C_in)
    wide = weight.transpose(1, 2).flatten(1)  # (C_out, K * C_in)
    return F.linear(merged, wide, bias), torch.stack(heads)


# %% correct: entry by entry, values before looks

def convolution_as_attention(x: Tensor, weight: Tensor, bias: Tensor) -> tuple[Tensor, Tensor]:
    B, T, _ = x.shape
    C_out, _, K = weight.shape
    weights = torch.zeros(K, T, T, dtype=x.dtype, device=x.device)
    output = bias.expand(B, T, C_out)
    for k in range(K):
        for t in range(T):
            s = t + k - K // 2
            if 0 <= s < T:
                weights[k, t, s] = 1
    for k in range(K):
        values = torch.einsum("bsc,oc->bso", x, weight[..., k])
        output = output + torch.matmul(weights[k], values)
    return output, weights
