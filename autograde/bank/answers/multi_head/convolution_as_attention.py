# %% wrong: the kernel is turned round
# Head k looks to the wrong side. In mathematics a convolution flips its kernel; nn.Conv1d does not: head 0 looks back.

# --- before
    wanted = positions.unsqueeze(1) + offsets.view(-1, 1, 1)
# --- after
    wanted = positions.unsqueeze(1) - offsets.view(-1, 1, 1)

# %% wrong: at the edge the last key is taken again
# Where there is no key at its offset, a head took the nearest there is. It must give no weight at all: zero padding.

# --- before
    wanted = positions.unsqueeze(1) + offsets.view(-1, 1, 1)
# --- after
    wanted = (positions.unsqueeze(1) + offsets.view(-1, 1, 1)).clamp(0, length - 1)

# %% wrong: the sentence is a ring
# Where there is no key at its offset, a head went on at the other end, as negative indices do in silence. It must give
# no weight at all: zero padding.

# --- before
    wanted = positions.unsqueeze(1) + offsets.view(-1, 1, 1)
# --- after
    wanted = (positions.unsqueeze(1) + offsets.view(-1, 1, 1)) % length

# %% wrong: at the edge the weight is shared out
# A row that allows nothing came out uniform. A head with no key at its offset gives no weight: masked_softmax knows
# what to do with such a row.

# --- before
    weights = masked_softmax(
        torch.zeros(mask.shape, dtype=x.dtype, device=x.device), mask
    )
# --- after
    weights = torch.softmax(torch.where(mask, 0.0, -1e9), dim=2)

# %% wrong: the kernel's channels are exchanged
# The kernel was read as (C_in, C_out, K). It is kept as (C_out, C_in, K).

# --- before
    values = torch.einsum("bsc,ock->bkso", x, weight)
# --- after
    values = torch.einsum("bsc,cok->bkso", x, weight)

# %% wrong: the bias is left out
# The output lacks the bias. Add it once, after the heads have been added up.

# --- before
    return (weights @ values).sum(dim=1) + bias, weights
# --- after
    return (weights @ values).sum(dim=1), weights

# %% wrong: one kernel slice for all heads
# All heads used the same slice of the kernel. Head k has values of its own, made with weight[:, :, k].

# --- before
    return (weights @ values).sum(dim=1) + bias, weights
# --- after
    return (weights @ values[:, num_heads // 2 : num_heads // 2 + 1]).sum(dim=1) + bias, weights

# %% wrong: torch's convolution is called
# This exercise asks for a convolution made of attention. Let the heads' weights meet their values.

# --- before
    return (weights @ values).sum(dim=1) + bias, weights
# --- after
    return nn.functional.conv1d(x.mT, weight, bias, padding=num_heads // 2).mT, weights

# %% correct: diagonals of ones
def convolution_as_attention(x, weight, bias):
    T, K = x.shape[1], weight.shape[2]
    ones = torch.ones(T, T, dtype=x.dtype, device=x.device)
    weights = torch.stack([ones.tril(o).triu(o) for o in range(-(K // 2), K // 2 + 1)])
    output = bias + sum(weights[k] @ x @ weight[:, :, k].T for k in range(K))
    return output, weights

# %% correct: query by query
def convolution_as_attention(x, weight, bias):
    T, K = x.shape[1], weight.shape[2]
    weights = torch.zeros(K, T, T, dtype=x.dtype, device=x.device)
    for k in range(K):
        for t in range(T):
            if 0 <= t + k - K // 2 < T:
                weights[k, t, t + k - K // 2] = 1.0
    return torch.einsum("kts,bsc,ock->bto", weights, x, weight) + bias, weights

# %% correct: positions as one-hot vectors, compared by dot products
def convolution_as_attention(x, weight, bias):
    T, K = x.shape[1], weight.shape[2]
    far = torch.eye(T + 2 * K, dtype=x.dtype, device=x.device)
    keys = far[K : K + T]
    scores = torch.stack([far[K + k - K // 2 : K + T + k - K // 2] @ keys.T for k in range(K)])
    weights = (1e4 * (scores - 0.5)).softmax(-1) * (scores > 0.5)
    values = x.unsqueeze(1) @ weight.permute(2, 1, 0)
    return (weights @ values).sum(1) + bias, weights

# %% correct: padded, then cut
def convolution_as_attention(x, weight, bias):
    T, K = x.shape[1], weight.shape[2]
    wide = nn.functional.pad(torch.eye(T, dtype=x.dtype, device=x.device), (K // 2, K // 2, K // 2, K // 2))
    h = K // 2
    weights = torch.stack([wide[h + k - h : h + k - h + T, h : h + T] for k in range(K)])
    found = torch.einsum("kts,bsc->btkc", weights, x)
    return found.flatten(2) @ weight.permute(2, 1, 0).flatten(0, 1) + bias, weights

# %% correct: the course's attention with one mask a head
def convolution_as_attention(x, weight, bias):
    T, K = x.shape[1], weight.shape[2]
    places = torch.arange(T, device=x.device)
    distance = places - places[:, None]
    total, heads = bias, []
    for k in range(K):
        value = x @ weight[:, :, k].T
        found, weights = scaled_dot_product_attention(x * 0, x * 0, value, distance == k - K // 2)
        total = total + found
        heads.append(weights[0])
    return total, torch.stack(heads)
