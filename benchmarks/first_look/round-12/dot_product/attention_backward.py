# %% wrong: the plain mean of the row
# From each gradient the mean over the keys is taken away, not the mean under the weights.
# Shows wherever S is above 1 and the weights are not all equal, in the gradients of query and key.

def attention_backward(
    query: Tensor,
    key: Tensor,
    value: Tensor,
    grad_output: Tensor,
) -> tuple[Tensor, Tensor, Tensor]:
    scale = 1 / math.sqrt(query.shape[-1])
    weights = torch.softmax(query @ key.transpose(-2, -1) * scale, dim=-1)
    grad_value = weights.transpose(-2, -1) @ grad_output
    grad_weights = grad_output @ value.transpose(-2, -1)
    grad_scores = weights * (grad_weights - grad_weights.mean(dim=-1, keepdim=True))
    return grad_scores @ key * scale, grad_scores.transpose(-2, -1) @ query * scale, grad_value

# %% wrong: the average of a column
# The weighted average is formed over the queries, but the softmax shares out each query's row.
# Shows in the gradients of query and key for nearly every input.

def attention_backward(
    query: Tensor,
    key: Tensor,
    value: Tensor,
    grad_output: Tensor,
) -> tuple[Tensor, Tensor, Tensor]:
    scale = query.shape[-1] ** -0.5
    weights = torch.softmax(query @ key.transpose(-2, -1) * scale, dim=-1)
    grad_value = weights.transpose(-2, -1) @ grad_output
    grad_weights = grad_output @ value.transpose(-2, -1)
    average = (weights * grad_weights).sum(dim=-2, keepdim=True)
    grad_scores = weights * (grad_weights - average) * scale
    return grad_scores @ key, grad_scores.transpose(-2, -1) @ query, grad_value

# %% wrong: the keys' gradient without the root
# The root is divided out for the query only.
# Shows in the gradient of key for every d_k above 1.

def attention_backward(
    query: Tensor,
    key: Tensor,
    value: Tensor,
    grad_output: Tensor,
) -> tuple[Tensor, Tensor, Tensor]:
    root = math.sqrt(query.shape[-1])
    A = torch.softmax(query @ key.mT / root, dim=-1)
    dV = A.mT @ grad_output
    dA = grad_output @ value.mT
    dZ = A * (dA - (A * dA).sum(-1, keepdim=True))
    dQ = dZ @ key / root
    dK = dZ.mT @ query
    return dQ, dK, dV

# %% wrong: exponentials without the shift
# The weights are written out as exp over a sum, which is inf / inf for scores of some hundreds.
# Shows for queries and keys with entries around 20: NaN in all three.

def attention_backward(
    query: Tensor,
    key: Tensor,
    value: Tensor,
    grad_output: Tensor,
) -> tuple[Tensor, Tensor, Tensor]:
    root = math.sqrt(query.shape[-1])
    exponentials = torch.exp(query @ key.mT / root)
    A = exponentials / exponentials.sum(dim=-1, keepdim=True)
    dA = grad_output @ value.mT
    dZ = A * (dA - (A * dA).sum(dim=-1, keepdim=True)) / root
    return dZ @ key, dZ.mT @ query, A.mT @ grad_output

# %% correct: the row's average from the output

# The average of a row is its output times the output's gradient; einsums for the rest.

def attention_backward(
    query: Tensor,
    key: Tensor,
    value: Tensor,
    grad_output: Tensor,
) -> tuple[Tensor, Tensor, Tensor]:
    with torch.no_grad():
        scaled = query / math.sqrt(query.shape[-1])
        weights = torch.softmax(torch.einsum("...td,...sd->...ts", scaled, key), dim=-1)
        output = torch.einsum("...ts,...sv->...tv", weights, value)
        average = torch.einsum("...tv,...tv->...t", grad_output, output)
        above = torch.einsum("...tv,...sv->...ts", grad_output, value) - average.unsqueeze(-1)
        grad_scores = weights * above
        grad_query = torch.einsum("...ts,...sd->...td", grad_scores, key) / math.sqrt(query.shape[-1])
        grad_key = torch.einsum("...ts,...td->...sd", grad_scores, scaled)
        grad_value = torch.einsum("...ts,...tv->...sv", weights, grad_output)
        return grad_query, grad_key, grad_value

# %% correct: one query after another

# Each query's row is worked out alone, and adds its share to the gradients of all keys and values.

def attention_backward(
    query: Tensor,
    key: Tensor,
    value: Tensor,
    grad_output: Tensor,
) -> tuple[Tensor, Tensor, Tensor]:
    query, key, value, grad_output = (each.detach() for each in (query, key, value, grad_output))
    scale = query.shape[-1] ** -0.5
    grad_key, grad_value, grad_query = torch.zeros_like(key), torch.zeros_like(value), []
    for q, back in zip(query.unbind(dim=-2), grad_output.unbind(dim=-2), strict=True):
        scores = (key * q.unsqueeze(-2)).sum(dim=-1) * scale  # (..., S)
        scores = scores - scores.amax(dim=-1, keepdim=True)
        weights = (scores - scores.logsumexp(dim=-1, keepdim=True)).exp()
        gain = (value * back.unsqueeze(-2)).sum(dim=-1)
        slope = scale * weights * (gain - (weights * gain).sum(dim=-1, keepdim=True))
        grad_query.append((slope.unsqueeze(-1) * key).sum(dim=-2))
        grad_key = grad_key + slope.unsqueeze(-1) * q.unsqueeze(-2)
        grad_value = grad_value + weights.unsqueeze(-1) * back.unsqueeze(-2)
    return torch.stack(grad_query, dim=-2), grad_key, grad_value
