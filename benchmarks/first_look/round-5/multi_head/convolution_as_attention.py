# %% wrong: round and round
# The heads' weights are the unit matrix rolled by the offset: at the edges it wraps round, and the first position looks
# at the last, where it should give no weight at all.

def convolution_as_attention(x: Tensor, weight: Tensor, bias: Tensor) -> tuple[Tensor, Tensor]:
    T, K = x.shape[1], weight.shape[2]
    unit = torch.eye(T, dtype=x.dtype, device=x.device)
    heads = torch.stack([unit.roll(k - K // 2, dims=1) for k in range(K)])
    values = torch.einsum("bsc,ock->bkso", x, weight)
    return (heads @ values).sum(dim=1) + bias, heads


# %% wrong: each head brings its share of the bias
# The bias is divided among the values of the K heads: inside the sentence the shares add up, but at the edges a head that
# looks at nothing does not bring its share.

def convolution_as_attention(x: Tensor, weight: Tensor, bias: Tensor) -> tuple[Tensor, Tensor]:
    T, K = x.shape[1], weight.shape[2]
    t = torch.arange(T, device=x.device)
    heads = torch.stack([(t.unsqueeze(1) + k - K // 2 == t).to(x.dtype) for k in range(K)])
    output = 0
    for k in range(K):
        values = F.linear(x, weight[:, :, k], bias / K)
        output = output + heads[k] @ values
    return output, heads


# %% wrong: the kernel must fit into the sentence
# Each head is a diagonal of T - |offset| ones: where the kernel reaches further than the sentence is long that number is
# negative and an error comes; such a head should look at nothing.

def convolution_as_attention(x: Tensor, weight: Tensor, bias: Tensor) -> tuple[Tensor, Tensor]:
    B, T, _ = x.shape
    K = weight.shape[2]
    heads = []
    for k in range(K):
        offset = k - K // 2
        heads.append(torch.diag(torch.ones(T - abs(offset), dtype=x.dtype, device=x.device), diagonal=offset))
    heads = torch.stack(heads)
    output = bias.expand(B, T, -1)
    for k in range(K):
        output = output + heads[k] @ x @ weight[:, :, k].T
    return output, heads


# %% wrong: the kernel is only viewed in a new order
# For a matrix per head the weight is reshaped to (K, C_out, C_in), which moves no number: the entries of different places
# of the kernel are mixed up, with the right shape.

def convolution_as_attention(x: Tensor, weight: Tensor, bias: Tensor) -> tuple[Tensor, Tensor]:
    C_out, C_in, K = weight.shape
    place = torch.arange(x.shape[1], device=x.device)
    offset = torch.arange(K, device=x.device).view(K, 1, 1) - K // 2
    heads = (place.view(1, -1, 1) + offset == place).to(x.dtype)  # (K, T, T)
    maps = weight.reshape(K, C_out, C_in)
    values = x.unsqueeze(1) @ maps.transpose(1, 2)  # (B, K, T, C_out)
    return (heads @ values).sum(dim=1) + bias, heads


# %% wrong: the kernel is turned round
# As in mathematics, where a convolution runs through its kernel backwards, the last matrix is used for the first head:
# Conv1d, and the formula here, do not turn it round.

def convolution_as_attention(x: Tensor, weight: Tensor, bias: Tensor) -> tuple[Tensor, Tensor]:
    T, K = x.shape[1], weight.shape[2]
    heads = x.new_zeros(K, T, T)
    for k in range(K):
        for t in range(T):
            s = t + k - K // 2
            if 0 <= s < T:
                heads[k, t, s] = 1.0
    flipped = weight.flip(2)
    output = torch.einsum("kts,bsc,ock->bto", heads, x, flipped) + bias
    return output, heads


# %% correct: rows of ones and zeros, written out

def convolution_as_attention(x: Tensor, weight: Tensor, bias: Tensor) -> tuple[Tensor, Tensor]:
    batch, length, _ = x.shape
    kernel = weight.shape[2]
    total = torch.zeros(batch, length, len(bias), dtype=x.dtype, device=x.device) + bias
    looks = []
    for k in range(kernel):
        wanted = range(k - kernel // 2, length + k - kernel // 2)
        rows = [[float(s == there) for s in range(length)] for there in wanted]
        look = torch.tensor(rows, dtype=x.dtype, device=x.device).reshape(length, length)
        total = total + torch.matmul(look, F.linear(x, weight[..., k]))
        looks.append(look)
    return total, torch.stack(looks)


# %% correct: one step at a time by a shifting matrix

def convolution_as_attention(x: Tensor, weight: Tensor, bias: Tensor) -> tuple[Tensor, Tensor]:
    T, half = x.shape[1], weight.shape[2] // 2
    ahead = torch.ones(T, T, dtype=x.dtype, device=x.device)
    ahead = ahead.triu(1).tril(1)  # one: from t to t + 1; its powers go further and fall off the edge
    back = ahead.T
    heads = [torch.eye(T, dtype=x.dtype, device=x.device)]
    for _ in range(half):
        heads.insert(0, heads[0] @ back)
        heads.append(heads[-1] @ ahead)
    looks = torch.stack(heads)
    gathered = torch.einsum("kts,bsc->btck", looks, x)
    return torch.tensordot(gathered, weight, dims=([2, 3], [1, 2])) + bias, looks
