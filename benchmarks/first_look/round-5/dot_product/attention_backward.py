# %% wrong: the plain mean of the row
# The row's average is taken as the mean over the keys, not under the weights: the gradients of the scores no longer sum
# to zero in a row.

def attention_backward(
    query: Tensor,
    key: Tensor,
    value: Tensor,
    grad_output: Tensor,
) -> tuple[Tensor, Tensor, Tensor]:
    root = math.sqrt(query.shape[-1])
    P = torch.softmax(query @ key.mT / root, dim=-1)
    grad_value = P.mT @ grad_output
    grad_P = grad_output @ value.mT
    grad_S = P * (grad_P - grad_P.mean(dim=-1, keepdim=True))
    return grad_S @ key / root, grad_S.mT @ query / root, grad_value


# %% wrong: exponentials of the scores as they are
# The weights are found without taking the largest score away first: from a score of 89 on, the exponential overflows in
# float32 and the gradients are NaN.

def attention_backward(
    query: Tensor,
    key: Tensor,
    value: Tensor,
    grad_output: Tensor,
) -> tuple[Tensor, Tensor, Tensor]:
    root = math.sqrt(query.shape[-1])
    exponentials = torch.exp(query @ key.transpose(-2, -1) / root)
    weights = exponentials / exponentials.sum(dim=-1, keepdim=True)
    d_value = weights.transpose(-2, -1) @ grad_output
    d_weights = grad_output @ value.transpose(-2, -1)
    average = (d_weights * weights).sum(dim=-1, keepdim=True)
    d_scores = weights * (d_weights - average) / root
    return d_scores @ key, d_scores.transpose(-2, -1) @ query, d_value


# %% wrong: the axes are counted from the front
# Transposing axes 1 and 2 does for (B, T, d), as in the cell after the check; without a batch, or with another axis
# before the positions, it raises an error or mixes up axes.

def attention_backward(
    query: Tensor,
    key: Tensor,
    value: Tensor,
    grad_output: Tensor,
) -> tuple[Tensor, Tensor, Tensor]:
    scale = 1 / math.sqrt(query.shape[2])
    weights = torch.softmax(query @ key.transpose(1, 2) * scale, dim=2)
    grad_weights = grad_output @ value.transpose(1, 2)
    grad_scores = weights * (grad_weights - (weights * grad_weights).sum(dim=2, keepdim=True))
    grad_query = grad_scores @ key * scale
    grad_key = grad_scores.transpose(1, 2) @ query * scale
    grad_value = weights.transpose(1, 2) @ grad_output
    return grad_query, grad_key, grad_value


# %% wrong: the query is left divided by the root
# The root is put into the query in place, which saves a factor in the gradient of the key; the gradients are right, but
# the query of the caller has changed.

def attention_backward(
    query: Tensor,
    key: Tensor,
    value: Tensor,
    grad_output: Tensor,
) -> tuple[Tensor, Tensor, Tensor]:
    root = math.sqrt(query.shape[-1])
    query.div_(root)
    weights = torch.softmax(query @ key.mT, dim=-1)
    upstream = grad_output @ value.mT
    grad_scores = weights * (upstream - (upstream * weights).sum(dim=-1, keepdim=True))
    return grad_scores @ key / root, grad_scores.mT @ query, weights.mT @ grad_output


# %% wrong: small steps in place of a derivative
# Each number is moved by a millionth and the change of the loss divided by it: that is near enough in float64, in which
# the next cell tests, and noise in float32.

def attention_backward(
    query: Tensor,
    key: Tensor,
    value: Tensor,
    grad_output: Tensor,
) -> tuple[Tensor, Tensor, Tensor]:
    step = 1e-6
    inputs = [x.detach().clone(memory_format=torch.contiguous_format) for x in (query, key, value)]

    def loss() -> Tensor:
        return (scaled_dot_product_attention(*inputs)[0] * grad_output).sum()

    gradients = []
    for tensor in inputs:
        numbers, gradient = tensor.view(-1), torch.zeros_like(tensor).view(-1)
        for i in range(len(numbers)):
            kept = numbers[i].item()
            numbers[i] = kept + step
            above = loss()
            numbers[i] = kept - step
            below = loss()
            numbers[i] = kept
            gradient[i] = (above - below) / (2 * step)
        gradients.append(gradient.view_as(tensor))
    return tuple(gradients)


# %% correct: the average from the output, with einsum

def attention_backward(
    query: Tensor,
    key: Tensor,
    value: Tensor,
    grad_output: Tensor,
) -> tuple[Tensor, Tensor, Tensor]:
    scale = query.shape[-1] ** -0.5
    scores = torch.einsum("...td,...sd->...ts", query, key) * scale
    weights = torch.exp(scores - torch.logsumexp(scores, dim=-1, keepdim=True))
    output = torch.einsum("...ts,...se->...te", weights, value)
    # the weights' average of what each value says along grad_output is what the output says along it
    average = torch.einsum("...te,...te->...t", output, grad_output)[..., None]
    above = torch.einsum("...te,...se->...ts", grad_output, value) - average
    pushed = weights * above * scale
    return (
        torch.einsum("...ts,...sd->...td", pushed, key),
        torch.einsum("...ts,...td->...sd", pushed, query),
        torch.einsum("...ts,...te->...se", weights, grad_output),
    )


# %% correct: query by query, with the whole jacobian

def _flat(x: Tensor) -> Tensor:
    return x.reshape(math.prod(x.shape[:-2]), x.shape[-2], x.shape[-1])


def attention_backward(
    query: Tensor,
    key: Tensor,
    value: Tensor,
    grad_output: Tensor,
) -> tuple[Tensor, Tensor, Tensor]:
    root = math.sqrt(query.shape[-1])
    queries, keys, values, gradients = _flat(query), _flat(key), _flat(value), _flat(grad_output)
    to_queries = torch.zeros_like(queries)
    to_keys = torch.zeros_like(keys)
    to_values = torch.zeros_like(values)
    for b in range(len(queries)):
        for t in range(queries.shape[1]):
            q, g = queries[b, t], gradients[b, t]
            p = torch.softmax(keys[b] @ q / root, dim=0)
            jacobian = torch.diag(p) - torch.outer(p, p)
            to_scores = jacobian @ (values[b] @ g)
            to_queries[b, t] = to_scores @ keys[b] / root
            to_keys[b] += torch.outer(to_scores, q) / root
            to_values[b] += torch.outer(p, g)
    return to_queries.reshape(query.shape), to_keys.reshape(key.shape), to_values.reshape(value.shape)
