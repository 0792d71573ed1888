# %% wrong: above the plain mean
# From each gradient of a weight the row's plain mean is subtracted, not its average under the weights. The gradients of query and
# key are wrong wherever the weights of a row are not all equal.

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
    grad_scores = weights * (grad_weights - grad_weights.mean(dim=-1, keepdim=True))
    return grad_scores @ key / root, grad_scores.transpose(-2, -1) @ query / root, grad_value

# %% wrong: only the diagonal of the Jacobian
# A (1 - A) is the softmax's derivative for r = s alone, as for a sigmoid; that every score also lowers the other weights is left
# out. The gradients of query and key are wrong for S > 1.

def attention_backward(
    query: Tensor,
    key: Tensor,
    value: Tensor,
    grad_output: Tensor,
) -> tuple[Tensor, Tensor, Tensor]:
    scale = 1 / math.sqrt(query.shape[-1])
    weights = torch.softmax(scale * query @ key.mT, dim=-1)
    grad_value = weights.mT @ grad_output
    grad_weights = grad_output @ value.mT
    grad_scores = grad_weights * weights * (1 - weights)
    return scale * grad_scores @ key, scale * grad_scores.mT @ query, grad_value

# %% wrong: the root on the way back is forgotten
# The scores are divided by the root of d_k, their gradient is not: those of query and key are too large by sqrt(d_k), for every
# d_k > 1.

def attention_backward(
    query: Tensor,
    key: Tensor,
    value: Tensor,
    grad_output: Tensor,
) -> tuple[Tensor, Tensor, Tensor]:
    weights = torch.softmax(query @ key.transpose(-1, -2) / query.shape[-1] ** 0.5, dim=-1)
    grad_value = weights.transpose(-1, -2) @ grad_output
    grad_weights = grad_output @ value.transpose(-1, -2)
    average = (weights * grad_weights).sum(dim=-1, keepdim=True)
    grad_scores = weights * (grad_weights - average)
    return grad_scores @ key, grad_scores.transpose(-1, -2) @ query, grad_value

# %% wrong: the caller's query is divided
# To save a root, the query is divided in place. The three gradients are right, but the caller's query is smaller afterwards by
# sqrt(d_k): shows for d_k > 1 in the argument, and in a second call.

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
    grad_scores = weights * (grad_weights - (weights * grad_weights).sum(-1, keepdim=True))
    grad_query = grad_scores @ key / root
    grad_key = grad_scores.transpose(-2, -1) @ query
    return grad_query, grad_key, grad_value

# %% correct: the average from the output, as FlashAttention has it

def attention_backward(
    query: Tensor,
    key: Tensor,
    value: Tensor,
    grad_output: Tensor,
) -> tuple[Tensor, Tensor, Tensor]:
    scale = query.shape[-1] ** -0.5
    scores = torch.einsum("...td,...sd->...ts", query, key) * scale
    weights = torch.exp(scores - scores.amax(dim=-1, keepdim=True))
    weights = weights / weights.sum(dim=-1, keepdim=True)
    output = torch.einsum("...ts,...sv->...tv", weights, value)
    # a row's average of its gradients under the weights is its output times the output's gradient
    average = (output * grad_output).sum(dim=-1, keepdim=True)
    lift = weights * (torch.einsum("...tv,...sv->...ts", grad_output, value) - average)
    return (
        torch.einsum("...ts,...sd->...td", lift, key) * scale,
        torch.einsum("...ts,...td->...sd", lift, query) * scale,
        torch.einsum("...ts,...tv->...sv", weights, grad_output),
    )

# %% correct: one query after the other, added up

def attention_backward(
    query: Tensor,
    key: Tensor,
    value: Tensor,
    grad_output: Tensor,
) -> tuple[Tensor, Tensor, Tensor]:
    root = query.shape[-1] ** 0.5
    grad_rows, grad_key, grad_value = [], torch.zeros_like(key), torch.zeros_like(value)
    for t in range(query.shape[-2]):
        asked, given = query[..., t : t + 1, :], grad_output[..., t : t + 1, :]
        shares = torch.softmax((key * asked).sum(dim=-1) / root, dim=-1)  # (..., S)
        gain = (value * given).sum(dim=-1)
        above = gain - (shares * gain).sum(dim=-1, keepdim=True)
        pull = (shares * above / root).unsqueeze(-1)
        grad_rows.append((pull * key).sum(dim=-2))
        grad_key = grad_key + pull * asked
        grad_value = grad_value + shares.unsqueeze(-1) * given
    return torch.stack(grad_rows, dim=-2), grad_key, grad_value
