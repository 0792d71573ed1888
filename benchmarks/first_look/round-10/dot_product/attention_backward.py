# %% wrong: the plain mean of the row
# "Above the row's average" is taken without the weights: mean over the keys in place of the sum of P times P-bar. The gradients of query and
# key are wrong wherever the weights of a row are not all equal; that of value is right, and so is all with S = 1.


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


# %% wrong: the key's gradient divided twice
# The query is divided by the root at the start and goes by the old name; at the end the key's gradient is made of the divided query and divided
# once more. It is too small by sqrt(d_k), for every d_k above 1; the other two are right.


def attention_backward(
    query: Tensor,
    key: Tensor,
    value: Tensor,
    grad_output: Tensor,
) -> tuple[Tensor, Tensor, Tensor]:
    scale = query.shape[-1] ** -0.5
    query = query * scale
    P = torch.softmax(query @ key.mT, dim=-1)
    dV = P.mT @ grad_output
    dP = grad_output @ value.mT
    dS = P * (dP - (P * dP).sum(dim=-1, keepdim=True))
    dQ = dS @ key * scale
    dK = dS.mT @ query * scale
    return dQ, dK, dV


# %% wrong: exponentials without a shift
# The weights are computed anew with exp and a sum, without taking the largest score away. Scores above 88 in float32 (709 in float64) overflow
# and all gradients are NaN: query and key of some tens in each entry, finite and allowed.


def attention_backward(
    query: Tensor,
    key: Tensor,
    value: Tensor,
    grad_output: Tensor,
) -> tuple[Tensor, Tensor, Tensor]:
    root = math.sqrt(query.shape[-1])
    exponentials = torch.exp(torch.einsum("...td,...sd->...ts", query, key) / root)
    P = exponentials / exponentials.sum(dim=-1, keepdim=True)
    grad_P = torch.einsum("...tv,...sv->...ts", grad_output, value)
    grad_S = P * grad_P - P * (P * grad_P).sum(dim=-1, keepdim=True)
    return (
        torch.einsum("...ts,...sd->...td", grad_S, key) / root,
        torch.einsum("...ts,...td->...sd", grad_S, query) / root,
        torch.einsum("...ts,...tv->...sv", P, grad_output),
    )


# %% wrong: the query divided in place
# `query /= root` divides the caller's tensor. All three gradients of this call are right (the root is in the query already, so the key's needs
# none), but query is changed for every d_k above 1, and a second call with the same arguments gives other gradients.


def attention_backward(
    query: Tensor,
    key: Tensor,
    value: Tensor,
    grad_output: Tensor,
) -> tuple[Tensor, Tensor, Tensor]:
    root = math.sqrt(query.shape[-1])
    query /= root
    weights = torch.softmax(query @ key.transpose(-2, -1), dim=-1)
    grad_weights = grad_output @ value.transpose(-2, -1)
    average = (weights * grad_weights).sum(dim=-1, keepdim=True)
    grad_scores = weights * (grad_weights - average)
    grad_query = grad_scores @ key / root
    grad_key = grad_scores.transpose(-2, -1) @ query
    grad_value = weights.transpose(-2, -1) @ grad_output
    return grad_query, grad_key, grad_value


# %% correct: query by query, with the Jacobian of the row


def attention_backward(
    query: Tensor,
    key: Tensor,
    value: Tensor,
    grad_output: Tensor,
) -> tuple[Tensor, Tensor, Tensor]:
    root = math.sqrt(query.shape[-1])
    grad_key, grad_value, of_queries = torch.zeros_like(key), torch.zeros_like(value), []
    for q, g in zip(query.unbind(-2), grad_output.unbind(-2), strict=True):  # (..., d_k) and (..., d_v)
        p = torch.softmax((key @ q.unsqueeze(-1)).squeeze(-1) / root, dim=-1)  # (..., S)
        jacobian = torch.diag_embed(p) - p.unsqueeze(-1) * p.unsqueeze(-2)  # (..., S, S)
        by_score = (jacobian @ (value @ g.unsqueeze(-1))) / root  # (..., S, 1)
        grad_value = grad_value + p.unsqueeze(-1) * g.unsqueeze(-2)
        grad_key = grad_key + by_score * q.unsqueeze(-2)
        of_queries.append((by_score * key).sum(dim=-2))
    return torch.stack(of_queries, dim=-2), grad_key, grad_value


# %% correct: the row's average read off the output


def attention_backward(
    query: Tensor,
    key: Tensor,
    value: Tensor,
    grad_output: Tensor,
) -> tuple[Tensor, Tensor, Tensor]:
    scale = 1 / math.sqrt(key.shape[-1])
    scores = torch.einsum("...td,...sd->...st", scale * query, key)  # keys first, (..., S, T)
    exponentials = (scores - scores.amax(dim=-2, keepdim=True)).exp()
    weights = exponentials / exponentials.sum(dim=-2, keepdim=True)
    output = torch.einsum("...st,...sv->...tv", weights, value)
    average = (output * grad_output).sum(dim=-1).unsqueeze(-2)  # (..., 1, T): the sum over s of P times its gradient
    by_score = scale * weights * (torch.einsum("...sv,...tv->...st", value, grad_output) - average)
    return (
        torch.einsum("...st,...sd->...td", by_score, key),
        torch.matmul(by_score, query),
        torch.matmul(weights, grad_output),
    )
