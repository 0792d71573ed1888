# %% wrong: the plain mean in place of the mean under the weights
# From each entry of the gradient by the weights the plain mean of its row is taken away. The softmax asks for the mean under the weights, so the gradients of query and key are off unless the weights are equal.
# Hint: carry out the sum over r of dP_r times P_r (delta - P_s) for one row. By what is each dP weighted?

def attention_backward(
    query: Tensor,
    key: Tensor,
    value: Tensor,
    grad_output: Tensor,
) -> tuple[Tensor, Tensor, Tensor]:
    scale = query.shape[-1] ** -0.5
    P = torch.softmax(query @ key.transpose(-2, -1) * scale, dim=-1)
    grad_value = P.transpose(-2, -1) @ grad_output
    grad_P = grad_output @ value.transpose(-2, -1)
    grad_S = P * (grad_P - grad_P.mean(dim=-1, keepdim=True))
    return grad_S @ key * scale, grad_S.transpose(-2, -1) @ query * scale, grad_value


# %% wrong: only the diagonal of the jacobian
# The derivative of the softmax is taken to be P (1 - P), as for a sigmoid. That is the diagonal; what each score does to the other weights of its row is missing.
# Hint: the weights of a row sum to one. What does your gradient do when the same number is added to all scores of a row?

def attention_backward(
    query: Tensor,
    key: Tensor,
    value: Tensor,
    grad_output: Tensor,
) -> tuple[Tensor, Tensor, Tensor]:
    root = math.sqrt(query.shape[-1])
    P = torch.softmax(query @ key.transpose(-2, -1) / root, dim=-1)
    grad_value = P.transpose(-2, -1) @ grad_output
    grad_P = grad_output @ value.transpose(-2, -1)
    grad_S = grad_P * P * (1 - P)
    grad_query = grad_S @ key / root
    grad_key = grad_S.transpose(-2, -1) @ query / root
    return grad_query, grad_key, grad_value


# %% wrong: a transpose is missing in the gradient of the key
# The gradient of the key is the gradient of the scores times the query, without a transpose. With unequal numbers of queries and keys it stops; with equal ones the shape fits and the numbers are wrong.
# Hint: write down the shapes of the gradient of the scores and of the key for T = 3 and S = 5.

def attention_backward(
    query: Tensor,
    key: Tensor,
    value: Tensor,
    grad_output: Tensor,
) -> tuple[Tensor, Tensor, Tensor]:
    root = query.shape[-1] ** 0.5
    P = torch.softmax(query @ key.transpose(-2, -1) / root, dim=-1)
    grad_value = P.transpose(-2, -1) @ grad_output
    grad_P = grad_output @ value.transpose(-2, -1)
    grad_S = P * (grad_P - (P * grad_P).sum(dim=-1, keepdim=True))
    return grad_S @ key / root, grad_S @ query / root, grad_value


# %% wrong: the root is left out on the way back to the key
# The gradient of the query is divided by the root of d_k, that of the key is not, so that it is too large by that factor.
# Hint: query and key come into the score in the same way. Swap them in your mind and compare the two lines.

def attention_backward(
    query: Tensor,
    key: Tensor,
    value: Tensor,
    grad_output: Tensor,
) -> tuple[Tensor, Tensor, Tensor]:
    scale = 1 / math.sqrt(query.shape[-1])
    P = torch.softmax(scale * query @ key.transpose(-2, -1), dim=-1)
    grad_value = torch.einsum("...ts,...tv->...sv", P, grad_output)
    grad_P = torch.einsum("...tv,...sv->...ts", grad_output, value)
    grad_S = P * (grad_P - (P * grad_P).sum(dim=-1, keepdim=True))
    grad_query = scale * torch.einsum("...ts,...sd->...td", grad_S, key)
    grad_key = torch.einsum("...ts,...td->...sd", grad_S, query)
    return grad_query, grad_key, grad_value


# %% wrong: everything is computed in float32
# The inputs are turned into float32 first, so float64 goes in and float32 comes out, too coarse for gradcheck.
# Hint: print the dtypes of what goes in and of what comes out.

def attention_backward(
    query: Tensor,
    key: Tensor,
    value: Tensor,
    grad_output: Tensor,
) -> tuple[Tensor, Tensor, Tensor]:
    query, key, value, grad_output = query.float(), key.float(), value.float(), grad_output.float()
    root = math.sqrt(query.shape[-1])
    P = torch.softmax(query @ key.mT / root, dim=-1)
    grad_P = grad_output @ value.mT
    grad_S = P * (grad_P - (P * grad_P).sum(dim=-1, keepdim=True)) / root
    return grad_S @ key, grad_S.mT @ query, P.mT @ grad_output


# %% correct: the average of a row taken from the output

def attention_backward(
    query: Tensor,
    key: Tensor,
    value: Tensor,
    grad_output: Tensor,
) -> tuple[Tensor, Tensor, Tensor]:
    scaled = query / math.sqrt(query.shape[-1])
    scores = torch.einsum("...td,...sd->...ts", scaled, key)
    P = torch.exp(scores - torch.logsumexp(scores, dim=-1, keepdim=True))
    output = torch.einsum("...ts,...sv->...tv", P, value)
    average = torch.linalg.vecdot(grad_output, output, dim=-1).unsqueeze(-1)
    grad_scores = P * (torch.einsum("...tv,...sv->...ts", grad_output, value) - average)
    grad_query = torch.einsum("...ts,...sd->...td", grad_scores, key) / math.sqrt(query.shape[-1])
    grad_key = torch.einsum("...ts,...td->...sd", grad_scores, scaled)
    grad_value = torch.einsum("...ts,...tv->...sv", P, grad_output)
    return grad_query, grad_key, grad_value


# %% correct: query by query with keys and values summed up on the way

def attention_backward(
    query: Tensor,
    key: Tensor,
    value: Tensor,
    grad_output: Tensor,
) -> tuple[Tensor, Tensor, Tensor]:
    root = query.shape[-1] ** 0.5
    grad_query, grad_key, grad_value = (torch.zeros_like(given) for given in (query, key, value))
    for t in range(query.shape[-2]):
        q, g = query[..., t, :], grad_output[..., t, :]
        p = torch.softmax((key @ q.unsqueeze(-1)).squeeze(-1) / root, dim=-1)
        grad_p = (value @ g.unsqueeze(-1)).squeeze(-1)
        average = (p * grad_p).sum(dim=-1, keepdim=True)
        grad_s = (p * (grad_p - average)).unsqueeze(-1) / root
        grad_query[..., t, :] = (grad_s * key).sum(dim=-2)
        grad_key = grad_key + grad_s * q.unsqueeze(-2)
        grad_value = grad_value + p.unsqueeze(-1) * g.unsqueeze(-2)
    return grad_query, grad_key, grad_value
