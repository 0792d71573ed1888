# %% wrong: the plain mean of the row is taken off
# The gradient of a score is its weight times how far its gradient lies above the row's average under the weights. Here it is the
# unweighted average over the keys: wrong for all but even weights.

def attention_backward(
    query: Tensor,
    key: Tensor,
    value: Tensor,
    grad_output: Tensor,
) -> tuple[Tensor, Tensor, Tensor]:
    root = math.sqrt(query.shape[-1])
    A = torch.softmax(query @ key.transpose(-2, -1) / root, dim=-1)
    grad_value = A.transpose(-2, -1) @ grad_output
    grad_A = grad_output @ value.transpose(-2, -1)
    grad_Z = A * (grad_A - grad_A.mean(dim=-1, keepdim=True))
    grad_query = grad_Z @ key / root
    grad_key = grad_Z.transpose(-2, -1) @ query / root
    return grad_query, grad_key, grad_value

# %% wrong: the keys' gradient is divided by the root twice
# The query is scaled once at the beginning, and the name is used again below: the scaled query already has the root in it.
# The keys' gradient is too small by the root of d_k, for every d_k above 1.

def attention_backward(
    query: Tensor,
    key: Tensor,
    value: Tensor,
    grad_output: Tensor,
) -> tuple[Tensor, Tensor, Tensor]:
    root = query.shape[-1] ** 0.5
    query = query / root
    A = torch.softmax(query @ key.mT, dim=-1)
    grad_A = grad_output @ value.mT
    grad_Z = A * (grad_A - (A * grad_A).sum(dim=-1, keepdim=True))
    return grad_Z @ key / root, grad_Z.mT @ query / root, A.mT @ grad_output

# %% wrong: one batch axis only
# transpose(1, 2) counts axes from the front. With two leading axes, as with heads, it swaps the wrong ones, and without any it
# raises an IndexError.

def attention_backward(
    query: Tensor,
    key: Tensor,
    value: Tensor,
    grad_output: Tensor,
) -> tuple[Tensor, Tensor, Tensor]:
    scale = query.shape[2] ** -0.5
    A = torch.softmax(query @ key.transpose(1, 2) * scale, dim=2)
    grad_A = grad_output @ value.transpose(1, 2)
    grad_Z = A * (grad_A - (A * grad_A).sum(dim=2, keepdim=True))
    grad_query = grad_Z @ key * scale
    grad_key = grad_Z.transpose(1, 2) @ query * scale
    return grad_query, grad_key, A.transpose(1, 2) @ grad_output

# %% wrong: the caller's query is scaled in place
# /= changes the tensor that was passed in: the gradients that come back are right, but the caller's query is smaller by the
# fourth root of d_k, the key too, and a second call gives other numbers.

def attention_backward(
    query: Tensor,
    key: Tensor,
    value: Tensor,
    grad_output: Tensor,
) -> tuple[Tensor, Tensor, Tensor]:
    share = query.shape[-1] ** 0.25  # half of the root for each side
    with torch.no_grad():
        query /= share
        key /= share
        weights = torch.softmax(query @ key.transpose(-2, -1), dim=-1)
        grad_value = weights.transpose(-2, -1) @ grad_output
        above = grad_output @ value.transpose(-2, -1)
        average = (weights * above).sum(dim=-1, keepdim=True)
        grad_scores = weights * (above - average)
        grad_query = grad_scores @ key / share
        grad_key = grad_scores.transpose(-2, -1) @ query / share
    return grad_query, grad_key, grad_value

# %% correct: key after key, the weights made anew from their log-sums

def attention_backward(
    query: Tensor,
    key: Tensor,
    value: Tensor,
    grad_output: Tensor,
) -> tuple[Tensor, Tensor, Tensor]:
    scale = query.shape[-1] ** -0.5
    scores = torch.einsum("...td,...sd->...ts", query, key) * scale
    log_total = torch.logsumexp(scores, dim=-1)  # (..., T)
    # the average of grad_A under the weights is grad_output . output
    average = torch.zeros_like(log_total)
    for s in range(key.shape[-2]):
        weight = torch.exp(scores[..., s] - log_total)
        average = average + weight * (grad_output * value[..., s, :].unsqueeze(-2)).sum(dim=-1)
    grad_query, of_keys, of_values = torch.zeros_like(query), [], []
    for s in range(key.shape[-2]):
        weight = torch.exp(scores[..., s] - log_total)
        above = (grad_output * value[..., s, :].unsqueeze(-2)).sum(dim=-1) - average
        grad_score = (weight * above * scale).unsqueeze(-1)  # (..., T, 1)
        grad_query = grad_query + grad_score * key[..., s, :].unsqueeze(-2)
        of_keys.append((grad_score * query).sum(dim=-2))
        of_values.append((weight.unsqueeze(-1) * grad_output).sum(dim=-2))
    return grad_query, torch.stack(of_keys, dim=-2), torch.stack(of_values, dim=-2)

# %% correct: values measured from each query's output

def attention_backward(
    query: Tensor,
    key: Tensor,
    value: Tensor,
    grad_output: Tensor,
) -> tuple[Tensor, Tensor, Tensor]:
    leading = query.shape[:-2]
    q, k, v, g = (x.reshape(-1, *x.shape[-2:]) for x in (query, key, value, grad_output))
    found = []
    for q1, k1, v1, g1 in zip(q, k, v, g, strict=True):
        scores = (q1 @ k1.T) / math.sqrt(q1.shape[1])
        weights = torch.exp(scores - scores.logsumexp(dim=1, keepdim=True))
        output = weights @ v1
        # a score pulls its query's output from where it is towards one value
        pull = torch.stack([((v1 - o) @ to) * w for o, to, w in zip(output, g1, weights, strict=True)])
        pull = pull / math.sqrt(q1.shape[1])
        found.append((pull @ k1, pull.T @ q1, weights.T @ g1))
    return tuple(
        torch.stack(parts).reshape(*leading, *parts[0].shape) for parts in zip(*found, strict=True)
    )
