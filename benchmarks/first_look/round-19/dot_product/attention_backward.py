# %% wrong: the diagonal of the Jacobian alone
# Takes the derivative of a weight with respect to its own score, A (1 - A), and forgets that every score moves the other
# weights of the row too. Shows for S of 2 or more (with one key both are zero).

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


# %% wrong: the plain average of the row
# Takes the mean over the keys in place of the mean under the weights, so that a row's gradients of the scores do not sum
# to zero. Shows for S of 2 or more wherever the weights are not all equal.

def attention_backward(
    query: Tensor,
    key: Tensor,
    value: Tensor,
    grad_output: Tensor,
) -> tuple[Tensor, Tensor, Tensor]:
    root = math.sqrt(query.shape[-1])
    A = torch.softmax(query @ key.mT / root, dim=-1)
    A_bar = grad_output @ value.mT
    Z_bar = A * (A_bar - A_bar.mean(dim=-1, keepdim=True))
    return Z_bar @ key / root, Z_bar.mT @ query / root, A.mT @ grad_output


# %% wrong: its own softmax, which overflows
# exp of a score beyond 88 is infinite in float32, and infinity divided by infinity NaN. Shows for scores in the hundreds,
# such as 40 * randn for query and key.

def attention_backward(
    query: Tensor,
    key: Tensor,
    value: Tensor,
    grad_output: Tensor,
) -> tuple[Tensor, Tensor, Tensor]:
    scale = query.shape[-1] ** -0.5
    exponentials = torch.exp(scale * query @ key.mT)
    A = exponentials / exponentials.sum(dim=-1, keepdim=True)
    A_bar = grad_output @ value.mT
    average = (A * A_bar).sum(dim=-1, keepdim=True)
    Z_bar = scale * A * (A_bar - average)
    return Z_bar @ key, Z_bar.mT @ query, A.mT @ grad_output


# %% wrong: the root once, for the query
# Scales a copy of the query at the beginning and takes it for the query of the last line. The key's gradient is then right,
# the query's lacks the division by the root. Shows for any d_k of 2 or more.

def attention_backward(
    query: Tensor,
    key: Tensor,
    value: Tensor,
    grad_output: Tensor,
) -> tuple[Tensor, Tensor, Tensor]:
    query = query / math.sqrt(query.shape[-1])  # now scores are query @ key^T
    A = torch.softmax(query @ key.transpose(-1, -2), dim=-1)
    grad_value = A.transpose(-1, -2) @ grad_output
    A_bar = grad_output @ value.transpose(-1, -2)
    Z_bar = A * (A_bar - (A * A_bar).sum(dim=-1, keepdim=True))
    grad_query = Z_bar @ key
    grad_key = Z_bar.transpose(-1, -2) @ query
    return grad_query, grad_key, grad_value


# %% correct: the Jacobian written out, row by row
def attention_backward(
    query: Tensor,
    key: Tensor,
    value: Tensor,
    grad_output: Tensor,
) -> tuple[Tensor, Tensor, Tensor]:
    with torch.no_grad():
        T, S = query.shape[-2], key.shape[-2]
        root = query.shape[-1] ** 0.5
        grad_query = torch.zeros_like(query)
        grad_key, grad_value = torch.zeros_like(key), torch.zeros_like(value)
        for t in range(T):
            q, g = query[..., t, :], grad_output[..., t, :]
            a = torch.softmax((key * q.unsqueeze(-2)).sum(dim=-1) / root, dim=-1)  # (..., S)
            jacobian = torch.diag_embed(a) - a.unsqueeze(-1) * a.unsqueeze(-2)
            a_bar = (value * g.unsqueeze(-2)).sum(dim=-1)
            z_bar = (jacobian * a_bar.unsqueeze(-2)).sum(dim=-1) / root
            for s in range(S):
                share = z_bar[..., s, None]
                grad_query[..., t, :] += share * key[..., s, :]
                grad_key[..., s, :] += share * q
                grad_value[..., s, :] += a[..., s, None] * g
        return grad_query, grad_key, grad_value


# %% correct: the row's average read off the output
def attention_backward(
    query: Tensor,
    key: Tensor,
    value: Tensor,
    grad_output: Tensor,
) -> tuple[Tensor, Tensor, Tensor]:
    with torch.no_grad():
        scale = query.shape[-1] ** -0.5
        scores = torch.einsum("...td,...sd->...ts", query, key) * scale
        total = scores.logsumexp(dim=-1, keepdim=True)
        output = torch.einsum("...ts,...sv->...tv", (scores - total).exp(), value)
        # the average of A_bar under the weights is O_bar . O
        average = (grad_output * output).sum(dim=-1, keepdim=True)
        parts_q, parts_k, parts_v = torch.zeros_like(query), [], []
        for block in torch.arange(key.shape[-2], device=key.device).split(2):
            some_keys, some_values = key[..., block, :], value[..., block, :]
            A = (scores[..., block] - total).exp()
            Z_bar = A * (torch.einsum("...tv,...sv->...ts", grad_output, some_values) - average)
            parts_q = parts_q + scale * torch.einsum("...ts,...sd->...td", Z_bar, some_keys)
            parts_k.append(scale * torch.einsum("...ts,...td->...sd", Z_bar, query))
            parts_v.append(torch.einsum("...ts,...tv->...sv", A, grad_output))
        return parts_q, torch.cat(parts_k, dim=-2), torch.cat(parts_v, dim=-2)
