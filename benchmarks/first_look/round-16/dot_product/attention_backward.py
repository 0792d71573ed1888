# %% wrong: gradient at the scaled query
# The query is scaled first, and the gradient that comes out belongs to query / sqrt(d_k); the last factor on the way
# back is missing. grad of query too large by sqrt(d_k) for every d_k above 1; key and value are right.

def attention_backward(
    query: Tensor,
    key: Tensor,
    value: Tensor,
    grad_output: Tensor,
) -> tuple[Tensor, Tensor, Tensor]:
    query = query / math.sqrt(query.shape[-1])
    weights = torch.softmax(query @ key.transpose(-2, -1), dim=-1)
    grad_value = weights.transpose(-2, -1) @ grad_output
    grad_weights = grad_output @ value.transpose(-2, -1)
    average = (weights * grad_weights).sum(dim=-1, keepdim=True)
    grad_scores = weights * (grad_weights - average)
    return grad_scores @ key, grad_scores.transpose(-2, -1) @ query, grad_value


# %% wrong: the plain average of the row
# "The row's average under the weights" taken as the mean over the keys. Shows wherever the weights are not uniform
# (at S = 1, or for a zero query, it is right).

def attention_backward(
    query: Tensor,
    key: Tensor,
    value: Tensor,
    grad_output: Tensor,
) -> tuple[Tensor, Tensor, Tensor]:
    root = math.sqrt(query.shape[-1])
    weights = torch.softmax(query @ key.mT / root, dim=-1)
    grad_weights = grad_output @ value.mT
    grad_scores = weights * (grad_weights - grad_weights.mean(dim=-1, keepdim=True))
    grad_query = grad_scores @ key / root
    grad_key = grad_scores.mT @ query / root
    return grad_query, grad_key, weights.mT @ grad_output


# %% wrong: the Jacobian summed over the wrong letter
# A_s (delta - A_r) times the gradient is summed as if A stood outside: A * grad - A * A * sum(grad), where the sum has to
# contain the weights, A * sum(A * grad). Shows for every input with S above 1.

def attention_backward(
    query: Tensor,
    key: Tensor,
    value: Tensor,
    grad_output: Tensor,
) -> tuple[Tensor, Tensor, Tensor]:
    scale = query.shape[-1] ** -0.5
    A = torch.softmax(scale * (query @ key.mT), dim=-1)
    grad_A = grad_output @ value.mT
    grad_Z = A * grad_A - A**2 * grad_A.sum(dim=-1, keepdim=True)
    return scale * (grad_Z @ key), scale * (grad_Z.mT @ query), A.mT @ grad_output


# %% wrong: the sum's axis counted from the front
# dim=2 is the keys' axis for (B, T, S). With two leading axes it is the queries', summed without an error; with none
# there is no such axis. Shows for query (2, 3, 4, 5), and for (4, 5).

def attention_backward(
    query: Tensor,
    key: Tensor,
    value: Tensor,
    grad_output: Tensor,
) -> tuple[Tensor, Tensor, Tensor]:
    scale = 1 / math.sqrt(key.shape[-1])
    A = torch.softmax(query @ key.transpose(-1, -2) * scale, dim=-1)
    grad_A = grad_output @ value.transpose(-1, -2)
    grad_Z = A * (grad_A - (A * grad_A).sum(dim=2, keepdim=True))
    grad_Q = grad_Z @ key * scale
    grad_K = grad_Z.transpose(-1, -2) @ query * scale
    return grad_Q, grad_K, A.transpose(-1, -2) @ grad_output


# %% correct: key by key, with the average taken from the output

def attention_backward(
    query: Tensor,
    key: Tensor,
    value: Tensor,
    grad_output: Tensor,
) -> tuple[Tensor, Tensor, Tensor]:
    scale = query.shape[-1] ** -0.5
    scores = torch.einsum("...td,...sd->...ts", query * scale, key)
    top = scores.amax(dim=-1)  # (..., T)
    exponentials = torch.exp(scores - top.unsqueeze(-1))
    total = exponentials.sum(dim=-1)
    output = exponentials @ value / total.unsqueeze(-1)
    average = (grad_output * output).sum(dim=-1)  # (..., T)
    grad_query, grad_keys, grad_values = torch.zeros_like(query), [], []
    for s in range(key.shape[-2]):
        k, v = key[..., s, :].unsqueeze(-2), value[..., s, :].unsqueeze(-2)
        weight = torch.exp(scores[..., s] - top) / total
        grad_score = weight * ((grad_output * v).sum(dim=-1) - average)
        grad_values.append((weight.unsqueeze(-1) * grad_output).sum(dim=-2))
        grad_keys.append((grad_score.unsqueeze(-1) * query).sum(dim=-2) * scale)
        grad_query = grad_query + grad_score.unsqueeze(-1) * k * scale
    return grad_query, torch.stack(grad_keys, dim=-2), torch.stack(grad_values, dim=-2)


# %% correct: one query at a time, added up

def attention_backward(
    query: Tensor,
    key: Tensor,
    value: Tensor,
    grad_output: Tensor,
) -> tuple[Tensor, Tensor, Tensor]:
    root = math.sqrt(query.shape[-1])
    query, key, value, grad_output = (x.detach() for x in (query, key, value, grad_output))
    shapes = query.shape, key.shape, value.shape
    q, k, v, g = (x.reshape(-1, *x.shape[-2:]) for x in (query, key, value, grad_output))
    grad_q, grad_k, grad_v = torch.zeros_like(q), torch.zeros_like(k), torch.zeros_like(v)
    for n in range(len(q)):
        for t in range(q.shape[1]):
            a = torch.softmax(k[n].mv(q[n, t]) / root, dim=0)
            grad_a = v[n].mv(g[n, t])
            grad_z = a * (grad_a - a.dot(grad_a)) / root
            grad_v[n] += torch.outer(a, g[n, t])
            grad_k[n] += torch.outer(grad_z, q[n, t])
            grad_q[n, t] = k[n].T.mv(grad_z)
    return tuple(x.view(s) for x, s in zip((grad_q, grad_k, grad_v), shapes, strict=True))
