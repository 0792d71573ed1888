# %% wrong: the softmax's Jacobian is taken for its diagonal
# A * (1 - A) is the derivative of each weight with respect to its own score alone. The other scores of the row enter each weight too: with S > 1
# query and key get wrong gradients.

def attention_backward(
    query: Tensor,
    key: Tensor,
    value: Tensor,
    grad_output: Tensor,
) -> tuple[Tensor, Tensor, Tensor]:
    root = math.sqrt(query.shape[-1])
    weights = torch.softmax(query @ key.transpose(-2, -1) / root, dim=-1)
    grad_value = weights.transpose(-2, -1) @ grad_output
    grad_weights = grad_output @ value.transpose(-2, -1)
    grad_scores = weights * (1 - weights) * grad_weights
    return grad_scores @ key / root, grad_scores.transpose(-2, -1) @ query / root, grad_value


# %% wrong: the root is folded into the query, and forgotten on the way back
# With q = query / root the key's gradient is right, since q is in it. The query's lacks the factor 1 / root for every d_k > 1.

def attention_backward(
    query: Tensor,
    key: Tensor,
    value: Tensor,
    grad_output: Tensor,
) -> tuple[Tensor, Tensor, Tensor]:
    q = query / query.shape[-1] ** 0.5
    weights = torch.softmax(q @ key.mT, dim=-1)
    grad_weights = grad_output @ value.mT
    average = (weights * grad_weights).sum(dim=-1, keepdim=True)
    grad_scores = weights * (grad_weights - average)
    return grad_scores @ key, grad_scores.mT @ q, weights.mT @ grad_output


# %% wrong: the weights are overwritten before the value's gradient is taken
# mul_ turns the weights into the scores' gradient, and the value's gradient is then made of that. Wrong for every input with S > 1,
# zero for S = 1.

def attention_backward(
    query: Tensor,
    key: Tensor,
    value: Tensor,
    grad_output: Tensor,
) -> tuple[Tensor, Tensor, Tensor]:
    root = query.shape[-1] ** 0.5
    weights = torch.softmax(query @ key.transpose(-2, -1) / root, dim=-1)
    grad_weights = grad_output @ value.transpose(-2, -1)
    grad_weights -= (weights * grad_weights).sum(dim=-1, keepdim=True)
    grad_scores = weights.mul_(grad_weights)
    grad_query = grad_scores @ key / root
    grad_key = grad_scores.transpose(-2, -1) @ query / root
    grad_value = weights.transpose(-2, -1) @ grad_output
    return grad_query, grad_key, grad_value


# %% wrong: the average runs over the queries
# dim=-2 averages each key over the queries. The shapes broadcast as well as before, but a row's average is over its keys; with T = 1
# query and key get a gradient that is not the row's deviation but A * (gradient - A * gradient).

def attention_backward(
    query: Tensor,
    key: Tensor,
    value: Tensor,
    grad_output: Tensor,
) -> tuple[Tensor, Tensor, Tensor]:
    scale = 1 / math.sqrt(query.shape[-1])
    weights = torch.softmax(query @ key.transpose(-1, -2) * scale, dim=-1)
    grad_weights = torch.einsum("...tv,...sv->...ts", grad_output, value)
    products = weights * grad_weights
    grad_scores = products - weights * products.sum(dim=-2, keepdim=True)
    return (
        grad_scores @ key * scale,
        grad_scores.transpose(-1, -2) @ query * scale,
        weights.transpose(-1, -2) @ grad_output,
    )


# %% correct: the row's average is read off the output

def attention_backward(
    query: Tensor,
    key: Tensor,
    value: Tensor,
    grad_output: Tensor,
) -> tuple[Tensor, Tensor, Tensor]:
    root = query.shape[-1] ** 0.5
    z = torch.einsum("...td,...sd->...ts", query, key) / root
    a = torch.exp(z - torch.logsumexp(z, dim=-1, keepdim=True))
    # the sum of A times its gradient is the dot product of the output with the output's gradient
    output = torch.einsum("...ts,...sv->...tv", a, value)
    average = (output * grad_output).sum(dim=-1)
    g = torch.einsum("...tv,...sv->...ts", grad_output, value) - average[..., None]
    g = g * a / root
    return (
        torch.einsum("...ts,...sd->...td", g, key),
        torch.einsum("...ts,...td->...sd", g, query),
        torch.einsum("...ts,...tv->...sv", a, grad_output),
    )


# %% correct: query by query, adding up

def attention_backward(
    query: Tensor,
    key: Tensor,
    value: Tensor,
    grad_output: Tensor,
) -> tuple[Tensor, Tensor, Tensor]:
    scale = query.shape[-1] ** -0.5
    grad_query, grad_key, grad_value = torch.zeros_like(query), torch.zeros_like(key), torch.zeros_like(value)
    for t in range(query.shape[-2]):
        q, g = query[..., t, :].unsqueeze(-1), grad_output[..., t, :].unsqueeze(-1)  # columns
        a = torch.softmax(key @ q * scale, dim=-2)  # (..., S, 1)
        above = value @ g  # what the loss would gain from each weight ...
        above = above - (a * above).sum(dim=-2, keepdim=True)  # ... beyond the row's average
        of_scores = a * above * scale
        grad_query[..., t, :] = (of_scores * key).sum(dim=-2)
        grad_key = grad_key + of_scores * q.transpose(-2, -1)
        grad_value = grad_value + a * g.transpose(-2, -1)
    return grad_query, grad_key, grad_value
