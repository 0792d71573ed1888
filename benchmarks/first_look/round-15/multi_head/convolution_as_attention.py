# %% wrong: the bias is added by every head
# F.linear gets the bias in each of the K heads, so it enters K times. Right for K = 1, and for a bias of zeros.

def convolution_as_attention(x: Tensor, weight: Tensor, bias: Tensor) -> tuple[Tensor, Tensor]:
    length, width = x.shape[1], weight.shape[2]
    t = torch.arange(length, device=x.device)
    heads, output = [], 0
    for k in range(width):
        looks = (t + k - width // 2).unsqueeze(1) == t
        heads.append(looks.to(x.dtype))
        output = output + F.linear(heads[-1] @ x, weight[:, :, k], bias)
    return output, torch.stack(heads)

# %% wrong: at the edges the nearest key
# The wanted key is clamped to the sentence, so the first and the last position are used again where there is nothing: the weights there
# should be zero. Shows at the edges for every K above 1.

def convolution_as_attention(x: Tensor, weight: Tensor, bias: Tensor) -> tuple[Tensor, Tensor]:
    length, width = x.shape[1], weight.shape[2]
    t = torch.arange(length, device=x.device)
    k = torch.arange(width, device=x.device).unsqueeze(1)
    wanted = (t + k - width // 2).clamp(0, length - 1)  # (K, T)
    heads = F.one_hot(wanted, length).to(x.dtype)
    output = torch.einsum("kts,bsc,ock->bto", heads, x, weight) + bias
    return output, heads

# %% wrong: a diagonal that must lie within the matrix
# diag needs T - |offset| ones. Where K // 2 is larger than T that number is negative and torch.ones raises: K may be larger than T, as with
# five offsets and one position.

def convolution_as_attention(x: Tensor, weight: Tensor, bias: Tensor) -> tuple[Tensor, Tensor]:
    length, width = x.shape[1], weight.shape[2]
    heads = []
    for k in range(width):
        offset = k - width // 2
        ones = torch.ones(length - abs(offset), dtype=x.dtype, device=x.device)
        heads.append(torch.diag(ones, offset))
    heads = torch.stack(heads)
    values = torch.einsum("bsc,ock->bkso", x, weight)
    return (heads @ values).sum(dim=1) + bias, heads

# %% wrong: the weights are float32 whatever x is
# zeros without a dtype are float32: with an x in float64 the product of weights and values raises, and the weights are not in the dtype of x.

def convolution_as_attention(x: Tensor, weight: Tensor, bias: Tensor) -> tuple[Tensor, Tensor]:
    length, width = x.shape[1], weight.shape[2]
    heads = torch.zeros(width, length, length, device=x.device)
    for k in range(width):
        for t in range(length):
            s = t + k - width // 2
            if 0 <= s < length:
                heads[k, t, s] = 1
    output = bias
    for k in range(width):
        output = output + heads[k] @ (x @ weight[:, :, k].T)
    return output, heads

# %% correct: pieces of one large identity matrix

def convolution_as_attention(x: Tensor, weight: Tensor, bias: Tensor) -> tuple[Tensor, Tensor]:
    length, width = x.shape[1], weight.shape[2]
    edge = width // 2
    padded = torch.eye(length + 2 * edge, dtype=x.dtype, device=x.device)[:, edge : edge + length]
    # row t of head k is the row of place t + k among the padded places
    heads = torch.stack([padded[k : k + length] for k in range(width)])
    looked = torch.einsum("kts,bsc->btkc", heads, x).flatten(2)  # (B, T, K * C_in)
    return looked @ weight.permute(2, 1, 0).flatten(0, 1) + bias, heads

# %% correct: powers of a step to the right

def convolution_as_attention(x: Tensor, weight: Tensor, bias: Tensor) -> tuple[Tensor, Tensor]:
    length, edge = x.shape[1], weight.shape[2] // 2
    step = torch.eye(length + 1, dtype=x.dtype, device=x.device)[1:, :-1]  # query t, key t + 1
    look = torch.eye(length, dtype=x.dtype, device=x.device)
    ahead = [look]
    for _ in range(edge):
        look = look @ step
        ahead.append(look)
    heads = torch.stack([later.T for later in ahead[:0:-1]] + ahead)
    output = bias.expand(len(x), length, -1)
    for head, matrix in zip(heads, weight.unbind(dim=2), strict=True):
        output = output + torch.matmul(head, x) @ matrix.T
    return output, heads
