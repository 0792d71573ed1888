# %% wrong: divided by the root of the values' width
# The scores are divided by the root of d_v. Where d_v equals d_k nothing shows; elsewhere the weights are too soft or too sharp.
# Hint: take values that are wider than the keys. Do the weights have anything to do with the values?

def scaled_dot_product_attention(
    query: Tensor, key: Tensor, value: Tensor, mask: Tensor | None = None
) -> tuple[Tensor, Tensor]:
    check_scaled_dot_product(query, key, value, mask)
    scores = query @ key.transpose(-2, -1) / math.sqrt(value.shape[-1])
    weights = masked_softmax(scores, mask)
    return weights @ value, weights


# %% wrong: the axes are counted from the front
# The keys are transposed over axes 1 and 2, which is right for a batch of sequences and for nothing else. Without a batch axis, or with one more, the products do not fit or mix up the axes.
# Hint: call it with tensors of two and of four axes. Which numbers name the last two axes always?

def scaled_dot_product_attention(
    query: Tensor, key: Tensor, value: Tensor, mask: Tensor | None = None
) -> tuple[Tensor, Tensor]:
    check_scaled_dot_product(query, key, value, mask)
    d_k = query.shape[-1]
    scores = torch.matmul(query, key.transpose(1, 2)) / math.sqrt(d_k)
    weights = masked_softmax(scores, mask)
    return torch.matmul(weights, value), weights


# %% wrong: the weights are divided by the root instead of the scores
# The softmax comes first and the division after it. A row of weights sums to one over the root of d_k, and the scores are as large as before.
# Hint: sum a row of your weights.

def scaled_dot_product_attention(
    query: Tensor, key: Tensor, value: Tensor, mask: Tensor | None = None
) -> tuple[Tensor, Tensor]:
    check_scaled_dot_product(query, key, value, mask)
    scores = query @ key.transpose(-2, -1)
    weights = masked_softmax(scores, mask) / math.sqrt(key.shape[-1])
    return weights @ value, weights


# %% wrong: a query that may see nothing sees everything
# Forbidden scores are set to minus a billion. In a row in which all are forbidden they are equal, and the query gets the plain mean of all the values it must not see.
# Hint: look at the weights of a row whose mask is all False. Which function of chapter 02 takes care of it?

def scaled_dot_product_attention(
    query: Tensor, key: Tensor, value: Tensor, mask: Tensor | None = None
) -> tuple[Tensor, Tensor]:
    check_scaled_dot_product(query, key, value, mask)
    scores = query @ key.transpose(-2, -1) / math.sqrt(query.shape[-1])
    if mask is not None:
        scores = scores.masked_fill(mask == 0, -1e9)
    weights = F.softmax(scores, dim=-1)
    return weights @ value, weights


# %% wrong: the scores are multiplied by the mask
# Forbidden scores become zero, and a score of zero is a score like any other. Forbidden keys keep weight, often more than the allowed ones.
# Hint: what is the exponential of zero?

def scaled_dot_product_attention(
    query: Tensor, key: Tensor, value: Tensor, mask: Tensor | None = None
) -> tuple[Tensor, Tensor]:
    check_scaled_dot_product(query, key, value, mask)
    scores = query @ key.transpose(-2, -1) / math.sqrt(query.shape[-1])
    if mask is not None:
        scores = scores * mask
    weights = torch.softmax(scores, dim=-1)
    return weights @ value, weights


# %% correct: einsum with the query scaled before it meets the keys

def scaled_dot_product_attention(
    query: Tensor, key: Tensor, value: Tensor, mask: Tensor | None = None
) -> tuple[Tensor, Tensor]:
    check_scaled_dot_product(query, key, value, mask)
    smaller = query * query.shape[-1] ** -0.5
    weights = masked_softmax(torch.einsum("...td,...sd->...ts", smaller, key), mask)
    return torch.einsum("...ts,...sv->...tv", weights, value), weights


# %% correct: softmax written out with rows that see nothing opened and closed

def scaled_dot_product_attention(
    query: Tensor, key: Tensor, value: Tensor, mask: Tensor | None = None
) -> tuple[Tensor, Tensor]:
    check_scaled_dot_product(query, key, value, mask)
    scores = (query @ key.mT) / math.sqrt(query.size(-1))
    if mask is None:
        mask = torch.ones(scores.shape[-2:], dtype=torch.bool, device=scores.device)
    sees_nothing = ~mask.any(dim=-1, keepdim=True)
    scores = torch.where(mask, scores, float("-inf"))
    scores = torch.where(sees_nothing, 0.0, scores)
    exponentials = torch.exp(scores - scores.detach().logsumexp(dim=-1, keepdim=True))
    weights = exponentials / exponentials.sum(dim=-1, keepdim=True)
    weights = torch.where(sees_nothing, 0.0, weights)
    return weights @ value, weights
