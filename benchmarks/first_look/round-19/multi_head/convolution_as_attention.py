# %% wrong: the bias once for each head
# Every head adds the bias to its share of the output, K times in all. Shows for K of 3 or more and any bias but zero.

def convolution_as_attention(x: Tensor, weight: Tensor, bias: Tensor) -> tuple[Tensor, Tensor]:
    T, K = x.shape[1], weight.shape[2]
    t, s = torch.arange(T, device=x.device)[:, None], torch.arange(T, device=x.device)[None, :]
    heads = torch.stack([(s == t + k - K // 2).to(x.dtype) for k in range(K)])
    output = sum(F.linear(heads[k] @ x, weight[:, :, k], bias) for k in range(K))
    return output, heads


# %% wrong: no diagonal so far out
# Builds the weights from ones on a diagonal, T - |offset| of them: where K // 2 is larger than T this number is negative, an
# error. Shows for T = 2, K = 7.

def convolution_as_attention(x: Tensor, weight: Tensor, bias: Tensor) -> tuple[Tensor, Tensor]:
    T, K = x.shape[1], weight.shape[2]
    heads = []
    for k in range(K):
        offset = k - K // 2
        ones = torch.ones(T - abs(offset), dtype=x.dtype, device=x.device)
        heads.append(torch.diag(ones, offset))
    heads = torch.stack(heads)
    output = torch.einsum("kts,bsc,ock->bto", heads, x, weight) + bias
    return output, heads


# %% wrong: the kernel's axes by reshape
# reshape(K, C_out, C_in) has the right shape, but deals the numbers out in another order than permute. Shows for
# K of 3 or more with more than one channel on either side.

def convolution_as_attention(x: Tensor, weight: Tensor, bias: Tensor) -> tuple[Tensor, Tensor]:
    C_out, C_in, K = weight.shape
    T = x.shape[1]
    place = torch.arange(T, device=x.device)
    wanted = place + torch.arange(K, device=x.device)[:, None] - K // 2  # (K, T)
    heads = (wanted.unsqueeze(2) == place).to(x.dtype)  # (K, T, T)
    W = weight.reshape(K, C_out, C_in)
    found = heads @ x.unsqueeze(1)  # (B, K, T, C_in)
    output = (found @ W.transpose(1, 2)).sum(dim=1) + bias
    return output, heads


# %% wrong: around the edges
# roll brings the last position before the first: at the edges the heads look at the other end, where they should have
# no key. Shows in the first and last K // 2 positions, for K of 3 or more.

def convolution_as_attention(x: Tensor, weight: Tensor, bias: Tensor) -> tuple[Tensor, Tensor]:
    T, K = x.shape[1], weight.shape[2]
    own = torch.eye(T, dtype=x.dtype, device=x.device)
    heads = torch.stack([own.roll(k - K // 2, dims=1) for k in range(K)])
    output = bias.expand(x.shape[0], T, -1)
    for k in range(K):
        output = output + heads[k] @ (x @ weight[:, :, k].T)
    return output, heads


# %% correct: slices of one padded identity
def convolution_as_attention(x: Tensor, weight: Tensor, bias: Tensor) -> tuple[Tensor, Tensor]:
    T, K = x.shape[1], weight.shape[2]
    # row r of the padded identity looks at key r - K // 2; head k begins at row k
    padded = F.pad(torch.eye(T, dtype=x.dtype, device=x.device), (0, 0, K // 2, K // 2))
    heads = padded.unfold(0, T, 1).transpose(1, 2).contiguous()
    side_by_side = torch.cat((heads @ x.unsqueeze(1)).unbind(dim=1), dim=2)  # (B, T, K * C_in)
    W_O = weight.transpose(1, 2).flatten(1)  # (C_out, K * C_in)
    return side_by_side @ W_O.T + bias, heads


# %% correct: a masked softmax over one key or none
def convolution_as_attention(x: Tensor, weight: Tensor, bias: Tensor) -> tuple[Tensor, Tensor]:
    B, T, _ = x.shape
    K = weight.shape[-1]
    allowed = torch.zeros(K, T, T, dtype=torch.bool, device=x.device)
    for k in range(K):
        for t in range(T):
            s = t + k - K // 2
            if 0 <= s < T:
                allowed[k, t, s] = True
    heads = masked_softmax(x.new_zeros(K, T, T), allowed)
    values = torch.tensordot(x, weight, dims=([2], [1]))  # (B, T, C_out, K)
    output = torch.stack([heads[k] @ values[..., k] for k in range(K)]).sum(dim=0)
    return output + bias, heads
