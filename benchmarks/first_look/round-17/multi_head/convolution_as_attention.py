# %% wrong: weight cut up by a reshape
# weight (C_out, C_in, K) is reshaped to (K, C_out, C_in) in place of having its axes moved: the right shape, the numbers
# elsewhere. Right only for K = 1 or C_out = C_in = 1.

def convolution_as_attention(x: Tensor, weight: Tensor, bias: Tensor) -> tuple[Tensor, Tensor]:
    C_out, C_in, K = weight.shape
    T = x.shape[1]
    place = torch.arange(T, device=x.device)
    offset = torch.arange(K, device=x.device) - K // 2
    weights = place == (place.unsqueeze(1) + offset.view(-1, 1, 1))
    weights = weights.to(x.dtype)  # (K, T, T)
    matrices = weight.reshape(K, C_out, C_in)
    values = x.unsqueeze(1) @ matrices.transpose(1, 2)  # (B, K, T, C_out)
    return (weights @ values).sum(dim=1) + bias, weights


# %% wrong: diagonals of a negative length
# Each head's weights are a diagonal of T - |offset| ones. For a kernel more than twice as long as the sentence (T = 2,
# K = 7) that is negative, and torch.ones raises an error; such heads should find no key.

def convolution_as_attention(x: Tensor, weight: Tensor, bias: Tensor) -> tuple[Tensor, Tensor]:
    K, T = weight.shape[2], x.shape[1]
    weights = torch.stack(
        [
            torch.diag(torch.ones(T - abs(o), dtype=x.dtype, device=x.device), o)
            for o in range(-(K // 2), K // 2 + 1)
        ]
    )
    looked = torch.einsum("kts,bsc->bktc", weights, x)
    return torch.einsum("bktc,ock->bto", looked, weight) + bias, weights


# %% wrong: each head adds the bias
# The bias is part of each head's linear map, and the sum over heads holds it K times. Wrong for every K above 1 with a bias
# that is not zero.

def convolution_as_attention(x: Tensor, weight: Tensor, bias: Tensor) -> tuple[Tensor, Tensor]:
    T, K = x.shape[1], weight.shape[2]
    output, weights = 0, []
    for k in range(K):
        t = torch.arange(T, device=x.device).unsqueeze(1)
        s = torch.arange(T, device=x.device)
        looks = (s == t + k - K // 2).to(x.dtype)
        weights.append(looks)
        output = output + F.linear(looks @ x, weight[:, :, k], bias)
    return output, torch.stack(weights)


# %% wrong: at the edges the nearest key
# A key beyond the edge is replaced by the first or the last position (the padding mode "replicate"), where the head should
# give no weight. Wrong at the edges for every K above 1.

def convolution_as_attention(x: Tensor, weight: Tensor, bias: Tensor) -> tuple[Tensor, Tensor]:
    T, K = x.shape[1], weight.shape[2]
    t = torch.arange(T, device=x.device)
    keys = torch.stack([t + k - K // 2 for k in range(K)]).clamp(0, T - 1)  # (K, T)
    weights = F.one_hot(keys, T).to(x.dtype)
    heads = [weights[k] @ x @ weight[:, :, k].T for k in range(K)]
    return sum(heads) + bias, weights


# %% correct: one-hot rows of a longer sentence, its margins cut off

def convolution_as_attention(x: Tensor, weight: Tensor, bias: Tensor) -> tuple[Tensor, Tensor]:
    B, T, C_in = x.shape
    C_out, _, K = weight.shape
    margin = K // 2
    longer = torch.eye(T + 2 * margin, dtype=x.dtype, device=x.device)
    weights = torch.stack(
        [longer[k : k + T, margin : margin + T] for k in range(K)]
    )  # (K, T, T)
    # all the heads side by side, as features, through one map
    side_by_side = torch.cat([head @ x for head in weights.unbind()], dim=2)
    joint = weight.permute(0, 2, 1).reshape(C_out, K * C_in)
    return F.linear(side_by_side, joint, bias), weights


# %% correct: masked attention with equal scores, and a loop over query and offset

def convolution_as_attention(x: Tensor, weight: Tensor, bias: Tensor) -> tuple[Tensor, Tensor]:
    B, T, _ = x.shape
    K = weight.shape[2]
    allowed = torch.zeros(K, T, T, dtype=torch.bool, device=x.device)
    outputs = []
    for t in range(T):
        total = bias.expand(B, -1)
        for k in range(K):
            s = t + k - K // 2
            if 0 <= s < T:
                allowed[k, t, s] = True
                total = total + x[:, s] @ weight[:, :, k].T
        outputs.append(total)
    scores = torch.zeros(K, T, T, dtype=x.dtype, device=x.device)
    return torch.stack(outputs, dim=1), masked_softmax(scores, allowed)
