# %% wrong: the softmax without its average
# The gradient of a score is taken as its weight times its P-bar; the row's average under the weights is not taken away, so the
# gradients of query and key are wrong. Hint: what should the gradients of a row's scores sum to, if adding a constant changes nothing?

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
    grad_scores = weights * grad_weights
    return grad_scores @ key * scale, grad_scores.transpose(-2, -1) @ query * scale, grad_value


# %% wrong: the root forgotten on the way back
# The scores are divided by the root of d_k going forward and the gradients of query and key are not: too large by the root.
# Hint: S = QK^T / sqrt(d_k); what is the derivative of S by Q?

def attention_backward(
    query: Tensor,
    key: Tensor,
    value: Tensor,
    grad_output: Tensor,
) -> tuple[Tensor, Tensor, Tensor]:
    scores = query @ key.transpose(-2, -1) / math.sqrt(query.shape[-1])
    P = torch.softmax(scores, dim=-1)
    grad_value = P.transpose(-2, -1) @ grad_output
    grad_P = grad_output @ value.transpose(-2, -1)
    grad_S = P * (grad_P - (P * grad_P).sum(dim=-1, keepdim=True))
    grad_query = grad_S @ key
    grad_key = grad_S.transpose(-2, -1) @ query
    return grad_query, grad_key, grad_value


# %% wrong: the plain average
# The row's plain mean is taken away, where the text says the average under the weights; right only for uniform weights.
# Hint: write the Jacobian times a vector as a sum over s; which factor stands beside P-bar_s in it?

def attention_backward(
    query: Tensor,
    key: Tensor,
    value: Tensor,
    grad_output: Tensor,
) -> tuple[Tensor, Tensor, Tensor]:
    root = query.shape[-1] ** 0.5
    P = torch.softmax(query @ key.mT / root, dim=-1)
    P_bar = grad_output @ value.mT
    S_bar = P * (P_bar - P_bar.mean(dim=-1, keepdim=True))
    return S_bar @ key / root, S_bar.mT @ query / root, P.mT @ grad_output


# %% wrong: axes counted from the front
# transpose(1, 2) is right with exactly one leading axis; for (T, d) and for (B, H, T, d) it fails or transposes other axes,
# where the docstring says any leading axes. Hint: call it with no batch axis at all.

def attention_backward(
    query: Tensor,
    key: Tensor,
    value: Tensor,
    grad_output: Tensor,
) -> tuple[Tensor, Tensor, Tensor]:
    root = math.sqrt(query.shape[-1])
    P = torch.softmax(query @ key.transpose(1, 2) / root, dim=-1)
    grad_value = P.transpose(1, 2) @ grad_output
    grad_P = grad_output @ value.transpose(1, 2)
    grad_S = P * (grad_P - (grad_P * P).sum(dim=-1, keepdim=True))
    grad_query = grad_S @ key / root
    grad_key = grad_S.transpose(1, 2) @ query / root
    return grad_query, grad_key, grad_value


# %% correct: einsum, the average from the output

def attention_backward(
    query: Tensor,
    key: Tensor,
    value: Tensor,
    grad_output: Tensor,
) -> tuple[Tensor, Tensor, Tensor]:
    scaled = query * query.shape[-1] ** -0.5
    raw = torch.einsum("...td,...sd->...ts", scaled, key)
    p = (raw - torch.logsumexp(raw, dim=-1, keepdim=True)).exp()
    output = torch.einsum("...ts,...sv->...tv", p, value)
    average = torch.einsum("...tv,...tv->...t", grad_output, output)  # the same as the sum of P * P-bar along the row
    pushed = p * (torch.einsum("...tv,...sv->...ts", grad_output, value) - average[..., None])
    grad_query = torch.einsum("...ts,...sd->...td", pushed, key) * query.shape[-1] ** -0.5
    grad_key = torch.einsum("...ts,...td->...sd", pushed, scaled)
    return grad_query, grad_key, torch.einsum("...ts,...tv->...sv", p, grad_output)


# %% correct: one query at a time

def attention_backward(
    query: Tensor,
    key: Tensor,
    value: Tensor,
    grad_output: Tensor,
) -> tuple[Tensor, Tensor, Tensor]:
    root = math.sqrt(query.shape[-1])
    grad_key, grad_value = torch.zeros_like(key), torch.zeros_like(value)
    rows = []
    for t in range(query.shape[-2]):
        q, g = query[..., t, :], grad_output[..., t, :]
        weight = torch.softmax((key * q.unsqueeze(-2)).sum(dim=-1) / root, dim=-1)  # (..., S)
        towards = (value * g.unsqueeze(-2)).sum(dim=-1)
        above = towards - (weight * towards).sum(dim=-1, keepdim=True)
        by_score = (weight * above / root).unsqueeze(-1)  # (..., S, 1)
        rows.append((by_score * key).sum(dim=-2))
        grad_key = grad_key + by_score * q.unsqueeze(-2)
        grad_value = grad_value + weight.unsqueeze(-1) * g.unsqueeze(-2)
    return torch.stack(rows, dim=-2), grad_key, grad_value
