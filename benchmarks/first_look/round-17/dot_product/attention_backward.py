# %% wrong: the row's average taken from the output, as a mean over features
# The average of grad_weights under the weights equals the SUM over features of output times its gradient. Here it is the
# mean: too small by d_v. Shows for query and key wherever d_v is not 1.

def attention_backward(
    query: Tensor,
    key: Tensor,
    value: Tensor,
    grad_output: Tensor,
) -> tuple[Tensor, Tensor, Tensor]:
    root = math.sqrt(query.shape[-1])
    weights = torch.softmax(query @ key.mT / root, dim=-1)
    output = weights @ value
    grad_value = weights.mT @ grad_output
    grad_weights = grad_output @ value.mT
    average = (grad_output * output).mean(dim=-1, keepdim=True)
    grad_scores = weights * (grad_weights - average)
    return grad_scores @ key / root, grad_scores.mT @ query / root, grad_value


# %% wrong: the average over the queries
# The weighted average of grad_weights is taken down the columns (over T) and not along the rows (over S): the gradients of
# query and key are wrong unless T = S = 1. With S = 1 they should be zero and are not.

def attention_backward(
    query: Tensor,
    key: Tensor,
    value: Tensor,
    grad_output: Tensor,
) -> tuple[Tensor, Tensor, Tensor]:
    scale = query.shape[-1] ** -0.5
    weights = torch.softmax(query @ key.transpose(-2, -1) * scale, dim=-1)
    grad_weights = grad_output @ value.transpose(-2, -1)
    average = (weights * grad_weights).sum(dim=-2, keepdim=True)
    grad_scores = weights * (grad_weights - average)
    grad_query = grad_scores @ key * scale
    grad_key = grad_scores.transpose(-2, -1) @ query * scale
    return grad_query, grad_key, weights.transpose(-2, -1) @ grad_output


# %% wrong: the query scaled in place
# The three gradients are right, but the caller's query is smaller by the root of d_k afterwards (for every d_k above 1), and
# a second call gives other numbers.

def attention_backward(
    query: Tensor,
    key: Tensor,
    value: Tensor,
    grad_output: Tensor,
) -> tuple[Tensor, Tensor, Tensor]:
    with torch.no_grad():
        scale = query.shape[-1] ** -0.5
        query *= scale
        weights = torch.softmax(query @ key.mT, dim=-1)
        grad_value = weights.mT @ grad_output
        grad_weights = grad_output @ value.mT
        grad_scores = weights * grad_weights
        grad_scores = grad_scores - weights * grad_scores.sum(dim=-1, keepdim=True)
        # the query has its scale already
        return grad_scores @ key * scale, grad_scores.mT @ query, grad_value


# %% wrong: the root on the way back only
# The weights are made again from unscaled scores; the root comes in only with the gradients of query and key. All three are
# wrong wherever d_k and S are above 1.

def attention_backward(
    query: Tensor,
    key: Tensor,
    value: Tensor,
    grad_output: Tensor,
) -> tuple[Tensor, Tensor, Tensor]:
    A = torch.softmax(query @ key.transpose(-1, -2), dim=-1)
    dV = A.transpose(-1, -2) @ grad_output
    dA = grad_output @ value.transpose(-1, -2)
    dZ = A * (dA - (A * dA).sum(dim=-1, keepdim=True))
    dQ = dZ @ key / math.sqrt(query.shape[-1])
    dK = dZ.transpose(-1, -2) @ query / math.sqrt(query.shape[-1])
    return dQ, dK, dV


# %% correct: row by row with the whole Jacobian

def attention_backward(
    query: Tensor,
    key: Tensor,
    value: Tensor,
    grad_output: Tensor,
) -> tuple[Tensor, Tensor, Tensor]:
    T, d_k = query.shape[-2:]
    S, d_v = value.shape[-2:]
    with torch.no_grad():
        q, k = query.reshape(-1, T, d_k), key.reshape(-1, S, d_k)
        v, g = value.reshape(-1, S, d_v), grad_output.reshape(-1, T, d_v)
        grad_q, grad_k, grad_v = (torch.zeros_like(x) for x in (q, k, v))
        for n in range(len(q)):
            for t in range(T):
                a = torch.softmax(k[n] @ q[n, t] / math.sqrt(d_k), dim=0)  # (S,)
                jacobian = torch.diag(a) - torch.outer(a, a)
                grad_scores = jacobian @ (v[n] @ g[n, t]) / math.sqrt(d_k)
                grad_q[n, t] = grad_scores @ k[n]
                grad_k[n] += torch.outer(grad_scores, q[n, t])
                grad_v[n] += torch.outer(a, g[n, t])
    return (
        grad_q.reshape(query.shape),
        grad_k.reshape(key.shape),
        grad_v.reshape(value.shape),
    )


# %% correct: values measured from the output, by einsum

@torch.no_grad()
def attention_backward(
    query: Tensor,
    key: Tensor,
    value: Tensor,
    grad_output: Tensor,
) -> tuple[Tensor, Tensor, Tensor]:
    root = query.shape[-1] ** 0.5
    scores = torch.einsum("...td,...sd->...ts", query, key) / root
    weights = torch.exp(scores - scores.logsumexp(dim=-1, keepdim=True))
    output = torch.einsum("...ts,...sv->...tv", weights, value)
    # by how much each value exceeds what came back, in the direction that counts
    excess = value.unsqueeze(-3) - output.unsqueeze(-2)  # (..., T, S, d_v)
    grad_scores = weights * torch.einsum("...tsv,...tv->...ts", excess, grad_output) / root
    return (
        torch.einsum("...ts,...sd->...td", grad_scores, key),
        torch.einsum("...ts,...td->...sd", grad_scores, query),
        torch.einsum("...ts,...tv->...sv", weights, grad_output),
    )
