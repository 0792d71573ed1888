# %% wrong: the softmax is asked for float32, the scaling is not
# softmax(..., dtype=torch.float32) makes the rows sum to one, but the scores are divided by the root while
# they are still bfloat16. It shows with d 6: weights as of scores that were rounded twice.

def low_precision_attention(query: Tensor, key: Tensor, value: Tensor) -> tuple[Tensor, Tensor]:
    scores = query.bfloat16() @ key.bfloat16().transpose(-2, -1)  # (..., T, S)
    weights = torch.softmax(scores / query.shape[-1] ** 0.5, dim=-1, dtype=torch.float32)
    return (weights.bfloat16() @ value.bfloat16()).float(), weights


# %% wrong: the rows are divided by their sums
# The softmax stays in bfloat16 and its rows are then divided by their sums in float32. The sums are one,
# but each weight still has bfloat16's error. It shows for any random input.

def low_precision_attention(query: Tensor, key: Tensor, value: Tensor) -> tuple[Tensor, Tensor]:
    scores = query.bfloat16() @ key.bfloat16().transpose(-2, -1)  # (..., T, S)
    weights = torch.softmax(scores / query.shape[-1] ** 0.5, dim=-1).float()
    weights = weights / weights.sum(dim=-1, keepdim=True)
    return (weights.bfloat16() @ value.bfloat16()).float(), weights


# %% wrong: the second product in float32
# Weights and values meet in float32, so only one of the two products is of bfloat16 numbers. It shows in
# the dtype of the second product's inputs, and in an output without bfloat16's rounding.

def low_precision_attention(query: Tensor, key: Tensor, value: Tensor) -> tuple[Tensor, Tensor]:
    scores = (query.bfloat16() @ key.bfloat16().transpose(-2, -1)).float()
    weights = torch.softmax(scores / query.shape[-1] ** 0.5, dim=-1)
    return weights @ value, weights


# %% wrong: the exponential of scores minus their logsumexp
# The same on paper, but the logsumexp of large scores is itself rounded: with scores near 3,000 the rows
# are off by 1e-4, a thousand times what float32 can do.

def low_precision_attention(query: Tensor, key: Tensor, value: Tensor) -> tuple[Tensor, Tensor]:
    scores = (query.bfloat16() @ key.bfloat16().transpose(-2, -1)).float()
    scores = scores / query.shape[-1] ** 0.5
    weights = torch.exp(scores - torch.logsumexp(scores, dim=-1, keepdim=True))
    return (weights.bfloat16() @ value.bfloat16()).float(), weights


# %% correct: einsum, and the softmax written out

def low_precision_attention(query: Tensor, key: Tensor, value: Tensor) -> tuple[Tensor, Tensor]:
    short = [x.to(torch.bfloat16) for x in (query, key, value)]
    products = torch.einsum("...td,...sd->...ts", short[0], short[1])
    scores = products.to(torch.float32) / query.shape[-1] ** 0.5
    exponentials = (scores - scores.amax(dim=-1, keepdim=True)).exp()
    weights = exponentials / exponentials.sum(dim=-1, keepdim=True)
    output = torch.einsum("...ts,...sv->...tv", weights.to(torch.bfloat16), short[2])
    return output.to(torch.float32), weights


# %% correct: all leading axes in one, a batched product

def low_precision_attention(query: Tensor, key: Tensor, value: Tensor) -> tuple[Tensor, Tensor]:
    def flat(x: Tensor) -> Tensor:
        return x.reshape(-1, *x.shape[-2:]).type(torch.bfloat16)

    leading = query.shape[:-2]
    scores = torch.bmm(flat(query), flat(key).mT)
    weights = scores.float().div(query.shape[-1] ** 0.5).softmax(dim=2)
    output = torch.bmm(weights.type(torch.bfloat16), flat(value)).float()
    return output.reshape(*leading, *output.shape[1:]), weights.reshape(*leading, *weights.shape[1:])
