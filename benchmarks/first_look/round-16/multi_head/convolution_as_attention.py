# %% wrong: one bias for each head
# Every head is a linear map with the bias, and the heads are summed: the bias comes in K times.
# Shows for K above 1 and a bias that is not zero.

def convolution_as_attention(x: Tensor, weight: Tensor, bias: Tensor) -> tuple[Tensor, Tensor]:
    T, K = x.shape[1], weight.shape[2]
    t = torch.arange(T, device=x.device)
    heads = [(t == t.unsqueeze(1) + k - K // 2).to(x.dtype) for k in range(K)]
    output = sum(F.linear(look @ x, weight[:, :, k], bias) for k, look in enumerate(heads))
    return output, torch.stack(heads)


# %% wrong: reshape in place of permute
# weight.reshape(K, C_out, C_in) has the right shape, but it reads the same row of numbers with other line breaks: head k
# does not get weight[:, :, k]. Shows for K above 1 (unless C_out * C_in = 1).

def convolution_as_attention(x: Tensor, weight: Tensor, bias: Tensor) -> tuple[Tensor, Tensor]:
    C_out, C_in, K = weight.shape
    T = x.shape[1]
    maps = weight.reshape(K, C_out, C_in)
    offset = torch.arange(K, device=x.device) - K // 2
    t = torch.arange(T, device=x.device)
    looks = (t.view(1, 1, T) == t.view(1, T, 1) + offset.view(K, 1, 1)).to(x.dtype)
    output = torch.einsum("kts,bsc,koc->bto", looks, x, maps) + bias
    return output, looks


# %% wrong: one row cleared where more wrap around
# The identity is rolled, and the row that wraps is set to zero; with an offset of two or more as many rows wrap.
# Right for K = 1 and 3, wrong for K = 5 (position 1 reads the end of the sentence).

def convolution_as_attention(x: Tensor, weight: Tensor, bias: Tensor) -> tuple[Tensor, Tensor]:
    T, K = x.shape[1], weight.shape[2]
    looks = []
    for k in range(K):
        offset = k - K // 2
        look = torch.eye(T, dtype=x.dtype, device=x.device).roll(offset, dims=1)
        if offset < 0:
            look[0] = 0
        elif offset > 0:
            look[-1] = 0
        looks.append(look)
    looks = torch.stack(looks)
    values = torch.einsum("bsc,ock->bkso", x, weight)
    return (looks @ values).sum(dim=1) + bias, looks


# %% wrong: diagonals of T - |offset| ones
# torch.diag builds each head's weights, with a negative number of ones where the offset is larger than T: an error
# for K // 2 > T, e.g. T = 1 and K = 5, where those heads should find no key.

def convolution_as_attention(x: Tensor, weight: Tensor, bias: Tensor) -> tuple[Tensor, Tensor]:
    T, K = x.shape[1], weight.shape[2]
    looks = []
    for offset in range(-(K // 2), K // 2 + 1):
        ones = torch.ones(T - abs(offset), dtype=x.dtype, device=x.device)
        looks.append(torch.diag(ones, offset))
    weights = torch.stack(looks)
    output = bias
    for k in range(K):
        output = output + weights[k] @ x @ weight[:, :, k].T
    return output, weights


# %% correct: windows cut from a padded identity

def convolution_as_attention(x: Tensor, weight: Tensor, bias: Tensor) -> tuple[Tensor, Tensor]:
    T, K = x.shape[1], weight.shape[2]
    identity = torch.eye(T, dtype=x.dtype, device=x.device)
    padded = F.pad(identity, (0, 0, K // 2, K // 2))  # empty rows above and below
    looks = torch.stack([padded[k : k + T] for k in range(K)])
    found = torch.einsum("kts,bsc->btck", looks, x)
    return found.flatten(2) @ weight.flatten(1).T + bias, looks


# %% correct: masked softmax over one allowed key, summed head by head

def convolution_as_attention(x: Tensor, weight: Tensor, bias: Tensor) -> tuple[Tensor, Tensor]:
    (B, T, C_in), (C_out, _, K) = x.shape, weight.shape
    where = torch.arange(T, device=x.device)
    offsets = torch.arange(K, device=x.device) - K // 2
    distance = where - where.unsqueeze(1)  # key minus query
    only = distance == offsets.view(K, 1, 1)
    weights = masked_softmax(x.new_zeros(K, T, T), only)
    output = bias.expand(B, T, C_out)
    for look, matrix in zip(weights, weight.unbind(dim=2), strict=True):
        output = output + torch.matmul(look, torch.matmul(x, matrix.T))
    return output, weights
