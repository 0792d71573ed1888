# %% wrong: the plain mean of the row
# What is taken off each entry is the row's plain mean, not its mean under the weights: gradients of query and key are wrong
# wherever the weights are not all alike (S of 2 and more).

def attention_backward(
    query: Tensor,
    key: Tensor,
    value: Tensor,
    grad_output: Tensor,
) -> tuple[Tensor, Tensor, Tensor]:
    scale = 1 / math.sqrt(query.shape[-1])
    P = torch.softmax(query @ key.transpose(-2, -1) * scale, dim=-1)
    grad_value = P.transpose(-2, -1) @ grad_output
    grad_P = grad_output @ value.transpose(-2, -1)
    grad_S = P * (grad_P - grad_P.mean(dim=-1, keepdim=True))
    return grad_S @ key * scale, grad_S.transpose(-2, -1) @ query * scale, grad_value


# %% wrong: the gradient of the divided query
# The query is divided by the root first, and what comes back is the gradient by that divided query: key and value are right,
# the query's gradient is larger by the root of d_k. Right for d_k = 1 alone.

def attention_backward(
    query: Tensor,
    key: Tensor,
    value: Tensor,
    grad_output: Tensor,
) -> tuple[Tensor, Tensor, Tensor]:
    q = query / math.sqrt(query.shape[-1])
    P = torch.softmax(q @ key.mT, dim=-1)
    grad_P = grad_output @ value.mT
    grad_S = P * (grad_P - (P * grad_P).sum(dim=-1, keepdim=True))
    return grad_S @ key, grad_S.mT @ q, P.mT @ grad_output


# %% wrong: written into the arguments
# The gradients are right, but query and key are divided in place and come back changed. Shows in the arguments after the
# call, for every d_k above 1.

def attention_backward(
    query: Tensor,
    key: Tensor,
    value: Tensor,
    grad_output: Tensor,
) -> tuple[Tensor, Tensor, Tensor]:
    root = query.shape[-1] ** 0.25
    query, key = query.detach(), key.detach()
    query /= root
    key /= root
    P = torch.softmax(query @ key.transpose(-2, -1), dim=-1)
    grad_P = grad_output @ value.transpose(-2, -1)
    grad_S = P * (grad_P - (grad_P * P).sum(-1, keepdim=True))
    grad_query = grad_S @ key / root
    grad_key = grad_S.transpose(-2, -1) @ query / root
    return grad_query, grad_key, P.transpose(-2, -1) @ grad_output


# %% wrong: filled row by row in float32
# The query's gradient is written into zeros of the default dtype: what comes in float64 goes out in float32, with eight
# digits lost.

def attention_backward(
    query: Tensor,
    key: Tensor,
    value: Tensor,
    grad_output: Tensor,
) -> tuple[Tensor, Tensor, Tensor]:
    root = math.sqrt(query.shape[-1])
    P = torch.softmax(query @ key.transpose(-2, -1) / root, dim=-1)
    grad_P = grad_output @ value.transpose(-2, -1)
    grad_query, grad_key = torch.zeros(query.shape), torch.zeros(key.shape)
    for t in range(query.shape[-2]):
        p, g = P[..., t, :], grad_P[..., t, :]
        grad_s = p * (g - (p * g).sum(-1, keepdim=True)) / root  # (..., S)
        grad_query[..., t, :] = (grad_s.unsqueeze(-1) * key).sum(dim=-2)
        grad_key += grad_s.unsqueeze(-1) * query[..., t : t + 1, :]
    return grad_query, grad_key, P.transpose(-2, -1) @ grad_output


# %% correct: the Jacobian of every row, built

def attention_backward(
    query: Tensor,
    key: Tensor,
    value: Tensor,
    grad_output: Tensor,
) -> tuple[Tensor, Tensor, Tensor]:
    q, k, v, g = (tensor.detach() for tensor in (query, key, value, grad_output))
    root = math.sqrt(q.shape[-1])
    P = torch.softmax(torch.einsum("...td,...sd->...ts", q, k) / root, dim=-1)
    jacobian = torch.diag_embed(P) - torch.einsum("...tr,...ts->...trs", P, P)
    grad_scores = torch.einsum("...trs,...tv,...sv->...tr", jacobian, g, v) / root
    return (
        torch.einsum("...ts,...sd->...td", grad_scores, k),
        torch.einsum("...ts,...td->...sd", grad_scores, q),
        torch.einsum("...ts,...tv->...sv", P, g),
    )


# %% correct: key by key, with the output's share taken off

def attention_backward(
    query: Tensor,
    key: Tensor,
    value: Tensor,
    grad_output: Tensor,
) -> tuple[Tensor, Tensor, Tensor]:
    q, k, v, g = (tensor.detach() for tensor in (query, key, value, grad_output))
    scale = q.shape[-1] ** -0.5
    scores = (q @ k.mT) * scale
    log_total = scores.logsumexp(dim=-1, keepdim=True)  # (..., T, 1)
    average = (g * (torch.exp(scores - log_total) @ v)).sum(dim=-1, keepdim=True)  # the row's mean, read off the output
    grad_query, grad_key, grad_value = torch.zeros_like(q), torch.zeros_like(k), torch.zeros_like(v)
    for s in range(k.shape[-2]):
        one = slice(s, s + 1)
        weight = torch.exp((q * k[..., one, :]).sum(-1, keepdim=True) * scale - log_total)  # (..., T, 1)
        push = weight * ((g * v[..., one, :]).sum(-1, keepdim=True) - average) * scale
        grad_query += push * k[..., one, :]
        grad_key[..., s, :] = (push * q).sum(dim=-2)
        grad_value[..., s, :] = (weight * g).sum(dim=-2)
    return grad_query, grad_key, grad_value
