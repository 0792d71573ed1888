# %% wrong: only the diagonal of the Jacobian
# A (1 - A) is the derivative of each weight by its own score; what the other scores do to it is
# left out. It shows for every S above 1.

def attention_backward(
    query: Tensor,
    key: Tensor,
    value: Tensor,
    grad_output: Tensor,
) -> tuple[Tensor, Tensor, Tensor]:
    root = math.sqrt(query.shape[-1])
    weights = torch.softmax(query @ key.mT / root, dim=-1)
    grad_weights = grad_output @ value.mT
    grad_scores = weights * (1 - weights) * grad_weights
    return grad_scores @ key / root, grad_scores.mT @ query / root, weights.mT @ grad_output

# %% wrong: the gradient of the scaled query
# The query is divided by the root first, and what is returned is the gradient of that smaller
# query: too large by the root of d_k. It shows for every d_k above 1, in the first result alone.

def attention_backward(
    query: Tensor,
    key: Tensor,
    value: Tensor,
    grad_output: Tensor,
) -> tuple[Tensor, Tensor, Tensor]:
    scaled = query / math.sqrt(query.shape[-1])
    weights = torch.softmax(scaled @ key.transpose(-1, -2), dim=-1)
    grad_value = weights.transpose(-1, -2) @ grad_output
    grad_weights = grad_output @ value.transpose(-1, -2)
    average = (weights * grad_weights).sum(dim=-1, keepdim=True)
    grad_scores = weights * (grad_weights - average)
    grad_query = grad_scores @ key
    grad_key = grad_scores.transpose(-1, -2) @ scaled
    return grad_query, grad_key, grad_value

# %% wrong: three axes and no others
# Written for (B, T, d) by einsum. It shows for inputs (T, d), and for those with an axis of heads:
# they raise an error.

def attention_backward(
    query: Tensor,
    key: Tensor,
    value: Tensor,
    grad_output: Tensor,
) -> tuple[Tensor, Tensor, Tensor]:
    root = query.shape[-1] ** 0.5
    weights = torch.einsum("btd,bsd->bts", query, key).div(root).softmax(dim=-1)
    grad_value = torch.einsum("bts,btv->bsv", weights, grad_output)
    grad_weights = torch.einsum("btv,bsv->bts", grad_output, value)
    above = grad_weights - (weights * grad_weights).sum(dim=-1, keepdim=True)
    grad_scores = weights * above / root
    grad_query = torch.einsum("bts,bsd->btd", grad_scores, key)
    grad_key = torch.einsum("bts,btd->bsd", grad_scores, query)
    return grad_query, grad_key, grad_value

# %% wrong: the plain average of the row
# Subtracts the row's mean, not its average under the weights. It shows wherever a row's weights are
# not all equal, as soon as S is above 1.

def attention_backward(
    query: Tensor,
    key: Tensor,
    value: Tensor,
    grad_output: Tensor,
) -> tuple[Tensor, Tensor, Tensor]:
    root = math.sqrt(query.shape[-1])
    weights = torch.softmax(query @ key.mT / root, dim=-1)
    grad_value = weights.mT @ grad_output
    grad_weights = grad_output @ value.mT
    grad_scores = weights * (grad_weights - grad_weights.mean(dim=-1, keepdim=True))
    return grad_scores @ key / root, grad_scores.mT @ query / root, grad_value

# %% correct: a block of keys at a time, and the average from the output
def attention_backward(
    query: Tensor,
    key: Tensor,
    value: Tensor,
    grad_output: Tensor,
) -> tuple[Tensor, Tensor, Tensor]:
    block, scale = 3, query.shape[-1] ** -0.5
    pieces = list(zip(key.split(block, dim=-2), value.split(block, dim=-2), strict=True))
    # forward, with the online softmax
    top = torch.full_like(query[..., :1], -torch.inf)
    total = torch.zeros_like(top)
    summed = torch.zeros_like(grad_output)
    for keys, values in pieces:
        scores = query @ keys.mT * scale
        new_top = torch.maximum(top, scores.amax(dim=-1, keepdim=True))
        old, now = torch.exp(top - new_top), torch.exp(scores - new_top)
        total = old * total + now.sum(dim=-1, keepdim=True)
        summed = old * summed + now @ values
        top = new_top
    # the average of the weights' gradient under the weights is output . grad_output
    average = (summed / total * grad_output).sum(dim=-1, keepdim=True)
    grad_query, grad_keys, grad_values = torch.zeros_like(query), [], []
    for keys, values in pieces:
        weights = torch.exp(query @ keys.mT * scale - top) / total
        grad_scores = weights * (grad_output @ values.mT - average) * scale
        grad_query = grad_query + grad_scores @ keys
        grad_keys.append(grad_scores.mT @ query)
        grad_values.append(weights.mT @ grad_output)
    return grad_query, torch.cat(grad_keys, dim=-2), torch.cat(grad_values, dim=-2)

# %% correct: each pair of keys pulls at its difference
def attention_backward(
    query: Tensor,
    key: Tensor,
    value: Tensor,
    grad_output: Tensor,
) -> tuple[Tensor, Tensor, Tensor]:
    root = math.sqrt(query.shape[-1])
    weights = torch.softmax(torch.einsum("...td,...sd->...ts", query, key) / root, dim=-1)
    pulls = torch.einsum("...tv,...sv->...ts", grad_output, value)
    # score s gets, from every other key r, A_s A_r (pull_s - pull_r)
    grad_scores = torch.zeros_like(weights)
    for r in range(key.shape[-2]):
        here = slice(r, r + 1)
        grad_scores = grad_scores + weights * weights[..., here] * (pulls - pulls[..., here])
    grad_scores = grad_scores / root
    return (
        torch.einsum("...ts,...sd->...td", grad_scores, key),
        torch.einsum("...ts,...td->...sd", grad_scores, query),
        torch.einsum("...ts,...tv->...sv", weights, grad_output),
    )
