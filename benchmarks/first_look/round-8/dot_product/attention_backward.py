# %% wrong: the root is missing on the way back
# The scores are divided by the root of d_k, their gradient is not: the gradients of query and key are too large by
# that root, for every d_k above 1.

def attention_backward(
    query: Tensor,
    key: Tensor,
    value: Tensor,
    grad_output: Tensor,
) -> tuple[Tensor, Tensor, Tensor]:
    weights = torch.softmax(query @ key.transpose(-2, -1) / math.sqrt(query.shape[-1]), dim=-1)
    grad_value = weights.transpose(-2, -1) @ grad_output
    grad_weights = grad_output @ value.transpose(-2, -1)
    grad_scores = weights * (grad_weights - (weights * grad_weights).sum(dim=-1, keepdim=True))
    return grad_scores @ key, grad_scores.transpose(-2, -1) @ query, grad_value

# %% wrong: the plain average of the row
# "Above the row's average" is read as the mean over the keys; it is the average under the weights. The gradients of query and
# key are wrong wherever the weights are not all alike.

def attention_backward(
    query: Tensor,
    key: Tensor,
    value: Tensor,
    grad_output: Tensor,
) -> tuple[Tensor, Tensor, Tensor]:
    scale = query.shape[-1] ** -0.5
    P = torch.softmax(scale * query @ key.mT, dim=-1)
    dV = P.mT @ grad_output
    dP = grad_output @ value.mT
    dS = P * (dP - dP.mean(dim=-1, keepdim=True))
    return scale * dS @ key, scale * dS.mT @ query, dV

# %% wrong: axes counted from the front
# transpose(1, 2) is right for one leading axis. With two of them it swaps a leading axis with the positions and raises or (sizes alike) gives
# other numbers, and without any it raises.

def attention_backward(
    query: Tensor,
    key: Tensor,
    value: Tensor,
    grad_output: Tensor,
) -> tuple[Tensor, Tensor, Tensor]:
    root = math.sqrt(query.shape[-1])
    weights = torch.softmax(query @ key.transpose(1, 2) / root, dim=-1)
    grad_value = weights.transpose(1, 2) @ grad_output
    grad_weights = grad_output @ value.transpose(1, 2)
    average = (weights * grad_weights).sum(dim=-1, keepdim=True)
    grad_scores = weights * (grad_weights - average) / root
    return grad_scores @ key, grad_scores.transpose(1, 2) @ query, grad_value

# %% wrong: the caller's query is scaled in place
# query /= root saves a line and changes the argument; and the gradient of key, taken with the scaled query, is right, so
# that the numbers tell nothing. (A leaf that requires a gradient raises.)

def attention_backward(
    query: Tensor,
    key: Tensor,
    value: Tensor,
    grad_output: Tensor,
) -> tuple[Tensor, Tensor, Tensor]:
    root = math.sqrt(query.shape[-1])
    query /= root
    weights = torch.softmax(query @ key.transpose(-2, -1), dim=-1)
    grad_value = weights.transpose(-2, -1) @ grad_output
    grad_weights = grad_output @ value.transpose(-2, -1)
    grad_scores = weights * (grad_weights - (weights * grad_weights).sum(dim=-1, keepdim=True))
    return grad_scores @ key / root, grad_scores.transpose(-2, -1) @ query, grad_value

# %% correct: the Jacobian of each row, built

def attention_backward(
    query: Tensor,
    key: Tensor,
    value: Tensor,
    grad_output: Tensor,
) -> tuple[Tensor, Tensor, Tensor]:
    root = math.sqrt(query.shape[-1])
    P = torch.softmax(torch.einsum("...td,...sd->...ts", query, key) / root, dim=-1)
    jacobian = torch.diag_embed(P) - torch.einsum("...ts,...tr->...tsr", P, P)
    grad_P = torch.einsum("...tv,...sv->...ts", grad_output, value)
    grad_S = torch.einsum("...tsr,...ts->...tr", jacobian, grad_P) / root
    return (
        torch.einsum("...ts,...sd->...td", grad_S, key),
        torch.einsum("...ts,...td->...sd", grad_S, query),
        torch.einsum("...ts,...tv->...sv", P, grad_output),
    )

# %% correct: one key at a time, with the average taken from the output

def attention_backward(
    query: Tensor,
    key: Tensor,
    value: Tensor,
    grad_output: Tensor,
) -> tuple[Tensor, Tensor, Tensor]:
    scaled = query / query.shape[-1] ** 0.5
    keys, values = key.unbind(-2), value.unbind(-2)
    scores = [(scaled * k.unsqueeze(-2)).sum(-1, keepdim=True) for k in keys]  # each (..., T, 1)
    top = torch.cat(scores, dim=-1).amax(dim=-1, keepdim=True)
    exponentials = [torch.exp(s - top) for s in scores]
    total = sum(exponentials)
    weights = [e / total for e in exponentials]
    output = sum(w * v.unsqueeze(-2) for w, v in zip(weights, values))  # (..., T, d_v)
    grad_query, grad_keys, grad_values = torch.zeros_like(query), [], []
    for k, v, w in zip(keys, values, weights):
        gain = (grad_output * (v.unsqueeze(-2) - output)).sum(-1, keepdim=True)  # how far v is above the average
        grad_score = w * gain
        grad_query = grad_query + grad_score * k.unsqueeze(-2) / query.shape[-1] ** 0.5
        grad_keys.append((grad_score * scaled).sum(-2))
        grad_values.append((w * grad_output).sum(-2))
    return grad_query, torch.stack(grad_keys, dim=-2), torch.stack(grad_values, dim=-2)
