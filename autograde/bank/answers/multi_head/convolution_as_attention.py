# %% wrong: the kernel is turned round
# Head k looks to the other side: that is the mathematician's convolution. nn.Conv1d does not turn its kernel round:
# head 0 looks back.

# --- before
    wanted = positions.unsqueeze(1) + offsets.view(-1, 1, 1)  # (K, T, 1): the key that a query of a head looks at
# --- after
    wanted = positions.unsqueeze(1) - offsets.view(-1, 1, 1)  # (K, T, 1): the key that a query of a head looks at

# %% wrong: every head looks back
# The last head looks at its own place, the others further back: that is a causal convolution. The middle head looks at
# its own place.

# --- before
    offsets = torch.arange(num_heads, device=x.device) - num_heads // 2
# --- after
    offsets = torch.arange(num_heads, device=x.device) - (num_heads - 1)

# %% wrong: every head looks ahead
# Head 0 looks at its own place. The middle head does: take K // 2 off every offset.

# --- before
    offsets = torch.arange(num_heads, device=x.device) - num_heads // 2
# --- after
    offsets = torch.arange(num_heads, device=x.device)

# %% wrong: at the edge the last key is taken again
# Where there is no key at its offset, a head took the nearest there is. It must give no weight at all: zero padding.

# --- before
    wanted = positions.unsqueeze(1) + offsets.view(-1, 1, 1)  # (K, T, 1): the key that a query of a head looks at
# --- after
    wanted = (positions.unsqueeze(1) + offsets.view(-1, 1, 1)).clamp(0, length - 1)  # (K, T, 1): the key that a query of a head looks at

# %% wrong: the sentence is a ring
# Where there is no key at its offset, a head went on at the other end, as negative indices do in silence. It must give
# no weight at all: zero padding.

# --- before
    wanted = positions.unsqueeze(1) + offsets.view(-1, 1, 1)  # (K, T, 1): the key that a query of a head looks at
# --- after
    wanted = (positions.unsqueeze(1) + offsets.view(-1, 1, 1)) % length  # (K, T, 1): the key that a query of a head looks at

# %% wrong: at the edge the weight is shared out
# A row that allows nothing came out uniform. A head with no key at its offset gives no weight: masked_softmax knows
# what to do with such a row.

# --- before
    weights = masked_softmax(torch.zeros(mask.shape, dtype=x.dtype, device=x.device), mask)
# --- after
    weights = torch.softmax(torch.where(mask, 0.0, -1e9), dim=2)

# %% wrong: the kernel's channels are exchanged
# The kernel was read as (C_in, C_out, K). It is kept as (C_out, C_in, K).

# --- before
    values = torch.einsum("bsc,ock->bkso", x, weight)  # head k's W_V and its columns of W_O, in one: weight[:, :, k]
# --- after
    values = torch.einsum("bsc,cok->bkso", x, weight)  # head k's W_V and its columns of W_O, in one: weight[:, :, k]

# %% wrong: the bias is left out
# The output lacks the bias. Add it once, after the heads have been added up.

# --- before
    return (weights @ values).sum(dim=1) + bias, weights  # (B, K, T, C_out) -> (B, T, C_out)
# --- after
    return (weights @ values).sum(dim=1), weights  # (B, K, T, C_out) -> (B, T, C_out)

# %% wrong: every head adds the bias
# The bias was added once for each head. It is added once.

# --- before
    return (weights @ values).sum(dim=1) + bias, weights  # (B, K, T, C_out) -> (B, T, C_out)
# --- after
    return (weights @ values + bias).sum(dim=1), weights  # (B, K, T, C_out) -> (B, T, C_out)

# %% wrong: the mean of the heads
# The heads' findings were averaged. They are added up.

# --- before
    return (weights @ values).sum(dim=1) + bias, weights  # (B, K, T, C_out) -> (B, T, C_out)
# --- after
    return (weights @ values).mean(dim=1) + bias, weights  # (B, K, T, C_out) -> (B, T, C_out)

# %% wrong: one kernel slice for all heads
# All heads used the same slice of the kernel. Head k has values of its own, made with weight[:, :, k].

# --- before
    return (weights @ values).sum(dim=1) + bias, weights  # (B, K, T, C_out) -> (B, T, C_out)
# --- after
    return (weights @ values[:, num_heads // 2 : num_heads // 2 + 1]).sum(dim=1) + bias, weights  # (B, K, T, C_out) -> (B, T, C_out)

# %% wrong: weights keys by queries
# The output is right, and the weights lie the other way round: rows are queries, columns are keys.

# --- before
    return (weights @ values).sum(dim=1) + bias, weights  # (B, K, T, C_out) -> (B, T, C_out)
# --- after
    return (weights @ values).sum(dim=1) + bias, weights.transpose(1, 2)  # (B, K, T, C_out) -> (B, T, C_out)

# %% wrong: heads on the last axis
# The output is right, and the weights' heads stand last. (K, T, T) is asked for.

# --- before
    return (weights @ values).sum(dim=1) + bias, weights  # (B, K, T, C_out) -> (B, T, C_out)
# --- after
    return (weights @ values).sum(dim=1) + bias, weights.permute(1, 2, 0)  # (B, K, T, C_out) -> (B, T, C_out)

# %% wrong: torch's convolution is called
# This exercise asks for a convolution made of attention. Let the heads' weights meet their values.

# --- before
    return (weights @ values).sum(dim=1) + bias, weights  # (B, K, T, C_out) -> (B, T, C_out)
# --- after
    return nn.functional.conv1d(x.mT, weight, bias, padding=num_heads // 2).mT, weights  # (B, K, T, C_out) -> (B, T, C_out)

# %% wrong: a softmax over nothing
# At the edges a row allows no key, and a softmax of nothing but minus infinity is NaN. Your masked_softmax gives zeros
# there.

# --- before
    weights = masked_softmax(torch.zeros(mask.shape, dtype=x.dtype, device=x.device), mask)
# --- after
    weights = torch.softmax(torch.zeros(mask.shape).masked_fill(~mask, float("-inf")), dim=2)

# %% wrong: the bias goes into every head's values
# The bias was added to each head's values, so it came once for each head that finds a key. Add it once, after the
# heads have been added up.

# --- before
    return (weights @ values).sum(dim=1) + bias, weights  # (B, K, T, C_out) -> (B, T, C_out)
# --- after
    return (weights @ (values + bias)).sum(dim=1) + 0 * bias, weights  # (B, K, T, C_out) -> (B, T, C_out)

# %% wrong: the kernel of the values is turned round
# The heads look where they should, and the first of them got the last slice of the kernel. Head k makes its values
# with weight[:, :, k]; nothing is turned round.

# --- before
    values = torch.einsum("bsc,ock->bkso", x, weight)  # head k's W_V and its columns of W_O, in one: weight[:, :, k]
# --- after
    values = torch.einsum("bsc,ock->bkso", x, weight.flip(2))  # head k's W_V and its columns of W_O, in one: weight[:, :, k]

# %% wrong: the middle is counted one too far
# All heads look one place too far back. The middle head, K // 2, looks at its own place.

# --- before
    offsets = torch.arange(num_heads, device=x.device) - num_heads // 2
# --- after
    offsets = torch.arange(num_heads, device=x.device) - (num_heads + 1) // 2

# %% correct: diagonals of ones

def convolution_as_attention(x, weight, bias):
    B, T, _ = x.shape
    K = weight.shape[2]
    weights = torch.stack([
        torch.diag(torch.ones(T - abs(o)), o) if abs(o) < T else torch.zeros(T, T) for o in range(-(K // 2), K // 2 + 1)
    ])
    output = bias + sum(weights[k] @ x @ weight[:, :, k].T for k in range(K))
    return output, weights

# %% correct: query by query

def convolution_as_attention(x, weight, bias):
    T, K = x.shape[1], weight.shape[2]
    weights = torch.zeros(K, T, T)
    for k in range(K):
        for t in range(T):
            if 0 <= t + k - K // 2 < T:
                weights[k, t, t + k - K // 2] = 1.0
    return torch.einsum("kts,bsc,ock->bto", weights, x, weight) + bias, weights

# %% correct: positions as one-hot vectors, compared by dot products

def convolution_as_attention(x, weight, bias):
    T, K = x.shape[1], weight.shape[2]
    far = torch.eye(T + 2 * K)
    keys = far[K : K + T]
    scores = torch.stack([far[K + k - K // 2 : K + T + k - K // 2] @ keys.T for k in range(K)])
    weights = (1e4 * (scores - 0.5)).softmax(-1) * (scores > 0.5)
    values = x.unsqueeze(1) @ weight.permute(2, 1, 0)
    return (weights @ values).sum(1) + bias, weights

# %% correct: padded, then cut

def convolution_as_attention(x, weight, bias):
    T, K = x.shape[1], weight.shape[2]
    wide = nn.functional.pad(torch.eye(T), (K // 2, K // 2, K // 2, K // 2))
    h = K // 2
    weights = torch.stack([wide[h + k - h : h + k - h + T, h : h + T] for k in range(K)])
    found = torch.einsum("kts,bsc->btkc", weights, x)
    return found.flatten(2) @ weight.permute(2, 1, 0).flatten(0, 1) + bias, weights

# %% correct: the course's attention with one mask a head

def convolution_as_attention(x, weight, bias):
    T, K = x.shape[1], weight.shape[2]
    distance = torch.arange(T) - torch.arange(T)[:, None]
    total, heads = bias, []
    for k in range(K):
        value = x @ weight[:, :, k].T
        found, weights = scaled_dot_product_attention(x * 0, x * 0, value, distance == k - K // 2)
        total = total + found
        heads.append(weights[0])
    return total, torch.stack(heads)
