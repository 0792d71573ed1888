# %% wrong: the kernel the other way round
# Head k looks at t - k + K // 2, as a convolution in mathematics does. nn.Conv1d does not flip: it shows for every K above 1.

def convolution_as_attention(x: Tensor, weight: Tensor, bias: Tensor) -> tuple[Tensor, Tensor]:
    K, T = weight.shape[2], x.shape[1]
    t = torch.arange(T, device=x.device)
    k = torch.arange(K, device=x.device).view(K, 1, 1)
    looks = (t == t.view(T, 1) - k + K // 2).to(x.dtype)
    values = torch.einsum("bsc,ock->bkso", x, weight)
    return (looks @ values).sum(dim=1) + bias, looks


# %% wrong: at the edge the last key again
# A key outside the sentence is moved to its first or last position, so the edges look there. They should look at nothing:
# weights and output are wrong in the first and last K // 2 rows.

def convolution_as_attention(x: Tensor, weight: Tensor, bias: Tensor) -> tuple[Tensor, Tensor]:
    K, T = weight.shape[2], x.shape[1]
    t = torch.arange(T, device=x.device)
    keys = torch.stack([(t + k - K // 2).clamp(0, T - 1) for k in range(K)])  # (K, T)
    looks = F.one_hot(keys, T).to(x.dtype)
    values = torch.einsum("bsc,ock->bkso", x, weight)
    return (looks @ values).sum(dim=1) + bias, looks


# %% wrong: round the edge
# roll moves the identity, and what falls off at one edge comes back at the other: position 0 looks at the last one. It shows
# for every K above 1.

def convolution_as_attention(x: Tensor, weight: Tensor, bias: Tensor) -> tuple[Tensor, Tensor]:
    K, T = weight.shape[2], x.shape[1]
    identity = torch.eye(T, dtype=x.dtype, device=x.device)
    looks = torch.stack([identity.roll(k - K // 2, dims=1) for k in range(K)])
    output = sum(looks[k] @ x @ weight[:, :, k].T for k in range(K)) + bias
    return output, looks


# %% wrong: diagonals that must be there
# Each head's weights are a diagonal of T - |offset| ones. Where K // 2 is larger than T, that number is negative and torch.ones
# raises an error: a sentence of one position and K = 5.

def convolution_as_attention(x: Tensor, weight: Tensor, bias: Tensor) -> tuple[Tensor, Tensor]:
    K, T = weight.shape[2], x.shape[1]
    looks = torch.stack(
        [
            torch.diag(torch.ones(T - abs(k - K // 2), dtype=x.dtype, device=x.device), k - K // 2)
            for k in range(K)
        ]
    )
    values = torch.einsum("bsc,ock->bkso", x, weight)
    return torch.einsum("kts,bkso->bto", looks, values) + bias, looks


# %% correct: windows of the padded identity and of the padded sentence

def convolution_as_attention(x: Tensor, weight: Tensor, bias: Tensor) -> tuple[Tensor, Tensor]:
    K, T = weight.shape[2], x.shape[1]
    half = K // 2
    identity = F.pad(torch.eye(T, dtype=x.dtype, device=x.device), (0, 0, half, half))  # (T + 2 half, T)
    looks = identity.unfold(0, T, 1).transpose(1, 2)  # head k begins at row k
    windows = F.pad(x, (0, 0, half, half)).unfold(1, K, 1)  # (B, T, C_in, K)
    return windows.flatten(2) @ weight.flatten(1).T + bias, looks.contiguous()


# %% correct: query by query, in plain loops

def convolution_as_attention(x: Tensor, weight: Tensor, bias: Tensor) -> tuple[Tensor, Tensor]:
    batch, length, _ = x.shape
    heads = weight.unbind(dim=2)
    looks = torch.zeros(len(heads), length, length, dtype=x.dtype, device=x.device)
    places = []
    for t in range(length):
        found = bias.expand(batch, -1)
        for k, matrix in enumerate(heads):
            key = t + k - len(heads) // 2
            if 0 <= key < length:
                looks[k, t, key] = 1
                found = found + x[:, key] @ matrix.T
        places.append(found)
    return torch.stack(places, dim=1), looks
