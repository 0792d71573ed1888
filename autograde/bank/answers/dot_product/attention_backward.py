# %% wrong: the row's mean is not taken away
# The softmax was treated as if each weight depended on its own score alone. Raising a score takes weight from the
# others: the row's weighted mean has to be subtracted.

# --- before
    grad_scores = weights * (grad_weights - mean) * scale
# --- after
    grad_scores = weights * grad_weights * scale

# %% wrong: the softmax is skipped
# The weights' gradient was used as the scores' gradient. Between them lies the softmax, with a Jacobian of its own. See
# section 4.12.

# --- before
    grad_scores = weights * (grad_weights - mean) * scale
# --- after
    grad_scores = grad_weights * scale

# %% wrong: the softmax's derivative of one number
# Only the diagonal of the softmax's Jacobian was used, as for a sigmoid. The other scores of the row move each weight
# too.

# --- before
    grad_scores = weights * (grad_weights - mean) * scale
# --- after
    grad_scores = weights * (1 - weights) * grad_weights * scale

# %% wrong: the plain mean in place of the weighted one
# The plain mean of the row was subtracted. What the Jacobian gives is the mean under the weights.

# --- before
    mean = (weights * grad_weights).sum(dim=-1, keepdim=True)
# --- after
    mean = grad_weights.mean(dim=-1, keepdim=True)

# %% wrong: the mean over the queries
# The sum ran over the queries. Each query's row has a softmax of its own: sum over the keys.

# --- before
    mean = (weights * grad_weights).sum(dim=-1, keepdim=True)
# --- after
    mean = (weights * grad_weights).sum(dim=-2, keepdim=True)

# %% wrong: the scale is forgotten on the way back
# The gradients of query and key are too large by the root of d_k. The scores were divided by it on the way there, so
# their gradient is divided by it on the way back.

# --- before
    grad_scores = weights * (grad_weights - mean) * scale
# --- after
    grad_scores = weights * (grad_weights - mean)

# %% wrong: query and key are exchanged
# The gradients of query and key have changed places. A gradient has the shape of what it belongs to.

# --- before
    return grad_scores @ key, grad_scores.transpose(-2, -1) @ query, grad_value
# --- after
    return grad_scores.transpose(-2, -1) @ query, grad_scores @ key, grad_value

# %% wrong: the sign is turned
# The gradients of query and key have the wrong sign. The weighted mean is subtracted from the weights' gradient, not
# the other way round.

# --- before
    grad_scores = weights * (grad_weights - mean) * scale
# --- after
    grad_scores = weights * (mean - grad_weights) * scale

# %% wrong: written for three axes alone
# It is right for (B, T, d) and for no other number of axes. Count from the end, -1 and -2, and let the leading axes be
# whatever they are.

# --- before
    grad_value = weights.transpose(-2, -1) @ grad_output  # (..., S, T) x (..., T, d_v)
# --- after
    grad_value = weights.transpose(1, 2) @ grad_output  # (..., S, T) x (..., T, d_v)

# %% wrong: exponentials of the scores as they are
# In float32 exp overflows above 88. Use torch.softmax for the weights, or subtract each row's largest score first.

# --- before
    weights = torch.softmax(query @ key.transpose(-2, -1) * scale, dim=-1)
# --- after
    e = torch.exp(query @ key.transpose(-2, -1) * scale)
    weights = e / e.sum(-1, keepdim=True)

# %% correct: the whole Jacobian
def attention_backward(query, key, value, grad_output):
    root = query.shape[-1] ** 0.5
    p = torch.softmax(query @ key.mT / root, dim=-1)
    jacobian = torch.diag_embed(p) - p.unsqueeze(-1) * p.unsqueeze(-2)
    grad_p = grad_output @ value.mT
    grad_s = torch.einsum("...ts,...tsr->...tr", grad_p, jacobian) / root
    return grad_s @ key, grad_s.mT @ query, p.mT @ grad_output

# %% correct: the mean from the output: FlashAttention's form
def attention_backward(query, key, value, grad_output):
    scale = query.shape[-1] ** -0.5
    p = torch.softmax((query * scale) @ key.mT, dim=-1)
    output = p @ value
    delta = (grad_output * output).sum(-1, keepdim=True)
    grad_s = p * (grad_output @ value.mT - delta)
    return scale * (grad_s @ key), scale * (grad_s.mT @ query), p.mT @ grad_output

# %% correct: einsum throughout
def attention_backward(query, key, value, grad_output):
    c = 1 / query.shape[-1] ** 0.5
    s = c * torch.einsum("...td,...sd->...ts", query, key)
    e = torch.exp(s - s.amax(-1, keepdim=True))
    p = e / e.sum(-1, keepdim=True)
    gp = torch.einsum("...tv,...sv->...ts", grad_output, value)
    gs = c * (p * gp - p * torch.einsum("...ts,...ts->...t", p, gp)[..., None])
    gq, gk = torch.einsum("...ts,...sd->...td", gs, key), torch.einsum("...ts,...td->...sd", gs, query)
    return gq, gk, torch.einsum("...ts,...tv->...sv", p, grad_output)

# %% correct: one query at a time
def attention_backward(query, key, value, grad_output):
    root = query.shape[-1] ** 0.5
    gq, gk, gv = [], torch.zeros_like(key), torch.zeros_like(value)
    for t in range(query.shape[-2]):
        q, g = query[..., t : t + 1, :], grad_output[..., t : t + 1, :]
        p = torch.softmax((q * key).sum(-1) / root, dim=-1)
        gp = (g * value).sum(-1)
        gs = (p * (gp - (p * gp).sum(-1, keepdim=True)) / root).unsqueeze(-1)
        gq.append((gs * key).sum(-2))
        gk = gk + gs * q
        gv = gv + p.unsqueeze(-1) * g
    return torch.stack(gq, -2), gk, gv

# %% correct: in float64, cast back
def attention_backward(query, key, value, grad_output):
    q, k, v, g = (x.double() for x in (query, key, value, grad_output))
    root = q.shape[-1] ** 0.5
    p = torch.softmax(q @ k.transpose(-1, -2) / root, dim=-1)
    gp = g @ v.transpose(-1, -2)
    gs = (p * gp - p * (p * gp).sum(-1, keepdim=True)) / root
    found = gs @ k, gs.transpose(-1, -2) @ q, p.transpose(-1, -2) @ g
    return tuple(x.to(query.dtype) for x in found)
