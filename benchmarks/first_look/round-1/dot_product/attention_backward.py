# %% wrong: the plain mean of the row
# Takes away the row's plain mean and not its mean under the weights; right where all weights are alike. A good message: "right for equal weights: the average is weighted, (P * gP).sum".

def attention_backward(
    query: Tensor,
    key: Tensor,
    value: Tensor,
    grad_output: Tensor,
) -> tuple[Tensor, Tensor, Tensor]:
    scale = 1 / math.sqrt(query.shape[-1])
    P = torch.softmax(query @ key.mT * scale, dim=-1)
    grad_P = grad_output @ value.mT
    grad_S = P * (grad_P - grad_P.mean(dim=-1, keepdim=True))
    return grad_S @ key * scale, grad_S.mT @ query * scale, P.mT @ grad_output

# %% wrong: the scale in the scores only
# The scores are divided by the root of d_k, their gradients are not: query's and key's are too large by that factor, value's is right. A good message: "the gradients of query and key are sqrt(d_k) times too large".

def attention_backward(
    query: Tensor,
    key: Tensor,
    value: Tensor,
    grad_output: Tensor,
) -> tuple[Tensor, Tensor, Tensor]:
    scores = query @ key.transpose(-2, -1) / math.sqrt(query.shape[-1])
    weights = torch.softmax(scores, dim=-1)
    grad_value = weights.transpose(-2, -1) @ grad_output
    grad_weights = grad_output @ value.transpose(-2, -1)
    average = (weights * grad_weights).sum(dim=-1, keepdim=True)
    grad_scores = weights * (grad_weights - average)
    return grad_scores @ key, grad_scores.transpose(-2, -1) @ query, grad_value

# %% wrong: scales the arguments in place
# query is divided by the root in place, to save a line; the caller's query is another afterwards. (And query's gradient is scaled once, key's by the scaled query: both right.) A good message: "query has changed: no query /= ...".

def attention_backward(
    query: Tensor,
    key: Tensor,
    value: Tensor,
    grad_output: Tensor,
) -> tuple[Tensor, Tensor, Tensor]:
    root = math.sqrt(query.shape[-1])
    query.div_(root)
    P = (query @ key.mT).softmax(-1)
    gP = grad_output @ value.mT
    gS = P * (gP - (P * gP).sum(-1, keepdim=True))
    return gS @ key / root, gS.mT @ query, P.mT @ grad_output

# %% wrong: the Jacobian in float32
# Builds the softmax's Jacobian with torch.eye, fine, but casts everything to float32 "for speed" and counts axes from the front, so float64 is lost and other leading axes than one fail. A good message: "gradients come back in float32; and (T, d) without a batch fails".

def attention_backward(
    query: Tensor,
    key: Tensor,
    value: Tensor,
    grad_output: Tensor,
) -> tuple[Tensor, Tensor, Tensor]:
    q, k, v, g = query.float(), key.float(), value.float(), grad_output.float()
    root = q.shape[2] ** 0.5
    P = torch.softmax(q @ k.transpose(1, 2) / root, dim=2)
    jacobian = P.unsqueeze(3) * (torch.eye(P.shape[2]) - P.unsqueeze(2))
    gS = torch.einsum("btr,btrs->bts", g @ v.transpose(1, 2), jacobian)
    return gS @ k / root, gS.transpose(1, 2) @ q / root, P.transpose(1, 2) @ g

# %% correct: the average out of the output, own exponentials

def attention_backward(
    query: Tensor,
    key: Tensor,
    value: Tensor,
    grad_output: Tensor,
) -> tuple[Tensor, Tensor, Tensor]:
    gain = query.shape[-1] ** -0.5
    scores = torch.einsum("...td,...sd->...ts", query, key) * gain
    weights = (scores - scores.amax(-1, keepdim=True)).exp()
    weights = weights / weights.sum(-1, keepdim=True)
    average = (grad_output * (weights @ value)).sum(-1, keepdim=True)  # the same as the sum of P times its gradient
    slope = weights * (torch.einsum("...tv,...sv->...ts", grad_output, value) - average) * gain
    return (
        torch.einsum("...ts,...sd->...td", slope, key),
        torch.einsum("...ts,...td->...sd", slope, query),
        torch.einsum("...ts,...tv->...sv", weights, grad_output),
    )

# %% correct: query by query, with the Jacobian, summed up

def attention_backward(
    query: Tensor,
    key: Tensor,
    value: Tensor,
    grad_output: Tensor,
) -> tuple[Tensor, Tensor, Tensor]:
    root = math.sqrt(query.shape[-1])
    grads_q, grad_k, grad_v = [], torch.zeros_like(key), torch.zeros_like(value)
    for q, g in zip(query.unbind(-2), grad_output.unbind(-2), strict=True):
        p = torch.softmax((key @ q.unsqueeze(-1)).squeeze(-1) / root, dim=-1)
        jacobian = torch.diag_embed(p) - p.unsqueeze(-1) * p.unsqueeze(-2)
        s = (jacobian @ (value @ g.unsqueeze(-1))).squeeze(-1) / root
        grads_q.append((s.unsqueeze(-2) @ key).squeeze(-2))
        grad_k = grad_k + s.unsqueeze(-1) * q.unsqueeze(-2)
        grad_v = grad_v + p.unsqueeze(-1) * g.unsqueeze(-2)
    return torch.stack(grads_q, dim=-2), grad_k, grad_v
