# %% wrong: offsets with the opposite sign
# Head k looks at t - k + K // 2: the kernel is turned round, as the convolution of mathematics and of NumPy has it.
# PyTorch's, and the formula above the exercise, do not turn it.
# Hint: at query 3, with K = 3, which key should head 0 look at? Print weights[0, 3].

def convolution_as_attention(x: Tensor, weight: Tensor, bias: Tensor) -> tuple[Tensor, Tensor]:
    T, K = x.shape[1], weight.shape[2]
    t = torch.arange(T, device=x.device)
    k = torch.arange(K, device=x.device).view(-1, 1, 1)
    target = t.view(1, -1, 1) - k + K // 2
    weights = (target == t).to(x.dtype)
    output = torch.einsum("kts,bsc,ock->bto", weights, x, weight) + bias
    return output, weights


# %% wrong: the sentence closed to a ring
# The heads are rolled identity matrices, so the first position gets something from the last one. Inside it is right; at
# the edges there is no such key, and the head should give nothing.
# Hint: print the first row of head 0. What lies before position 0?

def convolution_as_attention(x: Tensor, weight: Tensor, bias: Tensor) -> tuple[Tensor, Tensor]:
    T, K = x.shape[1], weight.shape[2]
    own_place = torch.eye(T, dtype=x.dtype, device=x.device)
    weights = torch.stack([own_place.roll(k - K // 2, dims=1) for k in range(K)])
    output = bias
    for k in range(K):
        output = output + weights[k] @ (x @ weight[:, :, k].T)
    return output, weights


# %% wrong: each head adds the bias
# The bias is put into each head's values, as a linear map with bias would; the sum over the heads has it K times, and at
# the edges fewer times. With a bias of zero, or K = 1, nothing is to be seen.
# Hint: how often does b stand in the formula for y at t? Compare at a position in the middle, with x all zeros.

def convolution_as_attention(x: Tensor, weight: Tensor, bias: Tensor) -> tuple[Tensor, Tensor]:
    _, T, _ = x.shape
    K = weight.shape[-1]
    places = torch.arange(T, device=x.device)
    weights = torch.stack([places.unsqueeze(1) + k - K // 2 == places for k in range(K)]).to(x.dtype)
    values = torch.stack([x @ weight[:, :, k].T + bias for k in range(K)], dim=1)  # (B, K, T, C_out)
    output = (weights @ values).sum(dim=1)
    return output, weights


# %% wrong: the kernel reshaped instead of permuted
# (C_out, C_in, K) is read as (K, C_out, C_in) by reshape: the shape a head needs, with numbers of other heads and
# channels in it. The weights are right.
# Hint: which axis of the kernel counts the heads? Bring it to the front, and compare one matrix with weight[:, :, 0].

def convolution_as_attention(x: Tensor, weight: Tensor, bias: Tensor) -> tuple[Tensor, Tensor]:
    B, T, C_in = x.shape
    C_out, _, K = weight.shape
    t = torch.arange(T, device=x.device)
    weights = torch.stack([(t[:, None] + k - K // 2) == t[None, :] for k in range(K)]).to(x.dtype)
    W = weight.reshape(K, C_out, C_in)
    output = torch.zeros(B, T, C_out, dtype=x.dtype, device=x.device)
    for head in range(K):
        output = output + weights[head] @ x @ W[head].T
    return output + bias, weights


# %% wrong: a softmax over nothing at the edges
# The one allowed key is chosen with minus infinity and a softmax, which gives one and zero inside. At the edges nothing
# is allowed, the softmax is NaN there, and so is the output.
# Hint: print the first row of head 0's weights. What should a row be that allows nothing?

def convolution_as_attention(x: Tensor, weight: Tensor, bias: Tensor) -> tuple[Tensor, Tensor]:
    T, K = x.shape[1], weight.shape[2]
    t = torch.arange(T, device=x.device)
    offsets = torch.arange(K, device=x.device) - K // 2
    allowed = (t.view(1, T, 1) + offsets.view(K, 1, 1)) == t.view(1, 1, T)
    scores = torch.zeros(K, T, T, dtype=x.dtype, device=x.device).masked_fill(~allowed, float("-inf"))
    weights = torch.softmax(scores, dim=2)
    heads = weights @ torch.einsum("bsc,ock->bkso", x, weight)  # (B, K, T, C_out)
    return heads.sum(dim=1) + bias, weights


# %% correct: query by query and head by head

def convolution_as_attention(x: Tensor, weight: Tensor, bias: Tensor) -> tuple[Tensor, Tensor]:
    length, kernel = x.shape[1], weight.shape[2]
    weights = x.new_zeros(kernel, length, length)
    for head in range(kernel):
        for query in range(length):
            key = query + head - kernel // 2
            if 0 <= key < length:
                weights[head, query, key] = 1
    output = bias.expand(x.shape[0], length, -1)
    for head, looks in enumerate(weights):
        values = F.linear(x, weight[:, :, head])  # (B, T, C_out)
        output = output + looks @ values
    return output, weights


# %% correct: the heads found side by side, and one output map for all of them

def convolution_as_attention(x: Tensor, weight: Tensor, bias: Tensor) -> tuple[Tensor, Tensor]:
    C_out, C_in, K = weight.shape
    T = x.shape[1]
    step = torch.arange(T, device=x.device)
    distance = step.unsqueeze(0) - step.unsqueeze(1)  # key minus query
    offsets = torch.arange(-(K // 2), K - K // 2, device=x.device)
    weights = (distance == offsets.view(K, 1, 1)).to(x.dtype)
    found = weights.unsqueeze(0) @ x.unsqueeze(1)  # (B, K, T, C_in)
    merged = found.transpose(1, 2).flatten(2)  # (B, T, K * C_in), head 0 first
    W_O = weight.permute(0, 2, 1).reshape(C_out, K * C_in)
    return merged @ W_O.T + bias, weights
