# %% wrong: the diagonal alone
# The derivative of the softmax is taken as P (1 - P), as for a sigmoid: how a weight moves by other scores is left out.
# Shows in the gradients of query and key wherever S is above 1 (grad_output with two keys, for example).

def attention_backward(
    query: Tensor,
    key: Tensor,
    value: Tensor,
    grad_output: Tensor,
) -> tuple[Tensor, Tensor, Tensor]:
    root = math.sqrt(query.shape[-1])
    P = torch.softmax(query @ key.transpose(-2, -1) / root, dim=-1)
    grad_value = P.transpose(-2, -1) @ grad_output
    grad_P = grad_output @ value.transpose(-2, -1)
    grad_S = P * (1 - P) * grad_P
    return grad_S @ key / root, grad_S.transpose(-2, -1) @ query / root, grad_value

# %% wrong: the root on one side only
# The gradient of the query is divided by the root of d_k, the gradient of the key is not.
# Shows for d_k above 1.

def attention_backward(
    query: Tensor,
    key: Tensor,
    value: Tensor,
    grad_output: Tensor,
) -> tuple[Tensor, Tensor, Tensor]:
    scaled = query / math.sqrt(query.shape[-1])
    P = torch.softmax(scaled @ key.mT, dim=-1)
    grad_P = grad_output @ value.mT
    grad_S = P * (grad_P - (P * grad_P).sum(dim=-1, keepdim=True))
    grad_query = grad_S @ key / math.sqrt(query.shape[-1])
    grad_key = grad_S.mT @ query
    return grad_query, grad_key, P.mT @ grad_output

# %% wrong: the plain average of the row
# Takes how far grad_P lies above the row's mean, not above its average under the weights.
# Shows wherever the weights are not all equal, in query and key.

def attention_backward(
    query: Tensor,
    key: Tensor,
    value: Tensor,
    grad_output: Tensor,
) -> tuple[Tensor, Tensor, Tensor]:
    root = query.shape[-1] ** 0.5
    _, P = scaled_dot_product_attention(query, key, value)
    grad_value = torch.einsum("...ts,...tv->...sv", P, grad_output)
    grad_P = torch.einsum("...tv,...sv->...ts", grad_output, value)
    grad_S = P * (grad_P - grad_P.mean(dim=-1, keepdim=True))
    grad_query = torch.einsum("...ts,...sd->...td", grad_S, key) / root
    grad_key = torch.einsum("...ts,...td->...sd", grad_S, query) / root
    return grad_query, grad_key, grad_value

# %% wrong: summed without its axis
# The row's average loses its axis, (B, T) in place of (B, T, 1), and is taken from columns, or does not fit at all.
# Shows for (B, T, d_k) with T other than S as an error, and for (T, d_k) with T = S as wrong gradients of query and key.

def attention_backward(
    query: Tensor,
    key: Tensor,
    value: Tensor,
    grad_output: Tensor,
) -> tuple[Tensor, Tensor, Tensor]:
    root = math.sqrt(key.shape[-1])
    P = torch.softmax(query @ key.transpose(-1, -2) / root, dim=-1)
    grad_P = grad_output @ value.transpose(-1, -2)
    average = (P * grad_P).sum(-1)
    grad_S = P * (grad_P - average) / root
    return grad_S @ key, grad_S.transpose(-1, -2) @ query, P.transpose(-1, -2) @ grad_output

# %% correct: how far each value lies from the output

def attention_backward(
    query: Tensor,
    key: Tensor,
    value: Tensor,
    grad_output: Tensor,
) -> tuple[Tensor, Tensor, Tensor]:
    root = math.sqrt(query.shape[-1])
    weights = torch.softmax(torch.einsum("...td,...sd->...ts", query, key) / root, dim=-1)
    output = torch.einsum("...ts,...sv->...tv", weights, value)
    better = value.unsqueeze(-3) - output.unsqueeze(-2)  # (..., T, S, d_v)
    push = weights * (better * grad_output.unsqueeze(-2)).sum(dim=-1) / root  # (..., T, S)
    grad_query = (push.unsqueeze(-1) * key.unsqueeze(-3)).sum(dim=-2)
    grad_key = (push.unsqueeze(-1) * query.unsqueeze(-2)).sum(dim=-3)
    grad_value = (weights.unsqueeze(-1) * grad_output.unsqueeze(-2)).sum(dim=-3)
    return grad_query, grad_key, grad_value

# %% correct: query after query, with running sums

def attention_backward(
    query: Tensor,
    key: Tensor,
    value: Tensor,
    grad_output: Tensor,
) -> tuple[Tensor, Tensor, Tensor]:
    scale = query.shape[-1] ** -0.5
    grad_queries, grad_key, grad_value = [], torch.zeros_like(key), torch.zeros_like(value)
    for q, g in zip(query.unbind(-2), grad_output.unbind(-2), strict=True):  # (..., d_k), (..., d_v)
        scores = (key * q.unsqueeze(-2)).sum(dim=-1) * scale  # (..., S)
        p = (scores - scores.amax(dim=-1, keepdim=True)).exp()
        p = p / p.sum(dim=-1, keepdim=True)
        gain = (value * g.unsqueeze(-2)).sum(dim=-1)
        average = (p * gain).sum(dim=-1, keepdim=True)
        push = (p * (gain - average) * scale).unsqueeze(-1)  # (..., S, 1)
        grad_queries.append((push * key).sum(dim=-2))
        grad_key = grad_key + push * q.unsqueeze(-2)
        grad_value = grad_value + p.unsqueeze(-1) * g.unsqueeze(-2)
    return torch.stack(grad_queries, dim=-2), grad_key, grad_value
